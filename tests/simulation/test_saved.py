"""Sweeps saved as netCDF: what a store says survives, to the last attribute."""

import numpy as np
import pytest
import xarray as xr

from jaxbandits import Store, zipped
from jaxbandits.results import load, open_store, save
from jaxbandits.simulation import run_sweep, variants
from jaxbandits.simulation.stored import KEPT
from tests.heavy import in_short
from tests.simulation import walk
from tests.simulation.runs import QUIET

# Numbers, texts and none of either among what environments differ in.
ENVIRONMENTS = {"walk": walk.GAME} | variants(
    "w",
    lambda factor, kind: walk.GAME._replace(setup=np.float64(factor)),
    zipped({"factor": [1, 4], "kind": ["near", "far"]}),
)
SPEC = walk.spec(points=2, seeds=24, horizon=8, environments=ENVIRONMENTS)


def assert_saved(dataset, path):
    """As it was, and written again the same."""
    save(dataset, path)
    again = load(path)
    xr.testing.assert_identical(again, dataset.load())
    save(again, path)
    xr.testing.assert_identical(load(path), again)


@pytest.mark.parametrize("block", in_short([None, 8], {8}), ids="block {}".format)
@pytest.mark.parametrize("keep", in_short(KEPT, {"moments"}))
def test_results_of_a_store_are_saved_with_their_attributes(tmp_path, keep, block):
    path = tmp_path / "one.zarr"
    found = run_sweep(SPEC, Store(path, keep=keep, block=block), QUIET)
    assert block in (None, found.attrs["block"])
    assert {"sessions", "spec", "text", "fingerprint"} <= found.attrs.keys()
    assert_saved(found, tmp_path / "one.nc")


@pytest.mark.slow
def test_of_a_store_that_is_not_complete(tmp_path):
    """On drawn instances that seeds share."""
    drawn = SPEC._replace(environments={"d": walk.DRAWN}, runs_per_instance=2)
    store = Store(tmp_path / "one.zarr", block=8)
    run_sweep(drawn, store, QUIET).close()
    next((tmp_path / "one.zarr").glob("blocks/*")).unlink()
    next((tmp_path / "one.zarr").glob("done/*")).unlink()
    found = open_store(tmp_path / "one.zarr")
    assert "instance" in found.coords
    assert set(np.unique(found["session"])) == {0, 1}
    assert_saved(found, tmp_path / "one.nc")
