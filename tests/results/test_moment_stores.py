"""Stores that keep moments in place of runs."""

import shutil

import numpy as np
import pytest
import zarr

from jaxbandits.results import open_store
from jaxbandits.results import store as store_module
from jaxbandits.results.dataset import Place
from jaxbandits.results.moments import NAMES, SHAPE, moments_of, table_of
from jaxbandits.results.reading import read_block
from jaxbandits.results.store import (
    create_store,
    grow_store,
    sessions,
    stored_shapes,
    write_block,
)
from tests.results.test_store import axes

POINTS, SEEDS = 3, 10
BLOCK = (2, 4)


def values(params, seed):
    rng = np.random.default_rng(0)
    regret = rng.normal(size=(POINTS, 20, 2))[params, seed]
    return {"regret": regret, "rounds": np.full(regret.shape, 5)}


def write(path, params, seed, session=1):
    write_block(path, Place(0, 0, params, seed), values(params, seed), session)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("moments") / "one.zarr"
    shapes = {"regret": (), "pulls": (3,)}
    create_store(path, axes(points=POINTS, seeds=SEEDS), shapes, BLOCK, {}, True)
    for params in (slice(0, 2), slice(2, 3)):
        for seed in (slice(0, 4), slice(4, 8), slice(8, 10)):
            write(path, params, seed)
    return path


@pytest.mark.parametrize(
    ("chunks", "named"),
    [
        (3, "chunks must be a mapping, got 3"),
        ("auto", "chunks must be a mapping, got 'auto'"),
        ({"seeds": 2}, "chunks: a dimension must be one of .*'seed'.*, got 'seeds'"),
        ({"seed": 0}, r"chunks\['seed'\] must be at least 1, got 0"),
        ({"seed": 1.5}, r"chunks\['seed'\] must be an integer >= 1, got 1.5"),
    ],
    ids=str,
)
def test_chunks_are_numbers_by_dimension(store, chunks, named):
    with pytest.raises((TypeError, ValueError), match=f"^{named}"):
        open_store(store, chunks)
    assert open_store(store, {"part": 1, "params": -1}).chunks["part"] == (1, 1, 1)


def test_a_row_for_all_seeds_of_a_block(store):
    found = open_store(store)
    assert found["regret"].dims == (
        *("environment", "policy", "params", "part", "checkpoint", "moment"),
    )
    assert found["moment"].values.tolist() == list(NAMES)
    assert found.sizes["part"] == 3 and found.sizes["seed"] == SEEDS
    whole = values(slice(None), slice(0, SEEDS))["regret"]
    for part, seed in enumerate((slice(0, 4), slice(4, 8), slice(8, 10))):
        runs = np.moveaxis(whole[:, seed], 1, -1)
        wanted = np.stack(moments_of(runs), -1)
        row = found["regret"].isel(environment=0, policy=0, part=part)
        np.testing.assert_array_equal(row, wanted)
        sketch = found["regret_sketch"].isel(environment=0, policy=0, part=part)
        assert sketch.shape[-2:] == SHAPE
        np.testing.assert_array_equal(sketch, table_of(runs))
    assert (found["session"] == 1).all() and found["session"].dims[-1] == "part"
    # What is no number has no moments.
    assert stored_shapes(store) == {"regret": ()}
    assert "pulls" not in found


def test_a_block_once_more(store):
    place = Place(0, 0, slice(0, 2), slice(4, 8))
    found = read_block(store, place)["regret"]
    runs = np.moveaxis(values(*place[2:])["regret"], 1, -1)
    np.testing.assert_array_equal(found, table_of(runs)[:, None])


def test_a_store_of_moments_knows_who_played_each_run(store):
    found = sessions(store)
    assert found.shape == (1, 1, POINTS, SEEDS) and found.chunks[-2:] == BLOCK
    assert (found[:] == 1).all() and found[:].shape == found.shape
    assert found[Place(0, 0, slice(1, 3), slice(2, 9))].tolist() == [[1] * 7] * 2


def test_a_row_that_lacks_seeds_is_made_anew(store, tmp_path):
    store = shutil.copytree(store, tmp_path / "copy.zarr")
    grow_store(store, axes(points=POINTS, seeds=15), {"regret": ()}, {})
    found = sessions(store)
    assert found[Place(0, 0, slice(0, 3), slice(0, 8))].all()
    assert not found[Place(0, 0, slice(0, 3), slice(8, 15))].any()
    np.testing.assert_array_equal(found[0, 0, 0], [1] * 8 + [0] * 7)
    write(store, slice(0, 2), slice(8, 12), 2)
    found = sessions(store)[Place(0, 0, slice(0, 3), slice(8, 15))]
    np.testing.assert_array_equal(found, [[2] * 4 + [0] * 3] * 2 + [[0] * 7])
    row = open_store(store)["regret"].isel(part=2, params=0).sel(moment="count")
    assert (row == 4).all()


@pytest.mark.parametrize("moments", [False, True], ids=["runs", "moments"])
def test_what_is_written_quickly_is_what_zarr_writes(tmp_path, monkeypatch, moments):
    """Byte by byte, and its setting is what it was."""
    before = zarr.config.get("codec_pipeline.path")
    for name in ("quick", "plain"):
        path = tmp_path / name
        create_store(path, axes(points=3, seeds=8), {"regret": ()}, BLOCK, {}, moments)
        write(path, slice(0, 2), slice(4, 8))
        write(path, slice(2, 3), slice(0, 4))
        monkeypatch.setattr(store_module, "_QUICKLY", {})
    quick, plain = (
        {
            block.name: block.read_bytes()
            for block in (tmp_path / name).glob("results/c.*")
        }
        for name in ("quick", "plain")
    )
    assert len(plain) == 2 and quick == plain
    assert zarr.config.get("codec_pipeline.path") == before


def test_a_store_of_moments_is_small(tmp_path):
    """Octaves without a run take no room."""
    path = tmp_path / "one.zarr"
    create_store(path, axes(points=1, seeds=4), {"regret": ()}, BLOCK, {}, True)
    write(path, slice(0, 1), slice(0, 4))
    (block,) = (path / "results").glob("c.*")
    assert block.stat().st_size < 2 * 8 * np.prod(SHAPE)
