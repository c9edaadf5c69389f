"""What is asked of a store: how far it is, what it holds, whether it is right."""

import json
import os
import shutil
import time
import warnings

import jax
import numpy as np
import pytest
import zarr

from jaxbandits import Machine
from jaxbandits.cli import main as cli
from jaxbandits.results import open_store
from jaxbandits.results.layout import layout_of
from jaxbandits.results.root import CHECKSUM
from jaxbandits.results.store import check_store, set_attributes
from jaxbandits.sweeps import Store, identity, read_spec, run_sweep
from jaxbandits.sweeps import fill as filling
from jaxbandits.sweeps.journal import FOLDER, players
from jaxbandits.sweeps.merge import merge
from jaxbandits.sweeps.status import show, status
from jaxbandits.sweeps.verify import examine, replay
from tests.heavy import in_short
from tests.sweeps import walk
from tests.sweeps.test_numbers import assert_same

# In memory a game is as many lanes as a block of a store: one program for all.
SPEC = walk.spec(points=2, seeds=30, horizon=8)
RUNS = 2 * (2 + 1) * 30
SIZE = 10
BLOCKS = RUNS // SIZE
ONE = Machine(devices=jax.local_devices()[:1])


def played(path, spec=SPEC, machine=ONE, **options):
    kept = {name: options.pop(name) for name in ("extend", "keep") if name in options}
    kept |= {"accept_version": options.pop("accept_version", False)}
    store = Store(path, block=None if "extend" in kept else SIZE, **kept)
    return run_sweep(spec, store, machine, **options)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("operations") / "one.zarr"
    played(path).close()
    return path


@pytest.fixture
def store(original, tmp_path):
    """A complete one, to do with as one likes."""
    return shutil.copytree(original, tmp_path / "one.zarr")


def test_a_store_that_is_complete(store):
    found = status(store)
    assert (found.runs, found.done) == (RUNS, RUNS)
    assert (found.running, found.lost, found.failed, found.programs) == (0, 0, 0, 0)
    assert found.left_seconds is None and len(found.processors) == 1


def test_half_of_a_store(tmp_path):
    path = tmp_path / "one.zarr"
    played(path, shard=(0, 2))
    found = status(path)
    assert (found.runs, found.done) == (RUNS, RUNS / 2)


def number(path, name, *place):
    """Where a variable of a run lies in the array of a store."""
    array = zarr.open_group(path, mode="r+")["results"]
    return array, (*place, layout_of(array).slots(name).start)


def forget(path, *place):
    """Have runs count as not played."""
    array, where = number(path, "session", *place)
    array[where] = 0


def said(path, name, host, pid, *events, entered=1000.0):
    """The journal of another program."""
    who = {**players(path)[0].who, "host": host, "pid": pid, "at": entered}
    lines = [who, *({"at": 1000.0} | event for event in events)]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (path / FOLDER / f"{name}.jsonl").write_text(text + '{"at": 10')


def event(kind, number, at=1000.0, **more):
    """Of the runs of a block that is missing, or of one that is there."""
    block = [0, 0, 0, 1, SIZE * number, SIZE * number + SIZE]
    return {"event": kind, "block": block, "at": at, **more}


@pytest.fixture
def half(store):
    """A store whose blocks of one game are missing."""
    forget(store, 0, 0, 0, slice(None))
    return store


def test_who_is_at_work(half):
    """A program elsewhere that has said something lately, and one that has not."""
    said(half, "a", "elsewhere", 1, event("begins", 0, 1100.0))
    said(half, "b", "elsewhere", 2, event("begins", 1, 400.0))
    found = status(half, now=1200.0)
    assert (found.running, found.programs, found.lost) == (1, 1, 1)
    # With blocks that take as long, it may be silent as long.
    ends = event("ends", 2, 450.0, seconds=80.0)
    said(half, "b", "elsewhere", 2, ends, event("begins", 1, 450.0))
    found = status(half, now=1200.0)
    assert (found.running, found.programs, found.lost) == (2, 2, 0)
    assert found.per_second == pytest.approx(SIZE / 750)
    assert found.left_seconds == pytest.approx(30 * 750 / SIZE)


