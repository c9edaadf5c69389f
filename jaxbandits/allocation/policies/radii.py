"""Confidence bounds of an arm's rate and probability.

Four forms, each with a scale for either radius, and none:

* ``profile``: rates whose twice log likelihood ratio is at most ``z**2 = scale log t``,
  and the probabilities that go with the two ends;
* ``delta``: normal approximations from the curvature at the maximum, with the same z.
  Given the rate, the successes of an arm are a sum of coins of probability p G_u: their
  variance is ``sum p G_u (1 - p G_u)``, so the squared relative error of p is ``(1 - q)
  / n`` with ``q = sum (p G_u)**2 / sum p G_u``, and that of the rate comes on top;
* ``printed``: the paper's Hoeffding radii (section 4.3), times `scale`. With the
  constants of the theorems they are vacuous (errata.md): the policy then gives all
  budget to one arm, in turn;
* ``code``: those of the authors' published code, for exponential thresholds: `CODE_D`
  in place of the theorems' constant, its blocks of K rounds for t, its hundredths;
* ``none``: the point estimates, for policies that make no use of bounds.

The paper's ``sqrt(3 log t / (2 n))`` corresponds to ``z**2 = 6 log t``.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from jaxbandits.allocation import Problem
from jaxbandits.allocation.policies.estimates import (
    NODES,
    TINY,
    Estimate,
    Grid,
    Likelihood,
    Statistics,
    estimate,
    exposure_at,
    likelihood,
    probability_bound,
    rate_bounds,
)
from jaxbandits.kernels.interpolation import around, interpolate
from jaxbandits.laws.thresholds import exponential

RADII = ("profile", "delta", "printed", "code", "none")
CODE_D = 0.07  # for |g'(M)|, 448 times what Lemma H.1 gives in appendix A.1
LARGE = 1e30  # stands for an infinite radius


class Bounds(NamedTuple):
    """Estimates and bounds of an arm, f[] each (a leading axis K for all arms).

    The point estimates, `rate` and `probability`, are None where nobody asks for them.
    """

    rate: Float[Array, "*arms"] | None
    rate_low: Float[Array, "*arms"]
    rate_high: Float[Array, "*arms"]
    probability: Float[Array, "*arms"] | None
    probability_low: Float[Array, "*arms"]
    probability_high: Float[Array, "*arms"]


def no_bounds(problem: Problem, points: bool = True) -> Bounds:
    """Before the first observation, for all arms; with point estimates, or not."""
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


class _Constants(NamedTuple):
    """Lipschitz constants of Assumptions 2.3 and 4.1, one per arm: f64[K].

    Attributes:
      cdf: L_lambda, of G in the rate.
      mean: L_mu, one over that of the inverse of the truncated mean.
    """

    cdf: np.ndarray
    mean: np.ndarray


def printed_constants(problem: Problem) -> _Constants:
    """The constants of a problem (host); the paper's for exponential thresholds.

    For other families the extreme slopes on a fine grid of rates and allocations.
    """
    if problem.family is exponential:
        top = problem.highest * problem.budget  # M
        slope = 1 / top**2 - np.exp(-top) / np.expm1(-top) ** 2  # D, Lemma H.1
        ones = np.ones(problem.num_arms)
        return _Constants(problem.budget * ones, problem.budget**2 * slope * ones)
    family = problem.family
    with jax.enable_x64(True):
        rates = jnp.asarray(np.geomspace(problem.lowest, problem.highest, 129))
        amounts = jnp.asarray(np.linspace(0, problem.budget, 2049)[1:])[:, None]
        shapes = problem.shape or (None,) * problem.num_arms

        def slope(function, x, shape):
            rows = tuple(jnp.broadcast_arrays(x, rates))
            tangent = (jnp.zeros_like(rows[0]), jnp.ones_like(rows[1]))
            return jax.jvp(lambda x, r: function(x, r, shape), rows, tangent)[1]

        def constants(shape):
            steepest = jnp.max(slope(family.cdf, amounts, shape))
            flattest = jnp.min(
                jnp.abs(slope(family.truncated_mean, problem.budget, shape))
            )
            return float(steepest), float(flattest)

        different = {shape: constants(shape) for shape in set(shapes)}
    return _Constants(*np.array([different[shape] for shape in shapes]).T)


def bounds(
    problem: Problem,
    kind: str,
    statistics: Statistics,
    round_: Float[Array, ""],
    scales: Scales | None,
    shape: Float[Array, ""] | None,
    constants: Any,
    points: bool = True,
) -> Bounds:
    """Estimates and bounds of one arm.

    Args:
      problem: the game.
      kind: one of `RADII`.
      statistics: of the arm.
      round_: f[], t.
      scales: f[] > 0 each, or None for ``none``.
      shape: f[] or None, the arm's.
      constants: of the arm, f[] each, for ``printed``; else None.
      points: whether point estimates are kept beside the bounds.

    Returns:
      `Bounds`; without a success the rate may be anything and the probability too,
      unless there are no radii.
    """
    known = likelihood(statistics)
    result = estimate(problem, statistics, shape, known)
    rate, probability = result.rate, result.probability
    if kind == "none":
        return Bounds(rate, rate, rate, probability, probability, probability)
    assert scales is not None
    log_t = jnp.log(round_)
    if kind in ("profile", "delta"):
        form = _profile if kind == "profile" else _delta
        z = [jnp.sqrt(s * log_t) for s in scales]
        rest = form(problem, statistics, known, result, *z)
    elif kind == "printed":
        rest = _printed(problem, statistics, result, scales, log_t, shape, constants)
    else:
        rest = _code(problem, statistics, result, scales, round_)
    none = statistics.successes == 0
    anything = (problem.lowest, problem.highest, 0.0, 1.0)
    low, high, p_low, p_high = (
        jnp.where(none, end, x) for x, end in zip(rest, anything, strict=True)
    )
    if not points:
        return Bounds(None, low, high, None, p_low, p_high)
    return Bounds(rate, low, high, probability, p_low, p_high)


def _profile(
    problem: Problem,
    statistics: Statistics,
    known: Likelihood,
    result: Estimate,
    z_rate: Array,
    z: Array,
) -> tuple[Array, Array, Array, Array]:
    grid = Grid.of(problem)
    low, high = rate_bounds(problem, known, result, z_rate**2)
    # A low rate and a high probability explain the same successes: ends go together.
    p_high = probability_bound(statistics, low, z)
    p_low = probability_bound(statistics, high, -z)
    return grid.rate(low), grid.rate(high), p_low, p_high


def _delta(
    problem: Problem,
    statistics: Statistics,
    known: Likelihood,
    result: Estimate,
    z_rate: Array,
    z: Array,
) -> tuple[Array, Array, Array, Array]:
    grid = Grid.of(problem)
    node = jnp.floor(result.place).astype(jnp.int32)
    log_likelihood = around(known.values, node, NODES)
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
    squares = statistics.squares.total + statistics.squares.lost  # type: ignore[union-attr]
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


def _printed(
    problem: Problem,
    statistics: Statistics,
    result: Estimate,
    scales: Scales,
    log_t: Array,
    shape: Float[Array, ""] | None,
    constants: _Constants,
) -> tuple[Array, Array, Array, Array]:
    """The displayed formulas of section 4.3."""
    count = jnp.maximum(statistics.successes, 1).astype(float)
    root = jnp.sqrt(3 * log_t / (2 * count))
    budget = problem.budget
    width = scales.rate * budget / constants.mean * root
    # C_hat = G(x_t, m/B) with the x_t that is about to be chosen is circular: this is
    # the arm's last observed allocation.
    floor = problem.family.cdf(statistics.last, problem.lowest, shape)
    factor = constants.cdf / constants.mean * budget * (1 + result.probability)
    spread = scales.probability * factor * root / jnp.maximum(floor, 1e-30)
    spread = jnp.minimum(spread, LARGE)
    return (
        jnp.maximum(result.rate - width, problem.lowest),
        jnp.minimum(result.rate + width, problem.highest),
        jnp.maximum(result.probability - spread, 0.0),
        jnp.minimum(result.probability + spread, 1.0),
    )


def _code(
    problem: Problem,
    statistics: Statistics,
    result: Estimate,
    scales: Scales,
    round_: Array,
) -> tuple[Array, Array, Array, Array]:
    """``compute_confidence_bounds`` of ``main_exponential.ipynb``.

    Clipped to Lambda above, too, which the code is not.
    """
    block = jnp.floor((round_ - 1) / problem.num_arms)
    count = statistics.successes.astype(float) + 0.01
    root = jnp.sqrt(3 * jnp.log(block + 1) / (2 * count))
    width = scales.rate * root / (problem.budget * CODE_D)
    floor = -jnp.expm1(-statistics.last / problem.budget)
    spread = scales.probability * 0.01 * (1 + result.probability) * root
    spread = spread / (floor * CODE_D + 0.01)
    return (
        jnp.maximum(result.rate - width, problem.lowest),
        jnp.minimum(result.rate + width, problem.highest),
        jnp.maximum(result.probability - spread, 0.001),
        jnp.clip(result.probability + spread, 0.001, 1.0),
    )
