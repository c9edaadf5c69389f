"""Variances and correlations of an arm, shrunk towards a prior."""

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from jaxbandits.arrays import constant
from jaxbandits.budgeted.policies.ranges import Ranges, shares
from jaxbandits.budgeted.policies.statistics import Means

LEAST_SPREAD = 1e-5  # share of the range; a smaller deviation is a rounding error


def shrunk_eta(
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
      squares: f[K], sums of squared deviations from the mean.
      weight: f[].
      pooled: whether the prior is pooled over all arms with a positive variance, or 1.
        An arm with two or more pulls and zero variance always has prior 1.

    Returns:
      f[K] in (0, 1]; 1 if all observations are 0 or 1.
    """
    # (n - 1) times the unbiased estimate of mu (1 - mu). squares / (n - 1) is an
    # unbiased variance; the quotient is 1 if all observations are 0 or 1.
    largest = (pulls - 1) * mean * (1 - mean) + squares / pulls
    prior = jnp.ones_like(mean)
    if pooled:
        shown = squares > LEAST_SPREAD**2 * pulls
        most = jnp.sum(jnp.where(shown, largest, 0.0))
        together = (1 + jnp.sum(squares)) / (1 + most)
        # One pull has no variance; with prior 1, all arms would be pulled twice.
        prior = jnp.where(shown | (pulls < 2), jnp.minimum(together, 1.0), prior)
    own = jnp.clip(squares / jnp.where(largest > 0, largest, 1.0), 0.0, 1.0)
    known = jnp.where(largest > 0, pulls - 1, 0.0)
    return jnp.minimum((weight * prior + known * own) / (weight + known), 1.0)


def shrunk_correlation(
    pulls: Float[Array, " K"],
    products: Float[Array, " K"],
    reward_squares: Float[Array, " K"],
    cost_squares: Float[Array, " K"],
    weight: Float[Array, ""],
) -> Float[Array, " K"]:
    """Correlations of reward and cost, mixed with `weight` pulls of the worst case, -1.

    Args:
      pulls: f[K], at least 1.
      products: f[K], sums of products of the deviations of reward and cost.
      reward_squares, cost_squares: f[K], sums of squared deviations.
      weight: f[].

    Returns:
      f[K] in [-1, 1]; -1 where the observed variance of reward or cost is 0.
    """
    scale = jnp.sqrt(reward_squares) * jnp.sqrt(cost_squares)
    known = jnp.where(scale > 0, pulls - 1, 0.0)
    own = jnp.clip(products / jnp.where(scale > 0, scale, 1.0), -1.0, 1.0)
    return (known * own - weight) / (weight + known)


def joint_share(
    ranges: Ranges,
    means: Means,
    eta_reward: Float[Array, " K"],
    eta_cost: Float[Array, " K"],
    correlation: Float[Array, " K"],
) -> Float[Array, " K"]:
    """Squared width of a joint interval of reward and cost over that of their box.

    To first order, a ratio r = R / C deviates by r (a - b), where a and b are the
    relative deviations of R and C. Its variance is that of Fieller's interval. The
    ratio of the ends of two intervals allows for a + b.

    Args:
      ranges: ranges of all arms.
      means: means of all arms.
      eta_reward, eta_cost: f[K], variances over their largest values at these means.
      correlation: f[K], correlation of reward and cost.

    Returns:
      f[K], ``(a^2 - 2 correlation a b + b^2) / (a + b)^2`` in [0, 1].
    """
    reward, cost = (
        _relative_deviation(share, means.count, eta, low, width)
        for share, eta, low, width in zip(
            shares(ranges, means),
            (eta_reward, eta_cost),
            (ranges.reward_low, ranges.cost_low),
            (ranges.reward_width, ranges.cost_width),
            strict=True,
        )
    )
    both = reward + cost
    return 1 - 2 * (1 + correlation) * reward * cost / (both * both)


def _relative_deviation(
    share: Array, count: Array, eta: Array, low: np.ndarray, width: np.ndarray
) -> Array:
    """Standard deviation over the mean; finite, because one success and one failure are
    added to the data."""
    first, span = constant((low, width))
    mean = (share * count + 1) / (count + 2)
    return span * jnp.sqrt(eta * mean * (1 - mean)) / (first + span * mean)
