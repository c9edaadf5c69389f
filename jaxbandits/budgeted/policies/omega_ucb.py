"""omega-UCB and omega*-UCB: asymmetric confidence intervals.

Heyden, Arzamasov, Fouche & Boehm, "Budgeted Multi-Armed Bandits with Asymmetric
Confidence Intervals", KDD 2024 (arXiv 2306.07071), section 4, eq. (2) and Theorem 1.

Idea: the upper end of Wilson's interval of the reward, over the lower end of that of
the cost (above 0), bounds the ratio. omega* shortens both intervals by the observed
variances. The paper's theorems are about omega-UCB; it proves nothing about omega*.

Named choices:

* `exploration`. ``log_t`` is the paper's ``z = sqrt(2 rho log t)``; ``log_share`` is
  ``z = sqrt(2 rho log(t / n))``, which does not need a small rho.
* `variance` (omega* only). ``switch`` is the paper's: eta is 1 for 30 pulls, then the
  observed variance share. A share of 0 ends an arm's exploration for good (linear
  regret). ``shrunk`` (ours) mixes the observed share with 10 pulls of eta = 1: eta is
  never 0, and low variances count at once. theory/shrunk-omega.md has its guarantees.
  ``jaxbandits reproduce budgeted-shrunk`` plays other numbers of pulls and other rho:
  with 1 to 100 pulls, regret is 0.86 to 1.19 times that of 10 (recommendation.md).
"""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from jaxbandits.arrays import CompensatedSum
from jaxbandits.budgeted.policies.index_policy import ONE_ARM, Learning, index_policy
from jaxbandits.budgeted.policies.ranges import largest_ratio, positions, ranges_of
from jaxbandits.budgeted.policies.statistics import MEANS, Means, Statistics
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks import Positive, flag, one_of
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy

# With log t, rho = 1 has logarithmic regret (Theorem 6) and 1/4 is the paper's default.
DEFAULT_RHO = {"log_t": 0.25, "log_share": 1.0}
LEAST_PULLS = 30  # pulls of an arm before its variance is used, section 5.2
# Pulls of eta = 1 in a shrunk variance. This is not a leaf of `Params`: the statistics,
# which hold eta, do not see parameters, and another leaf would change the identity of
# every omega-UCB in stored sweeps.
PRIOR_PULLS = 10


class Params(NamedTuple):
    """rho > 0 scales the squared normal score."""

    rho: Positive


class _Spread(NamedTuple):
    """Squared deviations from the running mean, and the eta that follows from them."""

    squares: CompensatedSum  # f32[K], Welford's sum
    eta: Float[Array, " K"]  # 1 before the first pull

    @classmethod
    def zeros(cls, num_arms: int) -> "_Spread":
        """Statistics before the first pull."""
        nothing = CompensatedSum.zeros(num_arms, float)
        return cls(nothing, jnp.ones(num_arms, float))

    def observe(
        self,
        eta: Callable[..., Array],
        pulls: Array,
        x: Array,
        old_mean: Array,
        mean: Array,
    ) -> "_Spread":
        """Spread of one arm after one more observation x; `eta` is one of `ETAS`."""
        squares = self.squares.add((x - old_mean) * (x - mean))
        return _Spread(squares, eta(pulls, squares.total, mean * (1 - mean)))


def switched_eta(pulls: Array, squares: Array, most: Array) -> Array:
    """Section 5.2: 1 for 30 pulls, then variance over its largest value, m (1 - m)."""
    largest = most * pulls.astype(float)
    inside = (pulls >= LEAST_PULLS) & (largest > 0)
    share = squares / jnp.where(inside, largest, 1.0)
    return jnp.where(inside, jnp.clip(share, 0.0, 1.0), 1.0)


def shrunk_eta(
    pulls: Array, squares: Array, most: Array, prior: float | Array = PRIOR_PULLS
) -> Array:
    """Mean of the observed share and 1, weights n - 1 and `prior`; 1 for Bernoulli."""
    count = pulls.astype(float)
    known = count - 1
    # Two unbiased estimates, of variance and of m (1 - m); equal for zeros and ones.
    largest = known * most + squares / count
    share = squares / jnp.where(largest > 0, largest, 1.0)
    mixed = (prior + known * jnp.clip(share, 0.0, 1.0)) / (prior + known)
    return jnp.where(most > 0, mixed, 1.0)


ETAS = {"switch": switched_eta, "shrunk": shrunk_eta}


class Moments(NamedTuple):
    """Statistics of omega*-UCB."""

    means: Means
    reward: _Spread
    cost: _Spread  # of the cost's position in its range


@factory(Problem)
def omega_ucb(
    problem: Problem,
    star: bool = False,
    exploration: str = "log_t",
    learning: Learning = ONE_ARM,
    variance: str = "switch",
) -> Policy[Means | Moments, Params, Array]:
    """omega-UCB, or omega*-UCB with `star`.

    Args:
      problem: number of arms, and the ranges of every arm's reward and cost, [m, M] of
        Theorem 1.
      star: whether eta is estimated.
      exploration: ``log_t`` or ``log_share``.
      learning: as for `index_policy`.
      variance: how eta is estimated, ``switch`` or ``shrunk``.

    Raises:
      ValueError: on an unknown `exploration` or `variance`.
    """
    flag("star", star)
    one_of("exploration", exploration, DEFAULT_RHO)
    eta = ETAS[one_of("variance", variance, ETAS)]
    ranges = ranges_of(problem)

    def index(view, state, params):
        means = state.means if star else state
        count, t = means.count, view.round.astype(float)
        confidence = jnp.log(t if exploration == "log_t" else t / count)
        z2 = 2 * params.rho * confidence  # Theorem 3
        eta_reward, eta_cost = (
            (state.reward.eta, state.cost.eta) if star else (1.0, 1.0)
        )
        return largest_ratio(ranges, means, z2 * eta_reward, z2 * eta_cost)

    def observe(row, constants, reward, cost):
        old, means = row.means, row.means.observe(reward, cost)
        rewards, costs = positions(
            ranges,
            constants,
            (reward, old.mean_reward, means.mean_reward),
            (cost, old.mean_cost, means.mean_cost),
        )
        return Moments(
            means,
            row.reward.observe(eta, means.pulls, *rewards),
            row.cost.observe(eta, means.pulls, *costs),
        )

    def zeros(num_arms):
        spread = _Spread.zeros(num_arms)
        return Moments(Means.zeros(num_arms), spread, spread)

    statistics = Statistics(zeros, observe, ranges.constants) if star else MEANS
    name = "omega*-UCB" if star else "omega-UCB"
    if exploration == "log_share":
        name += ", log(t/n)"
    if star and variance == "shrunk":
        name += ", shrunk"
    params = Params(DEFAULT_RHO[exploration])
    return index_policy(
        name,
        problem,
        index,
        params=params,
        statistics=statistics,
        learning=learning,
    )


@factory(Problem)
def omega_star_ucb(
    problem: Problem,
    exploration: str = "log_t",
    learning: Learning = ONE_ARM,
    variance: str = "switch",
) -> Policy[Means | Moments, Params, Array]:
    """omega*-UCB: `omega_ucb` with estimated variances."""
    return omega_ucb(problem, True, exploration, learning, variance)
