"""Curves of a round that pays once: the reward is 1 if at least one arm succeeds.

The probability of a success is ``1 - prod_i (1 - w_i G(x_i, rate_i))``. It is largest
where the sum of the functions ``-log(1 - w_i G(x_i, rate_i))`` is largest. The
derivative of such a function is the hazard rate of a threshold that is infinite with
probability 1 - w. This is the hazard rate of G times ``w S / (1 - w + w S)``, with the
survival S; the second factor falls in x. So if the hazard rate of G falls or is
constant, the functions are concave, and water-filling is exact.
"""

from typing import Annotated

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Float, Real

from jaxbandits.checks import kinds, non_negative, positive
from jaxbandits.kernels.allocation import Curves
from jaxbandits.kernels.bisection import bisect
from jaxbandits.laws.thresholds.generalised_gamma import exponential
from jaxbandits.laws.thresholds.threshold import LEAST, Threshold

SURE = 1e-6  # least probability of no success, so that logarithms are finite
FAR = 20.0  # a drop beyond which exp(drop) - 1 is exp(drop)


@kinds
def cascade_curves(
    family: Threshold,
    weight: Annotated[Float[Array, " K"], non_negative],
    rate: Annotated[Float[Array, " K"], positive],
    shape: float | Real[ArrayLike, " K"] | None = None,
) -> Curves:
    """The functions ``-log(1 - weight G(x, rate))``, as allocation kernels need them.

    Args:
      family: a family whose hazard rate falls (`Threshold.falling_hazard`).
      weight: f[K] in [0, 1], clipped to 1 - 1e-6.
      rate: f[K] > 0.
      shape: f[K] or None.
    """
    weight = jnp.minimum(weight, 1 - SURE)
    some = weight > 0
    log_weight = jnp.where(some, jnp.log(jnp.maximum(weight, LEAST)), -jnp.inf)
    reference = family.log_height(rate, shape)  # type: ignore[misc]

    def value(x):
        return -jnp.log1p(-weight * family.cdf(x, rate, shape))

    def log_marginal(x):
        """Without the weight: relative to the reference, as the drop is."""
        return family.log_pdf(x, rate, shape) + value(x)

    def fall(drop):
        target = reference - drop
        # The marginal lies between w g and w g / (1 - w).
        low = family.fall(drop, rate, shape)  # type: ignore[misc]
        far = drop - jnp.log1p(-weight)
        high = family.fall(far, rate, shape)  # type: ignore[misc]
        at = bisect(lambda x: log_marginal(_positive(x)) > target, low, high)
        at = _positive(lax.stop_gradient(at))
        # The last step is Newton's, which carries the derivative.
        now, slope = jax.jvp(log_marginal, (at,), (jnp.ones_like(at),))
        slope = lax.stop_gradient(jnp.where(slope < 0, slope, -jnp.inf))
        return jnp.clip(at - (now - target) / slope, low, high)

    def exponential_fall(drop):
        """In closed form: the marginal is ``w rate / ((1 - w) exp(rate x) + w)``."""
        spare = jnp.log1p(-weight)
        near = jnp.log1p(jnp.expm1(jnp.minimum(drop, FAR)) * jnp.exp(-spare))
        return jnp.where(drop < FAR, near, drop - spare) / rate

    return Curves(
        value=value,
        fall=exponential_fall if family is exponential else fall,
        log_height=log_weight + reference,
        touch=jnp.zeros_like(rate),
    )


def _positive(x: Array) -> Array:
    return jnp.maximum(x, LEAST)
