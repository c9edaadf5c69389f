"""The Facebook settings: how ads become arms, and which arms are played."""

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from jaxbandits.budgeted import View, uniform
from jaxbandits_studies.datasets import Group, fb_br, fb_bt, load_facebook
from tests.data import DATA, needs_data
from tests.kernels.checks import ALARM, assert_uniform
from tests.tables import naming

HEADER = "ad_id,campaign_id,fb_id,age,gender,clicks,spent,total_conversion,approved"
# Campaign 7: two men's ads, three women's (one of which has no conversion), then ads
# that drop out. Campaign 8: a lone ad. Campaign 6: two equal ads. The rest: rows that
# are shifted left by two columns, and one without clicks.
TABLE = f"""{HEADER}
1,7,107,30-34,M,10,5.0,2,1
2,7,107,30-34,M,4,4.0,1,0
3,7,107,30-34,F,5,1.0,0,0
4,7,107,30-34,F,2,2.0,1,1
5,7,107,30-34,F,8,2.0,8,1
6,7,107,30-34,F,0,0.0,1,1
7,7,107,30-34,F,3,0.0,1,1
8,7,107,30-34,F,2,1.5,3,0
9,8,108,30-34,F,2,1.5,1,0
10,6,106,45-49,M,1,1.0,1,0
11,6,106,45-49,M,1,1.0,1,0
12,30-34,M,10,5.0,2,1,,
13,30-34,M,10,5.0,2,1,,
14,7,107,30-34,M,,5.0,2,1
"""


def group(reward, cost, name="7"):
    return Group(name, "30-34", "M", np.array(reward), np.array(cost))


# More arms in the second group than in the first, whose costs exceed what stands for
# arms that do not exist.
GROUPS = [group([0.99, 0.3], [0.6, 0.99]), group([0.1, 0.5, 0.99], [0.99, 0.7, 0.4])]


def test_small_table_by_hand(write):
    groups = load_facebook(write(TABLE))
    assert [g.name for g in groups] == ["6/45-49/M", "7/30-34/F", "7/30-34/M"]
    equal, women, men = groups
    np.testing.assert_allclose(equal.mean_reward, [0.99, 0.99], rtol=1e-15)
    np.testing.assert_allclose(equal.mean_cost, [0.99, 0.99], rtol=1e-15)
    # Rewards 1/100 in place of 0, 1/2 and 1; costs 1/5, 1 and 1/4. Ads 6 to 8 have no
    # click, no money spent, or more conversions than clicks.
    np.testing.assert_allclose(women.mean_reward, 0.99 * np.array([0.01, 0.5, 1]))
    np.testing.assert_allclose(women.mean_cost, 0.99 * np.array([0.2, 1, 0.25]))
    # Rewards 1/5 and 1/4, costs 1/2 and 1: divided by the largest of the group.
    np.testing.assert_allclose(men.mean_reward, 0.99 * np.array([0.8, 1]))
    np.testing.assert_allclose(men.mean_cost, 0.99 * np.array([0.5, 1]))
    assert (men.campaign, men.age, men.gender) == ("7", "30-34", "M")


@needs_data
def test_the_papers_19_settings():
    groups = load_facebook(DATA / "facebook_ad_campaign.csv")
    sizes = [len(g.mean_reward) for g in groups]
    assert len(groups) == 19 and sum(sizes) == 545
    assert min(sizes) == 2 and max(sizes) == 93
    table = pd.read_csv(DATA / "facebook_settings.csv", dtype={"campaign_id": str})
    keys = ["campaign_id", "age", "gender"]
    expected = {
        "/".join(key): np.stack([part["mean_reward"], part["mean_cost"]])
        for key, part in table.groupby(keys)
    }
    assert {g.name for g in groups} == set(expected)

    def ordered(pairs):
        return pairs[:, np.lexsort(np.round(pairs, 9))]

    for g in groups:
        found = np.stack([g.mean_reward, g.mean_cost])
        np.testing.assert_allclose(
            ordered(found), ordered(expected[g.name]), rtol=0, atol=1e-9
        )


NEGATIVE = ("10,-5.0,2", "-1,5.0,2", "10,5.0,-2")


def test_bad_tables_are_refused(write):
    for words, text in (
        *(("negative", f"{TABLE}15,7,107,30-34,M,{x},1\n") for x in NEGATIVE),
        ("no group", f"{HEADER}\n9,8,108,30-34,F,2,1.5,1,0\n"),
        ("no column 'spent'", TABLE.replace("spent", "other")),
    ):
        with naming(text), pytest.raises(ValueError, match=f"path: .*{words}"):
            load_facebook(write(text))


