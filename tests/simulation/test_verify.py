"""Blocks of a store that are played again are compared bit by bit."""

import shutil
import threading

import jax
import numpy as np
import pytest

from jaxbandits.results import open_store
from jaxbandits.simulation.fill import StoppedError
from jaxbandits.simulation.stores import replay
from jaxbandits.store.block_file import ARRAYS, packed
from jaxbandits.store.block_store import BlockStore
from tests.simulation import walk
from tests.simulation.runs import run

SPEC = walk.spec(points=2, seeds=12, horizon=8, environments={"short": walk.GAME})


ONE = jax.local_devices()[:1]


def rewritten(path, name, change):
    """A block whose numbers are others, and whose checksums are good."""
    store = BlockStore(path)
    key = store.blocks()[-1].key
    head = store.head(key)
    arrays = {each: store.read(key, each) for each in head[ARRAYS]}
    arrays[name] = change(arrays[name])
    store.place.drop(f"blocks/{key}.npz")
    store.place.put(f"blocks/{key}.npz", packed(arrays, head))


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("verified") / "one"
    run(SPEC, path, block=6, devices=ONE)
    return path


@pytest.fixture
def store(original, tmp_path):
    return shutil.copytree(original, tmp_path / "one")


def test_a_store_that_is_as_it_was_played_stays_so(store):
    before = open_store(store).load()
    run(SPEC, store, verify=100, devices=ONE)
    assert open_store(store).load().identical(before)


@pytest.mark.parametrize("name", ["regret", "rounds", "small"])
def test_other_numbers_with_a_good_checksum_are_found(store, name):
    """In the last bit, where no damage shows."""
    integer = name == "rounds"
    rewritten(store, name, lambda x: x + 1 if integer else np.nextafter(x, 99))
    run(SPEC, store)
    with pytest.raises(
        ValueError, match=rf"other numbers .*: {name} of short (walker|idler), "
    ):
        run(SPEC, store, verify=100, devices=ONE)


def test_a_sweep_of_other_games_has_no_block_to_compare(store):
    other = walk.spec(points=2, seeds=12, horizon=8, environments={"long": walk.GAME})
    assert replay(store, SPEC, 1) == 1
    half = SPEC._replace(policies={"idler": SPEC.policies["idler"]})
    with pytest.warns(UserWarning, match=r"^store: 4 blocks of .* lacks.*\(--spec\)$"):
        assert replay(store, half, 9) == 2
    with pytest.raises(
        ValueError, match="spec: .* has no block of what it plays: walker in long"
    ):
        replay(store, other, 1)


def test_a_number_of_blocks_is_none_below_zero(store):
    with pytest.raises(ValueError, match="^store: verify must be >= 0"):
        run(SPEC, store, verify=-1)


def test_a_sweep_that_is_told_to_stop_begins_no_block(tmp_path):
    """The processes of `test_killed` finish theirs."""
    stop = threading.Event()
    told = walk.GAME._replace(tables=lambda instance: stop.set() or ())
    spec = SPEC._replace(environments={"short": told})
    path = tmp_path / "one"
    # Its metrics are asked for when the sweep is planned, so before the first block.
    with pytest.raises(StoppedError, match="^stopped after 0 of 6 blocks"):
        run(spec, path, block=6, stop=stop, devices=ONE)
    stop.clear()
    found = run(spec, path, devices=ONE)
    assert found["session"].sel(policy="idler").isel(params=0).all()
