"""Files of a store that are flipped, truncated or gone: noticed, named and mended."""

import errno
import os
import shutil
import threading
from pathlib import Path

import jax
import numpy as np
import pytest
import xarray as xr

from jaxbandits.results import open_store
from jaxbandits.simulation import run_sweep
from jaxbandits.simulation.fill import StoppedError
from tests.simulation import walk
from tests.simulation.damage import (
    delete,
    exchange,
    files_of,
    flip,
    foreign,
    outcome,
    truncate,
)
from tests.simulation.runs import run

SPEC = walk.spec(points=2, seeds=12, horizon=8, environments={"short": walk.GAME})
ONE = jax.local_devices()[:1]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Two policies, of which one has one point, in blocks of six runs."""
    path = tmp_path_factory.mktemp("damage") / "whole"
    run(SPEC, path, block=6, devices=ONE)
    return path


def block_of(store):
    """The name of a block."""
    return next(name for name in files_of(store) if name.startswith("blocks"))


@pytest.mark.parametrize(
    ("harm", "name"),
    [
        (flip, "blocks"),
        (exchange, "blocks"),
        # A bit in every file but the copy of the request, and who has played.
        (flip, "all"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_damage_is_found_and_mended(whole, tmp_path, harm, name):
    names = [x for x in files_of(whole) if x.startswith(name)][:1]
    if name == "all":
        names = [x for x in files_of(whole) if not x.startswith(("asked", "sessions"))]
    rng = np.random.default_rng(1)
    got = outcome(SPEC, whole, tmp_path / "one", harm, names, rng)
    assert got.mended and got.again
    assert got.read in ("refused", "right")


@pytest.mark.slow
@pytest.mark.parametrize("harm", [flip, delete, truncate, exchange, foreign])
def test_any_damage_of_a_file_is_found_and_mended(whole, tmp_path, harm):
    """Of as many files drawn at random as DAMAGE says (20), one at a time."""
    names, rng = files_of(whole), np.random.default_rng(0)
    if harm in (exchange, foreign):
        names = [name for name in names if name.startswith("blocks")]
    if harm is foreign:
        other = tmp_path / "other"
        run(SPEC._replace(root_seed=1), other, block=6, devices=ONE)
        harm = foreign(other)
    for name in rng.choice(names, int(os.environ.get("DAMAGE", 20))):
        got = outcome(SPEC, whole, tmp_path / "one", harm, [str(name)], rng)
        assert got.read in ("refused", "right"), (name, got)
        assert got.mended and got.again, (name, got)


def test_a_block_of_another_sweep_is_found_and_mended(whole, tmp_path):
    run(SPEC._replace(root_seed=1), tmp_path / "other", block=6, devices=ONE)
    harm, rng = foreign(tmp_path / "other"), np.random.default_rng(1)
    names = [block_of(whole)]
    got = outcome(SPEC, whole, tmp_path / "one", harm, names, rng)
    assert got == ("refused", True, True)


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
    flip(copy / block_of(copy), np.random.default_rng(0))
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
    truncate(copy / block_of(copy), np.random.default_rng(0))
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
