"""Files of a store that are flipped, truncated or gone: noticed, named and mended."""

import errno
import os
import re
import shutil
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from jaxbandits.results import open_store
from jaxbandits.simulation import run_sweep
from jaxbandits.simulation.fill import StoppedError
from tests.simulation import walk
from tests.simulation.runs import ONE, run
from tests.simulation.test_numbers import assert_same

SPEC = walk.spec(points=2, seeds=12, horizon=8, environments={"short": walk.GAME})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Two policies, of which one has one point, in blocks of six runs."""
    path = tmp_path_factory.mktemp("damage") / "whole"
    run(SPEC, path, block=6, devices=ONE)
    return path


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    """Blocks of another sweep."""
    path = tmp_path_factory.mktemp("damage") / "other"
    run(SPEC._replace(root_seed=1), path, block=6, devices=ONE)
    return [*path.glob("blocks/*")]


def files_of(store):
    """Names of all files of a store."""
    return sorted(str(f.relative_to(store)) for f in store.rglob("*") if f.is_file())


def blocks_of(store):
    """The names of its blocks."""
    return [name for name in files_of(store) if name.startswith("blocks")]


def flip(file, rng, others):
    """One random bit."""
    data = bytearray(file.read_bytes())
    data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    file.write_bytes(data)


def delete(file, rng, others):
    """All of it."""
    file.unlink()


def truncate(file, rng, others):
    """To a random length, possibly nothing."""
    file.write_bytes(file.read_bytes()[: rng.integers(file.stat().st_size)])


def exchange(file, rng, others):
    """A block with another one of its store."""
    other = rng.choice([x for x in file.parent.iterdir() if x != file])
    mine = file.read_bytes()
    file.write_bytes(other.read_bytes())
    other.write_bytes(mine)


def foreign(file, rng, others):
    """A block of another sweep in its place."""
    shutil.copy(rng.choice(others), file)


def is_refused(whole, copy, harm, names, rng, others):
    """Whether a copy of a store is refused, of which some files are damaged.

    If so a sentence names a file, else the numbers are right. The next sweep gives the
    very bits again, with the same files, and the one after that has nothing to mend.
    """
    wanted = open_store(whole).load()
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(whole, copy)
    for name in names:
        harm(copy / name, rng, others)
    refused = False
    try:
        assert_same(open_store(copy), wanted)
    except (ValueError, FileNotFoundError) as error:
        assert re.search(rf"store: {copy}/\S+ is (damaged|missing)", str(error))
        refused = True
    swept(copy)
    assert_same(open_store(copy), wanted)
    # Who plays again is a session more.
    assert {*files_of(whole)} <= {*files_of(copy)}
    assert not swept(copy), names
    return refused


def swept(store):
    """What a sweep says about damage."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run(SPEC, store, progress=False, devices=ONE)
    return [str(w.message) for w in said if "was damaged" in str(w.message)]


@pytest.mark.parametrize("harm", [flip, exchange, foreign])
def test_a_block_that_is_damaged_is_named_and_mended(whole, others, tmp_path, harm):
    """And a bit in every file but the copy of the request, and who has played."""
    names, rng = blocks_of(whole)[:1], np.random.default_rng(1)
    assert is_refused(whole, tmp_path / "one", harm, names, rng, others)
    if harm is flip:
        every = [x for x in files_of(whole) if not x.startswith(("asked", "sessions"))]
        assert is_refused(whole, tmp_path / "one", harm, every, rng, others)


@pytest.mark.slow
@pytest.mark.parametrize("harm", [flip, delete, truncate, exchange, foreign])
def test_any_damage_of_a_file_is_found_and_mended(whole, others, tmp_path, harm):
    """Of as many files drawn at random as DAMAGE says (20), one at a time."""
    names = (blocks_of if harm in (exchange, foreign) else files_of)(whole)
    rng = np.random.default_rng(0)
    for name in rng.choice(names, int(os.environ.get("DAMAGE", 20))):
        is_refused(whole, tmp_path / "one", harm, [str(name)], rng, others)


def test_a_store_that_cannot_be_written_to_may_be_complete(
    whole, tmp_path, monkeypatch
):
    """Else nothing is played before that is said."""
    copy = tmp_path / "one"
    shutil.copytree(whole, copy)

    def refuse(*args):
        raise OSError(errno.EROFS, "Read-only file system")

    before = {name: (copy / name).read_bytes() for name in files_of(copy)}
    monkeypatch.setattr(Path, "write_bytes", refuse)
    found = run(SPEC, copy, devices=ONE)
    xr.testing.assert_identical(found.load(), open_store(whole).load())
    with pytest.raises(OSError, match=f"store: cannot write to {copy}: Read-only"):
        run(SPEC._replace(seeds=13), copy, extend=True)
    assert {name: (copy / name).read_bytes() for name in files_of(copy)} == before


def test_a_store_that_is_being_mended_can_be_read(whole, tmp_path):
    """What is not played again yet is like what never was."""
    copy = tmp_path / "one"
    shutil.copytree(whole, copy)
    flip(copy / blocks_of(copy)[0], np.random.default_rng(0), ())
    next(copy.glob("done/*")).unlink()
    (stop := threading.Event()).set()
    with (
        pytest.warns(UserWarning, match="blocks to be played again: 1$"),
        pytest.raises(StoppedError),
    ):
        run_sweep(SPEC, copy, stop=stop)
    with open_store(copy) as found, open_store(whole) as wanted:
        missing = (found["session"] == 0) & (wanted["session"] > 0)
        assert missing.sum() == 6 and found.attrs["blocks_missing"] == 1


def test_requests_that_are_gone_altogether_are_said(whole, tmp_path):
    copy = tmp_path / "one"
    shutil.copytree(whole, copy)
    for name in ("sweep.json", *(x for x in files_of(copy) if x.startswith("asked"))):
        (copy / name).write_text("{")
    for call, words in (
        (lambda: open_store(copy), "; the next sweep into the store mends it, if"),
        (lambda: run(SPEC, copy), ", and its copies are: .*give another store"),
    ):
        with pytest.raises(ValueError, match=f"^store: {copy}/.* is damaged{words}"):
            call()


def test_another_sweep_mends_no_block(whole, tmp_path):
    """It is refused before anything is removed."""
    copy = tmp_path / "one"
    shutil.copytree(whole, copy)
    truncate(copy / blocks_of(copy)[0], np.random.default_rng(0), ())
    before = {name: (copy / name).read_bytes() for name in files_of(copy)}
    with pytest.raises(ValueError, match="holds another sweep"):
        run(SPEC._replace(root_seed=1), copy)
    assert {name: (copy / name).read_bytes() for name in files_of(copy)} == before


def test_a_policy_may_have_a_metric_of_its_own(tmp_path):
    """A store that grows learns its name; policies without it have NaN."""
    path = tmp_path / "one"
    mute = walk.WALKER._replace(report=None)
    small = SPEC._replace(
        policies={"mute": SPEC.policies["idler"]._replace(policy=mute)}
    )
    run(small, path, devices=ONE)
    both = small._replace(policies=small.policies | SPEC.policies)
    grown = run(both, path, extend=True, devices=ONE).load()
    assert grown["small"].sel(policy="mute").isnull().all()
    assert grown["small"].sel(policy="idler", params=0).notnull().all()
