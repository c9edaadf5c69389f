"""Which runs there are, and which of them a figure uses."""

import numpy as np

from jaxbandits.plots.runs import played, whole_seeds
from tests.plots.sweeps import sweep
from tests.results.samples import dataset

TWO = {"a": [{"alpha": 1.0}, {"alpha": 2.0}], "b": [{}]}


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


def test_a_number_of_a_policy_is_no_metric_of_its_runs():
    data = dataset()
    data["regret"][:, :, 1] = data["optimal"][:, :, 1] = np.nan
    data["price"] = ("policy", np.ones(data.sizes["policy"]))
    found = played(data)
    assert not found[:, :, 1].any() and found[:, :, 0].all()


def test_a_policy_without_the_metric_holds_no_seed_back():
    data = dataset().isel(params=0)
    data["regret"].loc[{"policy": "uniform"}][1] = np.nan
    assert whole_seeds(data, "optimal", None).sizes == data.sizes
    kept = whole_seeds(data, "regret", None).sizes["seed"]
    assert kept == data.sizes["seed"] - 1
