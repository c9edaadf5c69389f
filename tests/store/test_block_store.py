"""Stores: what is missing is a difference of names, and nothing wrong is ever read."""

import errno
import os
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from jaxbandits.store.block_file import DamagedError
from jaxbandits.store.block_store import BlockStore
from jaxbandits.store.open import open_store
from tests.store.samples import SESSION, STEPS, SWEEP, fill, request, values_of


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "store"
    fill(path)
    return path


@pytest.fixture
def copy(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "store")
    return tmp_path / "store"


def same(one, other):
    parts = [
        open_store(path).load().drop_vars("session").drop_attrs()
        for path in (one, other)
    ]
    return parts[0].identical(parts[1])


def test_a_store_gives_back_what_was_written(whole):
    found = open_store(whole).load()
    blocks = BlockStore(whole).blocks()
    for block in blocks:
        for name, wanted in values_of(block).items():
            own = found[name].sel(environment=block.game[0], policy=block.game[1])
            own = own.isel(params=slice(block.points.count))
            seeds = np.concatenate([np.arange(*span) for span in block.seeds])
            np.testing.assert_array_equal(own.sel(seed=seeds), wanted)
    assert found["regret"].sel(policy="idler", params=[1, 2]).isnull().all()
    assert not BlockStore(whole).missing(blocks)


def test_what_is_missing_is_what_is_not_there(copy, tmp_path):
    store = BlockStore(tmp_path / "new")
    store.ask(request())
    assert store.missing(store.blocks()) == store.blocks()
    half = store.blocks()[::2]
    for block in half:
        store.write(block, values_of(block), SESSION)
    assert store.missing(store.blocks()) == store.blocks()[1::2]
    found = open_store(tmp_path / "new")
    assert found.attrs["blocks_missing"] == len(store.blocks()) - len(half)
    there = found["session"].values > 0
    np.testing.assert_array_equal(found["regret"].notnull().any("checkpoint"), there)
    fill(tmp_path / "new")
    assert same(tmp_path / "new", copy)


def test_more_is_added_only_if_that_is_asked_for(copy, whole):
    before = {path: path.stat().st_mtime_ns for path in copy.glob("blocks/*")}
    larger = request((*STEPS, 7.0), ((0, 14),))
    with pytest.raises(
        ValueError, match=r"walker in short: 3 points, seeds 10-13\n(.*\n)*extend"
    ):
        fill(copy, larger)
    store = fill(copy, larger, grow=True)
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert sum(block.size for block in store.blocks()) == 2 * (4 + 1) * 14
    one = open_store(copy).sel(seed=range(10)).isel(params=slice(3))
    np.testing.assert_array_equal(one["regret"], open_store(whole)["regret"])
    # What is asked for anew may be less, and adds nothing.
    asked = {*copy.glob("asked/*")}
    fill(copy)
    assert asked == {*copy.glob("asked/*")}


def test_another_sweep_is_refused_saying_what_differs(copy):
    other = request(sweep=SWEEP | {"root_seed": 1})
    before = {*copy.rglob("*")}
    with pytest.raises(ValueError, match="root_seed: 0 in the store, 1 now"):
        fill(copy, other, grow=True)
    with pytest.raises(ValueError, match="keep must be left out or 'runs'"):
        fill(copy, request(keep="moments"))
    with pytest.raises(
        ValueError, match=r"metrics.pair: shape \[2\] in the store, \[\]"
    ):
        fill(copy, request(variables={"pair": ()}))
    assert before == {*copy.rglob("*")}


def test_two_programs_may_grow_a_store_at_once(copy):
    """Neither knows of the other, and both get what they asked for."""
    wanted = request((*STEPS, 7.0)), request(seeds=((0, 20),))
    stores = [BlockStore(copy) for _ in wanted]
    barrier = threading.Barrier(2)

    def grow(store, own):
        barrier.wait()
        store.ask(own, grow=True)

    threads = [threading.Thread(target=grow, args=x) for x in zip(stores, wanted)]  # noqa: B905
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for own in wanted:
        fill(copy, own)
    found = open_store(copy)
    assert "blocks_missing" not in found.attrs
    assert found["seeds"].sel(policy="walker").values.tolist() == [[20, 20, 20, 10]] * 2


