"""All pairs of policies: SciPy's tests, corrections, error rate and power."""

import gc

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jaxbandits.results import dominance, paired_difference
from tests.results.samples import dataset, slack


@pytest.fixture(autouse=True)
def no_garbage_collection(monkeypatch):
    """statsmodels collects at every call, which takes longer than all else here."""
    monkeypatch.setattr(gc, "collect", lambda: 0)


def compared(values, **arguments):
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
    return dominance(data, "regret", **arguments)


@pytest.fixture
def values(rng):
    """Four policies on 12 seeds, the last one clearly worst."""
    noise = rng.normal(size=12)
    return noise + 0.5 * rng.normal(size=(4, 12)) + np.array([[0], [0.2], [0.5], [3]])


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_p_values_against_scipy(values, test):
    found = compared(values, test=test)
    reference = {"t": stats.ttest_rel, "wilcoxon": stats.wilcoxon}[test]
    for i in range(4):
        for j in set(range(4)) - {i}:
            expected = reference(values[i], values[j]).pvalue
            assert found["p"][i, j].item() == pytest.approx(expected)
    assert (np.diag(found["p"]) == 1).all() and (
        np.diag(found["p_adjusted"]) == 1
    ).all()


@pytest.mark.parametrize("size", [6, 10])
def test_ties_and_zeros_in_ranks_are_exact(rng, size):
    """SciPy walks through all signs for so few seeds."""
    values = rng.integers(0, 4, (3, size)) + np.array([[0], [1], [0]])
    found = compared(values, test="wilcoxon")
    for i, j in ((0, 1), (0, 2), (1, 2)):
        difference = (values[i] - values[j]).astype(float)
        expected = stats.wilcoxon(difference, zero_method="pratt").pvalue
        assert found["p"][i, j].item() == pytest.approx(expected)


def test_many_seeds_have_the_normal_form_of_the_test(rng):
    values = rng.normal(size=(3, 51)) + np.array([[0], [0.1], [0.3]])
    found = compared(values, test="wilcoxon")
    expected = stats.wilcoxon(values[0] - values[2]).pvalue
    assert found["p"][0, 2].item() == pytest.approx(expected)
    # One seed less, and the exact form is not far.
    fewer = compared(values[:, :50], test="wilcoxon")["p"][0, 2].item()
    normal = stats.wilcoxon(values[0, :50] - values[2, :50], method="approx").pvalue
    assert fewer == pytest.approx(normal, rel=0.1)


def adjusted(p, correction):
    """Holm's step-down and Benjamini and Hochberg's step-up rules, word by word."""
    order, m = np.argsort(p), len(p)
    ranked = p[order]
    left = m - np.arange(m)
    result = {
        "bonferroni": m * ranked,
        "holm": np.maximum.accumulate(left * ranked),
        "holm-sidak": np.maximum.accumulate(1 - (1 - ranked) ** left),
        "fdr_bh": np.minimum.accumulate((m / (m - left + 1) * ranked)[::-1])[::-1],
    }[correction]
    return np.minimum(result, 1)[np.argsort(order)]


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "holm-sidak", "fdr_bh"])
def test_corrections(values, correction):
    found = compared(values, correction=correction)
    pairs = np.triu_indices(4, 1)
    expected = adjusted(found["p"].values[pairs], correction)
    np.testing.assert_allclose(found["p_adjusted"].values[pairs], expected)
    np.testing.assert_array_equal(found["p_adjusted"], found["p_adjusted"].T)
    sure = found["p_adjusted"].values <= 0.05
    expected = np.where(sure, -np.sign(found["difference"]), 0)
    np.testing.assert_array_equal(found["verdict"], expected)
    assert found["verdict"].dtype == np.int8
    assert found["verdict"][:, 3].values.tolist() == [1, 1, 1, 0]


def test_differences_and_intervals():
    """As `paired_difference`, at the level that six pairs leave to each."""
    data = dataset(points=2, num_seeds=8)
    found = dominance(data, "regret", params=1, checkpoint=1)
    expected = paired_difference(data, "regret", "ucb", "uniform")
    here = found.sel(policy="ucb", rival="uniform")
    place = {"params": 1, "checkpoint": 1}
    for name, part in zip(("difference", "lower", "upper"), expected, strict=False):
        assert here[name].item() == pytest.approx(part[place].item())
    assert found["checkpoint"].item() == 100
    three = data.isel(policy=[0, 1, 1]).assign_coords(policy=["a", "b", "c"])
    three["regret"][2] = three["regret"][2] + np.arange(8)[:, None]
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
    }


@given(st.integers(0, 1000), st.sampled_from(["t", "wilcoxon"]))
def test_two_sides_of_one_table(key, test):
    """Swapping policy and rival, or loss and gain, turns signs and nothing else."""
    rng = np.random.default_rng(key)
    values = rng.integers(0, 6, (3, 9)) + rng.integers(0, 3, (3, 1))
    found = compared(values, test=test)
    turned = found.rename(policy="rival", rival="policy").transpose("policy", "rival")
    np.testing.assert_array_equal(found["verdict"], -turned["verdict"])
    np.testing.assert_allclose(found["win_rate"], 1 - turned["win_rate"])
    np.testing.assert_allclose(found["lower"], -turned["upper"])
    np.testing.assert_allclose(found["p"], turned["p"])
    gain = compared(-values, test=test, smaller_is_better=False)
    np.testing.assert_array_equal(found["verdict"], gain["verdict"])
    np.testing.assert_array_equal(found["win_rate"], gain["win_rate"])
    np.testing.assert_allclose(found["p_adjusted"], gain["p_adjusted"])


