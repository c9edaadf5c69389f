"""A sweep holds the numbers of `simulate`, whatever its blocks, devices and history."""

import numpy as np
import pytest
import xarray as xr

from jaxbandits import Machine, Store, simulate
from jaxbandits.checks.points import points_from
from jaxbandits.results import open_store
from jaxbandits.simulation import Entry, run_sweep
from tests.heavy import in_short
from tests.simulation import walk
from tests.simulation.runs import ONE, run

# More lanes in a game than one device takes at a time, and fewer in a block.
SPEC = walk.spec(points=3, seeds=40)
STEPS = np.linspace(0.5, 2.0, 3)
OPTIONS = {"horizon": 40, "checkpoints": [20], "seeds": 40}


@pytest.fixture(scope="module")
def whole():
    return run_sweep(SPEC)


def assert_same(found: xr.Dataset, wanted: xr.Dataset):
    """Equal bits, coordinates included; who played what, and how fast, may differ."""
    who = ["session", "compile_seconds", "run_seconds"]
    xr.testing.assert_identical(
        found.drop_vars(who, errors="ignore").drop_attrs().load(),
        wanted.drop_vars(who, errors="ignore").drop_attrs().load(),
    )


def test_a_policy_with_fewer_points_has_nothing_at_the_rest(whole):
    idler = whole.sel(policy="idler")
    assert np.isfinite(idler["regret"][:, 0]).all()
    assert np.isnan(idler["regret"][:, 1:]).all()
    assert np.isnan(idler["param_step"][1:]).all()
    assert not idler["rounds"][:, 1:].any()


@pytest.mark.parametrize("block", in_short([16, 64, 1000], {64}))
def test_any_blocks_give_the_same_numbers(whole, block, tmp_path):
    found = run(SPEC, tmp_path / "one.zarr", block=block)
    assert_same(found, whole)
    idler = found.sel(policy="idler")
    assert idler["session"][:, 0].all() and not idler["session"][:, 1:].any()


def test_numbers_do_not_depend_on_devices(whole):
    found = run(SPEC, devices=ONE)
    assert_same(found, whole)


def test_an_extended_store_is_one_that_was_whole_at_once(whole, tmp_path):
    """Seeds, points, an instance and a policy come one after the other."""
    store = tmp_path / "sweep.zarr"
    walker, idler = SPEC.policies.values()
    small = SPEC._replace(
        policies={
            "walker": walker._replace(grid=points_from(walker.grid).at(slice(2)))
        },
        environments={"short": SPEC.environments["short"]},
        seeds=20,
    )
    run(small, store, block=16)
    before = files(store)
    for change in (
        {"seeds": 40},
        {"seeds": 40, "policies": {"walker": walker}},
        {"seeds": 40, "policies": {"walker": walker, "idler": idler}},
        {},
    ):
        run(SPEC if not change else small._replace(**change), store, extend=True)
    assert_same(open_store(store), whole)
    # No block of the first call has been written again.
    assert before.items() <= files(store).items()


def files(store):
    return {
        str(path.relative_to(store)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in store.glob("blocks/*")
    }


def backwards(grid):
    return points_from(grid).at(slice(None, None, -1))


def test_the_order_of_a_spec_does_not_matter_to_a_store(whole, tmp_path):
    store = tmp_path / "sweep.zarr"
    run_sweep(SPEC, store)
    before = files(store)
    mixed = SPEC._replace(
        policies={
            name: Entry(entry.policy, backwards(entry.grid))
            for name, entry in reversed(SPEC.policies.items())
        },
        environments=dict(reversed(SPEC.environments.items())),
        seeds=range(39, -1, -1),
    )
    assert_same(run_sweep(mixed, store), whole)
    assert files(store) == before


@pytest.mark.slow
def test_drawn_instances_are_shared_by_consecutive_seeds():
    found = run_sweep(
        walk.spec(
            environments={"drawn": walk.DRAWN},
            seeds=8,
            runs_per_instance=4,
            horizon=999,
        )
    ).sel(policy="idler", params=0, environment="drawn")
    assert found["instance"].values.tolist() == [0] * 4 + [1] * 4
    ends = found["regret"].isel(checkpoint=-1).values.reshape(2, 4)
    # The factor of an instance is common to its runs, which differ by their coins.
    assert (np.ptp(ends, axis=1) > 0).all()
    assert ends.std(axis=1).max() < abs(ends[0].mean() - ends[1].mean()) / 4
    one = simulate(
        walk.WALKER,
        walk.DRAWN,
        horizon=999,
        checkpoints=[499],
        seeds=8,
        runs_per_instance=4,
    )
    np.testing.assert_array_equal(one["regret"][0, 0], found["regret"])
    assert one["instance"].values.tolist() == found["instance"].values.tolist()


def test_only_what_is_asked_for_is_kept(whole):
    found = run_sweep(SPEC._replace(metrics=["regret"]))
    assert set(found.data_vars) == {"regret", "rounds"}
    np.testing.assert_array_equal(found["regret"], whole["regret"])


def test_simulate_plays_the_sweep_of_a_spec(whole):
    """`simulate` describes the same sweep by arguments."""
    found = simulate(
        {"walker": walk.WALKER.over(step=STEPS), "idler": lambda problem: walk.WALKER},
        SPEC.environments,
        **OPTIONS,
    )
    assert_same(found, whole)
    for name, environment in SPEC.environments.items():
        single = simulate(walk.WALKER.over(step=STEPS), environment, **OPTIONS)
        assert single["regret"].dims == ("policy", "params", "seed", "checkpoint")
        wanted = whole.sel(environment=name, policy=["walker"])
        for each in ("regret", "small", "rounds", "param_step", "param_growth"):
            np.testing.assert_array_equal(single[each], wanted[each])


@pytest.mark.slow
def test_a_policy_is_compiled_once(tmp_path):
    """Four points on two environments in many blocks take the traces of one on one."""
    traced = []

    def walker():
        def act(*args):
            traced.append(None)
            return walk.act(*args)

        return walk.WALKER._replace(act=act)

    def traces(environments, **points):
        traced.clear()
        store = Store(tmp_path / f"{len(points)}.zarr", block=8)
        options = {"seeds": 10, "machine": Machine(devices=ONE)}
        swept = walker().over(**points)
        simulate(swept, environments, horizon=40, store=store, **options)
        return len(traced)

    grid = {"step": [0.5, 2.0], "growth": [1.0, 3.0]}
    assert traces(SPEC.environments, **grid) == traces(walk.GAME, step=[1.0])
