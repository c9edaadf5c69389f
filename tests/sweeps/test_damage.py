"""Files of a store that are flipped, truncated or gone: noticed, named and mended."""

import errno
import shutil
import threading

import jax
import numpy as np
import pytest
import xarray as xr

from jaxbandits.results import open_store
from jaxbandits.results.root import COPY
from jaxbandits.sweeps import run_sweep, stores
from jaxbandits.sweeps.fill import StoppedError
from tests.sweeps import walk
from tests.sweeps.damage import delete, files_of, flip, outcome, truncate
from tests.sweeps.runs import run

SPEC = walk.spec(points=2, seeds=12, horizon=8, environments={"short": walk.GAME})
BLOCK = "results/c.0.1.0.0.0.0"
ONE = jax.local_devices()[:1]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Two policies, of which one has one point, in blocks of six runs."""
    path = tmp_path_factory.mktemp("damage") / "whole.zarr"
    run(SPEC, path, block=6, devices=ONE)
    return path


@pytest.mark.parametrize(
    ("harm", "names", "read"),
    [
        (flip, ["zarr.json"], "refused"),
        (truncate, [COPY], "right"),
        pytest.param(delete, ["zarr.json"], "refused", marks=pytest.mark.slow),
        pytest.param(flip, [BLOCK], "refused", marks=pytest.mark.slow),
        pytest.param(delete, [BLOCK], "refused", marks=pytest.mark.slow),
        pytest.param(truncate, [BLOCK], "refused", marks=pytest.mark.slow),
        pytest.param(delete, ["seed/c/0"], "refused", marks=pytest.mark.slow),
        pytest.param(flip, ["policy/c/0"], "refused", marks=pytest.mark.slow),
        (delete, ["param_step/c/0/0/0", BLOCK, "seed/zarr.json"], None),
        (flip, ["results/zarr.json"], "right"),
        # A bit in every file but the root, of which one must be left.
        (flip, "all", "refused"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_damage_is_found_and_mended(whole, tmp_path, harm, names, read):
    if names == "all":
        names = [name for name in files_of(whole) if name != COPY]
    got = outcome(
        SPEC, whole, tmp_path / "one.zarr", harm, names, np.random.default_rng(1)
    )
    assert got.mended and got.again
    assert got.read == (read or "refused")


def test_a_store_that_cannot_be_written_to(whole, tmp_path, monkeypatch):
    """It may be complete; else nothing is played before that is said."""

    def refuse(dir):
        raise OSError(errno.EROFS, "Read-only file system")

    copy = tmp_path / "one.zarr"
    shutil.copytree(whole, copy)
    monkeypatch.setattr(stores.tempfile, "TemporaryFile", refuse)
    before = {name: (copy / name).read_bytes() for name in files_of(copy)}
    with pytest.warns(UserWarning, match="cannot be written to; it is complete"):
        found = run(SPEC, copy, devices=ONE)
    xr.testing.assert_identical(found.load(), open_store(whole).load())
    for spec, harm in ((SPEC._replace(seeds=13), None), (SPEC, flip), (SPEC, delete)):
        if harm is not None:
            harm(copy / BLOCK, np.random.default_rng(0))
            before = {name: (copy / name).read_bytes() for name in files_of(copy)}
        with pytest.raises(OSError, match=f"store: cannot write to {copy}: Read-only"):
            run(spec, copy, extend=True)
        assert {name: (copy / name).read_bytes() for name in files_of(copy)} == before


def test_a_store_that_is_being_mended_can_be_read(whole, tmp_path):
    """What is not played again yet is like what never was."""
    copy = tmp_path / "one.zarr"
    shutil.copytree(whole, copy)
    delete(copy / BLOCK, np.random.default_rng(0))
    (stop := threading.Event()).set()
    with (
        pytest.warns(UserWarning, match="blocks to be played again: 1$"),
        pytest.raises(StoppedError),
    ):
        run_sweep(SPEC, copy, stop=stop)
    with open_store(copy) as found, open_store(whole) as wanted:
        missing = (found["session"] == 0) & (wanted["session"] > 0)
        assert missing.sum() == 6


def test_results_that_are_gone_altogether(whole, tmp_path):
    copy = tmp_path / "one.zarr"
    shutil.copytree(whole, copy)
    shutil.rmtree(copy / "results")
    with (
        pytest.warns(UserWarning, match="mended: results/root.json, results/zarr.json"),
        pytest.warns(UserWarning, match="results/c.*; blocks to be played again: 6$"),
    ):
        found = run(SPEC, copy, devices=ONE)
    xr.testing.assert_identical(
        found.drop_vars("session").drop_attrs().load(),
        open_store(whole).drop_vars("session").drop_attrs().load(),
    )
    assert files_of(copy) == files_of(whole)


def test_a_root_that_is_gone_with_its_copy(whole, tmp_path):
    copy = tmp_path / "one.zarr"
    shutil.copytree(whole, copy)
    for name in ("zarr.json", COPY):
        (copy / name).write_text("{")
    for call in (lambda: open_store(copy), lambda: run(SPEC, copy)):
        with pytest.raises(ValueError, match=f"^store: {copy}/zarr.json .*damaged"):
            call()


def test_another_sweep_mends_no_block(whole, tmp_path):
    """It is refused before anything is removed."""
    copy = tmp_path / "one.zarr"
    shutil.copytree(whole, copy)
    truncate(copy / BLOCK, np.random.default_rng(0))
    before = {name: (copy / name).read_bytes() for name in files_of(copy)}
    with pytest.raises(ValueError, match="holds another sweep"):
        run(SPEC._replace(root_seed=1), copy)
    assert {name: (copy / name).read_bytes() for name in files_of(copy)} == before


@pytest.mark.slow
def test_a_policy_with_a_metric_of_its_own(tmp_path):
    """It has a file beside every block, so that one that is lost is missed."""
    copy = tmp_path / "one.zarr"
    mute = walk.WALKER._replace(report=None)
    small = SPEC._replace(
        policies={"mute": SPEC.policies["idler"]._replace(policy=mute)}
    )
    run(small, copy, devices=ONE)
    both = small._replace(policies=small.policies | SPEC.policies)
    grown = run(both, copy, extend=True, devices=ONE).load()
    assert grown["small"].sel(policy="mute").isnull().all()
    (copy / "results/c.0.0.0.0.1.0").unlink()
    with pytest.raises(ValueError, match=r"results/c.0.0.0.0.1.0 is missing"):
        open_store(copy).load()
    with pytest.warns(UserWarning, match="played again: 1"):
        found = run(both, copy, devices=ONE).load()
    assert (
        found.drop_vars("session")
        .drop_attrs()
        .identical(grown.drop_vars("session").drop_attrs())
    )