def test_a_program_that_is_no_more(half):
    """Of this machine it is known."""
    host = players(half)[0].who["host"]
    said(half, "a", host, 2**22 + 1, event("begins", 0, 1200.0))
    me, begins = (half, "b", host, os.getpid()), event("begins", 1, 1200.0)
    said(*me, begins, entered=time.time())
    found = status(half, now=1200.0)
    assert (found.running, found.programs, found.lost) == (1, 1, 1)
    # One that has been given the number of a program that is no more.
    said(*me, begins)
    assert status(half, now=1200.0).lost == 2
    said(*me, begins, {"event": "leaves"}, entered=time.time())
    assert status(half, now=1200.0).lost == 2


def test_what_is_left_on_the_command_line(half, capsys):
    """No time before a block is done; and a program at work is not nobody."""

    def left():
        assert cli.main(["sweep", "status", str(half)]) == 0
        return next(x for x in capsys.readouterr().out.splitlines() if " left " in x)

    assert "nobody is at work" in left()
    me, now = (half, "a", players(half)[0].who["host"], os.getpid()), time.time()
    begins, ends = event("begins", 1, now), event("ends", 1, now, seconds=1.0)
    said(*me, begins, entered=now)
    assert "known once a block is done" in left()
    said(*me, begins, ends, entered=now)
    assert "runs/s" in left()


def test_blocks_that_failed(half):
    error = "ValueError: a mistake"
    begun = [event("begins", 0), event("begins", 1)]
    fails = [event("fails", 0, error=error), event("fails", 1, error=error)]
    left = {"event": "leaves"}
    said(half, "a", "elsewhere", 1, *begun, *fails, left)
    found = status(half)
    assert (found.failed, found.lost, found.errors) == (2, 0, {error: 2})
    played(half)
    found = status(half)
    assert (found.failed, found.errors) == (0, {})


def test_a_play_that_fails_says_so(tmp_path, monkeypatch):
    def play(*args, **kwargs):
        raise ValueError("a mistake")

    path = tmp_path / "one.zarr"
    monkeypatch.setattr(filling, "play", play)
    with pytest.raises(ValueError, match="a mistake"):
        played(path, machine=Machine())
    found = status(path)
    assert found.done == 0 and 1 <= found.failed <= 2
    assert "ValueError: a mistake" in found.errors


@pytest.mark.parametrize("bits", [512, 128])
def test_other_processors_are_noticed(store, bits):
    """Only of those whose numbers may differ."""
    stored = check_store(store)
    (entry,) = json.loads(stored["sessions"])
    before = json.dumps([entry | {"processor": "another", "vector_bits": bits}])
    kept = {name: x for name, x in stored.items() if name != CHECKSUM}
    set_attributes(store, kept | {"sessions": before})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        played(store)
    texts = [str(each.message) for each in said]
    assert len(texts) == (bits != entry["vector_bits"])
    assert all("several kinds of machines (vectors of" in text for text in texts)


@pytest.mark.parametrize("version", ["0.99.0", "0.0.1"])
def test_another_version_of_jax(store, monkeypatch, version):
    """A newer patch is accepted when it is asked for, and told; nothing else is."""
    here = identity.versions(["jax"])["jax"]
    monkeypatch.setattr(identity, "JAX", ("jax",))
    monkeypatch.setattr(
        identity, "versions", lambda _: {"jaxbandits": "0.1.0", "jax": version}
    )
    with pytest.raises(ValueError, match=f"versions.jax: {here} .* {version} now"):
        played(store)
    with pytest.raises(ValueError, match=f"versions.jax: {here} .* {version} now"):
        played(store, accept_version=True)


