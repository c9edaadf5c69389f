"""Programs that play a share of a store each: nobody waits, nothing is done twice."""

import threading

import jax
import numpy as np
import pytest

from jaxbandits import Machine
from jaxbandits.results.locks import writer
from jaxbandits.results.store import sessions
from jaxbandits.sweeps import HalfWidth, Store, crew, run_sweep, worker
from jaxbandits.sweeps import fill as filling
from jaxbandits.sweeps.blocks import Share
from jaxbandits.sweeps.journal import players
from tests.heavy import in_short
from tests.sweeps import walk
from tests.sweeps.processes import finish, start
from tests.sweeps.test_numbers import assert_same
from tests.sweeps.test_spread import counts

# In memory a game is as many lanes as a block of a store: one program for all.
SPEC = walk.spec(points=1, seeds=15, horizon=8)
SIZE = 5
BLOCKS = 2 * 2 * 3
ONE = Machine(devices=jax.local_devices()[:1])


@pytest.fixture(scope="module")
def whole():
    return run_sweep(SPEC, machine=ONE)


def shard(path, number, of, spec=SPEC, machine=ONE, **options):
    store = Store(path, block=SIZE, **options)
    return run_sweep(spec, store, machine, shard=(number, of))


def never(*args, **kwargs):
    raise AssertionError("played")


def test_the_last_one_leaves_the_store_complete(tmp_path, whole, monkeypatch):
    path = tmp_path / "one.zarr"
    for number in (2, 0, 3):
        shard(path, number, 4)
    assert 0 < (sessions(path)[:, 1, 0] == 0).sum() < 15
    # One that comes again finds its blocks played.
    with monkeypatch.context() as patch:
        patch.setattr(filling, "play", never)
        shard(path, 2, 4)
    assert_same(shard(path, 1, 4), whole)
    begun, ended = counts(path)
    assert begun == ended == dict.fromkeys(begun, 1) and len(begun) == BLOCKS


@pytest.mark.slow
def test_another_number_of_shards_goes_on(tmp_path, whole):
    path = tmp_path / "one.zarr"
    shard(path, 1, 3)
    for number in range(2):
        found = shard(path, number, 2)
    assert_same(found, whole)
    assert set(counts(path)[1].values()) == {1}


@pytest.mark.slow
@pytest.mark.parametrize("of", in_short([1, 2], {1}))
def test_what_has_ended_a_program_is_begun_last(tmp_path, whole, monkeypatch, of):
    """By those of its share: all else is first, and nothing is begun three times."""
    path, lost = tmp_path / "one.zarr", []

    def dies(path, place, *rest):
        lost.append(place)
        raise KeyboardInterrupt

    def play(number):
        return shard(path, number, of)

    with monkeypatch.context() as patch:
        patch.setattr(worker, "write_block", dies)
        for _ in range(4):
            with pytest.raises(KeyboardInterrupt):
                play(0)
    assert len(set(map(str, lost))) == 4
    for number in range(of):
        found = play(number)
    assert_same(found, whole)
    begun, ended = counts(path)
    assert sorted(begun.values()) == [1] * (BLOCKS - 4) + [2] * 4 and set(
        ended.values()
    ) == {1}
    mine = [p for p in players(path, Share(0, of)) if p.events[0]["event"] == "begins"]
    blocks = [e["block"] for e in mine[-1].events if e["event"] == "begins"]
    assert all(begun[tuple(block)] == 2 for block in blocks[-4:])


def test_one_that_plays_side_by_side(tmp_path, whole):
    """It joins the session of those who are there, mends nothing and makes no room."""
    path = tmp_path / "one.zarr"
    shard(path, 0, 2)
    with writer(path) as lock:
        assert lock.together()
        found = shard(path, 1, 2)
        with pytest.raises(BlockingIOError, match="another program is writing to"):
            run_sweep(SPEC, path)
    assert_same(found, whole)
    assert set(np.unique(found["session"])) == {1}


