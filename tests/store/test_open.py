"""Readers: labelled, lazy, by plain xarray too."""

import tomllib
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from jaxbandits.store.block_store import BlockStore
from jaxbandits.store.open import StoreBackend, open_store
from tests.store.samples import fill, request

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "store"
    fill(path)
    return path


@pytest.mark.parametrize(
    "place",
    [
        {"environment": 1, "policy": 0, "params": [2, 0], "seed": slice(3, 9, 2)},
        {"checkpoint": -1},
        {"seed": [7], "checkpoint": [1], "pair_0": 0},
        {"params": slice(0, 0)},
        {"policy": 1, "seed": -1},
    ],
    ids=str,
)
def test_a_part_is_the_part_of_the_whole(whole, place):
    loaded, lazy = open_store(whole).load(), open_store(whole)
    xr.testing.assert_identical(lazy.isel(place).load(), loaded.isel(place))


def test_only_blocks_that_are_needed_are_read(whole, monkeypatch):
    read, keys = BlockStore.read, []
    monkeypatch.setattr(
        BlockStore, "read", lambda self, *args: keys.append(args) or read(self, *args)
    )
    open_store(whole)["regret"].isel(environment=0, policy=1, seed=[0]).load()
    assert len(keys) == 1


def test_plain_xarray_opens_a_store_by_its_engine(whole):
    found = xr.open_dataset(whole, engine=StoreBackend, drop_variables=["pair"])
    wanted = open_store(whole).drop_vars("pair")
    xr.testing.assert_identical(found.load(), wanted.load())
    assert StoreBackend().guess_can_open(whole)
    assert not StoreBackend().guess_can_open(whole / "blocks")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, name = project["entry-points"]["xarray.backends"]["jaxbandits"].split(":")
    assert getattr(import_module(module), name) is StoreBackend


def test_dask_reads_a_store_in_chunks(whole):
    pytest.importorskip("dask")
    lazy = open_store(whole, chunks={"seed": 5})
    assert lazy["regret"].chunks[3] == (5, 5)
    xr.testing.assert_identical(lazy.load(), open_store(whole).load())
    for chunks, kind, words in (
        (3, TypeError, "chunks must be a mapping"),
        ({"seeds": 1}, ValueError, "chunks: a dimension must be one of"),
        ({"seed": 0}, ValueError, "chunks.*seed.* must be at least 1"),
    ):
        with pytest.raises(kind, match=words):
            open_store(whole, chunks=chunks)


@pytest.mark.filterwarnings("ignore:The data type")  # Zarr, of texts
@pytest.mark.parametrize("form", ["zarr", "netcdf"])
def test_a_store_is_archived_in_a_line(whole, tmp_path, form):
    pytest.importorskip({"zarr": "zarr", "netcdf": "h5netcdf"}[form])
    path = tmp_path / "archive"
    if form == "zarr":
        open_store(whole).to_zarr(path, consolidated=False)
        again = xr.open_zarr(path, consolidated=False)
    else:
        open_store(whole).to_netcdf(path, engine="h5netcdf")
        again = xr.open_dataset(path, engine="h5netcdf")
    np.testing.assert_array_equal(again["regret"], open_store(whole)["regret"])


def test_points_with_fewer_seeds_say_how_many(tmp_path):
    fill(tmp_path)
    assert "seeds" not in open_store(tmp_path).coords
    fill(tmp_path, request((0.5,), ((0, 30),)), grow=True)
    found = open_store(tmp_path)
    assert found["seeds"].sel(policy="walker").values.tolist() == [[30, 10, 10]] * 2
    # Seeds that are not the first ones have no such number.
    fill(tmp_path, request((0.5,), ((50, 55),)), grow=True)
    fill(tmp_path, request((2.0,), ((50, 60),)), grow=True)
    assert "seeds" not in open_store(tmp_path).coords
