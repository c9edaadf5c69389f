"""A block is one object; what is read of it is what NumPy would give."""

import json

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxbandits.results import open_store
from jaxbandits.results.dataset import Place
from jaxbandits.results.home import home_of
from jaxbandits.results.layout import (
    files_of,
    key_of,
    new_layout,
    numbers_of,
    pieces_of,
    results_of,
)
from jaxbandits.results.reading import read_block
from jaxbandits.results.shards import shard_is_whole
from jaxbandits.results.store import (
    check_store,
    create_store,
    seal,
    sessions,
    set_attributes,
    write_block,
)
from tests.results.test_store import axes

POINTS, SEEDS = 3, 7
SHAPES = {"regret": (), "pair": (2, 3)}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """All of it played, and what was played."""
    path = tmp_path_factory.mktemp("layout") / "one.zarr"
    create_store(path, axes(points=POINTS, seeds=SEEDS), SHAPES, (2, 3), {})
    rng = np.random.default_rng(0)
    whole = {
        "regret": rng.random((POINTS, SEEDS, 2)),
        "pair": rng.random((POINTS, SEEDS, 2, 2, 3)),
        "rounds": rng.integers(2**40, size=(POINTS, SEEDS, 2)),
    }
    for params in (slice(0, 2), slice(2, 3)):
        for seed in (slice(0, 3), slice(3, 6), slice(6, 7)):
            values = {name: x[params, seed] for name, x in whole.items()}
            write_block(path, Place(0, 0, params, seed), values, 7)
    return path, whole, open_store(path)


def test_a_block_is_a_file(store):
    path, *_ = store
    blocks = [f.name for f in (path / "results").iterdir() if numbers_of(f.name)]
    assert len(blocks) == 2 * 3


def keys(length):
    # Of an empty one backwards xarray itself makes an error.
    slices = st.slices(length).filter(
        lambda x: len(range(length)[x]) or (x.step or 1) > 0
    )
    return st.one_of(
        st.integers(-length, length - 1),
        slices,
        st.lists(st.integers(0, length - 1), max_size=4),
    )


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_any_part_of_a_variable(store, data):
    _, whole, opened = store
    name = data.draw(st.sampled_from([*whole]))
    values = xr.Variable(opened[name].dims[2:], whole[name])
    sizes = zip(values.dims, values.shape, strict=True)
    key = {dim: data.draw(keys(size)) for dim, size in sizes}
    found = opened[name].isel(environment=0, policy=0).variable
    np.testing.assert_array_equal(found.isel(key).values, values.isel(key).values)


def test_who_played(store):
    path, *_ = store
    found = open_store(path)["session"]
    assert found.dtype == "i4" and (found == 7).all()
    assert (
        sessions(path)[Place(0, 0, slice(1, 3), slice(2, 5))].tolist() == [[7] * 3] * 2
    )


def test_all_of_a_block(store):
    path, whole, _ = store
    place = Place(0, 0, slice(2, 3), slice(3, 6))
    found = read_block(path, place)
    assert set(found) == {"session", *whole}
    for name, values in whole.items():
        np.testing.assert_array_equal(found[name], values[place[2:]])


def test_every_byte_of_a_block_is_checked(store):
    path, *_ = store
    data = home_of(path).get(key_of(0, 0, 0, 0, 0))
    pieces = pieces_of(results_of(home_of(path)))
    assert shard_is_whole(data, pieces)
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1
        assert not shard_is_whole(bytes(changed), pieces), place
    for length in range(len(data)):
        assert not shard_is_whole(data[:length], pieces)
    assert not shard_is_whole(data + b"0", pieces)
    # Nor is there anything that no piece holds.
    index = 16 * pieces + 4
    assert not shard_is_whole(data[:-index] + b"0" + data[-index:], pieces)


PIECES_ARE_SMALL_ENOUGH_TO_BE_READ_ALONE = [
    ((1, 10), 100, 100),
    ((100, 100), 100, 10),
    ((1000, 1000), 7, 1),
    ((1, 2), 1, 1),
]


def test_pieces_are_small_enough_to_be_read_alone(subtests):
    """Of 1 MB at most, if one checkpoint is no more; one metric in any case."""
    for block, checkpoints, piece in PIECES_ARE_SMALL_ENOUGH_TO_BE_READ_ALONE:
        with subtests.test(block=block, checkpoints=checkpoints, piece=piece):
            wide = (
                axes().isel(checkpoint=[0]).reindex(checkpoint=np.arange(checkpoints))
            )
            layout = new_layout({"a": (), "b": ()}, block)
            metadata = json.loads(files_of(wide, layout)["results/zarr.json"])
            (sharding,) = metadata["codecs"]
            assert sharding["configuration"]["chunk_shape"] == [1, 1, *block, 1, piece]


@pytest.mark.parametrize("older", [False, True])
def test_a_file_that_is_missing(tmp_path, older):
    """It is noticed once a store was complete; before, nothing was ever there."""
    path = tmp_path / "one.zarr"
    create_store(path, axes(points=1, seeds=6), {"regret": ()}, (1, 3), {})
    values = np.ones((1, 3, 2))
    for seed in (slice(0, 3), slice(3, 6)):
        place = Place(0, 0, slice(0, 1), seed)
        write_block(path, place, {"regret": values, "rounds": values}, 1)
    lost = path / key_of(0, 0, 0, 1, 0)
    data = lost.read_bytes()
    lost.unlink()
    assert open_store(path)["regret"].isnull().sum() == 6
    lost.write_bytes(data)
    seal(path)
    assert open_store(path)["regret"].notnull().all()
    assert "complete" not in open_store(path).attrs
    assert check_store(path)["complete"] == [[[2]]]
    if older:  # A number of blocks along the points.
        set_attributes(path, check_store(path) | {"complete": [[1]]})
    lost.unlink()
    with pytest.raises(ValueError, match=f"^store: {lost} is missing and cannot be"):
        open_store(path)
    lost.mkdir()
    with pytest.raises(ValueError, match=f"^store: {lost} is missing and cannot be"):
        open_store(path)
