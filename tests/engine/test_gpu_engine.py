"""The GPU engine against the scan engine, on the same tape; no GPU is needed.

The kernel is run as an ordinary program (``fused-interpret``), and lowered for CUDA.
"""

import re
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh

from jaxbandits import laws, simulate, sweep
from jaxbandits.engine import gpu
from jaxbandits.engine.books import lanes_last
from jaxbandits.engine.choice import engine_for
from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.rollout import LANES, program_for, to_device
from jaxbandits.engine.run import Clock, run
from jaxbandits.engine.tape import root_key
from jaxbandits.laws.thresholds import exponential
from jaxbandits.policies import REGISTRY
from jaxbandits.schedule import Schedule, Terms
from jaxbandits.settings import allocation, budgeted, censored, farewell
from jaxbandits.testing import altered
from tests.engine import budget_game
from tests.heavy import in_short

SEEDS = 64


@cache
def ten_arms():
    p = [0.95, 0.9, 0.5, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05]
    rate = [0.05, 0.06, 0.3, 0.05, 0.04, 0.08, 0.05, 1.0, 0.5, 0.1]
    return allocation.allocation(
        "ten arms", exponential, p, rate, 20.0, lowest=1 / 40, highest=2
    )


@cache
def three_by_five():
    problem = censored.make_problem(
        3, censored.equidistant(5), censored.scaled(0.3), censored.scaled(0.5)
    )
    law = laws.product(laws.bernoulli, laws.exponential)
    rate = np.array([0.4, 0.6, 0.8])
    arms = laws.Product(laws.Bernoulli(rate), laws.Exponential(3 * rate))
    return censored.censored("3 x 5", problem, law, arms)


GAMES = {
    "censored": censored.indep,
    "continuum": lambda: censored.indep(censored.ANY),
    "budgeted": lambda: budgeted.s_br(10),
    "farewell": farewell.doubling,
    "allocation": ten_arms,
    "three by five": three_by_five,
}


def policy_and_game(name, game=None):
    game = GAMES[game or name.split("/")[0]]()
    return REGISTRY[name](game.problem), game


def played(engine, policy, environment, targets, devices=None):
    """The one chunk of a run over `SEEDS` lanes; its metrics are the whole record."""
    environment = altered(environment, metrics=as_it_is)
    params = jax.tree.map(lambda x: np.full(SEEDS, x, np.float64), policy.params)
    schedule = Schedule(np.asarray(targets), 10**6, environment.game.spent is not None)
    (chunk,) = run(
        policy,
        environment,
        params,
        np.arange(SEEDS, dtype=np.uint32),
        Terms(schedule, engine=engine),
        chunk=SEEDS,
        devices=devices or jax.devices()[:1],
        clock=Clock([], []),
        progress=lambda done: None,
    )
    return chunk


def as_it_is(tables, instance, record):
    """The record in two parts: its whole numbers, and the others."""
    leaves = [x.reshape(-1) for x in jax.tree.leaves(record)]
    counts = [x for x in leaves if jnp.issubdtype(x.dtype, jnp.integer)]
    sums = [x for x in leaves if jnp.issubdtype(x.dtype, jnp.floating)]
    parts = {"counts": counts, "sums": sums}
    return {name: jnp.concatenate(part) for name, part in parts.items() if part}


