"""Stores that are no folders: in a bucket, and in memory."""

import sys
import uuid

import numpy as np
import pytest
import xarray as xr
from zarr.storage import LocalStore, MemoryStore

from jaxbandits.results import open_store
from jaxbandits.results.dataset import Place
from jaxbandits.results.home import home_of
from jaxbandits.results.layout import key_of
from jaxbandits.results.mending import mend_chunks, mend_metadata
from jaxbandits.results.root import COPY
from jaxbandits.results.store import (
    check_store,
    create_store,
    grow_store,
    naming,
    seal,
    sessions,
    set_attributes,
    stored_shapes,
)
from tests.buckets import bucket  # noqa: F401
from tests.heavy import in_short
from tests.results.test_store import ATTRIBUTES, CHUNK, LARGE, SHAPES, SMALL, fill


@pytest.fixture(params=["memory", "bucket"])
def place(request):
    """Where there is nothing yet."""
    if request.param == "memory":
        return MemoryStore()
    return f"{request.getfixturevalue('bucket')}/{uuid.uuid4().hex}.zarr"


# What needs no more of a bucket than others that are of the short run.
bucket_in_long = pytest.mark.parametrize(
    "place", in_short(["memory", "bucket"], {"bucket"}), indirect=True
)
BLOCKS = (
    Place(0, 0, slice(0, 2), slice(0, 4)),
    Place(0, 0, slice(0, 2), slice(4, 6)),
    Place(0, 0, slice(2, 3), slice(0, 4)),
    Place(0, 0, slice(2, 3), slice(4, 6)),
)


def made(place):
    create_store(place, SMALL, SHAPES, CHUNK, ATTRIBUTES)
    for block in BLOCKS:
        fill(place, block)
    return place


@bucket_in_long
def test_it_holds_what_a_folder_holds(place, tmp_path):
    made(place)
    made(tmp_path / "one.zarr")
    xr.testing.assert_identical(
        open_store(place).load(), open_store(tmp_path / "one.zarr").load()
    )
    here, there = home_of(tmp_path / "one.zarr"), home_of(place)
    for folder in ("results", "seed", "seed/c"):
        assert there.objects(folder) - {"c"} == here.objects(folder)
        for name in here.objects(folder):
            assert here.get(f"{folder}/{name}") == there.get(f"{folder}/{name}")
    assert (sessions(place)[:] == 1).all() and stored_shapes(place) == SHAPES


def test_only_one_makes_it(place, monkeypatch):
    home = home_of(place)
    create_store(place, SMALL, SHAPES, CHUNK, {"by": "another"})
    # As if it had not been there a moment ago.
    monkeypatch.setattr(type(home), "exists", lambda self: False)
    with pytest.raises(FileExistsError, match="another program has just made"):
        create_store(place, SMALL, SHAPES, CHUNK, {"by": "me"})
    assert check_store(place)["by"] == "another"


@bucket_in_long
def test_a_creation_that_was_killed_is_completed(place, monkeypatch):
    put, left = type(home_of(place)).put, [5]

    def killed(self, key, data):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        put(self, key, data)

    with monkeypatch.context() as patch:
        patch.setattr(type(home_of(place)), "put", killed)
        patch.setattr(type(home_of(place)), "delete", lambda self, key: None)
        with pytest.raises(KeyboardInterrupt):
            create_store(place, SMALL, SHAPES, CHUNK, ATTRIBUTES)
    with pytest.raises(ValueError, match="is damaged or missing and cannot be read"):
        open_store(place)
    mend_metadata(place)
    grow_store(place, SMALL, SHAPES, ATTRIBUTES)
    other = MemoryStore()
    create_store(other, SMALL, SHAPES, CHUNK, ATTRIBUTES)
    xr.testing.assert_identical(open_store(place).load(), open_store(other).load())


@bucket_in_long
def test_it_grows_and_is_mended(place):
    made(place)
    grow_store(place, LARGE, SHAPES | {"late": ()}, ATTRIBUTES)
    before = open_store(place).load()
    assert before.sizes["seed"] == 11 and before["late"].isnull().all()
    home = home_of(place)
    for key in ("zarr.json", key_of(0, 0, 0, 0, 0), key_of(0, 0, 1, 0, 1)):
        home.put(key, home.get(key)[:-1] + b"?")
    with pytest.raises(ValueError, match="zarr.json is damaged"):
        open_store(place)
    assert mend_metadata(place) == ["zarr.json"]
    found = mend_chunks(place)
    assert found.files == [key_of(0, 0, 0, 0, 0), key_of(0, 0, 1, 0, 1)]
    assert found.blocks == 2
    for block in (BLOCKS[0], BLOCKS[2]):
        fill(place, block)
    xr.testing.assert_identical(open_store(place).load(), before)
    set_attributes(place, {"spec": "new"})
    assert check_store(place)["spec"] == "new"
    home.delete(COPY)
    assert mend_metadata(place) == [COPY]


@bucket_in_long
def test_what_is_missing_of_a_complete_one(place):
    made(place)
    seal(place)
    home_of(place).delete(key_of(0, 0, 1, 1, 0))
    with pytest.raises(ValueError, match=r"results/c\.0\.0\.1\.1\.0\.0 is missing"):
        open_store(place)


def test_what_says_that_a_block_is_there_goes_first(monkeypatch):
    home, gone = home_of(made(MemoryStore())), []
    grow_store(home, LARGE, SHAPES | {"late": ()}, ATTRIBUTES)
    home.put(key_of(0, 0, 1, 0, 1), b"other")
    monkeypatch.setattr(type(home), "delete", lambda self, key: gone.append(key))
    assert mend_chunks(home).blocks == 1
    assert gone == [key_of(0, 0, 1, 0, shard) for shard in (0, 1)]


def test_a_folder_as_a_store_of_zarr(tmp_path):
    path = tmp_path / "one.zarr"
    made(LocalStore(path))
    assert home_of(LocalStore(path)).folder == path
    xr.testing.assert_identical(open_store(path), open_store(LocalStore(path)))


@pytest.mark.usefixtures("bucket")
def test_a_bucket_that_is_not_there():
    url = "s3://nowhere/x.zarr"
    with pytest.raises(FileNotFoundError, match=f"there is no Zarr store at {url}"):
        open_store(url)
    with pytest.raises(OSError, match=f"^store: cannot reach {url}: .*NoSuchBucket"):
        create_store(url, SMALL, SHAPES, CHUNK, ATTRIBUTES)
    with (
        pytest.raises(OSError, match=f"^store: cannot write to {url}: .*; 1 is safe$"),
        naming(url, "; 1 is safe"),
    ):
        from obstore.exceptions import GenericError

        raise GenericError("down")


def test_a_url_without_its_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with pytest.raises(ImportError, match=r"^store: s3://b/x.zarr needs .*\[remote\]"):
        open_store("s3://b/x.zarr")


@bucket_in_long
def test_values_are_read_in_part(place):
    """Of the checkpoints and metrics that are asked for, no others."""
    made(place)
    found = open_store(place)["regret"].isel(checkpoint=-1, seed=slice(2, 5))
    np.testing.assert_array_equal(found[0, 0, 0], [1002.25, 1003.25, 1004.25])


def test_what_is_no_url_of_a_bucket():
    pytest.importorskip("obstore")
    with pytest.raises(ValueError, match="^store: s3:// is no URL of a bucket: "):
        open_store("s3://")
