"""Confidence intervals of the mean of bounded observations, as pairs (lower, upper).

All functions take the sample mean, the number of observations and the confidence,
element by element. They are finite for every input in range; without observations, the
interval is the whole range.
"""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Real

from jaxbandits.arrays.real import Floats, Reals, real


def wilson_interval(
    mean: Reals,
    count: Reals,
    z_squared: Reals,
    eta: Reals = 1.0,
    low: float | Real[Array, "*#shape"] = 0.0,
    high: float | Real[Array, "*#shape"] = 1.0,
) -> tuple[Floats, Floats]:
    """Asymmetric interval of Heyden et al. (2024), Theorem 1; Wilson's for ``eta = 1``.

    The ends solve ``count (mean - mu)**2 = z_squared eta (high - mu) (mu - low)``. They
    are computed without cancellation: the lower end is `low` exactly if and only if the
    mean is (or count is 0), where the textbook form comes out slightly below.

    Args:
      mean: real array in [low, high], the sample mean.
      count: real array >= 0, observations; up to 1e37 in float32, as `z_squared`.
      z_squared: real array >= 0, squared normal score of the confidence.
      eta: real array in [0, 1], variance over its largest value at that mean.
      low: lower end of the range, m.
      high: upper end of the range, M; where it equals `low` so do both ends.

    Returns:
      ``(lower, upper)``, arrays of the broadcast shape in [low, high].
    """
    mean, count, z_squared, eta = real(
        mean=mean, count=count, z_squared=z_squared, eta=eta
    )
    ends = real(low=low, high=high)
    if not isinstance(low, list | tuple) and not isinstance(high, list | tuple):
        ends = low, high  # as they are: a number keeps its precision
    low, high = ends
    width = jnp.asarray(high - low).astype(mean.dtype)
    share = (mean - low) / jnp.where(width > 0, width, 1.0)
    least, middle, most = wilson_parts(share, count, z_squared * eta)
    lower, upper = least / middle, jnp.minimum(middle / most, 1.0)
    return low + width * lower, low + width * upper


def wilson_parts(
    share: Reals, count: Reals, z_squared: Reals
) -> tuple[Floats, Floats, Floats]:
    """``(least, middle, most)``, with ratios that end Wilson's interval on [0, 1].

    The lower end is ``least / middle``, the upper ``middle / most``: a ratio of ends
    needs only one division. Each number is a sum of positive terms, so that no digits
    cancel. Arguments as of `wilson_interval`, with eta inside `z_squared`.
    """
    share, count, z_squared = real(share=share, count=count, z_squared=z_squared)
    z2 = jnp.maximum(z_squared, 1e-30)  # 0 / 0 for no observations and no confidence
    hits = count * share
    middle = 2 * hits + z2 + jnp.sqrt(z2) * jnp.sqrt(z2 + 4 * hits * (1 - share))
    return 2 * hits * share, middle, 2 * (count + z2)


def hoeffding_interval(
    mean: Reals, count: Reals, confidence: Reals
) -> tuple[Floats, Floats]:
    """Hoeffding (1963), Theorem 2: ``mean +- sqrt(confidence / (2 count))``, cut to
    [0, 1].

    Args:
      mean: real array in [0, 1].
      count: real array >= 0.
      confidence: real array >= 0, minus the log of the error probability of one side.

    Returns:
      ``(lower, upper)``, arrays of the broadcast shape.
    """
    mean, count, confidence = real(mean=mean, count=count, confidence=confidence)
    radius = jnp.sqrt(confidence / (2 * jnp.maximum(count, 1e-30)))
    return jnp.maximum(mean - radius, 0.0), jnp.minimum(mean + radius, 1.0)


def bernstein_interval(
    mean: Reals, variance: Reals, count: Reals, confidence: Reals
) -> tuple[Floats, Floats]:
    """Empirical Bernstein interval, cut to [0, 1].

    Audibert, Munos & Szepesvari (2009), Theorem 1: radius ``sqrt(2 v x / n) + 3 x / n``
    with ``x = log(3 / delta)``.

    Args:
      mean: real array in [0, 1].
      variance: real array >= 0, population form (divided by n).
      count: real array >= 0.
      confidence: real array >= 0, x; up to 1e29 in float32.

    Returns:
      ``(lower, upper)``, arrays of the broadcast shape.
    """
    mean, variance, count, confidence = real(
        mean=mean, variance=variance, count=count, confidence=confidence
    )
    share = confidence / jnp.maximum(count, 1e-8)  # finite up to 1e29
    radius = jnp.sqrt(2 * variance * share) + 3 * share
    return jnp.maximum(mean - radius, 0.0), jnp.minimum(mean + radius, 1.0)
