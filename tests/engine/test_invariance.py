"""Bit-identical results, whatever the chunk, the devices, the company, the grid."""

from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import Machine, simulate
from jaxbandits.engine.lanes import lanes
from jaxbandits.engine.xla import options_for
from jaxbandits.kernels.allocation import sigmoid_prefix
from jaxbandits.laws.thresholds import curves, exponential, weibull
from jaxbandits.policies import censored as policies
from jaxbandits.protocol import Environment, Policy
from jaxbandits.settings import censored as settings
from jaxbandits.settings.allocation.problem import make_problem
from jaxbandits.settings.allocation.synthetic import ednet_like_parameters
from jaxbandits.testing import trace_run
from tests.heavy import in_short
from tests.workers import OPTIMISED

pytestmark = pytest.mark.usefixtures("optimised")

HORIZON, SEEDS = 300, 65
METRICS = ("regret", "censored", "optimal", "rounds")
ONE = jax.devices()[:1]
NAMES = in_short(["RCUCB", "TS"], {"TS"})

needs_two = pytest.mark.skipif(len(jax.devices()) < 2, reason="needs two devices")


class Case(NamedTuple):
    """A policy and its game."""

    policy: Policy
    game: Environment

    def played(self, **options):
        """In `HORIZON` rounds."""
        return simulate(self.policy, self.game, horizon=HORIZON, **options)


@pytest.fixture(scope="module")
def cases():
    """By name of the policy."""
    limits = settings.equidistant(5)
    light, heavy = settings.indep(limits), settings.poscorr(limits)
    return {
        "RCUCB": Case(policies.rcucb(light.problem), light),
        "TS": Case(policies.thompson(heavy.problem), heavy),
    }


@pytest.fixture(scope="module")
def reference(cases):
    """``reference(name)``: on two devices, in the company of RCUCB."""

    @cache
    def played(name):
        policy, game = cases[name]
        other = policies.rcucb(game.problem)
        other = other._replace(params=other.params._replace(alpha=0.3))
        cast = {name: policy, "other": other}
        return simulate(cast, game, horizon=HORIZON, seeds=SEEDS)

    return played


@pytest.fixture
def elsewhere(cases):
    """``elsewhere(**options)``: RCUCB, all by one other program.

    It has another number of lanes than the reference's and one device, stops at other
    checkpoints, and knows that lanes may differ in a parameter.
    """

    def played(**options):
        options = {"machine": Machine(ONE), "checkpoints": [HORIZON // 2], **options}
        data = cases["RCUCB"].played(grid={"alpha": [0.3, 1.0]}, **options)
        return data.isel(params=[1])  # as it is by default

    return played


def assert_same(data, reference):
    for metric in METRICS:
        wanted = reference[metric].sel(policy=data["policy"])
        wanted = wanted.sel(checkpoint=data["checkpoint"], seed=data["seed"])
        np.testing.assert_array_equal(data[metric].values, wanted.values)


def test_one_run_at_a_time(elsewhere, reference):
    data = elsewhere(seeds=[0, 3, 64], machine=Machine(ONE, chunk=1))
    assert_same(data, reference("RCUCB"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["RCUCB", "TS"])
@pytest.mark.parametrize("chunk", [1, 7, 256])
def test_chunk_size(cases, reference, name, chunk):
    # With chunks of one seed, a few show as much as all of them.
    data = cases[name].played(
        seeds=[0, 3, 64] if chunk == 1 else SEEDS,
        machine=Machine(chunk=chunk),
        checkpoints=[HORIZON // 2],
    )
    assert_same(data, reference(name))


@needs_two
def test_number_of_devices(elsewhere, reference):
    """Both devices' runs on one."""
    assert_same(elsewhere(seeds=range(SEEDS - 32, SEEDS)), reference("RCUCB"))


@needs_two
@pytest.mark.slow
def test_number_of_devices_of_a_policy_that_samples(cases, reference):
    data = cases["TS"].played(seeds=SEEDS, machine=Machine(ONE))
    assert_same(data, reference("TS"))


@pytest.mark.parametrize("name", NAMES)
def test_alone_or_in_company(cases, reference, name):
    assert_same(cases[name].played(seeds=SEEDS), reference(name))


def test_checkpoints(elsewhere, reference):
    assert_same(elsewhere(seeds=32, checkpoints=[30, 150]), reference("RCUCB"))


def test_a_point_of_a_sweep_is_a_run_of_its_own(elsewhere, reference):
    assert_same(elsewhere(seeds=32), reference("RCUCB"))


@pytest.mark.slow
def test_a_point_of_a_sweep_on_all_devices(elsewhere, reference):
    data = elsewhere(seeds=SEEDS, machine=Machine(), checkpoints="linear")
    assert_same(data, reference("RCUCB"))


@pytest.mark.parametrize("name", NAMES)
def test_the_plain_loop_plays_the_same_game(cases, reference, name):
    # `play` is a textbook scan without lanes; near ties may fall the other way, as the
    # two programs round differently, hence a share and not equality.
    policy, game = cases[name]
    agree = 0
    for seed in range(5):
        trace = trace_run(policy, game, HORIZON, seed_index=seed)
        oracle = game.oracle()
        gaps = oracle.gaps[trace.actions.arm, trace.actions.limit]
        found = reference(name)["regret"].sel(policy=name, seed=seed).values[0]
        rounds = reference(name)["checkpoint"].values
        agree += np.allclose(found, np.cumsum(gaps)[rounds - 1], rtol=1e-9, atol=1e-9)
    assert agree >= 4


@pytest.mark.parametrize(
    "family", in_short([exponential, weibull], [weibull]), ids=lambda x: x.name
)
def test_a_solver_gives_the_same_bits_in_any_width(family):
    """Its responses add a square that all arms share: rounded with the sum, or not."""
    quiz = ednet_like_parameters(3)
    problem = make_problem(
        family,
        3,
        quiz.budget,
        shape=quiz.shape if family is weibull else None,
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
