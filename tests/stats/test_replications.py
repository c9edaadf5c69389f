"""Seeds that share drawn instances: their means are what replicates."""

import numpy as np
import pytest

from jaxbandits.stats import (
    band,
    fixed_width_interval,
    interval,
    mean,
    paired_difference,
    quantile_interval,
    quantiles,
    seeds_needed,
    sem,
    two_level,
)
from jaxbandits.stats.replications import replications
from tests.results.samples import dataset

DRAWN = [7, 7, 7, 2, 2, 9, 9, 9, 9, 2]


@pytest.fixture
def shared():
    return dataset(points=2, num_seeds=10).assign_coords(instance=("seed", DRAWN))


@pytest.fixture
def instances(shared):
    """A dataset of the instances' means, in the order in which they come."""
    means = shared.groupby("instance").mean("seed").sel(instance=[7, 2, 9])
    return means.rename(instance="seed").transpose("policy", "params", "seed", ...)


def test_means_by_instance(shared, instances):
    found = replications(shared["regret"])
    np.testing.assert_allclose(found, instances["regret"])
    assert found.dims == shared["regret"].dims
    assert {"policy", "checkpoint", "param_alpha"} < found.coords.keys()
    assert "instance" not in found.coords and found.name == "regret"


def test_nothing_is_shared():
    data = dataset(num_seeds=3)
    for each in (data, data.assign_coords(instance=("seed", [4, 1, 8]))):
        assert replications(each["regret"]).identical(each["regret"])


STATISTICS = {
    "mean": lambda data: [mean(data, "regret")],
    "sem": lambda data: [sem(data, "regret")],
    "interval": lambda data: interval(data, "regret"),
    "bootstrap": lambda data: interval(
        data, "regret", method="bootstrap", resamples=99
    ),
    "band": lambda data: band(data, "regret", resamples=99),
    "paired": lambda data: paired_difference(data, "regret", "ucb", "uniform"),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_statistics_are_those_of_the_instances(shared, instances, name):
    found, expected = (STATISTICS[name](data) for data in (shared, instances))
    for part, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(part, other, rtol=1e-9)


def test_two_level_has_the_same_interval(shared):
    found, expected = two_level(shared, "regret"), interval(shared, "regret")
    for part, other in zip(found, expected, strict=False):
        np.testing.assert_allclose(part, other)


def test_quantiles_are_of_runs(shared):
    bare = shared.drop_vars("instance")
    expected = quantiles(bare, "regret", [0.1, 0.5])
    np.testing.assert_array_equal(quantiles(shared, "regret", [0.1, 0.5]), expected)
    with pytest.raises(ValueError, match="^dataset: several seeds share a drawn"):
        quantile_interval(shared, "regret", 0.5)
    # The remedy that the message names.
    one = shared.isel(seed=np.unique(shared["instance"], return_index=True)[1])
    assert quantile_interval(one, "regret", 0.5).quantile.notnull().any()


def test_stein_counts_whole_instances(rng):
    data = dataset(num_seeds=12).assign_coords(
        instance=("seed", np.repeat(range(4), 3))
    )
    values = data["regret"]
    means = replications(values)
    needed = seeds_needed(values, 0.5)
    np.testing.assert_array_equal(needed, 3 * seeds_needed(means, 0.5))
    found = fixed_width_interval(values, 6)
    for part, other in zip(found, fixed_width_interval(means, 2), strict=True):
        np.testing.assert_allclose(part, other)
    with pytest.raises(ValueError, match="^pilot must have equally many seeds"):
        fixed_width_interval(values, 7)
    with pytest.raises(ValueError, match="^pilot: 2 seeds end within a drawn"):
        fixed_width_interval(values, 2)
    with pytest.raises(ValueError, match="^pilot_values: needs at least 2 drawn"):
        seeds_needed(values.isel(seed=slice(3)), 0.5)
    with pytest.raises(ValueError, match="^pilot_values must have equally many"):
        seeds_needed(values.isel(seed=slice(7)), 0.5)
