"""Sweeps into a bucket: killed, resumed, the very bits of a folder."""

import signal
import time

import numpy as np
import pytest
from zarr.storage import MemoryStore

from jaxbandits.cli import main as cli
from jaxbandits.results import open_store
from jaxbandits.results.dataset import Place
from jaxbandits.results.home import home_of
from jaxbandits.results.layout import written
from jaxbandits.results.store import sessions, write_block
from jaxbandits.sweeps import run_sweep
from jaxbandits.sweeps.merge import merge
from jaxbandits.sweeps.status import status
from jaxbandits.sweeps.verify import replay
from tests.buckets import bucket  # noqa: F401
from tests.sweeps import walk
from tests.sweeps.processes import finish, start
from tests.sweeps.runs import run

BLOCK = 40


@pytest.mark.slow
@pytest.mark.parametrize("kills", [2])
def test_killed_and_resumed(bucket, tmp_path, kills):  # noqa: F811
    """By SIGKILL and SIGTERM; what was complete stays, bit by bit."""
    url = f"{bucket}/{tmp_path.name}.zarr"
    whole = run(walk.SPEC, tmp_path / "whole.zarr", block=BLOCK, progress=False).load()
    complete = 0
    for number in range(kills):
        more = ("--block", str(BLOCK))
        process = start(url, more=more, WALK_PAUSE="0.2")
        wait_for_blocks(process, url, complete + 3)
        process.send_signal((signal.SIGKILL, signal.SIGTERM)[number % 2])
        code, said = finish(process)
        assert code == (-9, 143)[number % 2], said
        found = open_store(url).load()
        played = found["session"].values > 0
        assert complete < len(written(home_of(url))) < 50
        complete = len(written(home_of(url)))
        for name in ("regret", "rounds", "small"):
            stored, wanted = (each[name].values[played] for each in (found, whole))
            np.testing.assert_array_equal(stored, wanted)
    found = run(walk.SPEC, url, progress=False, verify=5).load()
    parts = [d.drop_vars("session").drop_attrs() for d in (found, whole)]
    assert parts[0].identical(parts[1])
    assert set(np.unique(sessions(url)[:, 0])) == {1, 2, 3}


def wait_for_blocks(process, url, count):
    deadline = time.monotonic() + 250
    while len(written(home_of(url))) < count:
        assert process.poll() is None, finish(process, 1)
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_one_program_plays_and_says_how_far_it_is():
    """In what is no folder: without a journal, and without shares."""
    store = MemoryStore()
    spec = walk.spec(points=1, seeds=8, horizon=4)
    run(spec, store, progress=False)
    assert status(store).done == status(store).runs == 4 * 8
    with pytest.raises(ValueError, match="is no folder; shares and workers"):
        run_sweep(spec, store, shard=(1, 2))


@pytest.mark.slow
def test_stores_in_buckets_are_merged_and_looked_at(bucket, tmp_path, capsys):  # noqa: F811
    """As those in folders, by URL; what fails leaves nothing."""
    spec = walk.spec(points=2, seeds=12, horizon=8)
    names = (f"{bucket}/{tmp_path.name}-{each}.zarr" for each in "abcd")
    first, second, into, other = names
    for url, seeds in ((first, range(6)), (second, range(6, 12))):
        run(spec._replace(seeds=seeds), url, progress=False)
    assert cli.main(["sweep", "merge", first, second, "--into", into]) == 0
    assert f"wrote {into}: 12 seeds" in capsys.readouterr().out
    found, whole = open_store(into).load(), run(spec, progress=False)
    np.testing.assert_array_equal(found["regret"], whole["regret"])
    for command in ("status", "verify"):
        assert cli.main(["sweep", command, into]) == 0
    said = capsys.readouterr().out
    assert "72 of 72 runs (100.0%)" in said and "every file is as it was" in said
    assert replay(into, spec, 2) == 2
    run(spec._replace(root_seed=1), other, progress=False)
    with pytest.raises(ValueError, match=f"{first} and {other}, "):
        merge([first, other], f"{bucket}/none.zarr")
    home_of(other).clear()
    assert not home_of(other).exists()
    run(spec._replace(seeds=range(6)), other, progress=False)
    place = Place(0, 0, slice(0, 1), slice(0, 1))
    write_block(other, place, {"regret": np.full((1, 1, 2), -1.0)}, 1)
    with pytest.raises(ValueError, match="other numbers"):
        merge([first, other], f"{bucket}/none.zarr")
    assert not home_of(f"{bucket}/none.zarr").exists()
