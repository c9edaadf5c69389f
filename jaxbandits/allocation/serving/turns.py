"""Turns from the expected values of units, and estimates of the budget's distribution.

Arms are served in turn, each of them once (`allocation.ordered`). The plan
``distribution`` plays the best turns for the distribution of the budget. Two other
plans ignore part of the game:

* ``mean``: the best split of the mean budget, rounded. The order of the arms, and the
  arms of units beyond the mean, do not matter for it (`ordered_programming` takes arms
  by position).
* ``greedy``: units go to the largest gain, as in MG-UCB-Delta (Algorithm 4 of the
  paper), as if an arm could be served again. Every arm gets all its units in its first
  turn.

A plan of fewer units than the largest budget may end before the budget is used up. The
budget is then censored, and ``P(B >= u)`` is estimated as by Kaplan & Meier,
"Nonparametric Estimation from Incomplete Observations", 1958. Plans of all N units show
every budget; the estimate is then the share of observed budgets of at least u.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32, Shaped

from jaxbandits.allocation.types import Feedback, Ordered, Turns
from jaxbandits.arrays import first_true
from jaxbandits.kernels.allocation import marginal_greedy, ordered_programming

PLANS = ("distribution", "mean", "greedy")
HALF = 1e-4  # a mean this close below a half is still rounded up


class Budgets(NamedTuple):
    """Counts of observed budgets, by units u = 1, ..., N.

    Attributes:
      seen: i32[N], rounds in which unit u was handed out and the plan went on.
      ended: i32[N], of these, rounds with budget u.
    """

    seen: Int32[Array, " N"]
    ended: Int32[Array, " N"]


def no_budgets(problem: Ordered) -> Budgets:
    """Counts before the first round."""
    none = jnp.zeros(problem.units, jnp.int32)
    return Budgets(none, none)


def observe_budget(budgets: Budgets, turns: Turns, feedback: Feedback) -> Budgets:
    """Counts after a round."""
    unit = 1 + jnp.arange(budgets.seen.shape[0], dtype=jnp.int32)
    handed_out = jnp.round(jnp.sum(feedback.allocation)).astype(jnp.int32)
    went_on = unit < jnp.sum(turns.amounts, dtype=jnp.int32)
    seen, ended = went_on & (unit <= handed_out), went_on & (unit == handed_out)
    return Budgets(
        budgets.seen + seen.astype(jnp.int32), budgets.ended + ended.astype(jnp.int32)
    )


def survival_of(problem: Ordered, budgets: Budgets) -> Float[Array, " N"]:
    """``P(B >= u)``, u = 1, ..., N, known or estimated; 1 without observations."""
    if problem.survival is not None:
        return jnp.asarray(problem.survival, float)
    share = budgets.ended.astype(float) / jnp.maximum(budgets.seen, 1).astype(float)
    later = jnp.cumprod(1 - share)
    return jnp.concatenate([jnp.ones(1, later.dtype), later[:-1]])


def planned(
    plan: str, values: Float[Array, "K units"], survival: Float[Array, " N"]
) -> Turns:
    """Turns for the expected values of units.

    Args:
      plan: one of `PLANS`.
      values: f[K, N + 1], as for `ordered_programming`.
      survival: f[N], as for `ordered_programming`.
    """
    if plan == "greedy":
        return _greedy(values)
    if plan == "mean":
        # Halves are rounded up, even if rounding errors put them slightly below.
        mean = jnp.floor(jnp.sum(survival) + 0.5 + HALF)
        unit = 1 + jnp.arange(survival.shape[0]).astype(survival.dtype)
        survival = (unit <= mean).astype(survival.dtype)
    result = ordered_programming(values, survival)
    return Turns(result.arms, result.amounts)


def _greedy(values: Float[Array, "K units"]) -> Turns:
    """Turns of the greedy plan: every arm gets all its units in its first turn."""
    num_arms, size = values.shape[0], values.shape[1] - 1
    steps = values[:, 1:] - values[:, :-1]
    taken = jnp.arange(size)

    def gain(x):
        at = x[:, None] == taken[None].astype(x.dtype)
        return jnp.sum(jnp.where(at, steps, 0.0), axis=1)

    order = marginal_greedy(gain, num_arms, 1.0, size)
    mine = [order == arm for arm in range(num_arms)]
    units = jnp.stack([jnp.sum(x, dtype=jnp.int32) for x in mine])
    return in_order_of(jnp.stack([first_true(x) for x in mine]), units)


def in_order_of(keys: Shaped[Array, " K"], units: Int32[Array, " K"]) -> Turns:
    """Turns of all arms, sorted by key; ties by position."""
    arms = jnp.arange(keys.shape[0], dtype=jnp.int32)
    equal = (keys[None] == keys[:, None]) & (arms[None] < arms[:, None])
    before = (keys[None] < keys[:, None]) | equal
    place = jnp.sum(before, axis=1, dtype=jnp.int32)
    there = place[None, :] == arms[:, None]
    return Turns(
        *(
            jnp.sum(jnp.where(there, x[None], 0), axis=1, dtype=jnp.int32)
            for x in (arms, units)
        )
    )
