"""Parameter points and checkpoints by number, and the errors when there is none."""

import numpy as np
import pytest
import xarray as xr

from jaxbandits.results.lookup import at_points, check_checkpoint
from tests.plots.sweeps import sweep

TWO = {"a": [{"alpha": 1.0}, {"alpha": 2.0}], "b": [{}]}


def test_points_by_policy():
    data = sweep(TWO)
    regret = at_points(data, {"a": 1})["regret"]
    np.testing.assert_array_equal(regret, [data["regret"][0, 1], data["regret"][1, 0]])
    xr.testing.assert_identical(at_points(data, 1), data.isel(params=1))
    for params in (2, {"a": 2}):
        with pytest.raises(ValueError, match="params must be at most 1, got 2"):
            at_points(data, params)
    with pytest.raises(ValueError, match="params: 'c' is unknown"):
        at_points(data, {"c": 0})


def test_checkpoints():
    check_checkpoint(sweep(), -2)
    check_checkpoint(sweep(), 1)
    for wrong in (-3, 2):
        with pytest.raises(ValueError, match="checkpoint must be at"):
            check_checkpoint(sweep(), wrong)
