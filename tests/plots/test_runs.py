"""Which runs there are, and which of them a figure uses."""

import numpy as np

from jaxbandits.plots.runs import (
    played,
)
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
