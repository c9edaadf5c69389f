"""Projected gradient ascent on the simplex, for any differentiable objective.

The projection and the optimiser are optax's. The method needs only the objective; if
this is not concave, the result is a local optimum. The water-filling kernels are exact
and much faster where they apply.

Derivatives of the search itself are meaningless: its normalised steps end near the
optimum, at a point that depends on the last digits. The derivatives returned are those
of the nearby optimum, by the implicit function theorem on the arms with positive
amounts.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Float, Real

from jaxbandits.arrays.real import alike, real
from jaxbandits.checks import MOST, kinds, shaped, shown, whole
from jaxbandits.kernels.allocation.solution import (
    INACCURATE,
    SOLVED,
    Solution,
    spendable,
    with_status,
)
from jaxbandits.kernels.implicit import implicit_root, with_slope_of

if TYPE_CHECKING:
    import optax

STEPS = 400
ENOUGH = 1e-2  # accepted relative Frank-Wolfe gap; the true loss is far smaller
NEWTON = 12  # steps from the end of the search to the optimum, for its derivatives


@kinds
def projected_gradient(
    objective: Callable[[Float[Array, " K"]], Float[Array, ""]],
    start: Real[ArrayLike, " K"],
    budget: Real[ArrayLike, ""],
    *,
    steps: int = STEPS,
    optimiser: "optax.GradientTransformation | None" = None,
) -> Solution:
    """Maximise a function over ``x >= 0, sum x = budget``.

    Args:
      objective: ``f[K] -> f[]``, differentiable on the simplex (twice, if the solution
        is to be differentiated).
      start: f[K], the first point; it is projected first.
      budget: f[] > 0.
      steps: number of steps; each is one gradient and one projection.
      optimiser: from optax; by default normalised gradients in units of the budget,
        with a step that falls from 0.2 to 0 along a cosine. (The projection undoes
        steps of equal size in all coordinates, such as Adam's first ones.)

    Returns:
      A `Solution` with the best visited point. The bound is the Frank-Wolfe bound ``f +
      max_i f_i' B - f' x`` at this point; it is valid only for concave objectives. The
      status is `SOLVED` if the point is nearly stationary: the bound exceeds the value
      by at most a relative 1e-2 (400 steps reach 1e-3 on concave problems). Otherwise
      it is `INACCURATE`, also if the objective or its slope is not finite. It is
      `INVALID` if the budget is not positive and finite, or `start` is not finite.

      Derivatives (forward, backward, any order) are those of the local optimum next to
      the allocation, by the budget and by all numbers that `objective` uses; those by
      `start` are 0. Value and bound have the derivative of the optimal value (envelope
      theorem). All derivatives are NaN if there is no strict local optimum nearby.

    Raises:
      TypeError: if `objective` is not a function.
      ValueError: if `steps` is negative, or `objective` does not return one number.
    """
    whole("steps", steps, 0, MOST)
    start, budget = alike(*real(start=start, budget=budget))
    answer = jax.eval_shape(objective, start)
    shaped("", **{"what objective returns": answer})
    fields = getattr(optimiser, "_fields", None)
    if optimiser is not None and fields != ("init", "update"):
        raise TypeError(f"optimiser must be None or from optax, got {shown(optimiser)}")
    # The search gets all numbers without derivatives, as it must not be differentiated.
    given, numbers = jax.closure_convert(objective, start)
    start, budget_now, numbers = lax.stop_gradient((start, budget, numbers))

    def fixed(x):
        return given(x, *numbers)

    result = _search(fixed, start, budget_now, steps, optimiser)
    best = _optimum_near(result.allocation, fixed, budget_now, objective, budget)
    value = objective(best)
    return result._replace(
        allocation=with_slope_of(best, result.allocation),
        value=with_slope_of(value, result.value),
        bound=with_slope_of(value, result.bound),
    )


def _search(
    objective: Callable[[Array], Array],
    start: Array,
    budget: Array,
    steps: int,
    optimiser: "optax.GradientTransformation | None",
) -> Solution:
    """The solution, with meaningless derivatives."""
    import optax  # imported late: it takes half of JAX's import time

    if optimiser is None:
        optimiser = optax.chain(
            optax.normalize_by_update_norm(),
            optax.scale_by_learning_rate(
                optax.cosine_decay_schedule(0.2, max(steps, 1))
            ),
        )
    # In units of the budget, so that one step size serves all.
    ascend = jax.value_and_grad(lambda share: -objective(share * budget))

    def project(share):
        return optax.projections.projection_simplex(share)

    def step(carry, _):
        share, state, best = carry
        loss, slope = ascend(share)
        best = jax.tree.map(
            lambda new, old: jnp.where(loss < best[1], new, old), (share, loss), best
        )
        # Along the simplex: the projection removes the common part of all coordinates.
        slope = slope - jnp.mean(slope)
        change, state = optimiser.update(slope, state, share)
        return (project(optax.apply_updates(share, change)), state, best), None

    share = project(start / budget)
    nothing = (share, jnp.asarray(jnp.inf, share.dtype))
    carry = (share, optimiser.init(share), nothing)
    (share, _, best), _ = lax.scan(step, carry, None, length=steps)
    share = jnp.where(ascend(share)[0] < best[1], share, best[0])
    loss, slope = ascend(share)
    bound = -loss + jnp.max(-slope) + jnp.sum(slope * share)
    near = bound + loss <= ENOUGH * jnp.abs(loss)
    status = jnp.where(near, SOLVED, INACCURATE).astype(jnp.int32)
    solution = Solution(share * budget, -loss, bound, status)
    return with_status(solution, jnp.isfinite(start), spendable(budget), budget > 0)


def _optimum_near(
    allocation: Array,
    fixed: Callable[[Array], Array],
    budget_now: Array,
    objective: Callable[[Array], Array],
    budget: Array,
) -> Array:
    """The strict local optimum next to an allocation, f[K], differentiable; or NaN.

    Newton's method solves the optimality conditions: equal slopes of the arms with
    positive amounts, amount 0 for the others, and the budget spent. An arm whose amount
    would be negative gets 0; an arm whose slope exceeds the others' becomes positive.
    The search takes the objective and the budget without their derivatives.
    """
    steep = jax.grad(lambda share: fixed(share * budget_now))
    near = allocation / budget_now
    size = jnp.max(jnp.abs(steep(near)))

    def taking(point):
        return (point[:-1] > 0) | (steep(point[:-1]) > point[-1] * size)

    def unmet(point, slopes, takes):
        share, level = point[:-1], point[-1]
        each = jnp.where(takes, slopes(share) / size - level, share)
        return jnp.append(each, jnp.sum(share) - 1)

    def step(_, point):
        here = partial(unmet, slopes=steep, takes=taking(point))
        point = point - jnp.linalg.solve(jax.jacobian(here)(point), here(point))
        return point.at[:-1].max(0.0)

    point = jnp.append(near, jnp.sum(steep(near) * near) / size)
    point = lax.fori_loop(0, NEWTON, step, point)
    takes = taking(point)
    missed = jnp.abs(unmet(point, steep, takes))
    met = jnp.all(missed <= jnp.sqrt(jnp.finfo(point.dtype).eps))
    slopes = jax.grad(lambda share: objective(share * budget))
    point = implicit_root(partial(unmet, slopes=slopes, takes=takes), point)
    return jnp.where(met, point[:-1], jnp.nan) * budget
