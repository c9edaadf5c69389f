"""Confidence bounds of an arm's rate and probability.

Each form has one scale for the rate's radius and one for the probability's:

* ``profile``: rates with twice the log likelihood ratio at most ``z**2 = scale log t``,
  and the probabilities that belong to the two end rates;
* ``delta``: normal approximations from the curvature at the maximum, with the same z.
  Given the rate, an arm's successes are a sum of Bernoulli(p G_u) variables. Their
  variance is ``sum p G_u (1 - p G_u)``. So the squared relative error of p is ``(1 - q)
  / n`` with ``q = sum (p G_u)**2 / sum p G_u``, plus the error from the rate;
* ``none``: the point estimates, for policies that do not use bounds.

The paper's ``sqrt(3 log t / (2 n))`` corresponds to ``z**2 = 6 log t``. Its Hoeffding
radii (section 4.3) are vacuous with the constants of its theorems (errata.md).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.allocation import Problem
from jaxbandits.allocation.policies.estimates import (
    NODES,
    TINY,
    Estimate,
    Estimator,
    Likelihood,
    exposure_at,
    likelihood,
    probability_bound,
)
from jaxbandits.kernels.interpolation import around, interpolate


class Bounds(NamedTuple):
    """Estimates and bounds of an arm, f[] each (a leading axis K for all arms).

    The point estimates, `rate` and `probability`, are None where they are not needed.
    """

    rate: Float[Array, "*arms"] | None
    rate_low: Float[Array, "*arms"]
    rate_high: Float[Array, "*arms"]
    probability: Float[Array, "*arms"] | None
    probability_low: Float[Array, "*arms"]
    probability_high: Float[Array, "*arms"]


def no_bounds(problem: Problem, points: bool = True) -> Bounds:
    """Bounds of all arms before the first observation; `points` adds estimates."""
    one = jnp.ones(problem.num_arms, float)
    middle = (problem.lowest * problem.highest) ** 0.5
    return Bounds(
        middle * one if points else None,
        problem.lowest * one,
        problem.highest * one,
        0 * one if points else None,
        0 * one,
        one,
    )


class Scales(NamedTuple):
    """Factors of the two radii (of their squares, for ``profile`` and ``delta``)."""

    rate: Float[Array, "..."]
    probability: Float[Array, "..."]


class Seen(NamedTuple):
    """An arm, as the argument of a radius.

    Attributes:
      arm: i32[], position of the arm.
      shape: f[] or None, shape of its threshold law.
      statistics: statistics of the arm.
      likelihood: log likelihood from these statistics.
      estimate: point estimates from these statistics.
    """

    arm: Int32[Array, ""]
    shape: Float[Array, ""] | None
    statistics: Any
    likelihood: Likelihood
    estimate: Estimate


Ends = tuple[Array, Array, Array, Array]  # rate low, high; probability low, high
# ``(estimator, arm, scales, t f[]) -> ends``, for an arm with at least one success.
Radius = Callable[[Estimator, Seen, Scales, Array], Ends]


def bounds(
    estimator: Estimator,
    radius: Radius | None,
    statistics: Any,
    round_: Float[Array, ""],
    scales: Scales | None,
    shape: Float[Array, ""] | None,
    arm: Int32[Array, ""],
    points: bool = True,
) -> Bounds:
    """Estimates and bounds of one arm.

    Args:
      estimator: estimator of the arms.
      radius: one of `RADII`.
      statistics: statistics of the arm.
      round_: f[], t.
      scales: f[] > 0 each, or None without a radius.
      shape: f[] or None, shape of the arm's threshold law.
      arm: i32[], position of the arm.
      points: whether point estimates are kept beside the bounds.

    Returns:
      `Bounds`. Without a success they are the full ranges of rate and probability; with
      radius None they are the point estimates.
    """
    known = likelihood(statistics)
    result = estimator.estimate(statistics, shape, known)
    rate, probability = result.rate, result.probability
    if radius is None:
        return Bounds(rate, rate, rate, probability, probability, probability)
    assert scales is not None
    seen = Seen(arm, shape, statistics, known, result)
    rest = radius(estimator, seen, scales, round_)
    none, problem = statistics.successes == 0, estimator.problem
    anything = (problem.lowest, problem.highest, 0.0, 1.0)
    low, high, p_low, p_high = (
        jnp.where(none, end, x) for x, end in zip(rest, anything, strict=True)
    )
    if not points:
        return Bounds(None, low, high, None, p_low, p_high)
    return Bounds(rate, low, high, probability, p_low, p_high)


def _scores(scales: Scales, round_: Array) -> tuple[Array, Array]:
    """The scores z of the rate and of the probability."""
    log_t = jnp.log(round_)
    return jnp.sqrt(scales.rate * log_t), jnp.sqrt(scales.probability * log_t)


def profile(estimator: Estimator, seen: Seen, scales: Scales, round_: Array) -> Ends:
    """Rate bounds by the profile likelihood, and the probabilities at these rates."""
    z_rate, z = _scores(scales, round_)
    low, high = estimator.rate_bounds(seen.likelihood, seen.estimate, z_rate**2)
    # A low rate and a high probability explain the same successes: pair these ends.
    p_high = probability_bound(seen.statistics, low, z)
    p_low = probability_bound(seen.statistics, high, -z)
    return estimator.grid.rate(low), estimator.grid.rate(high), p_low, p_high


def delta(estimator: Estimator, seen: Seen, scales: Scales, round_: Array) -> Ends:
    """Normal approximations from the curvature; needs an estimator with variances."""
    z_rate, z = _scores(scales, round_)
    problem, grid = estimator.problem, estimator.grid
    statistics, result = seen.statistics, seen.estimate
    node = jnp.floor(result.place).astype(jnp.int32)
    log_likelihood = around(seen.likelihood.values, node, NODES)
    _, _, curvature = log_likelihood.derivatives(result.place)
    information = -curvature / grid.spacing**2  # in log rate
    useful = information > 0
    width = z_rate / jnp.sqrt(jnp.where(useful, information, 1.0))
    low, high = (
        jnp.clip(result.rate * factor, problem.lowest, problem.highest)
        for factor in (1 - width, 1 + width)
    )
    total = statistics.exposure.total + statistics.exposure.lost
    _, growth, _ = around(total, node, NODES).derivatives(result.place)
    exposure = jnp.maximum(exposure_at(statistics, result.place), TINY)
    growth = growth / grid.spacing / exposure
    count = jnp.maximum(statistics.successes, 1).astype(float)
    squares = statistics.squares.total + statistics.squares.lost
    q = result.probability * interpolate(squares, result.place, NODES) / exposure
    variance = jnp.maximum(1 - q, 0.0) / count
    variance = variance + growth**2 / jnp.where(useful, information, 1.0)
    spread = z * result.probability * jnp.sqrt(variance)
    return (
        jnp.where(useful, low, problem.lowest),
        jnp.where(useful, high, problem.highest),
        jnp.where(useful, jnp.maximum(result.probability - spread, 0.0), 0.0),
        jnp.where(useful, jnp.minimum(result.probability + spread, 1.0), 1.0),
    )


RADII: dict[str, Radius | None] = {"profile": profile, "delta": delta, "none": None}
