"""theory/ratio-thompson.md: the lemma on two draws, and what it leaves out."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad

from jaxbandits.budgeted import ratio_thompson
from jaxbandits.budgeted.policies.ratio_thompson import State
from jaxbandits.budgeted.problem import make_problem
from jaxbandits.plain.gains import Sums
from jaxbandits_studies.theory import gains, ratios
from tests.tables import each_row

REWARD, SAVED = 0.4, 0.55


def growth(rewards, saved):
    """The mean of exp(n K(rewards) + n K(saved)) over samples, f64[samples, n]."""
    informed = [
        gains.least_information(r, REWARD) + gains.least_information(s, SAVED)
        for r, s in zip(rewards, saved, strict=True)
    ]
    return np.mean(np.exp(rewards.shape[1] * np.array(informed)))


@each_row("together", [False, True])
def test_two_histories_are_no_rarer_than_one(together, n=2):
    """Rewards and costs that are independent, or high at a time: (n + 1)^2."""
    rng = np.random.default_rng(4)
    u = rng.random((2, 400, n))
    if together:
        u[1] = 1 - u[0]
    rewards = (u[0] < REWARD).astype(float)
    saved = u[1] ** (1 / SAVED - 1)  # of the mean SAVED
    assert abs(saved.mean() - SAVED) < 0.02
    assert growth(rewards, saved) < (n + 1) ** 2


def test_opposite_coins_are_seen_with_twice_the_information():
    """2^n of the failures alone: no power of n."""
    n = 30
    failures = np.zeros(n)
    informed = gains.least_information(failures, 0.5)
    assert np.exp(2 * n * informed) * 0.5**n == pytest.approx(2.0**n)
    assert 2.0**n > (n + 1) ** 2


@each_row("ratio", [0.3, 1.0, 2.5])
@each_row("n", [1, 4, 12])
def test_chance_after_failures_is_an_integral(n, ratio):
    def density(cost):
        return (n + 1) * cost**n * max(1 - ratio * cost, 0.0) ** (n + 1)

    expected = quad(density, 0, min(1, 1 / ratio))[0]
    assert ratios.chance_after_failures(n, ratio) == pytest.approx(expected, rel=1e-6)
    rarer = 4 * ratio if ratio >= 0.5 else 1 / (1 - ratio)
    assert expected <= (n + 1) / rarer**n


def test_the_policy_draws_an_arm_of_failures_that_often(failures=3):
    """Of 40,000 draws beside an arm known to be worth 0.8, within 4.5 errors."""
    pulls, draws, ratio = 10**6, 40_000, 0.8
    policy = ratio_thompson(make_problem(2, [0, 0.5], [1, 0.5], [0, 0.4], [1, 0.4]))
    counts = jnp.array([failures, pulls], jnp.int32)
    paid = np.array([failures, 0], np.float32)
    nothing = Sums.zeros((2,))
    costs = Sums(nothing.gain._replace(total=paid), nothing.square._replace(total=paid))
    state = State(counts, nothing, costs)
    view = SimpleNamespace(num_arms=jnp.int32(2))
    act = jax.jit(jax.vmap(lambda noise: policy.act(noise, view, state, ())))
    words = jax.random.bits(jax.random.key(3), (draws, policy.words[0]))
    tried = np.mean(np.asarray(act(words)) == 0)
    chance = ratios.chance_after_failures(failures, ratio)
    assert abs(tried - chance) < 4.5 * np.sqrt(chance * (1 - chance) / draws) + 2e-4


def test_powers_by_hand():
    """Arms worth nearly 1: a coin's failures are 2^-n, and tried again by 4^-n."""
    assert ratios.power(0.5, 0.5 - 1e-9) == pytest.approx(0.5, abs=1e-6)
    assert ratios.power(0.5, 1 / 3) == pytest.approx(0.0, abs=1e-12)  # x = 1/2
    assert ratios.power(0.3, 0.2) == pytest.approx(1 - np.log(0.7) / np.log(0.75))
    nearly = np.linspace(0.05, 0.95, 19)
    assert np.all(ratios.power(nearly, nearly - 1e-9) < 0.5 + 1e-6)


def test_what_failures_lose_approaches_the_power():
    """The worst n of all; and the power is approached."""
    n, p, q, budget = np.arange(1, 40), 0.5, 0.45, 1e5
    never = (1 - ratios.chance_after_failures(n, q / (1 - q))) ** (budget / (1 - q))
    each = (1 - p) ** n * never * (budget - n) * (1 - q / (1 - q))
    assert ratios.lost_regret(budget, p, q) == pytest.approx(each.max())
    budgets = 10.0 ** np.array([6, 12, 24, 48])
    lost = np.log(ratios.lost_regret(budgets, p, q))
    slopes = np.diff(lost) / np.diff(np.log(budgets))
    assert abs(slopes[-1] - ratios.power(p, q)) < 0.03
