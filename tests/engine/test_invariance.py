"""Bit-identical results, whatever the chunk, the devices, the company, the grid."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import Machine, simulate
from jaxbandits.engine.lanes import lanes
from jaxbandits.engine.xla import options_for
from jaxbandits.kernels.allocation import sigmoid_prefix
from jaxbandits.laws.thresholds import curves, weibull
from jaxbandits.policies import censored as policies
from jaxbandits.settings import censored as settings
from jaxbandits.settings.allocation.problem import make_problem
from jaxbandits.settings.allocation.synthetic import ednet_like_parameters
from jaxbandits.testing import trace_run
from tests.heavy import in_short
from tests.workers import OPTIMISED

pytestmark = pytest.mark.usefixtures("optimised")

HORIZON, SEEDS = 300, 65
METRICS = ("regret", "censored", "optimal", "rounds")


@pytest.fixture(scope="module")
def game():
    return settings.poscorr(settings.equidistant(5))


@pytest.fixture(scope="module")
def contestants(game):
    return {
        "RCUCB": policies.rcucb(game.problem),
        "TS": policies.thompson(game.problem),
    }


@pytest.fixture(scope="module")
def reference(game, contestants):
    return simulate(contestants, game, horizon=HORIZON, seeds=SEEDS)


def assert_same(data, reference):
    for metric in METRICS:
        wanted = reference[metric].sel(policy=data["policy"])
        wanted = wanted.sel(checkpoint=data["checkpoint"], seed=data["seed"])
        np.testing.assert_array_equal(data[metric].values, wanted.values)


@pytest.mark.parametrize("chunk", in_short([1, 7, 256], {7, 256}))
def test_chunk_size(game, contestants, reference, chunk):
    # With chunks of one seed, a few seeds show as much as all of them, of one policy.
    seeds = [0, 3, 64] if chunk == 1 else SEEDS
    cast = {"RCUCB": contestants["RCUCB"]} if chunk == 1 else contestants
    options = {
        "seeds": seeds,
        "machine": Machine(chunk=chunk),
        "checkpoints": [HORIZON // 2],
    }
    data = simulate(cast, game, horizon=HORIZON, **options)
    assert_same(data, reference)


def test_number_of_devices(game, contestants, reference):
    if len(jax.devices()) < 2:
        pytest.skip("needs two devices")
    data = simulate(
        {"TS": contestants["TS"]},
        game,
        horizon=HORIZON,
        seeds=SEEDS,
        machine=Machine(jax.devices()[:1]),
    )
    assert_same(data, reference)


@pytest.mark.parametrize("name", ["RCUCB", "TS"])
def test_alone_or_in_company(game, contestants, reference, name):
    data = simulate({name: contestants[name]}, game, horizon=HORIZON, seeds=SEEDS)
    assert_same(data, reference)


def test_checkpoints(game, contestants, reference):
    alone = {"RCUCB": contestants["RCUCB"]}
    data = simulate(alone, game, horizon=HORIZON, seeds=SEEDS, checkpoints=[30, 150])
    assert_same(data, reference)


def test_a_point_of_a_sweep_is_a_run_of_its_own(game, contestants, reference):
    data = simulate(
        {"RCUCB": contestants["RCUCB"]},
        game,
        horizon=HORIZON,
        seeds=SEEDS,
        grid={"RCUCB": {"alpha": [0.3, 1.0]}},
    )
    assert_same(data.isel(params=[1]), reference)


@pytest.mark.parametrize("name", ["RCUCB", "TS"])
def test_the_plain_loop_plays_the_same_game(game, contestants, reference, name):
    # `play` is a textbook scan without lanes; near ties may fall the other way, as the
    # two programs round differently, hence a share and not equality.
    agree = 0
    for seed in range(5):
        trace = trace_run(contestants[name], game, HORIZON, seed_index=seed)
        oracle = game.oracle()
        gaps = oracle.gaps[trace.actions.arm, trace.actions.limit]
        found = reference["regret"].sel(policy=name, seed=seed).values[0]
        rounds = reference["checkpoint"].values
        agree += np.allclose(found, np.cumsum(gaps)[rounds - 1], rtol=1e-9, atol=1e-9)
    assert agree >= 4


def test_a_solver_gives_the_same_bits_in_any_width():
    """Its responses add a square that all arms share: rounded with the sum, or not."""
    quiz = ednet_like_parameters(3)
    problem = make_problem(
        weibull,
        3,
        quiz.budget,
        shape=quiz.shape,
        lowest=1 / quiz.scale.max() / 4,
        highest=4 / quiz.scale.min(),
    )
    rng, count = np.random.default_rng(0), 384
    weight = rng.uniform(0.1, 1.0, (3, count)).astype(np.float32)
    ends = np.log([problem.lowest, problem.highest])
    rate = np.exp(rng.uniform(*ends, (3, count))).astype(np.float32)
    shape = np.asarray(problem.shape, np.float32)

    def solve(weight, rate):
        arms = curves(problem.family, weight, rate, shape)
        return sigmoid_prefix(arms, jnp.float32(problem.budget)).allocation

    def solved(width):
        mapped = jax.jit(
            lambda *x: lanes(solve, (True, True), width)(*x)[0],
            compiler_options=options_for(jax.__version_info__) | OPTIMISED,
        )
        starts = range(0, count, width)
        return np.concatenate(
            [mapped(weight[:, i : i + width], rate[:, i : i + width]) for i in starts],
            axis=1,
        )

    np.testing.assert_array_equal(solved(64), solved(count))