def test_win_rate_by_hand():
    found = compared([[1, 2, 3, 4], [2, 2, 1, 5]])
    np.testing.assert_array_equal(found["win_rate"], [[0.5, 0.625], [0.375, 0.5]])
    found = compared([[1, 2, 3, 4], [2, 2, 1, 5]], smaller_is_better=False)
    np.testing.assert_array_equal(found["win_rate"], [[0.5, 0.375], [0.625, 0.5]])


def test_wilcoxon_takes_the_sign_of_its_ranks():
    """One seed out of 12 turns the mean around, and neither test nor verdict."""
    values = np.zeros((2, 12))
    values[0] = -np.arange(1.0, 13)
    values[0, 11] = 1000
    found = compared(values, test="wilcoxon")
    assert found["difference"][0, 1] > 0 and found["p_adjusted"][0, 1] < 0.05
    assert found["verdict"][0, 1] == 1 and found["verdict"][1, 0] == -1
    assert compared(values)["verdict"][0, 1] == 0


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "holm-sidak", "fdr_bh"])
@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_identical_policies(rng, test, correction):
    values = np.tile(rng.normal(size=12), (3, 1))
    values[2] += 1
    found = compared(values, test=test, correction=correction)
    assert found["p"][0, 1] == found["p_adjusted"][0, 1] == 1
    assert found["lower"][0, 1] == found["upper"][0, 1] == 0
    assert found["verdict"].values.tolist() == [[0, 0, 1], [0, 0, 1], [-1, -1, 0]]
    alone = compared(values[:2], test=test, correction=correction)
    assert (alone["p_adjusted"] == 1).all() and (alone["verdict"] == 0).all()
    single = compared(values[:1], test=test, correction=correction)
    assert single["p_adjusted"].item() == 1 and single["win_rate"].item() == 0.5


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_what_is_missing_does_not_count(values, test):
    """A policy with a NaN seed leaves the others as they are without it."""
    spoilt = values.copy()
    spoilt[1, 3] = np.nan
    found, without = compared(spoilt, test=test), compared(values[[0, 2, 3]], test=test)
    rest = found.isel(policy=[0, 2, 3], rival=[0, 2, 3])
    for name in ("difference", "lower", "upper", "p", "p_adjusted", "win_rate"):
        np.testing.assert_allclose(rest[name], without[name])
        assert found[name][1].isnull().all() and found[name][:, 1].isnull().all()
    np.testing.assert_array_equal(rest["verdict"], without["verdict"])
    assert (found["verdict"][1] == 0).all() and (found["verdict"][:, 1] == 0).all()


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_one_seed(test):
    found = compared([[1.0], [2.0], [2.0]], test=test)
    assert found["difference"][0, 1] == -1 and found["win_rate"][0, 1] == 1
    assert found["lower"].isnull().all() and found["upper"].isnull().all()
    assert np.isnan(found["p"].values[0, 1]) and found["p"][1, 2] == 1
    assert (found["verdict"] == 0).all()


def test_family_wise_error_and_power(rng):
    """Four equal policies on common noise: no verdict, all intervals around 0."""
    trials = 1000
    wrong, covered, decided = [], [], []
    for _ in range(trials):
        values = rng.normal(size=15) + 0.5 * rng.normal(size=(4, 15))
        found = compared(values)
        wrong.append((found["verdict"] != 0).any())
        covered.append(((found["lower"] <= 0) & (found["upper"] >= 0)).all())
        # Of the paired difference, whose standard deviation is 0.7.
        values[3] += 0.7
        decided.append(compared(values)["verdict"].values[:3, 3] == 1)
    assert np.mean(wrong) < 0.05 + slack(0.05, trials)
    assert np.mean(covered) > 0.95 - slack(0.95, trials)
    # A table that never decided would pass so far.
    assert np.mean(wrong) > 0.01
    # A shift of one standard deviation, 15 seeds, at least level 0.05 / 6.
    assert np.mean(decided) > 0.75


def test_mistakes_are_named():
    data = dataset()
    for arguments, message in (
        ({"level": 95}, "^level: "),
        ({"params": 1}, "^params: 1 is not in 0, ..., 0"),
        ({"checkpoint": 4}, "^checkpoint: 4 is not in -4, ..., 3"),
        ({"checkpoint": -5}, "^checkpoint: -5"),
        ({"correction": "tukey"}, "^correction: 'tukey' is not one of holm, bonf"),
        ({"test": "sign"}, "^test: 'sign' is not one of t, wilcoxon"),
    ):
        with pytest.raises(ValueError, match=message):
            dominance(data, "regret", **arguments)
    with pytest.raises(ValueError, match="^metric: 'gain'"):
        dominance(data, "gain")
    wide = data.assign(pulls=data["regret"].expand_dims(pulls_0=2, axis=-1))
    with pytest.raises(ValueError, match="^metric: 'pulls' has further.*, pulls_0"):
        dominance(wide, "pulls")
