"""How what a unit is expected to be worth becomes turns, and what budgets are learnt.

Arms are served in turn, and an arm that has been left is not returned to
(`allocation.ordered`). A learner that knows how such a round goes plays the
best turns for the distribution of the budget. Two ways to plan ignore part of it:

* ``mean``: the best split of the mean budget, rounded; in which order is no matter
  then, nor where units beyond go (`ordered_programming` takes arms by index).
* ``greedy``: units go to the largest gain, as in MG-UCB-Delta (Algorithm 4 of the
  paper), as if an arm could be returned to; every arm then gets all of its units at
  its first turn.

Budgets are seen up to the end of a plan. A plan of fewer units than the largest budget
may end before the budget does, which is then known to be at least as large: the
estimate of ``P(B >= u)`` is that of Kaplan & Meier, "Nonparametric Estimation from
Incomplete Observations", 1958. Plans of all N units are never cut short, and the
estimate is the share of budgets seen that were so large.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32, Shaped

from jaxbandits.allocation.types import Feedback, Ordered, Turns
from jaxbandits.arrays import first_true
from jaxbandits.kernels.allocation import marginal_greedy, ordered_programming

PLANS = ("distribution", "mean", "greedy")
HALF = 1e-4  # units that a mean may be short of a half


class Budgets(NamedTuple):
    """What has been seen of budgets, by units u = 1, ..., N.

    Attributes:
      seen: i32[N], rounds in which unit u was handed out and the plan went on.
      ended: i32[N], those of them in which the budget was u.
    """

    seen: Int32[Array, " N"]
    ended: Int32[Array, " N"]


def no_budgets(problem: Ordered) -> Budgets:
    """Before the first round."""
    none = jnp.zeros(problem.units, jnp.int32)
    return Budgets(none, none)


def observe_budget(budgets: Budgets, turns: Turns, feedback: Feedback) -> Budgets:
    """After a round."""
    unit = 1 + jnp.arange(budgets.seen.shape[0], dtype=jnp.int32)
    handed_out = jnp.round(jnp.sum(feedback.allocation)).astype(jnp.int32)
    went_on = unit < jnp.sum(turns.amounts, dtype=jnp.int32)
    seen, ended = went_on & (unit <= handed_out), went_on & (unit == handed_out)
    return Budgets(
        budgets.seen + seen.astype(jnp.int32), budgets.ended + ended.astype(jnp.int32)
    )


def survival_of(problem: Ordered, budgets: Budgets) -> Float[Array, " N"]:
    """``P(B >= u)``, u = 1, ..., N: known, or estimated; 1 where nothing was seen."""
    if problem.survival is not None:
        return jnp.asarray(problem.survival, float)
    share = budgets.ended.astype(float) / jnp.maximum(budgets.seen, 1).astype(float)
    later = jnp.cumprod(1 - share)
    return jnp.concatenate([jnp.ones(1, later.dtype), later[:-1]])


def planned(
    plan: str, values: Float[Array, "K units"], survival: Float[Array, " N"]
) -> Turns:
    """Turns for what units are worth.

    Args:
      plan: one of `PLANS`.
      values: f[K, N + 1], as for `ordered_programming`.
      survival: f[N], likewise.
    """
    if plan == "greedy":
        return _greedy(values)
    if plan == "mean":
        # Halves upwards, also where they are rounded to less than that.
        mean = jnp.floor(jnp.sum(survival) + 0.5 + HALF)
        unit = 1 + jnp.arange(survival.shape[0]).astype(survival.dtype)
        survival = (unit <= mean).astype(survival.dtype)
    result = ordered_programming(values, survival)
    return Turns(result.arms, result.amounts)


def _greedy(values: Float[Array, "K units"]) -> Turns:
    """The units of every arm in the greedy's order, all at the arm's first turn."""
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
    """Every arm's units, the smallest key first; of equal ones the first arm."""
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
