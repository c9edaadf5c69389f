"""Projected gradient ascent on the simplex, for any differentiable objective.

The projection and the optimiser are optax's. It needs nothing but the objective, and
gets no more than a local optimum where that is not concave; the water-filling kernels
are exact and much faster where they apply.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Float, Real

from jaxbandits.arrays.real import real
from jaxbandits.checks import kinds, shaped, whole
from jaxbandits.kernels.allocation.solution import (
    INACCURATE,
    SOLVED,
    Solution,
    judged,
    spendable,
)

if TYPE_CHECKING:
    import optax

STEPS = 400
ENOUGH = 1e-2  # relative gap of Frank and Wolfe: the loss is far smaller there


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
      objective: ``f[K] -> f[]``, differentiable on the simplex.
      start: f[K], where to begin; it is projected first.
      budget: f[] > 0.
      steps: how many, each one gradient and one projection.
      optimiser: from optax; by default normalised gradients in units of the budget,
        with a step that falls from 0.2 to 0 along a cosine. (Steps of one size in every
        coordinate, such as Adam's first ones, are undone by the projection.)

    Returns:
      A `Solution` with the best point that was visited. The bound is that of Frank and
      Wolfe, ``f + max_i f_i' B - f' x`` there: valid if the objective is concave, and
      only then. The status is `SOLVED` if the point is nearly stationary, i.e. the
      bound exceeds the value by at most a relative 1e-2 (400 steps end within 1e-3 on
      concave problems), else `INACCURATE`, as if the objective or its slope is not
      finite; `INVALID` if the budget is not positive and finite or `start` is not
      finite.

    Raises:
      ValueError: if `steps` is negative.
    """
    import optax  # here, as it takes half as long as JAX

    whole("steps", steps, 0)
    start, budget = real(start=start, budget=budget)
    shaped("K", start=start)
    shaped("", budget=budget)
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
        # Along the simplex: what all coordinates share, the projection takes away.
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
    return judged(solution, jnp.isfinite(start), spendable(budget), budget > 0)
