"""Posterior draws for Thompson sampling: a rate and a probability of every arm.

The rate is drawn from the likelihood grid under a flat prior of ``log rate``. While the
posterior covers several nodes, the draw inverts its distribution function. Once it is
narrower, the draw is a signed root: for a standard normal z, the rate on the side of
z's sign at which twice the log likelihood ratio is ``z**2``. Its error is of the order
of the squared width, and the grid need not get finer as observations accumulate. Given
the rate, the probability is drawn by the signed root of the Poisson likelihood.

A probability is at most 1, and this bounds the rate: for small rates the exposure C is
below the number n of successes, so that p = n / C would exceed 1. With `feasible`, both
are drawn given p <= 1. For a standard normal z this means z <= ``(C - n) / sqrt(C)``: a
rate is weighted by the normal probability of these z, and z is drawn from them. This
weight may cut the likelihood off anywhere, which no signed root can follow: the draw
inverts the distribution function on equal cells around the weighted posterior's mass,
with a log density that is linear on each. For a normal law all cells then lack the same
share of their mass, so that quantiles are right.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import log_ndtr, ndtr
from jaxtyping import Float

from jaxbandits.allocation import Problem
from jaxbandits.allocation.policies.estimates import (
    FINE,
    NODES,
    TINY,
    Estimate,
    Estimator,
    Grid,
    Statistics,
    exposure_at,
    likelihood,
    probability_bound,
)
from jaxbandits.allocation.solving import shape_array
from jaxbandits.allocation.types import Feedback
from jaxbandits.arrays import constant, stored, window
from jaxbandits.kernels.interpolation import interpolate
from jaxbandits.kernels.normal import normal_quantile


class State(NamedTuple):
    """Statistics and estimates of all arms."""

    statistics: Statistics
    estimate: Estimate


LEAST = 1e-30  # stands for the mass of an empty cell
DEPTH = 16.0  # a log density so far below its largest value stands for none
CELLS = (8, 24)  # cells that find a weighted posterior, and on which it is inverted
FLAT = 1e-3  # a log density that rises less on a cell is taken to rise so much
EPSILON = 1e-7  # a logarithm is taken of a number at least this large
BROAD = 2.5  # nodes; a normal law of standard deviation 1 covers these


def _from_grid(
    log_density: Float[Array, " J"], uniform: Float[Array, ""], last: float
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """A draw by inversion from a density that is linear between nodes.

    Args:
      log_density: f[J], at most about 0.
      uniform: f[] in (0, 1).
      last: position in (J - 2, J - 1] where the density ends.

    Returns:
      ``(place f[] in [0, last], breadth f[])``: the breadth is the total mass over the
      largest density, in nodes.
    """
    density = jnp.exp(log_density - jnp.max(log_density))
    width = np.minimum(last - np.arange(density.shape[0] - 1), 1.0)
    mass = 0.5 * (density[1:] + density[:-1]) * constant(width)
    below = stored(jnp.cumsum(mass))
    total = below[-1]
    uniform = uniform.astype(total.dtype)
    cell = jnp.sum(below < uniform * total, dtype=jnp.int32)
    cell = jnp.minimum(cell, mass.shape[0] - 1)
    inside = window(mass, cell, 1)[0]
    missing = window(below, cell, 1)[0] - uniform * total
    share = jnp.clip(1 - missing / jnp.maximum(inside, LEAST), 0.0, 1.0)
    cell = cell.astype(share.dtype)
    return cell + share * jnp.minimum(last - cell, 1.0), total


def prior(problem: Problem) -> State:
    """State before the first round."""
    estimator = Estimator(problem, FINE)
    statistics = estimator.zeros()
    return State(statistics, _every_estimate(estimator, statistics))


def after(problem: Problem, state: State, feedback: Feedback) -> State:
    """State after a round that updates all arms."""
    shapes: Any = shape_array(problem)
    estimator = Estimator(problem, FINE)
    statistics = jax.vmap(estimator.observe)(
        state.statistics, feedback.threshold, feedback.allocation, shapes
    )
    return State(statistics, _every_estimate(estimator, statistics))


def _every_estimate(estimator: Estimator, statistics: Statistics) -> Estimate:
    shapes: Any = shape_array(estimator.problem)
    return jax.vmap(estimator.estimate)(statistics, shapes)


def largest_score(
    statistics: Statistics, exposure: Float[Array, ""]
) -> Float[Array, ""]:
    """The z at which `probability_bound` is 1: ``(C - n) / sqrt(C)``.

    ``S = n + z**2 / 2 + z sqrt(n + z**2 / 4)`` solves ``S - z sqrt(S) = n``. Hence p =
    S / C is at most 1 for all z up to this value.
    """
    exposure = jnp.maximum(exposure, TINY)
    return (exposure - statistics.successes.astype(exposure.dtype)) / jnp.sqrt(exposure)


class Cells(NamedTuple):
    """Equal cells on which an arm's weighted posterior lies; positions as on the grid.

    Attributes:
      low: f[], where the first cell begins.
      step: f[], length of a cell.
      first: f[C], log density where a cell begins.
      rise: f[C], what it rises by on the cell, not 0.
      below: f[C], mass up to the end of a cell.
    """

    low: Float[Array, "*arms"]
    step: Float[Array, "*arms"]
    first: Float[Array, "*arms C"]
    rise: Float[Array, "*arms C"]
    below: Float[Array, "*arms C"]

    def drawn(self, uniform: Float[Array, ""]) -> Float[Array, ""]:
        """The place below which a share of the mass lies."""
        wanted = uniform.astype(self.below.dtype) * self.below[-1]
        cell = jnp.sum(self.below < wanted, dtype=jnp.int32)
        cell = jnp.minimum(cell, self.below.shape[0] - 1)
        first, rise, end = (window(x, cell, 1)[0] for x in self[2:])
        missing = (end - wanted) * rise * jnp.exp(-first)
        height = jnp.maximum(jnp.expm1(rise) - missing, -1 + EPSILON)
        share = jnp.clip(jnp.log1p(height) / rise, 0.0, 1.0)
        return self.low + self.step * (cell.astype(share.dtype) + share)


def feasible_cells(problem: Problem, state: State) -> Cells:
    """The posterior of every arm's rate, given that its probability is at most 1.

    Nodes of the grid, then a few cells, find where the mass is: it may be 1/1,000 of
    the grid.
    """
    grid = Grid.of(problem, FINE)

    def one(statistics):
        known = likelihood(statistics)

        def weighted(log_likelihood, exposure):
            return log_likelihood + log_ndtr(largest_score(statistics, exposure))

        def log_density(place):
            log_likelihood = interpolate(known.values, place, NODES)
            return weighted(log_likelihood, exposure_at(statistics, place))

        places = jnp.minimum(jnp.arange(grid.size).astype(float), grid.last)
        values = stored(weighted(known.values, statistics.exposure.total))
        step = jnp.ones((), float)
        for count in CELLS:
            inside = values > jnp.max(values) - DEPTH
            low = jnp.maximum(jnp.min(jnp.where(inside, places, jnp.inf)) - step, 0.0)
            high = jnp.max(jnp.where(inside, places, -jnp.inf)) + step
            step = (jnp.minimum(high, grid.last) - low) / count
            places = low + step * jnp.arange(count + 1).astype(step.dtype)
            values = stored(jax.vmap(log_density)(places))
        # Twice the depth, so that differences stay finite.
        values = jnp.maximum(values - jnp.max(values), -2 * DEPTH)
        first, rise = values[:-1], values[1:] - values[:-1]
        rise = jnp.where(jnp.abs(rise) < FLAT, FLAT, rise)
        mass = jnp.exp(first) * jnp.expm1(rise) / rise
        return Cells(low, step, first, rise, stored(jnp.cumsum(mass)))

    return jax.vmap(one)(state.statistics)


def draw(
    problem: Problem,
    state: State,
    z_rate: Float[Array, " K"],
    z_probability: Float[Array, " K"],
    cells: Cells | None = None,
) -> tuple[Float[Array, " K"], Float[Array, " K"]]:
    """Rates and probabilities of all arms, from standard normal numbers.

    With `feasible_cells` both are drawn given that p is at most 1. Otherwise p is
    clipped to 1, and the rate is drawn without this condition.
    """
    estimator = Estimator(problem, FINE)
    grid = estimator.grid

    def one(statistics, estimate, z_rate, z_probability, cells):
        if cells is None:
            known = likelihood(statistics)
            broad, breadth = _from_grid(known.values, ndtr(z_rate), grid.last)
            sides = estimator.rate_bounds(known, estimate, z_rate**2)
            narrow = jnp.where(z_rate < 0, *sides)
            place = jnp.where(breadth > BROAD, broad, narrow)
        else:
            place = cells.drawn(ndtr(z_rate))
            largest = largest_score(statistics, exposure_at(statistics, place))
            share = ndtr(z_probability).astype(largest.dtype)
            inside = jnp.maximum(share * ndtr(largest), LEAST)
            z_probability = jnp.minimum(normal_quantile(inside), largest)
        probability = probability_bound(statistics, place, z_probability)
        return grid.rate(place), probability

    return jax.vmap(one)(*state, z_rate, z_probability, cells)
