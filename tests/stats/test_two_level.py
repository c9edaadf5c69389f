"""Instances and runs as samples: hand-computed, coverage, components of variance."""

from importlib import import_module

import numpy as np
import pytest

from jaxbandits.stats import CoverageWarning, two_level
from tests.results.samples import repetitions
from tests.tables import each_row


def grouped(values, sizes):
    """Repetitions ``[R, S]`` where the i-th instance has ``sizes[i]`` runs."""
    numbers = np.repeat(np.arange(len(sizes)), sizes)
    return repetitions(values, instance=("seed", numbers))


def simulated(rng, sizes, between, within, trials):
    """The model itself, with mean 0."""
    effects = between**0.5 * rng.normal(size=(trials, len(sizes)))
    noise = within**0.5 * rng.normal(size=(trials, sum(sizes)))
    return grouped(np.repeat(effects, sizes, axis=1) + noise, sizes)


def test_groups_of_one_size_by_hand():
    """Means 2 and 6 with variance 8, within 2, between 8 - 2 / 2; t(1) = 12.7062."""
    found = two_level(grouped([[1, 3, 5, 7]], [2, 2]), "regret")
    half = 12.706204736 * (8 / 2) ** 0.5
    expected = [4, 4 - half, 4 + half, 7, 2]
    assert [part.item() for part in found] == pytest.approx(expected)


def test_groups_of_different_sizes_by_hand():
    """Means 2 and 5 with variance 4.5, within 2 / 1, between 4.5 - 2 (1/2 + 1) / 2."""
    found = two_level(grouped([[1, 3, 5]], [2, 1]), "regret")
    half = 12.706204736 * (4.5 / 2) ** 0.5
    expected = [3.5, 3.5 - half, 3.5 + half, 3, 2]
    assert [part.item() for part in found] == pytest.approx(expected)


@each_row("method", ["t", "bootstrap"])
def test_a_dimension_is_as_good_as_a_coordinate(rng, method):
    """And where in the dataset the dimension is does not matter."""
    sizes, arguments = [5] * 4, {"method": method}
    if method == "bootstrap":
        arguments["resamples"] = 99
    data = simulated(rng, sizes, 1.0, 1.0, 3)
    values = data["regret"].values.reshape(1, 3, 4, 5, 1)
    expected = two_level(data, "regret", **arguments)
    nested = data.isel(seed=slice(5)).drop_vars("instance")
    dims = ("policy", "params", "environment", "seed", "checkpoint")
    nested = nested.assign(regret=(dims, values)).assign_coords(instance=list("abcd"))
    leading = nested.transpose("environment", ...)
    for each in (nested, leading):
        found = two_level(each, "regret", group="environment", **arguments)
        for part, other in zip(found, expected, strict=True):
            assert part.dims == ("policy", "params", "checkpoint")
            np.testing.assert_allclose(part, other)
    # With the instances kept apart there are as many results as environments.
    halves = nested.assign_coords(instance=("seed", [0, 0, 0, 1, 1]))
    apart = two_level(halves, "regret", **arguments)
    assert apart.mean.dims == ("policy", "params", "environment", "checkpoint")


def test_only_equality_of_the_numbers_counts(rng):
    data = simulated(rng, [3, 1, 4], 1.0, 1.0, 2)
    expected = two_level(data, "regret")
    renamed = data.assign_coords(
        instance=("seed", np.array([7, -2, 5])[data["instance"]])
    )
    mixed = renamed.isel(seed=rng.permutation(8))
    for each in (renamed, mixed):
        for part, other in zip(two_level(each, "regret"), expected, strict=True):
            np.testing.assert_allclose(part, other)


def test_the_bootstrap_has_the_variance_of_two_stages(rng):
    """Of two stages: ``((I-1)/I s^2 + mean((n-1)/n^2 v_i)) / I``, v_i within."""
    sizes = [4] * 3 + [2] * 3
    data = simulated(rng, sizes, 1.0, 1.0, 1)
    # A normal quantile's distance, as the mean of six instances is nearly normal.
    found = two_level(data, "regret", 0.6827, method="bootstrap", resamples=40_000)
    groups = np.split(data["regret"].values.ravel(), np.cumsum(sizes)[:-1])
    means = np.array([g.mean() for g in groups])
    inner = np.mean([g.var() / len(g) for g in groups])
    expected = ((means.var() + inner) / 6) ** 0.5
    half = (found.upper - found.lower).item() / 2
    assert half == pytest.approx(expected, rel=0.05)
    # Where it lies: resampled means have the mean for theirs.
    assert (found.upper + found.lower).item() / 2 == pytest.approx(
        found.mean.item(), abs=0.05 * half
    )


def test_many_rows_are_as_few(rng, monkeypatch):
    data = simulated(rng, [3, 1, 4], 1.0, 1.0, 5)
    arguments = {"method": "bootstrap", "resamples": 99}
    whole = two_level(data, "regret", **arguments)
    for point in range(5):
        alone = two_level(data.isel(params=[point]), "regret", **arguments)
        np.testing.assert_allclose(whole.upper[:, [point]], alone.upper)
    # The function has its module's name.
    monkeypatch.setattr(import_module("jaxbandits.stats._two_level"), "BATCH", 250)
    parts = two_level(data, "regret", **arguments)
    assert (parts.lower < parts.mean).all() and (parts.mean < parts.upper).all()


def test_runs_without_variance_have_no_width():
    data = grouped(np.full((1, 6), 0.1), [3, 3])
    for method in ("t", "bootstrap"):
        found = two_level(data, "regret", method=method)
        np.testing.assert_allclose(found[:3], 0.1, rtol=1e-12)
        np.testing.assert_allclose(found[3:], 0, atol=1e-30)
    assert found.lower.equals(found.upper) and found.lower.equals(found.mean)


@pytest.mark.filterwarnings("ignore:.*along the dimension seed are NaN:UserWarning")
@each_row("method", ["t", "bootstrap"])
def test_what_is_not_known_is_nan(method):
    values = [[1.0, 2, 3], [1, np.nan, 3]]
    found = two_level(grouped(values, [2, 1]), "regret", method=method)
    for part in found:
        assert part.isnull().values.ravel().tolist() == [False, True]
    # One instance, then one run of each.
    with pytest.warns(CoverageWarning, match="are NaN: a single replication"):
        found = two_level(grouped(values[:1], [3]), "regret", method=method)
    assert [part.isnull().item() for part in found] == [False, True, True, True, False]
    found = two_level(grouped(values[:1], [1, 1, 1]), "regret", method=method)
    assert [part.isnull().item() for part in found] == [False] * 3 + [True] * 2
