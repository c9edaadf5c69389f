"""What a killed writer has left is removed, and nothing else, however it is called."""

import os
import time

import numpy as np
import pytest
import xarray as xr

from jaxbandits.results.leavings import remove_leavings
from jaxbandits.results.root import COPY
from jaxbandits.results.store import create_store

RANDOM = "0123456789abcdef" * 2
AXES = xr.Dataset(
    coords={
        "environment": ["a"],
        "policy": ["p"],
        "params": np.arange(1),
        "seed": np.arange(2),
        "checkpoint": np.array([5]),
    }
)


def make(path):
    create_store(path, AXES, {"regret": ()}, (1, 2), {})
    return path


def put(path, *, age=61.0):
    """A file, or with a slash at the end a folder with one."""
    file = path / "inside" if path.name.endswith(".d") else path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("mine")
    then = time.time() - age
    for each in {file, path}:
        os.utime(each, (then, then))
    return path


def everything(folder):
    return {str(file.relative_to(folder)) for file in folder.rglob("*")}


def test_what_is_ours_goes_when_it_is_old(tmp_path):
    store = make(tmp_path / "one.zarr")
    whole = everything(tmp_path)
    names = (
        f"zarr.{RANDOM}.partial",
        f"results/c.0.0.0.0.0.{RANDOM}.partial",
        f"seed/c/0.{RANDOM}.partial",
        f"seed/zarr.{RANDOM}.partial",
        f"{COPY.removesuffix('json')}{RANDOM}.partial",
    )
    for name in names:
        put(store / name)
    remove_leavings(store)
    left = everything(tmp_path)
    # Only folders that were made for this test.
    assert {name for name in left - whole if (tmp_path / name).is_file()} == set()
    assert whole <= left
    for name in names:
        put(store / name, age=30)
    young = everything(tmp_path)
    remove_leavings(store)
    assert everything(tmp_path) == young


@pytest.mark.parametrize("name", ["env", "*", "[ab].zarr", "a.zarr", "?", ".*"])
def test_what_is_not_ours_stays(tmp_path, name):
    store = make(tmp_path / name)
    for mine in (
        ".env.local",
        ".env.d",
        ".bashrc.bak",
        f".{name}.bak",
        f".{name}.{RANDOM}.txt",
        f".{name}.{RANDOM[:-1]}",
        f".{name}.{RANDOM.upper()}",
        f".{name}.{RANDOM[:-1]}f.d",
        f"{name}.{RANDOM}",
        f".{RANDOM}",
    ):
        put(tmp_path / mine)
    (store / f"zarr.{RANDOM[::-1]}.partial").symlink_to(tmp_path / ".env.d")
    for mine in (
        "x.partial",
        f"0.{RANDOM}.partial",
        f"notes/0.{RANDOM}.partial",
        ".zarr.backup.json",
        f".zarr.{RANDOM}.json.d",
        f"results/notes.{RANDOM}.partial",
        f"seed/c/mine/0.{RANDOM}.partial",
        f"results/c.0.{RANDOM}.partial",
        f"results/c.0.0.0.0.0.{RANDOM}.json",
        "results/c/0/0.partial",
    ):
        put(store / mine)
    for file in tmp_path.rglob("*"):
        os.utime(file, (time.time() - 61,) * 2, follow_symlinks=False)
    before = everything(tmp_path)
    remove_leavings(store)
    assert everything(tmp_path) == before


def test_a_file_that_goes_meanwhile_is_no_error(tmp_path, monkeypatch):
    """Another program may tidy up at the same time."""
    store = make(tmp_path / "one.zarr")
    file = put(store / f"zarr.{RANDOM}.partial")
    named = type(file).lstat

    def gone(path):
        found = named(path)
        file.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(type(file), "lstat", gone)
    remove_leavings(store)
    assert not file.exists()
