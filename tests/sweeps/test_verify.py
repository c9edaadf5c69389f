"""Blocks of a store that are played again are compared bit by bit."""

import shutil
import threading

import jax
import numpy as np
import pytest
import zarr

from jaxbandits.results import open_store
from jaxbandits.results.layout import layout_of
from jaxbandits.sweeps.fill import StoppedError
from tests.sweeps import walk
from tests.sweeps.runs import run

SPEC = walk.spec(points=2, seeds=12, horizon=8, environments={"short": walk.GAME})


ONE = jax.local_devices()[:1]


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("verified") / "one.zarr"
    run(SPEC, path, block=6, devices=ONE)
    return path


@pytest.fixture
def store(original, tmp_path):
    return shutil.copytree(original, tmp_path / "one.zarr")


def test_a_store_that_is_as_it_was_played(store):
    before = open_store(store).load()
    run(SPEC, store, verify=100, devices=ONE)
    assert open_store(store).load().drop_attrs().identical(before.drop_attrs())


@pytest.mark.parametrize("name", ["regret", "rounds", "small"])
def test_other_numbers_with_a_good_checksum(store, name):
    """In the last bit of one number, where no damage shows."""
    array = zarr.open_group(store, mode="r+")["results"]
    place = (0, 0, 1, 8, layout_of(array).slots(name).start, 1)
    old = array[place]
    array[place] = old + 1 if name == "rounds" else np.nextafter(old, 99)
    run(SPEC, store)
    with pytest.raises(
        ValueError, match=rf"other numbers .*: {name} of short walker, "
    ):
        run(SPEC, store, verify=100, devices=ONE)


def test_a_number_of_blocks(store):
    with pytest.raises(ValueError, match="^store: verify must be at least 0"):
        run(SPEC, store, verify=-1)


def test_a_sweep_that_is_told_to_stop(tmp_path):
    """No further block is begun; the processes of `test_killed` finish theirs."""
    stop = threading.Event()
    told = walk.GAME._replace(tables=lambda instance: stop.set() or ())
    spec = SPEC._replace(environments={"short": told})
    path = tmp_path / "one.zarr"
    # Its metrics are asked for when the sweep is planned, so before the first block.
    with pytest.raises(StoppedError, match="^stopped after 0 of 6 blocks"):
        run(spec, path, block=6, stop=stop, devices=ONE)
    stop.clear()
    found = run(spec, path, devices=ONE)
    assert found["session"].sel(policy="idler").isel(params=0).all()
