"""Sweeps into a bucket: killed, resumed, by several programs, the bits of a folder."""

import signal

import numpy as np
import pytest

from jaxbandits.cli import main as cli
from jaxbandits.results import open_store
from jaxbandits.simulation.stores import merge, replay, status
from tests.buckets import bucket  # noqa: F401
from tests.simulation import walk
from tests.simulation.processes import finish, start, wait_for_runs
from tests.simulation.runs import run
from tests.simulation.test_numbers import assert_same

BLOCK = 40


@pytest.mark.slow
def test_a_program_that_is_killed_goes_on(bucket, tmp_path):  # noqa: F811
    """By SIGKILL and SIGTERM; what was complete stays, bit by bit."""
    url = f"{bucket}/{tmp_path.name}"
    whole, complete = run(walk.SPEC, progress=False), 0
    for kind, code in ((signal.SIGKILL, -9), (signal.SIGTERM, 143)):
        process = start(url, more=("--block", str(BLOCK)), WALK_PAUSE="0.2")
        assert wait_for_runs(process, url, complete + 3 * BLOCK)
        process.send_signal(kind)
        found, said = finish(process)
        assert found == code, said
        data = open_store(url).load()
        played = data["session"].values > 0
        assert complete < played.sum() < status(url).runs
        complete = played.sum()
        for name in ("regret", "rounds", "small"):
            stored, wanted = (each[name].values[played] for each in (data, whole))
            np.testing.assert_array_equal(stored, wanted)
    assert_same(run(walk.SPEC, url, progress=False, verify=5), whole)


@pytest.mark.slow
def test_four_programs_write_side_by_side(bucket, tmp_path):  # noqa: F811
    """Nothing is shared between them but the names of objects."""
    url = f"{bucket}/{tmp_path.name}-four"
    programs = [
        start(url, more=("--block", str(BLOCK), "--shard", f"{number}/4"))
        for number in range(4)
    ]
    for program in programs:
        code, said = finish(program, 300)
        assert code == 0, said
    assert_same(open_store(url), run(walk.SPEC, progress=False))


@pytest.mark.slow
def test_stores_in_buckets_are_merged_and_looked_at(bucket, tmp_path, capsys):  # noqa: F811
    """As those in folders, by URL; what fails leaves nothing."""
    spec = walk.spec(points=2, seeds=12, horizon=8)
    names = (f"{bucket}/{tmp_path.name}-{each}" for each in "abcd")
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
    with pytest.raises(ValueError, match="root_seed: 0 in the store, 1 now"):
        merge([first, other], f"{bucket}/none")
