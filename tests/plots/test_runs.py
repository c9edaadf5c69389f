"""Which runs there are, and which of them a figure uses."""

import numpy as np
import pytest
import xarray as xr

from jaxbandits.plots.runs import (
    environments,
    played,
    whole_seeds,
)
from jaxbandits.stats.lookup import one_environment
from tests.plots.sweeps import several, sweep, unplayed
from tests.results.samples import dataset

TWO = {"a": [{"alpha": 1.0}, {"alpha": 2.0}], "b": [{}]}


def test_surplus_points_and_missing_runs_are_not_played():
    found = played(unplayed(sweep(TWO), policy=0, params=1, seed=[2, 4]))
    assert found.dims == ("policy", "params", "seed")
    expected = np.ones((2, 2, 6), bool)
    expected[1, 1] = False  # "b" has one point.
    expected[0, 1, [2, 4]] = False
    np.testing.assert_array_equal(found, expected)


def test_a_metric_that_is_undefined_does_not_make_a_run_unplayed():
    assert played(dataset()).all()  # "uniform" has no metric "optimal".
    assert played(dataset()[["rounds"]]).all()
    data = dataset()
    data["regret"][0, 0, 1, :2] = np.nan
    data["optimal"][0, 0, 1, :3] = np.nan
    assert played(data).all()


def test_a_store_says_who_played_a_run():
    data = sweep(TWO)
    session = np.ones((6, 2, 2), int)
    session[3] = 0
    data["session"] = (("seed", "policy", "params"), session)
    found = played(data)
    assert found.dims == ("policy", "params", "seed")
    assert not found[..., 3].any() and found[..., :3].all()


def test_runs_of_several_instances_are_played_or_not():
    found = played(unplayed(several(), environment=1, seed=0))
    assert found.dims == ("environment", "policy", "params", "seed")
    assert found[0].all() and not found[1, ..., 0].any() and found[1, ..., 1:].all()


def test_one_environment_is_selected():
    data = several()
    assert "environment" not in one_environment(data.isel(environment=[1])).dims
    assert one_environment(sweep()).identical(sweep())
    message = r"dataset: it has 2 environments, easy, hard; .*sel\(environment='easy'\)"
    with pytest.raises(ValueError, match=message):
        one_environment(data)
    parts = environments(data)
    assert list(parts) == ["easy", "hard"]
    xr.testing.assert_equal(parts["hard"]["regret"], data["regret"][1])


def test_seeds_are_whole_where_all_have_played():
    data = unplayed(sweep({"a": [{}], "b": [{}], "c": [{}]}), policy=0, seed=[0, 3])
    data = unplayed(data, policy=2).isel(params=0)
    # "c" has not begun, and nobody waits for it.
    assert whole_seeds(data, "regret", None)["seed"].values.tolist() == [1, 2, 4, 5]
    assert whole_seeds(data, "regret", ["b", "c"]).sizes["seed"] == 6
    data = unplayed(data, policy=1, seed=[1, 2, 4, 5])
    with pytest.raises(ValueError, match="policies: no seed .* all of a, b yet"):
        whole_seeds(data, "regret", None)
