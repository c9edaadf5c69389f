"""All pairs of policies: SciPy's tests, corrections, error rate and power."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jaxbandits.stats import dominance, paired_difference
from jaxbandits.stats.corrections import CORRECTIONS, corrected
from tests.heavy import in_short
from tests.results.samples import dataset, slack
from tests.tables import each_row


def compared(values, drawn=None, **arguments):
    """The comparison of policies with the values ``[P, S]``."""
    values = np.asarray(values, np.float64)
    data = xr.Dataset(
        {
            "regret": (
                ("policy", "params", "seed", "checkpoint"),
                values[:, None, :, None],
            )
        },
        coords={"policy": [f"p{i}" for i in range(len(values))], "checkpoint": [100]},
    )
    if drawn is not None:
        data = data.assign_coords(instance=drawn)
    return dominance(data, "regret", **arguments)


@pytest.fixture
def values(rng):
    """Four policies on 60 seeds, the last one clearly worst."""
    noise = rng.normal(size=60)
    return noise + 0.5 * rng.normal(size=(4, 60)) + np.array([[0], [0.2], [0.5], [3]])


def test_the_t_test_is_scipys(values):
    found = compared(values)
    for i in range(4):
        for j in set(range(4)) - {i}:
            expected = stats.ttest_rel(values[i], values[j])
            assert found["p"][i, j].item() == pytest.approx(expected.pvalue)
            ends = expected.confidence_interval(1 - 0.05 / 6)
            assert found["lower"][i, j].item() == pytest.approx(ends.low)
            assert found["upper"][i, j].item() == pytest.approx(ends.high)
            skewness = stats.skew(values[i] - values[j])
            assert found["skewness"][i, j].item() == pytest.approx(skewness)
    assert (found["reason"].values[~np.eye(4, dtype=bool)] == "").all()
    assert (np.diag(found["p"]) == 1).all() and (
        np.diag(found["p_adjusted"]) == 1
    ).all()


def test_the_sign_test_is_scipys(rng):
    values = rng.integers(0, 4, (3, 15)) + np.array([[0], [1], [0]])
    found = compared(values, test="sign")
    for i, j in ((0, 1), (0, 2), (1, 2)):
        above, below = (values[i] > values[j]).sum(), (values[i] < values[j]).sum()
        expected = stats.binomtest(above, above + below).pvalue
        assert found["p"][i, j].item() == pytest.approx(expected)
    assert found["lower"].isnull().all() and found.attrs["about"] == "wins"


@each_row("correction", CORRECTIONS)
def test_corrections_are_those_of_their_rules(values, correction):
    found = compared(values, correction=correction)
    pairs = np.triu_indices(4, 1)
    expected = corrected(found["p"].values[pairs], correction)
    np.testing.assert_allclose(found["p_adjusted"].values[pairs], expected, atol=1e-12)
    np.testing.assert_array_equal(found["p_adjusted"], found["p_adjusted"].T)
    sure = found["p_adjusted"].values <= 0.05
    expected = np.where(sure, -np.sign(found["difference"]), 0)
    np.testing.assert_array_equal(found["verdict"], expected)
    assert found["verdict"].dtype == np.int8
    assert found["verdict"][:, 3].values.tolist() == [1, 1, 1, 0]


@each_row("factor, verdict", [(0.99, 0), (1.01, 1)])
def test_a_verdict_is_sure_at_its_adjusted_p(values, factor, verdict):
    level = 1 - factor * compared(values)["p_adjusted"][0, 1].item()
    assert compared(values, level=level)["verdict"][0, 1] == verdict


def test_differences_and_intervals_are_those_of_pairs():
    """As `paired_difference`, at the level that six pairs leave to each."""
    data = dataset(points=2, num_seeds=30)
    found = dominance(data, "regret", params=1, checkpoint=1)
    expected = paired_difference(data, "regret", "ucb", "uniform")
    here = found.sel(policy="ucb", rival="uniform")
    place = {"params": 1, "checkpoint": 1}
    for name, part in zip(("difference", "lower", "upper"), expected, strict=False):
        assert here[name].item() == pytest.approx(part[place].item())
    assert found["checkpoint"].item() == 100
    three = data.isel(policy=[0, 1, 1]).assign_coords(policy=["a", "b", "c"])
    three["regret"][2] = three["regret"][2] + np.arange(30)[:, None] % 7
    found = dominance(three, "regret", params=1, checkpoint=1)
    expected = paired_difference(three, "regret", "a", "b", 1 - 0.05 / 3)
    assert found["lower"][0, 1].item() == pytest.approx(expected.lower[place].item())
    assert found.attrs == {
        "metric": "regret",
        "better": "smaller",
        "level": 0.95,
        "params": 1,
        "correction": "holm",
        "test": "t",
        "about": "means",
    }


OPTIONS = {
    "t": {"test": "t"},
    "bounded": {"test": "bounded", "bounds": (-10, 10)},
    "sign": {"test": "sign"},
}


@given(st.integers(0, 1000), st.sampled_from([*OPTIONS]))
def test_the_two_sides_of_a_table_mirror_each_other(key, test):
    """Swapping policy and rival, or loss and gain, turns signs and nothing else."""
    rng = np.random.default_rng(key)
    values = rng.integers(0, 6, (3, 25)) + rng.integers(0, 3, (3, 1))
    found = compared(values, **OPTIONS[test])
    turned = found.rename(policy="rival", rival="policy").transpose("policy", "rival")
    np.testing.assert_array_equal(found["verdict"], -turned["verdict"])
    np.testing.assert_allclose(found["win_rate"], 1 - turned["win_rate"])
    np.testing.assert_allclose(found["lower"], -turned["upper"])
    np.testing.assert_allclose(found["p"], turned["p"])
    np.testing.assert_array_equal(found["reason"], turned["reason"])
    gain = compared(-values, smaller_is_better=False, **OPTIONS[test])
    np.testing.assert_array_equal(found["verdict"], gain["verdict"])
    np.testing.assert_array_equal(found["win_rate"], gain["win_rate"])
    np.testing.assert_allclose(found["p_adjusted"], gain["p_adjusted"])


def test_win_rate_by_hand():
    found = compared([[1, 2, 3, 4], [2, 2, 1, 5]])
    np.testing.assert_array_equal(found["win_rate"], [[0.5, 0.625], [0.375, 0.5]])
    found = compared([[1, 2, 3, 4], [2, 2, 1, 5]], smaller_is_better=False)
    np.testing.assert_array_equal(found["win_rate"], [[0.5, 0.375], [0.625, 0.5]])


def test_the_t_test_speaks_of_means_and_the_sign_test_of_wins():
    """One seed of 30 outweighs the others: it turns the mean, not the wins."""
    values = np.zeros((2, 30))
    values[0] = -1 - np.arange(30) / 30
    values[0, 11] = 1000
    found = compared(values, test="sign")
    assert found["difference"][0, 1] > 0 and found["p_adjusted"][0, 1] < 0.05
    assert found["verdict"][0, 1] == 1 and found["verdict"][1, 0] == -1
    assert compared(values)["verdict"][0, 1] == 0
    assert compared(values)["effective_seeds"][0, 1] == pytest.approx(1, abs=0.1)
    assert compared(values, test="bounded", bounds=(-2000, 2000))["verdict"][0, 1] == 0


def test_nothing_is_said_of_too_few_equal_or_skewed_seeds(rng):
    normal = rng.normal(size=24)
    values = np.stack([normal, normal + 1, 9 + normal + rng.normal(size=24)])
    found = compared(values)
    assert found["reason"][0, 1] == "equal on all seeds"
    for name in ("p", "p_adjusted", "lower", "upper", "skewness"):
        assert found[name][0, 1].isnull(), name
    assert found["verdict"].values.tolist() == [[0, 0, 1], [0, 0, 1], [-1, -1, 0]]
    # What says nothing is one of the three tests all the same.
    sure, alone = (found[x].values[:2, 2].min() for x in ("p_adjusted", "p"))
    np.testing.assert_allclose(sure, 3 * alone)
    few = compared(values[:, :19])
    assert (few["reason"] == "fewer than 20 replications").all()
    assert (few["verdict"] == 0).all() and few["lower"].isnull().all()
    # What only the rounding of the larger numbers sets apart is equal.
    rounded = np.resize([1e9, np.nextafter(1e9, 2e9)], 24)
    large = compared(np.stack([normal, normal + rounded]))
    assert large["reason"][0, 1] == large["reason"][1, 0] == "equal on all seeds"
    # A mean of 0 with a long tail: most samples lie on one side of it.
    rare = 0.1 * rng.normal(size=100) - 1
    rare[7] = 60
    tail = compared(np.stack([rare, np.zeros(100)]))
    assert tail["reason"][0, 1] == tail["reason"][1, 0] == "skewed towards the rest"
    assert tail["lower"][0, 1].notnull() and tail["upper"][0, 1].isnull()
    # The tail may lie where it makes the difference larger.
    away = compared(np.stack([3 + rng.exponential(size=100), np.zeros(100)]))
    assert away["verdict"][0, 1] == -1 and away["upper"][0, 1].isnull()


@each_row("correction", CORRECTIONS)
@each_row("test", [*OPTIONS])
def test_identical_policies_are_never_told_apart(rng, test, correction):
    values = np.tile(np.clip(rng.normal(size=300), -3, 3), (3, 1))
    values[2] += 1 + rng.uniform(-0.5, 0.5, size=300)
    found = compared(values, correction=correction, **OPTIONS[test])
    assert found["p"][0, 1] == found["p_adjusted"][0, 1] == 1
    assert found["verdict"].values.tolist() == [[0, 0, 1], [0, 0, 1], [-1, -1, 0]]
    alone = compared(values[:2], correction=correction, **OPTIONS[test])
    assert (alone["p_adjusted"] == 1).all() and (alone["verdict"] == 0).all()


@pytest.mark.filterwarnings("ignore:.*along the dimension seed are NaN:UserWarning")
@each_row("test", [*OPTIONS])
def test_what_is_missing_does_not_count(values, test):
    """A policy with a NaN seed leaves the others as they are without it."""
    spoilt = values.copy()
    spoilt[1, 3] = np.nan
    found = compared(spoilt, **OPTIONS[test])
    without = compared(values[[0, 2, 3]], **OPTIONS[test])
    rest = found.isel(policy=[0, 2, 3], rival=[0, 2, 3])
    for name in ("difference", "lower", "upper", "p", "p_adjusted", "win_rate"):
        np.testing.assert_allclose(rest[name], without[name])
        assert found[name][1].isnull().all() and found[name][:, 1].isnull().all()
    np.testing.assert_array_equal(rest["verdict"], without["verdict"])
    assert (found["verdict"][1] == 0).all() and (found["verdict"][:, 1] == 0).all()
    assert (found["reason"][1] == "a seed is NaN").all()


@each_row("test", [*OPTIONS])
def test_one_seed_decides_nothing(test):
    found = compared([[1.0], [2.0], [2.0]], **OPTIONS[test])
    assert found["difference"][0, 1] == -1 and found["win_rate"][0, 1] == 1
    assert found["p"][1, 2] == 1 and (found["verdict"] == 0).all()


def test_drawn_instances_are_the_replications(values):
    drawn = ("seed", np.repeat(np.arange(60), 3))
    runs = np.repeat(values, 3, axis=1) + np.tile([-1.0, 0, 1], 60)
    found, expected = compared(runs, drawn=drawn), compared(values)
    for name in ("difference", "lower", "upper", "p", "win_rate", "effective_seeds"):
        np.testing.assert_allclose(found[name], expected[name], atol=1e-12)
    # 18 instances are too few, however many runs they have.
    found = compared(runs[:, :54], drawn=("seed", np.repeat(np.arange(18), 3)))
    assert (found["reason"] == "fewer than 20 replications").all()


CASES = {
    "one constant, rare losses": lambda rng, s: np.where(rng.random(s) < 0.01, 99, -1),
    "lost runs": lambda rng, s: np.where(rng.random(s) < 0.02, 4900, -100),
    "exponential": lambda rng, s: rng.exponential(size=s) - 1,
    "log-normal": lambda rng, s: rng.lognormal(0, 1.5, s) - np.exp(1.125),
}


@pytest.mark.parametrize("size", in_short([5, 20, 100], [5, 100]))
def test_no_certainty_where_means_are_equal(rng, size):
    """Three skewed policies against a constant one, all with mean 0."""
    trials = 100
    for case, draw in CASES.items():
        wrong = 0
        for _ in range(trials):
            values = np.zeros((4, size))
            values[1:] = draw(rng, (3, size))
            wrong += bool((compared(values)["verdict"] != 0).any())
        assert wrong / trials < 0.05 + slack(0.05, trials), case


@each_row("size", [50, 100])
def test_on_a_lattice_the_test_keeps_its_level(size):
    """0 or 1 with equal probability against a constant 1/2: all samples there are."""
    counts = np.arange(size + 1)
    ones = np.arange(size) < counts[:, None]
    found = [
        compared([row, np.full(size, 0.5)])["verdict"][0, 1].item() != 0 for row in ones
    ]
    wrong = stats.binom.pmf(counts, size, 0.5)[found].sum()
    assert 0.01 < wrong <= 0.05


def test_bounds_hold_for_losses_that_no_seed_has_shown(rng, size=30):
    trials, wrong = 100, 0
    bounds = {"test": "bounded", "bounds": (-1, 99)}
    for _ in range(trials):
        values = np.zeros((2, size))
        values[0] = np.where(rng.random(size) < 0.01, 99, -1)
        wrong += bool((compared(values, **bounds)["verdict"] != 0).any())
    assert wrong / trials < 0.05 + slack(0.05, trials)
    for _ in range(10):  # A test that never decided would pass so far.
        values = np.stack([rng.uniform(-1, 99, size=50), np.full(50, -1.0)])
        assert compared(values, **bounds)["verdict"][1, 0] == 1


def test_params_may_be_numbers_of_numpy():
    """As argmin gives them."""
    data = dataset(points=2)
    found = dominance(data, "regret", params={"ucb": np.int64(1)})
    assert found.attrs["params"] == '{"ucb": 1}'
    xr.testing.assert_identical(found, dominance(data, "regret", params={"ucb": 1}))