def test_a_newer_patch_of_jax(store, monkeypatch):
    real = identity.versions

    def newer(packages):
        found = real(packages)
        return found | {name: f"{found[name]}.99" for name in found if name == "jax"}

    monkeypatch.setattr(identity, "versions", newer)
    with pytest.raises(ValueError, match=r"versions.jax: .* in the store, .*\.99 now"):
        played(store)
    before = check_store(store)
    played(store, SPEC._replace(seeds=32), extend=True, accept_version=True)
    after = check_store(store)
    versions = [json.loads(each["spec"])["versions"] for each in (before, after)]
    assert versions[0] == versions[1]
    first, second = json.loads(after["sessions"])
    assert "accepted" not in first and second["accepted"] is True
    assert "(accepted)" in show(store)["sessions"][1]["versions"]


def test_what_a_store_holds(store):
    played(store)
    found = show(store)
    assert found["extent"]["environments"] == "short, long"
    assert found["extent"]["policies"] == "walker (2), idler (1)"
    assert found["extent"]["block"] == f"1 points x {SIZE} seeds"
    assert [entry["runs"] for entry in found["sessions"]] == [RUNS, 0]
    first = found["sessions"][0]
    assert "jax 0." in first["versions"] and "bits" in first["processor"]
    assert found["text"] == ""


def test_files_of_a_store(store):
    assert examine(store) == BLOCKS
    (store / "results/c.0.0.1.1.0.0").write_bytes(b"other")
    with pytest.raises(ValueError, match=r"damaged: results/c\.0\.0\.1\.1.* 1 blocks"):
        examine(store)


@pytest.mark.slow
def test_a_store_of_moments(tmp_path):
    path = tmp_path / "one.zarr"
    played(path, keep="moments").close()
    found = status(path)
    assert (found.runs, found.done) == (RUNS, RUNS)
    shown = show(path)
    assert shown["extent"]["keeps"] == "moments"
    assert [entry["runs"] for entry in shown["sessions"]] == [RUNS]
    assert examine(path) == BLOCKS
    assert replay(path, SPEC, 3) == 3
    # Of a block that lacks a part nothing counts as played.
    forget(path, 0, 0, 0, 0)
    assert status(path).done == RUNS - SIZE


TOML = """
setting = "budgeted"
budget = 3
seeds = 6
metrics = ["regret"]
environments.two = { make = "s_br", arguments = { num_arms = 2 } }
policies.uniform = { make = "uniform" }
"""


@pytest.fixture(scope="module")
def original_of_a_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("file")
    (folder / "small.toml").write_text(TOML)
    spec, path = read_spec(folder / "small.toml"), folder / "one.zarr"
    run_sweep(spec, Store(path, block=2), ONE).close()
    return path


@pytest.fixture
def from_file(original_of_a_file, tmp_path):
    return shutil.copytree(original_of_a_file, tmp_path / "one.zarr")


@pytest.mark.slow
def test_blocks_are_played_again_from_the_text_in_the_store(from_file):
    assert show(from_file)["text"] == TOML
    assert replay(from_file, None, 2) == 2
    array, where = number(from_file, "regret", 0, 0, 0, 3)
    array[(*where, 1)] = 0.125
    with pytest.raises(ValueError, match="other numbers .*: regret of two uniform"):
        replay(from_file, None, 9)


def test_only_what_is_played_is_played_again(from_file):
    forget(from_file, 0, 0, 0, slice(2))
    assert replay(from_file, None, 9) == 2


def test_a_store_without_a_text(store):
    with pytest.raises(ValueError, match="does not say in TOML .*--spec"):
        replay(store, None, 2)
    assert replay(store, SPEC, 2) == 2


@pytest.mark.parametrize(
    "second", in_short([range(15, 30), range(10, 30)], [range(15, 30)])
)
def test_stores_are_merged(tmp_path, second):
    """Of disjoint and of overlapping seeds; what is missing can be played on."""
    paths = [tmp_path / name for name in ("a.zarr", "b.zarr")]
    spec = SPEC._replace(environments={"long": SPEC.environments["long"]})
    for path, seeds in zip(paths, (range(15), second), strict=True):
        played(path, spec._replace(seeds=list(seeds)))
    found = merge(paths, tmp_path / "c.zarr")
    assert_same(found, run_sweep(spec, machine=ONE))
    for session, seeds in ((1, range(15)), (2, range(15, 30))):
        there = set(np.unique(found["session"].sel(seed=seeds))) - {0}
        assert there == {session}
    assert len(json.loads(check_store(tmp_path / "c.zarr")["sessions"])) == 2
    again = spec._replace(seeds=32)
    found = played(tmp_path / "c.zarr", again, extend=True)
    assert_same(found, run_sweep(again, machine=ONE))