def test_games_have_the_groups_on_record_and_need_one(write):
    groups = load_facebook(write(TABLE))
    for make in (fb_br, fb_bt):
        names = ["6/45-49/M", "7/30-34/F", "7/30-34/M"]
        assert make(groups).provenance["groups"] == names
        with pytest.raises(ValueError, match="groups"):
            make([])


def drawn(environment, seeds=3000):
    keys = jax.random.split(jax.random.key(0), seeds)
    setup = jax.tree.map(
        lambda x: jnp.asarray(x, np.float32 if x.dtype.kind == "f" else None),
        environment.setup,
    )
    sample = jax.jit(jax.vmap(environment.game.sample, (0, None)))
    return jax.tree.map(np.asarray, sample(keys, setup))


def test_instances_are_the_groups_in_turn():
    game = fb_bt(GROUPS)
    assert game.problem.num_arms == 3 and game.name == fb_bt([GROUPS[0]]).name[:5]
    instance = drawn(game)
    second = instance.arms.num_arms == 3
    assert np.all(second | (instance.arms.num_arms == 2))
    assert stats.binomtest(int(second.sum()), second.size, 0.5).pvalue > ALARM
    oracle = game.oracle(instance)
    for number, chosen in ((0, ~second), (1, second)):
        size = len(GROUPS[number].mean_reward)
        for found, means in (
            (oracle.mean_reward[chosen], GROUPS[number].mean_reward),
            (oracle.mean_cost[chosen], GROUPS[number].mean_cost),
        ):
            np.testing.assert_allclose(found[:, :size] - means, 0, atol=2e-6)
            assert np.all(np.isnan(found[:, size:]))
        assert np.all(oracle.best[chosen] == (0, 2)[number])
        assert np.all(instance.oracle.best[chosen] == (0, 2)[number])
    # What does not exist is not the cheapest either: the groups' 0.6 and 0.4.
    cheapest = np.where(second, 0.4, 0.6)
    np.testing.assert_allclose(instance.oracle.cheapest, cheapest, rtol=1e-5)
    np.testing.assert_array_equal(instance.unit, instance.oracle.cheapest)


def test_groups_of_one_size_share_their_functions():
    one, two = (fb_br([g], num_arms=5) for g in GROUPS)
    assert one.game is two.game and one.problem == two.problem
    with pytest.raises(ValueError, match="num_arms must be at least 3"):
        fb_br(GROUPS, num_arms=2)


def test_the_codes_second_factor():
    """The published code multiplies the Beta arms' means by .99 once more."""
    for factor in (1.0, 0.99):
        instance = drawn(fb_bt([GROUPS[1]], factor=factor), 8)
        oracle = fb_bt([GROUPS[1]]).oracle(instance)
        means = factor * np.tile(GROUPS[1].mean_reward, (8, 1))
        np.testing.assert_allclose(oracle.mean_reward, means, rtol=1e-5)
    with pytest.raises(ValueError, match="factor must be"):
        fb_bt(GROUPS, factor=1.1)


def test_beta_laws_keep_one_parameter_as_drawn():
    """beta for a mean of at most 1/2, else alpha; both drawn from U(0, 5)."""
    game = fb_bt([GROUPS[1]])
    law = drawn(game).arms.law
    for beta, means in (
        (law.reward, GROUPS[1].mean_reward),
        (law.consumption, GROUPS[1].mean_cost),
    ):
        for arm, mean in enumerate(means):
            kept = beta.b if mean <= 0.5 else beta.a
            assert_uniform(kept[:, arm] / 5)
            other = (beta.a if mean <= 0.5 else beta.b)[:, arm]
            assert np.all(other > 0) and np.all(kept[:, arm] <= 5)
    assert not np.any(law.reward.b[:, 0] == law.reward.b[:, 1])
    # Different seeds, different laws; equal groups.
    assert np.unique(law.reward.b[:, 0]).size > 2900


def test_arms_that_do_not_exist_are_never_played():
    policy, view = uniform(fb_br(GROUPS).problem), View(1, 2, 0.0, 1.0, None)
    words = np.array([0, 2**31, 2**32 - 1], np.uint32)
    assert [int(policy.act(words[[i]], view, (), ())) for i in range(3)] == [0, 1, 1]
