"""Points that stop one by one: each has Stein's number of seeds, and no more."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import xarray as xr

from jaxbandits import Store, simulate, stats
from jaxbandits.results import open_store
from jaxbandits.simulation import Entry, HalfWidth, run_sweep
from jaxbandits.simulation import fill as filling
from jaxbandits.simulation.spec import seeds_needed as needed_of
from jaxbandits.simulation.stores import merge, replay, status
from jaxbandits.stats import seeds_needed
from jaxbandits.store.block_store import BlockStore
from tests.buckets import bucket  # noqa: F401
from tests.results.samples import slack
from tests.simulation import walk
from tests.simulation.runs import QUIET
from tests.simulation.test_numbers import assert_same

PILOT = 20
HALF = 3.0
UNTIL = HalfWidth("regret", HALF, pilot=PILOT, each=True)
SPEC = walk.spec(points=3, seeds=UNTIL, horizon=8)


def played(store=None, spec=SPEC, **options):
    extend = options.pop("extend", False)
    # Three points and the seeds of the pilot.
    kept = None if store is None else Store(store, block=80, extend=extend)
    return run_sweep(spec, kept, QUIET, **options)


@pytest.fixture(scope="module")
def whole():
    return played()


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    path = tmp_path_factory.mktemp("each") / "one.zarr"
    played(path).close()
    return path


def runs_of(found):
    """bool[E, K, P, S], which runs a point has, by its number of seeds."""
    return np.arange(found.sizes["seed"]) < found["seeds"].values[..., None]


def test_each_has_the_number_of_its_own_pilot(whole):
    """Rounded up by about a tenth at most."""
    pilot = whole["regret"].isel(checkpoint=-1, seed=slice(PILOT))
    there = pilot.notnull().all("seed")
    wanted = seeds_needed(pilot.fillna(0), HALF).where(there, 0)
    found = whole["seeds"]
    assert (found >= wanted).all() and (found <= 1.1 * wanted + 2).all()
    # They differ, and some stop with the pilot.
    assert len(np.unique(found)) > 3 and (found == PILOT).any()
    assert whole.sizes["seed"] == found.max()


def test_what_is_played_is_what_all_would_play(whole):
    """Beyond a point's seeds there is nothing."""
    every = played(spec=SPEC._replace(seeds=whole.sizes["seed"]))
    assert "seeds" not in every.coords
    mine = runs_of(whole)
    for name in ("regret", "small", "rounds"):
        found, wanted = whole[name].transpose(*every[name].dims), every[name]
        np.testing.assert_array_equal(found.values[mine], wanted.values[mine])
        assert found.values.dtype == wanted.values.dtype
        missing = found.values[~mine]
        assert not missing.any() if name == "rounds" else np.isnan(missing).all()


def test_one_environment_in_memory(whole):
    """Only what is missing of the second stage is played, also where it is nothing."""
    game = walk.GAME._replace(setup=np.float64(3.0))
    options = {"horizon": 8, "checkpoints": [4], "machine": QUIET}
    walker = walk.WALKER.over(step=np.linspace(0.5, 2.0, 3))
    policies = {"walker": walker, "idler": walk.WALKER}
    found = simulate(policies, game, seeds=UNTIL, **options)
    np.testing.assert_array_equal(
        found["seeds"], whole["seeds"].sel(environment="long")
    )
    wide = UNTIL._replace(half_width=100.0)
    found = simulate(policies, game, seeds=wide, **options)
    assert "seeds" not in found.coords and found.sizes["seed"] == PILOT


def test_statistics_take_each_point_s_own(whole):
    found = stats.mean(whole.isel(environment=1), "regret")
    for point in range(3):
        count = int(whole["seeds"][1, 0, point])
        own = whole["regret"][1, 0, point, :count].mean("seed")
        np.testing.assert_allclose(found[0, point], own, rtol=1e-12)
    ends = stats.fixed_width_interval(whole["regret"].isel(checkpoint=-1), PILOT)
    half = (ends.upper - ends.lower) / 2
    assert (half <= HALF * (1 + 1e-12)).where(half.notnull(), True).all()


@pytest.mark.slow
def test_the_same_call_plays_nothing_more(complete, monkeypatch):
    before = open_store(complete).load()

    def never(*args, **kwargs):
        raise AssertionError("played")

    monkeypatch.setattr(filling, "play", never)
    assert_same(played(complete), before)
    # The pilot decides, not what has been played since.
    wider = SPEC._replace(seeds=UNTIL._replace(half_width=50.0))
    assert_same(played(complete, wider), before)


def test_what_is_asked_of_a_store(complete, whole):
    total = int(whole["seeds"].sum())
    found = status(complete)
    assert (found.runs, found.done) == (total, total)
    assert sum(each["runs"] for each in found.sessions) == total
    assert BlockStore(complete).examine() == found.blocks
    assert replay(complete, SPEC, 1000) == found.blocks


def test_a_block_that_is_gone_is_missed(complete, tmp_path, whole):
    """Others, of points that have ended, were never there."""
    path = tmp_path / "copy"
    shutil.copytree(complete, path)
    block = sorted(path.glob("blocks/*"))[-1]
    block.unlink()
    with pytest.raises(ValueError, match=f"{block.name} is missing"):
        open_store(path)
    assert_same(played(path), whole)