def differing(one, other):
    """Lanes in which some whole number differs, bool[S]."""
    whole = one.rounds, one.books.metrics["counts"], one.notes.report
    others = other.rounds, other.books.metrics["counts"], other.notes.report
    differs = np.zeros(SEEDS, bool)
    for a, b in zip(*map(jax.tree.leaves, (whole, others)), strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        differs |= (a != b).reshape(SEEDS, -1).any(axis=1)
    return differs


# Sums are taken in another order, so that an index may differ in its last digit and a
# tie that is one only on paper may be broken in another way: two lanes may differ.
MOST_DIFFERING = 2
CASES = {
    "censored/rcucb, 3 x 5": ("three by five", [1, 10, 300]),
    "farewell/wait-ucb": (None, [50, 1000]),
    "censored/thompson": (None, [200]),
    "budgeted/omega-star-ucb": (None, [10.0, 100.0]),
}
# The whole registry: rounds, or the budget.
TARGETS = {
    "censored": [1, 10, 200],
    "continuum": [120],
    "budgeted": [10.0, 100.0],
    "farewell": [50, 400],
    "allocation": [10, 60],
}
CASES |= {n: (None, TARGETS[n.split("/")[0]]) for n in REGISTRY if n not in CASES}
# Two programs of the kernel, wide and compact, arrays in loops, in scratch, in tables,
# words, rows, checkpoints, budgets, epochs.
SHORT = {
    "censored/rcucb, 3 x 5",
    "farewell/wait-ucb",
    "budgeted/omega-star-ucb",
    "continuum/zooming",
    "allocation/ra-etc",
}


@pytest.mark.parametrize("name", in_short(CASES, set(CASES) - SHORT))
def test_it_plays_as_the_scan_engine(name):
    game, targets = CASES[name]
    policy, game = policy_and_game(name.split(",")[0], game)
    scan = played("scan", policy, game, targets)
    found = played("fused-interpret", policy, game, targets)
    differs = differing(scan, found)
    said = [(c.rounds, c.books, c.notes) for c in (scan, found)]
    assert differs.sum() <= MOST_DIFFERING, np.flatnonzero(differs)
    for a, b in zip(*map(jax.tree.leaves, said), strict=True):
        np.testing.assert_allclose(a[~differs], b[~differs], rtol=1e-4, atol=1e-3)


def test_lanes_stop_where_their_budget_is_spent():
    game, policy = budget_game.environment(), budget_game.ALTERNATE
    amounts = [7, 100, 101]
    found = played("fused-interpret", policy, game, amounts, jax.devices())
    first, _, spent = np.moveaxis(found.books.metrics["counts"], -1, 0)
    rows = np.stack([found.rounds, spent, first], axis=-1)
    expected = [budget_game.plain_loop(seed, amounts) for seed in range(6)]
    np.testing.assert_array_equal(rows[:6], np.stack(expected))


def an_h100():
    """A GPU that need not be here; newer versions of JAX want to know which."""
    device = jax.sharding.AbstractDevice("NVIDIA H100 80GB HBM3", 132, "gpu")
    kinds = (jax.sharding.AxisType.Auto,)
    return jax.sharding.AbstractMesh((1,), (LANES,), kinds, abstract_device=device)


def lowered(policy, environment, engine=gpu.FUSED):
    """The program that plays a leg, as text for a GPU."""
    here = Mesh(np.array(jax.devices()[:1]), (LANES,))
    mesh = here if jax.__version_info__ < (0, 11) else an_h100()
    by_budget = environment.game.spent is not None
    program, on_cpu = (
        program_for(policy, environment, by_budget, m, engine) for m in (mesh, here)
    )
    seeds, root = jnp.arange(SEEDS, dtype=jnp.uint32), root_key(0)
    params = jax.tree.map(
        lambda x: to_device(np.full(SEEDS, x, np.float64)), policy.params
    )
    setup = jax.tree.map(to_device, environment.setup)
    instance = on_cpu.draw(root, seeds, setup)
    own = jax.tree.map(lambda x: np.moveaxis(np.asarray(x), -1, 0), instance)
    tables = lanes_last(environment.tables(own))
    carry = jax.eval_shape(on_cpu.begin, seeds, params, instance)
    targets = to_device(np.array([10.0, 20.0] if by_budget else [10, 20]))
    known, limits = jnp.zeros(carry.round.shape, jnp.int32), jnp.int32([2, 100, 100])
    args = (root, seeds, params, instance, carry, known, targets, *limits)
    shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), args)
    traced = program.advance.trace(*shapes[:3], tables, *shapes[3:])
    return traced.lower(lowering_platforms=("cuda",)).as_text()


# JAX 0.12 says that this way to a GPU will go (docs/fused.md).
TRITON = "ignore:The Pallas Triton backend is deprecated:DeprecationWarning"
LONG = set(REGISTRY) - {
    "censored/rcucb-kaplan-meier",
    "censored/cell-thompson",
    "continuum/z-rcucb-doubling",
    "budgeted/pd-bwk",
    "farewell/product-limit",
    "allocation/ra-ucb-all",
    "allocation/mg-ucb-delta",
}


