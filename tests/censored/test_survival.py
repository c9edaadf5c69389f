"""Estimates of survival and radii as values: by hand, and what names they give."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits.arrays import CompensatedSum
from jaxbandits.censored.policies.cell_thompson import State
from jaxbandits.censored.policies.rcucb import Params
from jaxbandits.plain.gains import Sums
from jaxbandits.protocol import View
from tests.tables import each_row

PROBLEM = censored.trap().problem
TWO = np.array([2.0, 3.0])


def test_radii_by_hand():
    params = Params(penalty_radius=0.5, gain_radius=2.0)
    count, rounds = jnp.asarray([16.0, 4.0]), jnp.asarray([25.0])
    found = censored.eq_12(count, rounds, TWO, params)
    np.testing.assert_allclose(found, [0.5 + 0.2, 1.0 + 0.3], rtol=1e-6)
    found = censored.remark_3(count, rounds, TWO, params)
    np.testing.assert_allclose(found, [0.5 + 0.04, 1.0 + 0.06], rtol=1e-6)


def test_survival_by_hand():
    """Ten rounds; six pass the first cell, of four one the second, one the third."""
    share = censored.exceeded_share((jnp.asarray([6, 3]),), 10.0)
    np.testing.assert_allclose(share, [0.6, 0.3], rtol=1e-6)
    counts = jnp.asarray([[6, 1, 1, 0]]), jnp.asarray([[10, 4, 1, 0]])
    found = censored.product_limit(counts, None)
    np.testing.assert_allclose(found, [[0.6, 0.15, 0.15, 0.15]], rtol=1e-6)


@each_row("sigma, factor", [(0.0, 1.0), (1.0, 2**0.5), (np.sqrt(3), 2.0)])
def test_radii_of_sub_gaussian_rewards(sigma, factor):
    assert censored.sub_gaussian_gain_radius(sigma) == pytest.approx(factor)


def test_a_negative_sigma_is_refused():
    with pytest.raises(ValueError, match="sigma must be at least 0|^sigma must"):
        censored.sub_gaussian_gain_radius(-1.0)


def test_names_tell_variants_apart():
    make = partial(censored.rcucb, PROBLEM)
    found = {make().name, make("kaplan_meier").name, make(radius="remark_3").name}
    assert found == {"RCUCB", "RCUCB (Kaplan-Meier)", "RCUCB (remark 3)"}
    assert make(censored.KAPLAN_MEIER).name == "RCUCB (Kaplan-Meier)"
    forms = [censored.thompson(PROBLEM), censored.thompson(PROBLEM, "shared")]
    assert [policy.name for policy in forms] == ["TS", "TS (shared)"]


@each_row("update, failed", [("shared", [1, 1, 1]), ("independent", [1, 0, 0])])
def test_shared_trials_have_one_uniform(update, failed):
    """The first is so large that its trial fails; the other two are 0."""
    problem = censored.running_example(1, [0.2, 0.4, 0.6])
    policy = censored.thompson(problem, update)
    action = censored.Action(jnp.int32(0), jnp.int32(2))
    feedback = censored.Feedback(jnp.float32(0.5), jnp.float32(0.1), jnp.bool_(False))
    words = np.repeat(np.array([2**32 - 1, 0, 0], np.uint32), 2)
    update = jax.jit(policy.update)
    state = update(words, None, policy.init(()), action, feedback, ())
    assert state.failure.tolist() == [failed]
    assert state.success.tolist() == [[1 - x for x in failed]]


@each_row(
    "make",
    [
        censored.thompson,
        censored.ucb_reduction,
        censored.moss_reduction,
        censored.kl_ucb_reduction,
    ],
)
def test_what_has_done_well_is_recommended(make):
    policy = make(PROBLEM)
    action = censored.Action(jnp.int32(0), jnp.int32(1))
    feedback = censored.Feedback(jnp.float32(1), jnp.float32(0.3), jnp.asarray(False))
    words = np.full(policy.words[1], 2**32 - 1, np.uint32)
    state = policy.init(policy.params)
    state = jax.jit(policy.update)(
        words, View(jnp.int32(1)), state, action, feedback, policy.params
    )
    recommended = jax.jit(policy.recommend)(state, policy.params)
    assert [int(x) for x in recommended] == [0, 1]


def test_cell_thompson_recommends_the_best_at_the_posterior_means(rng):
    policy = censored.cell_thompson(PROBLEM)
    params = policy.params._replace(prior_passed=3.0)
    shape = 500, PROBLEM.num_arms, PROBLEM.num_limits
    entered = rng.integers(0, 9, shape)
    ended = rng.integers(0, entered + 1)
    gain = ended * rng.uniform(-PROBLEM.max_cost, 1, shape)
    hazard = (1 + ended) / (4 + entered)
    mean = (gain + 1 - PROBLEM.max_cost) / (2 + ended)
    passed = np.cumprod(1 - hazard, axis=-1)
    earned = np.cumsum(passed / (1 - hazard) * hazard * mean, axis=-1)
    value = (earned - PROBLEM.penalties() * passed).reshape(500, -1)
    sums = CompensatedSum(jnp.asarray(gain, float), jnp.zeros(shape))
    state = State(jnp.asarray(entered), jnp.asarray(ended), Sums(sums, sums))
    found = jax.jit(jax.vmap(policy.recommend, (0, None)))(state, params)
    flat = np.ravel_multi_index(tuple(found), shape[1:])
    np.testing.assert_array_equal(flat, np.argmax(value, axis=1))


def test_ones_own_survival_and_radius_are_played():
    """After a round beyond the largest limit: no gain, the risk and length given."""
    even = censored.Survival("even", 1, lambda e, w: (e,), lambda counts, rounds: 0.5)

    def wide(count, rounds, penalties, params):
        return 7 * params.gain_radius * penalties + rounds

    policy = censored.rcucb(PROBLEM, even, wide)
    assert policy.name == "RCUCB (even, wide)"
    action = censored.Action(jnp.int32(0), jnp.int32(1))
    seen = censored.Feedback(jnp.float32(0), jnp.float32(jnp.inf), jnp.asarray(True))
    params = policy.params
    state = policy.update(None, None, policy.init(params), action, seen, params)
    penalties = PROBLEM.penalties()
    np.testing.assert_allclose(state.estimate, [-0.5 * penalties], rtol=1e-6)
    np.testing.assert_allclose(state.width, [7 * penalties + 1], rtol=1e-6)