@pytest.mark.slow
def test_a_narrower_interval_grows_only_some(complete, tmp_path):
    path = tmp_path / "copy.zarr"
    shutil.copytree(complete, path)
    narrow = SPEC._replace(seeds=UNTIL._replace(half_width=1.5))
    before = status(path).done
    found = played(path, narrow)
    assert_same(found, played(spec=narrow))
    assert (
        found["seeds"].min("environment").max() > 20 and found["seeds"].sum() > before
    )


@pytest.mark.slow
def test_a_new_policy_begins_with_the_pilot(complete, tmp_path):
    """Without more seeds on the axis: its own are counted."""
    path = tmp_path / "copy"
    shutil.copytree(complete, path)
    slow = Entry(walk.WALKER, {"step": [0.7, 0.1]})
    more = SPEC._replace(policies={"slow": slow, **SPEC.policies})
    with pytest.raises(ValueError, match="extend"):
        played(path, more)
    found = played(path, more, extend=True)
    wanted = played(spec=more)
    for name in ("regret", "rounds", "seeds"):
        np.testing.assert_array_equal(
            found[name].sel(policy=wanted["policy"]), wanted[name]
        )


def test_at_least_so_many_of_all(complete, tmp_path, whole):
    path = tmp_path / "copy"
    shutil.copytree(complete, path)
    found = played(path, SPEC._replace(seeds=50), extend=True)
    wanted = np.maximum(whole["seeds"], 50).where(whole["seeds"] > 0, 0)
    np.testing.assert_array_equal(found["seeds"], wanted)


def test_at_most(tmp_path):
    spec = SPEC._replace(seeds=UNTIL._replace(at_most=30))
    with pytest.warns(UserWarning, match="stopped at at_most = 30"):
        found = played(spec=spec)
    assert found["seeds"].max() == 30 == found.sizes["seed"]
    assert (found["seeds"] == PILOT).any()


@pytest.mark.slow
def test_others_and_interruptions_change_nothing(whole, bucket, tmp_path, monkeypatch):  # noqa: F811
    """A second stage that ends early, shares of a bucket, workers, and a merge."""
    url, play, begun = f"{bucket}/{tmp_path.name}", filling.play, []

    def ends(*args, **kwargs):
        begun.append(args)
        if len(begun) > 6:  # The pilot has four blocks.
            raise KeyboardInterrupt
        return play(*args, **kwargs)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(filling, "play", ends)
        played(url)
    there = status(url)
    assert there.blocks_done == 6 < there.blocks
    for number in (1, 0):
        assert_same(played(url, shard=(number, 2)), whole)
    with ThreadPoolExecutor(2) as executor:
        store = Store(tmp_path / "workers", block=80)
        quiet = QUIET._replace(devices=None)
        assert_same(run_sweep(SPEC, store, quiet, executor=executor), whole)
    for name, game in SPEC.environments.items():
        alone = SPEC._replace(environments={name: game})
        played(tmp_path / name, alone).close()
    names = [tmp_path / name for name in SPEC.environments]
    assert_same(merge(names, tmp_path / "merged"), whole)


@pytest.mark.slow
def test_drawn_instances_are_played_whole():
    until = HalfWidth("regret", 5.0, pilot=20, each=True)
    drawn = {"a": walk.DRAWN, "b": walk.DRAWN._replace(setup=np.float64(3.0))}
    spec = SPEC._replace(seeds=until, environments=drawn, runs_per_instance=4)
    found = played(spec=spec)
    numbers = found["seeds"].values
    assert not (numbers % 4).any() and len(np.unique(numbers)) > 3


@pytest.mark.filterwarnings("ignore::jaxbandits.stats.CoverageWarning")
def test_each_interval_covers(rng):
    """Normal values of three spreads, each point with the number of its own pilot."""
    trials, pilot, until = 2000, 8, HalfWidth("regret", 1.0, 0.9, each=True)
    spread = np.repeat([0.3, 1.0, 3.0], trials)
    dims = ("environment", "policy", "params", "seed", "checkpoint")

    def dataset(values, **coordinates):
        values = values[None, None, :, :, None]
        rounds = (dims, np.ones(values.shape, int))
        variables = {"regret": (dims, values), "rounds": rounds}
        return xr.Dataset(variables, coordinates)

    first = rng.normal(size=(len(spread), pilot)) * spread[:, None]
    counts = needed_of(dataset(first), until, pilot)
    assert (counts[..., :trials] == pilot).all() and counts.max() > 10 * pilot
    more = rng.normal(size=(len(spread), counts.max() - pilot)) * spread[:, None]
    values = np.concatenate([first, more], axis=1)
    values[np.arange(counts.max()) >= counts[0, 0][:, None]] = np.nan
    found = dataset(values, seeds=(dims[:3], counts))["regret"].isel(checkpoint=-1)
    ends = stats.fixed_width_interval(found, pilot, 0.9)
    assert ((ends.upper - ends.lower)[..., trials:] <= 2 * (1 + 1e-12)).all()
    covers = ((ends.lower <= 0) & (ends.upper >= 0)).values.reshape(3, trials)
    assert np.abs(covers.mean(axis=1) - 0.9).max() < slack(0.9, trials)
