"""Greedy allocation in units: a round of MG-UCB-Delta (Algorithm 4)."""

from collections.abc import Callable
from typing import Annotated

import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Float, Int, Int32, Real

from jaxbandits.arrays import first_argmax, one_hot
from jaxbandits.arrays.real import integer, real
from jaxbandits.checks import MOST, kinds, positive, shaped, whole


@kinds
def marginal_greedy(
    gain: Callable[[Float[Array, " K"]], Float[Array, " K"]],
    num_arms: int,
    step: Annotated[Real[ArrayLike, ""], positive],
    num_steps: int,
) -> Int32[Array, " G"]:
    """The arm of every unit of resource, without knowledge of the budget.

    Every unit goes to the (first) arm with the largest gain at its current amount. As
    the gain, Algorithm 4 uses the derivative, but its proof (Lemma G.1) the difference
    that a whole unit makes; these are different algorithms.

    Args:
      gain: ``x f[K] -> f[K]``, gains at the amounts x.
      num_arms: K.
      step: f[], Delta, the size of a unit.
      num_steps: G, the number of units.

    Returns:
      i32[G], the arms in the order of units.
    """
    num_arms, num_steps = (
        whole(name, value, 1, MOST)
        for name, value in (("num_arms", num_arms), ("num_steps", num_steps))
    )
    step = real(step=step)

    def give(x, _):
        gains = gain(x)
        shaped(f"{num_arms}", **{"what gain returns": gains})
        arm = first_argmax(gains)
        return x + step * one_hot(arm, num_arms).astype(x.dtype), arm

    return lax.scan(give, jnp.zeros(num_arms, float), None, length=num_steps)[1]


@kinds
def fill_in_order(
    order: Int[ArrayLike, " G"],
    num_arms: int,
    step: Annotated[Real[ArrayLike, ""], positive],
    budget: Real[ArrayLike, ""],
) -> Float[Array, " K"]:
    """Amounts of the arms when the budget is used up; the last unit may be a part.

    Args:
      order: i32[G], from `marginal_greedy`.
      num_arms: K.
      step: f[], size of a unit.
      budget: f[]; at most ``G step`` is spent.

    Returns:
      f[K], the amounts.

    Raises:
      TypeError, ValueError: if `order` is not an integer array, or `num_arms` is not an
        integer in [1, 1,000,000].
    """
    num_arms, order = whole("num_arms", num_arms, 1, MOST), integer("order", order)
    step, budget = real(step=step), real(budget=budget)
    starts = jnp.arange(order.shape[0]).astype(float) * step
    unit = jnp.clip(budget - starts, 0.0, step)
    arms = jnp.arange(num_arms, dtype=jnp.int32)
    return jnp.sum(jnp.where(order[:, None] == arms[None], unit[:, None], 0.0), axis=0)
