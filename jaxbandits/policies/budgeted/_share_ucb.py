"""share-UCB: omega*-UCB whose clock is the money, arm by arm. Ours.

Idea: regret is the sum over arms of the money spent on them times the gap of their
ratios, so how much an arm has been explored is what has been spent on it, S, and there
is as much to win as there is money, M:

    z^2 = 2 rho log(1 + M / (K^power S)),

with the ratio of the ends of Wilson's intervals as omega-UCB has it (eq. (2) of Heyden
et al., 2024). An arm on which less than M / K^power has been spent is explored, and
others hardly any more; the 1 leaves every arm some width, however much it had.
Variances are shrunk and not switched: eta is what was observed, mixed with
`prior_pulls` pulls of a prior, so that a low variance counts at once and none is ever 0
(with omega*'s switch an arm may be lost for good, docs/errata.md, B8).

With any rho it loses some runs for good where the best arm nearly always pays:
docs/theory/share-ucb.md proves it.

Named choices:

* `clock`, what M is. ``left`` is the money left, which knows the budget; ``spent`` is
  the money spent so far, which knows nothing.
* `pooled`, whether the prior's eta is the variance of the arms together over the
  largest possible one, or 1. Only arms that have shown a variance lend it and borrow:
  pulls that are all alike do not rule out a rare one that is not, and with the small
  variance of others (or of none) the arm with the rare prize was given up for good.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from jaxbandits.arrays import CompensatedSum
from jaxbandits.checks import flag, non_negative, one_of, positive
from jaxbandits.factory import factory
from jaxbandits.policies.budgeted._index_policy import index_policy
from jaxbandits.policies.budgeted.ranges import (
    largest_ratio,
    positions,
    ranges_of,
    shares,
)
from jaxbandits.policies.budgeted.statistics import Means, Statistics
from jaxbandits.protocol import Policy
from jaxbandits.settings.budgeted.types import Problem

ALMOST_NOTHING = 1e-9  # spent on an arm that was free so far
LEAST_SPREAD = 1e-5  # of the range: a smaller deviation is rounding, and none


class LeftParams(NamedTuple):
    """rho > 0 scales the squared normal score; power >= 0 of K in the logarithm;
    prior_pulls > 0; budget > 0 in units, by default that of the game.

    What other values cost: ``jaxbandits reproduce budgeted-share``.
    """

    rho: float = 0.5
    power: float = 1.0
    prior_pulls: float = 10.0
    budget: float = 1.5e5


class SpentParams(NamedTuple):
    """As `LeftParams`; power 1 leaves an arm alone for sqrt(K) times as long after bad
    luck, and loses more runs (docs/theory/share-ucb.md)."""

    rho: float = 0.5
    power: float = 0.5
    prior_pulls: float = 10.0


def _check(params: SpentParams | LeftParams) -> None:
    positive(rho=params.rho, prior_pulls=params.prior_pulls)
    non_negative(power=params.power)


def _check_left(params: LeftParams) -> None:
    _check(params)
    positive(budget=params.budget)


class _Moments(NamedTuple):
    """Means, and sums of squared deviations from the mean of positions in the range."""

    means: Means
    reward: CompensatedSum  # f32[K]
    cost: CompensatedSum  # f32[K]


def _shrunk_eta(
    pulls: Float[Array, " K"],
    mean: Float[Array, " K"],
    squares: Float[Array, " K"],
    weight: Float[Array, ""],
    pooled: bool,
) -> Float[Array, " K"]:
    """Variances over their largest values, mixed with `weight` pulls of a prior.

    Args:
      pulls: f[K], at least 1.
      mean: f[K] in [0, 1].
      squares: f[K], squared deviations from the mean.
      weight: f[].
      pooled: whether the prior is that of the arms together that have shown a
        variance, or 1. That of an arm that has shown none is 1 after its second pull.

    Returns:
      f[K] in (0, 1]; 1 for zeros and ones.
    """
    # (n - 1) times the unbiased estimate of mu (1 - mu): that of squares / (n - 1)
    # beside it is unbiased too, and their quotient 1 for zeros and ones.
    largest = (pulls - 1) * mean * (1 - mean) + squares / pulls
    prior = jnp.ones_like(mean)
    if pooled:
        shown = squares > LEAST_SPREAD**2 * pulls
        most = jnp.sum(jnp.where(shown, largest, 0.0))
        together = (1 + jnp.sum(squares)) / (1 + most)
        # One pull can show nothing: with a prior of 1 all arms were pulled twice.
        prior = jnp.where(shown | (pulls < 2), jnp.minimum(together, 1.0), prior)
    own = jnp.clip(squares / jnp.where(largest > 0, largest, 1.0), 0.0, 1.0)
    known = jnp.where(largest > 0, pulls - 1, 0.0)
    return jnp.minimum((weight * prior + known * own) / (weight + known), 1.0)


@factory(Problem)
def share_ucb(
    problem: Problem, clock: str = "left", pooled: bool = True
) -> Policy[_Moments, LeftParams | SpentParams, Array]:
    """share-UCB.

    Args:
      problem: number of arms, and the ranges of every arm's reward and cost.
      clock: ``left`` (knows the budget) or ``spent``.
      pooled: whether arms that have shown a variance lend it to one another.

    Raises:
      ValueError: on an unknown `clock`.
    """
    flag("pooled", pooled)
    knows = one_of("clock", clock, ("left", "spent")) == "left"
    ranges = ranges_of(problem)

    def index(view, state, params):
        means = state.means
        money = view.spent
        if knows:
            money = jnp.maximum(params.budget * view.unit - view.spent, 0.0)
        arms = view.num_arms.astype(float) ** params.power
        spent = jnp.maximum(means.cost.total, ALMOST_NOTHING)
        z2 = 2 * params.rho * jnp.log1p(money / (arms * spent))
        eta_reward, eta_cost = (
            _shrunk_eta(means.count, mean, spread.total, params.prior_pulls, pooled)
            for mean, spread in zip(shares(ranges, means), state[1:], strict=True)
        )
        return largest_ratio(ranges, means, z2 * eta_reward, z2 * eta_cost)

    def observe(row, constants, reward, cost):
        old, means = row.means, row.means.observe(reward, cost)
        observed = positions(
            constants,
            (reward, old.mean_reward, means.mean_reward),
            (cost, old.mean_cost, means.mean_cost),
        )
        # Welford's update.
        products = ((x - before) * (x - after) for x, before, after in observed)
        return _Moments(means, *map(CompensatedSum.add, row[1:], products))

    def zeros(num_arms):
        nothing = CompensatedSum.zeros(num_arms, float)
        return _Moments(Means.zeros(num_arms), nothing, nothing)

    name = "share-UCB" if knows else "share-UCB, anytime"
    return index_policy(
        name if pooled else f"{name}, own variances",
        problem,
        index,
        params=LeftParams() if knows else SpentParams(),
        check=_check_left if knows else _check,
        statistics=Statistics(zeros, observe, ranges.constants),
    )._replace(told=("budget",) if knows else ())
