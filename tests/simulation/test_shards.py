"""Programs that play a share of a store each: nobody waits, nothing is lost."""

import jax
import pytest

from jaxbandits import Machine
from jaxbandits.results import open_store
from jaxbandits.simulation import Store, run_sweep, stored
from jaxbandits.simulation import fill as filling
from tests.simulation import walk
from tests.simulation.test_numbers import assert_same

# In memory a game is as many lanes as a block of a store: one program for all.
SPEC = walk.spec(points=1, seeds=15, horizon=8)
SIZE = 5
BLOCKS = 2 * 2 * 3
ONE = Machine(devices=jax.local_devices()[:1], progress=False)


@pytest.fixture(scope="module")
def whole():
    return run_sweep(SPEC, machine=ONE)


def shard(path, number, of, spec=SPEC, **options):
    store = Store(path, block=SIZE, **options)
    return run_sweep(spec, store, ONE, shard=(number, of))


class EndedError(Exception):
    """A program has ended."""


def played(monkeypatch, most, shards):
    """Blocks that are begun by shards which end after `most` of them."""
    play, begun = filling.play, []

    def counted(policy, environment, points, seeds, *args, **kwargs):
        if len(begun) == most:
            raise EndedError
        begun.append((environment.setup.item(), policy.name, seeds.tolist()))
        return play(policy, environment, points, seeds, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(filling, "play", counted)
        try:
            shards()
        except EndedError:
            return begun
    return begun


def test_a_share_plays_its_own_blocks_first_and_then_the_others(
    tmp_path, whole, monkeypatch
):
    halves = []
    for number in (0, 1):
        path = tmp_path / f"{number}"
        half = BLOCKS // 2
        halves.append(
            played(monkeypatch, half, lambda n=number, p=path: shard(p, n, 2))
        )
    first, second = ({str(each) for each in half} for half in halves)
    assert first.isdisjoint(second) and len(first | second) == BLOCKS
    # Neither waits for the other, who may never come.
    assert_same(shard(tmp_path / "0", 0, 2), whole)
    # One that comes again finds nothing to do.
    assert not played(monkeypatch, 0, lambda: shard(tmp_path / "0", 1, 2))


def test_a_block_that_others_have_just_played_is_passed_over(
    tmp_path, whole, monkeypatch
):
    path, play, calls = tmp_path / "one", filling.play, []

    def meanwhile(*args, **kwargs):
        calls.append(args)
        if len(calls) == 1:
            run_sweep(SPEC, Store(path), ONE)
        return play(*args, **kwargs)

    monkeypatch.setattr(filling, "play", meanwhile)
    monkeypatch.setattr(stored, "LOOK", 0.0)
    assert_same(shard(path, 0, 2), whole)
    # The one that was under way is played by both.
    assert len(calls) == 1 + BLOCKS


def test_the_first_layer_of_blocks_shows_all_of_a_sweep(tmp_path, monkeypatch):
    """Some seeds of every point, before any other seeds."""
    spec = walk.spec(points=4, seeds=200, horizon=8)

    def play():
        run_sweep(spec, Store(tmp_path / "one", block=64), ONE)

    assert len(played(monkeypatch, 4, play)) == 4
    found = open_store(tmp_path / "one")
    there = (found["session"] > 0).any("seed").values
    assert there.sum() == 2 * (4 + 1)
    assert found["session"].isel(seed=slice(16, None)).sel(policy="walker").sum() == 0


def test_shares_play_a_larger_sweep(tmp_path, whole):
    path = tmp_path / "one"
    run_sweep(SPEC._replace(seeds=8), Store(path, block=SIZE), ONE)
    for number in (1, 0):
        found = shard(path, number, 2, extend=True)
    assert_same(found, whole)
