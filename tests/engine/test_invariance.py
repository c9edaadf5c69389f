"""Bit-identical results, whatever the chunk, the devices, the company, the grid."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import Machine, censored, simulate
from jaxbandits.arrays import random_argmax, unit_interval
from jaxbandits.engine.cpu.lanes import lanes
from jaxbandits.engine.xla import options_for
from jaxbandits.kernels.allocation import sigmoid_prefix
from jaxbandits.laws.thresholds import curves, exponential
from jaxbandits.protocol import Policy
from jaxbandits_studies.datasets.synthetic import ednet_like_parameters
from tests.engine.test_run import COINS, K
from tests.heavy import in_short
from tests.programs import OPTIMISED

pytestmark = [pytest.mark.oldest, pytest.mark.usefixtures("optimised")]

HORIZON, SEEDS = 300, 65
LANES = 384  # of the functions below, which are no games
# Of the games below; what a policy has summed up shows its last bits.
METRICS = {"regret", "censored", "optimal", "heads", "chance", "total", "rounds"}
ONE = jax.devices()[:1]


class Params(NamedTuple):
    """Of `UCB`."""

    alpha: float = 1.0


class Sums(NamedTuple):
    """pulls: i32[K]; total: f32[K]."""

    pulls: jax.Array
    total: jax.Array


def _act(noise, view, state, params):
    count = jnp.maximum(state.pulls, 1).astype(float)
    bonus = jnp.sqrt(params.alpha * jnp.log(view.round.astype(float)) / count)
    index = jnp.where(state.pulls == 0, jnp.inf, state.total / count + bonus)
    return random_argmax(index, noise[0])


def _update(noise, view, state, action, head, params):
    hit = jnp.arange(K) == action
    value = head * unit_interval(noise[0]) + params.alpha / view.round
    return Sums(state.pulls + hit, state.total + jnp.where(hit, value, 0.0))


UCB = Policy(
    "UCB",
    init=lambda params: Sums(jnp.zeros(K, jnp.int32), jnp.zeros(K)),
    act=_act,
    update=_update,
    params=Params(),
    words=(1, 1),
    report=lambda state, params: {"total": state.total},
)


def ucb():
    return UCB, COINS, UCB


def rcucb():
    game = censored.indep(censored.equidistant(5))
    policy = censored.rcucb(game.problem)
    return policy, game, policy


def thompson():
    game = censored.poscorr(censored.equidistant(5))
    return censored.thompson(game.problem), game, censored.rcucb(game.problem)


@pytest.fixture(
    scope="module", params=in_short([ucb, rcucb, thompson], [rcucb, thompson])
)
def case(request):
    """A policy, its game, and another one, which has a parameter `alpha`."""
    return request.param()


@pytest.fixture(scope="module")
def reference(case):
    """On all devices, in company."""
    policy, game, other = case
    other = other._replace(params=other.params._replace(alpha=0.3))
    cast = {policy.name: policy, "other": other}
    return simulate(cast, game, horizon=HORIZON, seeds=SEEDS)


# Programs that are another than that of `reference`, by another number of lanes, of
# devices or of checkpoints, alone, or as a point of a sweep, which may differ from lane
# to lane.
WAYS = {
    "alone": {"seeds": SEEDS},
    "other checkpoints": {"seeds": 32, "checkpoints": [30, 150]},
    "on one device": {"seeds": SEEDS, "machine": Machine(ONE)},
    "swept": {"seeds": 32, "machine": Machine(ONE), "swept": True},
    "one at a time": {"seeds": [0, 3, 64], "machine": Machine(ONE, chunk=1)},
    "in chunks of 7": {"seeds": SEEDS, "machine": Machine(chunk=7)},
    "in one chunk": {"seeds": SEEDS, "machine": Machine(chunk=256)},
    "swept on all devices": {"seeds": SEEDS, "swept": True, "checkpoints": "linear"},
}
LONG = {"on one device", "in chunks of 7", "in one chunk", "swept on all devices"}


@pytest.mark.parametrize("way", in_short(WAYS, LONG))
def test_bits_are_the_same(case, reference, way):
    policy, game, _ = case
    options = {"checkpoints": [HORIZON // 2], "swept": False, **WAYS[way]}
    if options.pop("swept"):
        if not hasattr(policy.params, "alpha"):
            pytest.skip("it has no parameter to be swept")
        policy = policy.over(alpha=[0.3, 1.0])
    data = simulate(policy, game, horizon=HORIZON, **options)
    data = data.isel(params=[-1])  # as it is by default
    for metric in METRICS.intersection(data):
        wanted = reference[metric].sel(policy=data["policy"])
        wanted = wanted.sel(checkpoint=data["checkpoint"], seed=data["seed"])
        np.testing.assert_array_equal(data[metric].values, wanted.values)


@pytest.mark.slow
def test_a_solver_gives_the_same_bits_in_any_width():
    """Its responses add a square that all arms share: rounded with the sum, or not."""
    quiz = ednet_like_parameters(3)
    ends = 1 / quiz.scale.max() / 4, 4 / quiz.scale.min()
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.1, 1.0, (3, LANES)).astype(np.float32)
    rate = np.exp(rng.uniform(*np.log(ends), (3, LANES))).astype(np.float32)

    def solve(weight, rate):
        arms = curves(exponential, weight, rate, None)
        return sigmoid_prefix(arms, jnp.float32(quiz.budget)).allocation

    assert_same_in_any_width(solve, weight, rate)


def test_a_product_of_a_scalar_beside_an_array():
    """The broadcast is left to JAX, and the sum is no other in a wider program."""
    rng = np.random.default_rng(0)
    heights = rng.uniform(-3, 1, (3, LANES)).astype(np.float32)

    def solve(heights):
        top = jnp.max(heights)

        def halve(_, ends):
            low, high = ends
            middle = (low + high) / 2
            short = jnp.sum(jnp.maximum(middle**2 - (top - heights), 0)) <= 2
            return jnp.where(short, middle, low), jnp.where(short, high, middle)

        low, _ = jax.lax.fori_loop(0, 18, halve, (jnp.float32(0), jnp.float32(10)))
        return heights - top + low * low

    assert_same_in_any_width(solve, heights)


def assert_same_in_any_width(solve, *inputs):
    """All at once, and 64 lanes at a time; inputs are ``[..., LANES]``."""

    def solved(width):
        mapped = jax.jit(
            lambda *x: lanes(solve, (True,) * len(x), width)(*x)[0],
            compiler_options=options_for(jax.__version_info__) | OPTIMISED,
        )
        parts = [
            mapped(*(x[:, i : i + width] for x in inputs))
            for i in range(0, LANES, width)
        ]
        return np.concatenate(parts, axis=1)

    np.testing.assert_array_equal(solved(64), solved(LANES))