@pytest.mark.slow
def test_a_block_that_another_has_just_played(tmp_path, whole, monkeypatch):
    """As after a change of the number of shards, while the old ones still play."""
    path, play = tmp_path / "one.zarr", filling.play
    shard(path, 0, 2)
    calls = []

    def meanwhile(*args, **kwargs):
        if not calls:
            calls.append("of others")
            monkeypatch.setattr(filling, "play", play)
            shard(path, 1, 2)
            monkeypatch.setattr(filling, "play", never)
        return play(*args, **kwargs)

    monkeypatch.setattr(filling, "play", meanwhile)
    found = run_sweep(SPEC, Store(path), ONE, shard=(0, 1))
    assert_same(found, whole)
    # The first one, which was under way already, is played by both.
    assert sorted(counts(path)[1].values()) == [1] * (BLOCKS - 1) + [2]


@pytest.mark.slow
@pytest.mark.parametrize("first", in_short([1, 0], [0]))
def test_shards_of_a_larger_sweep(tmp_path, first):
    path = tmp_path / "one.zarr"
    run_sweep(SPEC._replace(seeds=8), Store(path, block=SIZE), ONE)
    for number in (first, 1 - first):
        found = shard(path, number, 2, extend=True)
    assert_same(found, run_sweep(SPEC, machine=ONE))


def test_one_that_may_not_make_room(tmp_path, monkeypatch):
    """Somebody plays the smaller sweep, and does not leave."""
    path = tmp_path / "one.zarr"
    run_sweep(SPEC._replace(seeds=8), Store(path, block=SIZE), ONE)
    monkeypatch.setattr(crew, "PATIENCE", 0.1)
    with writer(path) as lock:
        lock.together()
        with pytest.raises(BlockingIOError, match="another program is writing to"):
            shard(path, 0, 2, extend=True)


@pytest.mark.slow
def test_one_that_waits_until_there_is_room(tmp_path):
    """Somebody else makes it: who waited plays in what is there then."""
    path = tmp_path / "one.zarr"
    run_sweep(SPEC._replace(seeds=8), Store(path, block=SIZE), ONE)
    with writer(path) as lock:
        lock.together()
        timer = threading.Timer(1, lock.none)
        timer.start()
        shard(path, 0, 2, extend=True)
        timer.join()
    assert_same(shard(path, 1, 2), run_sweep(SPEC, machine=ONE))


@pytest.mark.slow
def test_a_second_stage_waits_for_the_pilot(tmp_path):
    """Of which others play a share."""
    path = tmp_path / "one.zarr"
    spec = SPEC._replace(seeds=HalfWidth("regret", 1e-6, at_most=12, pilot=8))
    with pytest.warns(UserWarning, match="pilot is not complete, others play"):
        assert shard(path, 0, 2, spec).sizes["seed"] == 8
    # What is missing of the second stage is for the other, when it comes again.
    with pytest.warns(UserWarning, match="stopped at at_most = 12"):
        shard(path, 1, 2, spec)
    with pytest.warns(UserWarning, match="stopped at at_most = 12"):
        found = shard(path, 0, 2, spec)
    with pytest.warns(UserWarning, match="stopped at at_most = 12"):
        assert_same(found, run_sweep(spec, machine=ONE))


@pytest.mark.slow
def test_shards_that_start_at_once(tmp_path, whole):
    """Each may be the one that makes the store."""
    path = tmp_path / "one.zarr"
    size = {"WALK_POINTS": "3", "WALK_SEEDS": "60"}
    spec = walk.spec(points=3, seeds=60)
    processes = [
        start(path, more=("--block", "20", "--shard", f"{i}/3"), **size)
        for i in range(3)
    ]
    for process in processes:
        status, said = finish(process)
        assert status == 0, said
    assert_same(run_sweep(spec, path), run_sweep(spec))
    assert set(counts(path)[1].values()) == {1}
    assert {x.name for x in (path / "work").iterdir()} == {"journal"}