@pytest.mark.filterwarnings(TRITON)
@pytest.mark.parametrize("name", in_short(REGISTRY, LONG))
def test_the_kernel_is_lowered_for_a_gpu(name):
    assert "__gpu$xla.gpu.triton" in lowered(*policy_and_game(name))


@pytest.mark.skipif(jax.__version_info__ < (0, 11), reason="lowers for what is here")
def test_the_scan_engine_gathers_no_rows_on_a_gpu():
    game = budgeted.s_br(40)
    policy = REGISTRY["budgeted/mrcb"](game.problem)
    lines = lowered(policy, game, SCAN).splitlines()
    gathers = [line for line in lines if "gather" in line]
    # Of a lane's next checkpoint, outside of the rounds.
    assert all("tensor<2xf32>" in line for line in gathers)


@pytest.mark.parametrize("name", in_short(REGISTRY, LONG))
def test_everything_is_supported(name):
    assert gpu.unsupported(*policy_and_game(name)) == []


def test_recorded_runs_are_played():
    """Their tables are read where they lie."""
    rng = np.random.default_rng(1)
    seconds = rng.exponential(5.0, (3, 200))
    runs = censored.Runs([{}] * 3, rng.random((3, 200)), seconds, {})
    game = censored.recorded("log", runs, [1.0, 4.0, 20.0])
    policy = REGISTRY["censored/ucb"](game.problem)
    scan, found = (played(e, policy, game, [60]) for e in ("scan", "fused-interpret"))
    assert differing(scan, found).sum() <= MOST_DIFFERING


def sorting(policy):
    """The policy, which sorts something before it acts."""

    def act(noise, view, state, params):
        action = policy.act(noise, view, state, params)
        return action._replace(arm=action.arm + jnp.sort(noise)[0].astype(jnp.int32))

    return policy._replace(name="Sorting", act=act)


def test_what_is_missing_is_named():
    policy, game = policy_and_game("censored/uniform")
    policy = sorting(policy)
    (reason,) = gpu.unsupported(policy, game)
    assert re.fullmatch(r"act of 'Sorting': sort \(test_gpu_engine.py:\d+\)", reason)
    with pytest.raises(gpu.UnsupportedError, match="sort .*; 'scan' and 'vmap' can"):
        engine_for("fused-interpret", policy, game, "cpu")


def test_arguments_are_checked(monkeypatch):
    policy, game = policy_and_game("censored/uniform")
    with pytest.raises(ValueError, match="engine must be one of"):
        engine_for("quick", policy, game, "cpu")
    with pytest.raises(ValueError, match="needs a GPU"):
        engine_for("fused", policy, game, "cpu")
    monkeypatch.setattr("jaxbandits.engine.gpu.kernel.MOST_NUMBERS", 6_399)
    with pytest.raises(ValueError, match="chunk must be at most 63 lanes, got 64"):
        lowered(policy, game)
    with pytest.raises(ValueError, match="block must divide 64 lanes"):
        wide = partial(gpu.legs, block=gpu.Block(128, 4))
        lowered(policy, game, gpu.FUSED._replace(legs=wide))


def test_simulate_and_sweep_take_an_engine(tmp_path):
    """The same numbers by either engine; a store keeps to one."""
    game = censored.indep([0.3, 0.5])
    policy = REGISTRY["censored/uniform"](game.problem)
    options = {"horizon": 20, "seeds": 3, "checkpoints": [20]}
    scan = simulate(policy, game, **options)
    options["engine"] = "fused-interpret"
    np.testing.assert_array_equal(
        simulate(policy, game, **options)["censored"], scan["censored"]
    )
    store = tmp_path / "sweep.zarr"
    swept = sweep({"it": policy}, game, {}, store=store, **options)
    np.testing.assert_array_equal(swept["censored"], scan["censored"])
    with pytest.raises(ValueError, match="engine: fused-interpret in the store, scan"):
        sweep({"it": policy}, game, {}, store=store, **options | {"engine": "scan"})
    with pytest.raises(ValueError, match="engine must be one of"):
        simulate(policy, game, **options | {"engine": "steam"})