def test_moments_have_every_run_once(tmp_path):
    """Also where parts that were asked for overlap."""
    moments = {"keep": "moments", "variables": {"regret": ()}}
    fill(tmp_path, request(**moments))
    fill(tmp_path, request(seeds=((0, 25),), **moments), grow=True)
    found = open_store(tmp_path)
    counts = found["regret"].sel(moment="count").sum("part")
    assert (counts.sel(policy="walker") == 25).all()
    assert found["regret_sketch"].sizes["part"] == found.sizes["part"] > 1
    assert found["session"].dims[-1] == "part"


def damaged(copy, harm, name=None):
    """Harm a file of a store; its name."""
    files = sorted(copy.rglob("*.*")) if name is None else sorted(copy.glob(name))
    harm(files[0])
    return files[0]


def flip(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 4
    file.write_bytes(data)


HARMS = {
    "flipped": flip,
    "cut": lambda file: file.write_bytes(file.read_bytes()[:20]),
    "emptied": lambda file: file.write_bytes(b""),
    "gone": lambda file: file.unlink(),
    "another's": lambda file: shutil.copy(sorted(file.parent.glob("*"))[-1], file),
}


@pytest.mark.parametrize("harm", HARMS)
def test_a_block_that_is_not_as_it_was_is_named_and_played_again(copy, whole, harm):
    file = damaged(copy, HARMS[harm], "blocks/*")
    with pytest.raises((DamagedError, FileNotFoundError), match=f"{file} is"):
        open_store(copy).load()
    with pytest.raises(DamagedError, match=f"{file} is"):
        BlockStore(copy).examine()
    store, name = BlockStore(copy), f"blocks/{file.name}"
    assert store.mend(store.blocks()) == ([] if harm == "gone" else [name])
    fill(copy)
    assert same(copy, whole) and store.examine() == len(store.blocks())


@pytest.mark.parametrize("name", ["sweep.json", "asked/*", "done/*", "sessions/*"])
@pytest.mark.parametrize("harm", [name for name in HARMS if name != "another's"])
def test_other_files_are_mended(copy, whole, name, harm):
    names = {str(file.relative_to(copy)) for file in copy.rglob("*.*")}
    file = damaged(copy, HARMS[harm], name)
    try:
        assert same(copy, whole)
    except DamagedError as error:
        assert f"{file} is damaged" in str(error)
    store = fill(copy)
    assert same(copy, whole) and store.examine()
    assert names == {str(file.relative_to(copy)) for file in copy.rglob("*.*")}


def test_a_request_is_held_against_its_digest_and_a_session_is_written_again(copy):
    """Also where a change is good JSON, and where no other file has what is gone."""
    file = copy / "sweep.json"
    file.write_text(file.read_text().replace('"text": "text"', '"text": "tent"'))
    (session,) = copy.glob("sessions/*")
    session.unlink()
    store = BlockStore(copy)
    with pytest.raises(DamagedError, match=r"sweep.json is damaged"):
        store.requests()
    assert store.mend() == ["sweep.json"]
    assert store.mend(store.blocks()) == [f"sessions/{session.name}"]


def test_a_request_of_another_sweep_is_no_part_of_a_store(copy, whole, tmp_path):
    other = tmp_path / "other"
    fill(other, request(sweep=SWEEP | {"root_seed": 1}))
    (name,) = other.glob("asked/*")
    shutil.copy(name, copy / "asked")
    words = f"{name.name} is of another sweep: root_seed"
    with pytest.raises(DamagedError, match=words):
        open_store(copy)
    fill(copy)
    assert same(copy, whole)


def test_there_is_no_store_where_nothing_was_asked(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no store at"):
        open_store(tmp_path)


def test_a_full_disk_is_said_with_what_is_safe(copy, monkeypatch):
    store = BlockStore(copy)
    store.ask(request(seeds=((0, 20),)), grow=True)
    block = store.missing(store.blocks())[0]

    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    words = "cannot write to .*: No space .*; 3 of 4 are safe"
    with pytest.raises(OSError, match=words):
        store.write(block, values_of(block), SESSION, safe="; 3 of 4 are safe")
    assert not [name for name in os.listdir(copy / "blocks") if name.startswith(".")]