@pytest.mark.slow
def test_stores_of_shards_are_merged(tmp_path):
    """Each has what the other lacks."""
    paths = [tmp_path / name for name in ("a.zarr", "b.zarr")]
    for number, path in enumerate(paths):
        played(path, shard=(number, 2))
    assert_same(merge(paths, tmp_path / "c.zarr"), run_sweep(SPEC, machine=ONE))


@pytest.mark.slow  # as of any store
def test_of_a_merged_store_no_block_may_be_missing(tmp_path, store):
    """Once it is complete."""
    into = tmp_path / "c.zarr"
    with merge([store, store], into) as found:
        assert_same(found, open_store(store))
    block = into / "results/c.0.0.1.1.0.0"
    block.unlink()
    with pytest.raises(ValueError, match=f"{block} is missing"):
        open_store(into)


@pytest.mark.slow  # as others are
def test_drawn_instances_are_merged(tmp_path):
    spec = walk.spec(
        points=2,
        environments={"drawn": walk.DRAWN},
        runs_per_instance=3,
        horizon=8,
        seeds=12,
    )
    paths = [tmp_path / name for name in ("a.zarr", "b.zarr")]
    for path, seeds in zip(paths, (range(6), range(6, 12)), strict=True):
        played(path, spec._replace(seeds=list(seeds)))
    assert_same(merge(paths, tmp_path / "c.zarr"), run_sweep(spec, machine=ONE))


def test_stores_that_do_not_agree(tmp_path, store):
    copy = tmp_path / "two.zarr"
    shutil.copytree(store, copy)
    array, where = number(copy, "regret", 0, 0, 1, 25)
    array[(*where, 1)] = np.nextafter(array[(*where, 1)], 99)
    into = tmp_path / "c.zarr"
    with pytest.raises(ValueError, match="other numbers .* regret of short walker"):
        merge([store, copy], into)
    assert not into.exists()


@pytest.mark.slow
def test_stores_of_other_sweeps(tmp_path, store):
    other = tmp_path / "two.zarr"
    played(other, SPEC._replace(root_seed=1))
    with pytest.raises(ValueError, match="root_seed: 0 in the store, 1 now"):
        merge([store, other], tmp_path / "c.zarr")
    shutil.rmtree(other)
    played(other, walk.spec(points=1, seeds=30, horizon=8))
    with pytest.raises(ValueError, match="walker: points .* in the first only"):
        merge([store, other], tmp_path / "c.zarr")
    with pytest.raises(ValueError, match="^stores must be at least two, got 1"):
        merge([store], tmp_path / "c.zarr")
    with pytest.raises(FileExistsError, match="exists already"):
        merge([store, store], other)


def test_on_the_command_line(capsys, from_file):
    def told(*arguments):
        assert cli.main([*map(str, arguments)]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    assert "6 of 6 runs (100.0%)" in told("sweep", "status", from_file)
    assert json.loads(told("sweep", "status", from_file, "--json"))["done"] == 6
    assert 'make = "s_br"' in told("sweep", "status", from_file, "--text")
    assert json.loads(told("sweep", "status", from_file, "--json"))["text"] == TOML
    out = told("sweep", "verify", from_file, "--blocks", "2")
    assert "every file is as it was written (3 blocks)" in out
    assert "2 random blocks played again, every bit as in the store" in out
    into = from_file.with_name("two.zarr")
    assert "6 seeds" in told("sweep", "merge", from_file, from_file, "--into", into)
    assert_same(open_store(into), open_store(from_file))
    assert cli.main(["sweep", "status", str(into.with_name("none.zarr"))]) == 2
    assert "there is no Zarr store at" in capsys.readouterr().err
