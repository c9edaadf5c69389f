"""Seeds that share drawn instances: their means are what replicates."""

import numpy as np
import pytest
import xarray as xr

from jaxbandits.plots import plot_curves, plot_ranks
from jaxbandits.stats import (
    CoverageWarning,
    fixed_width_interval,
    interval,
    interval_of,
    mean,
    quantile_interval,
    quantiles,
    seeds_needed,
    two_level,
)
from jaxbandits.stats.replications import replications
from tests.results.samples import dataset
from tests.stats.statistics import STATISTICS
from tests.tables import assert_refused, each_row

DRAWN = [7, 7, 7, 2, 2, 9, 9, 9, 9, 2]
# Shuffled: the seeds of an instance are a block by their numbers.
SEEDS = [21, 20, 23, 6, 5, 30, 33, 32, 31, 4]


@pytest.fixture
def shared():
    data = dataset(points=2, num_seeds=10)
    return data.assign_coords(seed=SEEDS, instance=("seed", DRAWN))


@pytest.fixture
def instances(shared):
    """A dataset of the instances' means, in the order in which they come."""
    means = shared.groupby("instance").mean("seed").sel(instance=[7, 2, 9])
    return means.rename(instance="seed").transpose("policy", "params", "seed", ...)


def test_replications_are_the_means_of_instances(shared, instances):
    found = replications(shared["regret"])
    np.testing.assert_allclose(found, instances["regret"])
    assert found.dims == shared["regret"].dims
    assert {"policy", "checkpoint", "param_alpha"} < found.coords.keys()
    assert "instance" not in found.coords and found.name == "regret"


def test_seeds_that_share_nothing_are_the_replications():
    data = dataset(num_seeds=3)
    for each in (data, data.assign_coords(instance=("seed", [4, 1, 8]))):
        assert replications(each["regret"]).identical(each["regret"])


@each_row("name", ["mean", "sem", "interval", "bootstrap", "band", "paired"])
def test_statistics_are_those_of_the_instances(shared, instances, name):
    found, expected = (STATISTICS[name](data) for data in (shared, instances))
    for part, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(part, other, rtol=1e-9)


def test_quantiles_are_of_runs(shared):
    bare = shared.drop_vars("instance")
    expected = quantiles(bare, "regret", [0.1, 0.5])
    np.testing.assert_array_equal(quantiles(shared, "regret", [0.1, 0.5]), expected)
    with pytest.raises(ValueError, match="^dataset: several seeds share a drawn"):
        quantile_interval(shared, "regret", 0.5)
    # The remedy that the message names.
    one = shared.isel(seed=np.unique(shared["instance"], return_index=True)[1])
    with pytest.warns(CoverageWarning, match="lack an end"):
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


def test_root_seeds_that_were_joined_need_other_instances(shared):
    other = shared.assign_coords(seed=shared["seed"] + 100)
    joined = xr.concat([shared, other], "seed")
    for call in (
        lambda: interval(joined, "regret"),
        lambda: interval_of(joined["regret"]),
        lambda: two_level(joined, "regret"),
        lambda: plot_curves(joined),
        lambda: plot_ranks(joined),
    ):
        with pytest.raises(ValueError, match="^instance: seeds 4 and 104 both have 2"):
            call()
    # The advice for seeds that stand there twice leads there.
    with pytest.raises(ValueError, match=r"by dataset.assign_coords\(seed=...\), and"):
        mean(xr.concat([shared, shared], "seed"), "regret")
    # The remedy that it names; and any seeds of one dataset in any order.
    other = other.assign_coords(instance=other["instance"] + 10)
    named = xr.concat([shared, other], "seed")
    assert replications(named["regret"]).sizes["seed"] == 6
    for some in ([9, 0, 5, 3, 1], slice(None, None, 2), slice(None, None, -1)):
        part = shared.isel(seed=some)
        assert replications(part["regret"]).sizes["seed"] == 3
    # Without numbers nobody knows what a block is.
    assert replications(joined.drop_vars("seed")["regret"]).sizes["seed"] == 3


def test_instances_are_a_coordinate_over_seeds(shared):
    """Every seed has one, once; what is refused is named, and its remedy works."""
    other = shared.assign_coords(instance=2 * shared["instance"])
    both = {"coords": "different", "compat": "equals"}
    two = xr.concat([shared, other], "environment", **both)
    numbers = shared["instance"].astype(float)
    variables = shared.reset_coords("instance"), shared.to_dataframe().to_xarray()
    values = shared.drop_vars("instance")["regret"]
    twice = xr.concat([values, values], "seed")
    over, once = "^instance must be over seed alone, got", " must have a seed only once"
    rows = [
        (lambda: interval(two, "regret"), over),
        (lambda: interval_of(two["regret"]), over),
        (lambda: quantile_interval(two, "regret", 0.5), over),
        (lambda: plot_curves(variables[0]), "^dataset: instance must be a coord"),
        (lambda: interval_of(twice), f"^values{once}"),
        (lambda: seeds_needed(twice, 0.5), f"^pilot_values{once}"),
        (lambda: fixed_width_interval(twice, 5), f"^values{once}"),
    ]
    for data in (numbers.where(numbers > 2), numbers.where(False)):
        data = shared.assign_coords(instance=data)
        says = "^instance must be a number for every"
        rows.append((lambda data=data: interval(data, "regret"), says))
    for bare in variables:
        says = "^dataset: instance must be a coord"
        rows.append((lambda bare=bare: interval(bare, "regret"), says))
    assert_refused(rows, ValueError)
    for data in (
        two.isel(environment=0),
        variables[0].set_coords("instance"),
        shared.assign_coords(instance=numbers),
    ):
        np.testing.assert_allclose(mean(data, "regret"), mean(shared, "regret"))
    # A dimension of that name is no coordinate of seeds.
    apart = xr.concat([shared.drop_vars("instance")] * 2, "instance")
    assert interval(apart, "regret").mean.sizes["instance"] == 2
    assert interval_of(twice.drop_vars("seed")).mean.notnull().all()
