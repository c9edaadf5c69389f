"""What omega*-UCB and share-UCB believe of variances and correlations."""

from itertools import product as every_pair

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import farewell, simulate
from jaxbandits.arrays import CompensatedSum
from jaxbandits.budgeted import (
    make_environment,
    omega_star_ucb,
)
from jaxbandits.budgeted.policies import omega_ucb as omega
from jaxbandits.budgeted.policies import ucb_b2
from jaxbandits.budgeted.policies.shrunk import shrunk_eta
from jaxbandits.budgeted.policies.statistics import Means
from jaxbandits.farewell import make_environment as farewell_game
from jaxbandits.laws import Discrete, Product, discrete, product
from tests.tables import each_row


def eta_of(*arms, pooled=True):
    """Ten pulls of the prior beside what every arm has shown."""
    shown = ([f(x) for x in arms] for f in (len, np.mean, lambda x: np.var(x) * len(x)))
    eta = jax.jit(shrunk_eta, static_argnums=4)
    return np.asarray(eta(*map(np.float32, shown), np.float32(10), pooled))


QUIET = [0.375, 0.625] * 20  # squares 40/64; 39 * 0.25 + (40/64)/40 at most
OWN = 0.625 / (39 / 4 + 1 / 64)
TOGETHER = (1 + 0.625) / (1 + 39 / 4 + 1 / 64)


def test_an_arm_that_has_shown_no_variance_borrows_none():
    constant = [0.5] * 40
    found = eta_of(QUIET, constant)
    assert found == pytest.approx([(10 * TOGETHER + 39 * OWN) / 49, 10 / 49], rel=1e-5)
    # It lends none either: beside another that is constant nothing changes.
    assert eta_of(QUIET, constant, constant)[:2] == pytest.approx(found)
    # What rounding leaves is no variance.
    assert eta_of(QUIET, [0.5, 0.5 + 1e-6] * 20)[1] == pytest.approx(10 / 49, rel=1e-4)


def test_an_arm_of_one_pull_borrows_variance():
    """It can show no variance, and zeros or ones say nothing of it."""
    assert eta_of(QUIET, [0.5])[1] == pytest.approx(TOGETHER, rel=1e-5)
    assert eta_of(QUIET, [1.0])[1] == pytest.approx(TOGETHER, rel=1e-5)
    assert eta_of(QUIET, [1.0, 1.0])[1] == 1


def test_unpooled_an_arm_has_its_own_variance():
    found = eta_of(QUIET, [0.5], pooled=False)
    assert found == pytest.approx([(10 + 39 * OWN) / 49, 1], rel=1e-5)


def test_one_pull_has_the_largest_variance_for_ucb_b2():
    """By hand: sqrt(2 / 4 * 0.08) + 3 * 0.08."""
    nothing = CompensatedSum.zeros(1, float)
    radius = ucb_b2.radius(nothing, Means.zeros(1), jnp.float32(0.08))
    assert float(radius[0]) == pytest.approx(0.44)


# omega*-UCB: how eta is estimated, and what a variance seen as 0 does.


def eta_by(rule, values):
    x = np.asarray(values, np.float32)
    most = jnp.float32(x.mean() * (1 - x.mean()))
    squares = jnp.float32(np.sum((x - x.mean()) ** 2))
    return float(rule(jnp.int32(x.size), squares, most))


def test_eta_by_hand():
    """Ten pulls of eta = 1 beside the n - 1 of what was seen."""
    assert eta_by(omega.shrunk_eta, [0.5] * 40) == pytest.approx(10 / 49)
    assert eta_by(omega.switched_eta, [0.5] * 40) == 0
    # Variance 1/48 with n - 1 (1/64 with n), largest 3/16 + 1/192.
    seen = [0.125, 0.375] * 2
    share = (1 / 48) / (3 / 16 + 1 / 192)
    assert eta_by(omega.shrunk_eta, seen) == pytest.approx((10 + 3 * share) / 13)
    assert eta_by(omega.switched_eta, seen) == 1
    assert eta_by(omega.switched_eta, seen * 10) == pytest.approx((1 / 64) / (3 / 16))


@each_row(
    "ones, rule", every_pair((0, 1, 7, 40), (omega.shrunk_eta, omega.switched_eta))
)
def test_coins_have_the_largest_variance(ones, rule):
    """So that omega* is omega on Bernoulli arms."""
    assert eta_by(rule, [1] * ones + [0] * (40 - ones)) == pytest.approx(1, abs=1e-6)


def quiet():
    """A reward of 1/2, in one pull of 50 of 1, beside a certain .504; costs of 1/2."""
    rewards = np.array([[0.5, 1], [0.504, 0.504]]), np.array([[0.98, 0.02], [1, 0]])
    costs = np.full((2, 2), 0.5), np.array([[1.0, 0], [1, 0]])
    arms = Product(Discrete(*rewards), Discrete(*costs))
    return make_environment("quiet", product(discrete, discrete), arms)


@pytest.mark.slow
def test_an_observed_variance_of_0_ends_exploration_unless_it_is_shrunk():
    """Half of all runs see no variance in 30 pulls: linear regret, at any budget."""
    game = quiet()
    cast = {v: omega_star_ucb(game.problem, variance=v) for v in ("switch", "shrunk")}
    data = simulate(cast, game, budget=1e5, seeds=64, checkpoints=[1e4, 1e5])
    regret = data["regret"].isel(params=0).mean("seed")
    switch, shrunk = (regret.sel(policy=name).values for name in cast)
    assert switch[1] > 400 and switch[1] / switch[0] > 8, switch  # 666: linear
    assert shrunk[1] < 12, shrunk  # 7.4


@pytest.mark.slow
def test_a_shrunk_variance_does_not_end_it_on_pairs():
    """The same two as macro-arms, whose delay is 1; the regret is then logarithmic."""
    values = np.array([[[0.5, 1]], [[0.504, 0.504]]])
    rewards = Discrete(values, np.array([[[0.98, 0.02]], [[1, 0]]]))
    game = farewell_game("quiet", np.ones((2, 1)), rewards, reward_law=discrete)
    policy = farewell.omega_star_ucb(game.problem, variance="shrunk")
    data = simulate(policy, game, budget=1e4, seeds=32, checkpoints=[1e3, 1e4])
    regret = data["regret"].squeeze().mean("seed").values
    # 2.0 and 4.5; with variance="switch" half of the runs are lost: 3.0 and 30.
    assert regret[1] < 9 and regret[1] / regret[0] < 4, regret
