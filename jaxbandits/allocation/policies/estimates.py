"""Likelihoods of an arm's rate on a grid, and the estimates of rate and probability.

A success at allocation x shows a threshold truncated to [0, x]. The likelihood of a
rate, given the observed thresholds, is the product of ``pdf(F_u) / G(x_u)`` over
successes. (The paper's eqs. (6), (9) and (10) have B for x, which is right only if
``x = B``; errata.md.) Allocations differ between rounds, so no fixed number of moments
is a sufficient statistic. The log likelihood at a few dozen rates, equally spaced in
``log rate``, is one up to a small interpolation error. With spacing h in units of the
family's `sharpness`, the slope of the interpolant is wrong by ``h**7 / 280`` per
success, times an eighth derivative: less than 1/1,000 of a standard error at ``h =
.24`` after a million successes. The same nodes hold the exposure ``C(rate) = sum_u
G(x_u, rate)`` over all rounds; eq. (11) divides successes by it to get a probability.
"""

import math
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits.allocation import Problem
from jaxbandits.arrays import CompensatedSum, first_argmax, pick, stored
from jaxbandits.kernels.interpolation import crossings, interpolate, maximum

# Neighbouring rates differ at most by the factor exp(SPACING), and at most by
# exp(SHARP / sharpness), with the sharpness of the likelihood.
SPACING = 0.14
SHARP = 0.24
NODES = 8  # number of nodes of an interpolating polynomial
FINE = 0.12  # spacing for densities that are linear between nodes
TINY = 1e-30  # stands for an exposure of 0


class Statistics(NamedTuple):
    """Statistics of an arm; a leading axis K for all arms.

    Attributes:
      successes: i32[], n, number of successes.
      likelihood: f32[J], logarithm of the likelihood of every rate.
      exposure: f32[J], C, sum of G(x_u, rate) over observed rounds.
      last: f32[], allocation of the last observed round.
      squares: f32[J], sum of G(x_u, rate)**2; None unless variances need it.
    """

    successes: Int32[Array, "*arms"]
    likelihood: CompensatedSum
    exposure: CompensatedSum
    last: Float[Array, "*arms"]
    squares: CompensatedSum | None = None


class Estimate(NamedTuple):
    """Point estimates.

    Attributes:
      place: f[], position of the rate on the grid, in units of the spacing.
      height: f[], log likelihood at this rate.
      rate: f[], estimated rate.
      probability: f[], estimated probability.
    """

    place: Float[Array, "*arms"]
    height: Float[Array, "*arms"]
    rate: Float[Array, "*arms"]
    probability: Float[Array, "*arms"]


class Grid(NamedTuple):
    """The rates of a problem: ``lowest exp(spacing j)``, j = 0, ..., J - 1.

    For a memoryless family, rates double every `octave` nodes (None otherwise), and the
    last node may lie beyond the largest possible rate.
    """

    lowest: float
    highest: float
    size: int
    octave: int | None

    @classmethod
    def of(cls, problem: Problem, spacing: float = SPACING) -> "Grid":
        """The grid from the least to the largest possible rate.

        Args:
          problem: what the learner knows about the game.
          spacing: largest difference between logarithms of neighbouring rates.
        """
        ratio = problem.highest / problem.lowest
        if problem.family.memoryless:
            octave = math.ceil(math.log(2) / spacing)
            size = 1 + math.ceil(octave * math.log2(ratio))
            if size > NODES:
                return cls(problem.lowest, problem.highest, size, octave)
        sharpness = float(np.max(problem.family.sharpness(problem.shape)))
        spacing = min(spacing, SHARP / sharpness)
        size = max(1 + math.ceil(math.log(ratio) / spacing), NODES)
        return cls(problem.lowest, problem.highest, size, None)

    @property
    def last(self) -> float:
        """Position of the largest rate on the grid."""
        if self.octave is None:
            return self.size - 1.0
        return self.octave * math.log2(self.highest / self.lowest)

    @property
    def spacing(self) -> float:
        """Distance between logarithms of neighbouring rates."""
        return math.log(self.highest / self.lowest) / self.last

    def nodes(self) -> Float[Array, " J"]:
        """All rates of the grid, f[J]."""
        if self.octave is None:
            rates = np.geomspace(self.lowest, self.highest, self.size)
        else:
            rates = self.lowest * 2.0 ** (np.arange(self.size) / self.octave)
        return jnp.asarray(rates, float)

    def rate(self, place: Array) -> Array:
        """The rate at a position on the grid."""
        rate = self.lowest * jnp.exp(self.spacing * place)
        return jnp.clip(rate, self.lowest, self.highest)

    def place(self, rate: Array) -> Array:
        """The position of a rate on the grid."""
        place = jnp.log(rate / self.lowest) / self.spacing
        return jnp.clip(place, 0.0, self.last)


class Likelihood(NamedTuple):
    """The log likelihood of an arm.

    Attributes:
      values: f[J], log likelihood at the nodes minus its largest value.
      node: i32[], node with the largest value.
    """

    values: Float[Array, " J"]
    node: Int32[Array, ""]


def likelihood(statistics: Statistics) -> Likelihood:
    """The log likelihood of one arm.

    The node is the one with the largest rounded total. Rounding errors do not matter
    here: totals of n successes have errors of about 6e-8 n, while the slope changes by
    n times the squared spacing from one node to the next.
    """
    total, lost = statistics.likelihood
    node = first_argmax(total)
    return Likelihood(stored((total - pick(total, node)) + lost), node)


def exposure_at(statistics: Statistics, place: Float[Array, ""]) -> Float[Array, ""]:
    """The exposure C at a position on the grid."""
    return interpolate(statistics.exposure.total, place, NODES)


class Estimator:
    """The statistics that are kept of an arm, and the estimates from them.

    Attributes:
      problem: what the learner knows about the game.
      grid: the rates at which likelihoods are known.
      variances: whether to keep the squares that variances of p need.
    """

    def __init__(
        self, problem: Problem, spacing: float = SPACING, variances: bool = False
    ) -> None:
        self.problem, self.variances = problem, variances
        self.grid = Grid.of(problem, spacing)

    def zeros(self) -> Any:
        """Statistics of all arms before the first round."""
        num_arms = self.problem.num_arms
        table = CompensatedSum.zeros((num_arms, self.grid.size), float)
        count, last = jnp.zeros(num_arms, jnp.int32), jnp.zeros(num_arms, float)
        squares = table if self.variances else None
        return Statistics(count, table, table, last, squares)

    def observe(
        self,
        statistics: Any,
        threshold: Float[Array, ""],
        amount: Float[Array, ""],
        shape: Float[Array, ""] | None,
    ) -> Any:
        """Statistics of one arm after a round.

        Args:
          statistics: statistics of the arm before the round.
          threshold: f[], as in the feedback: +inf unless the arm succeeded.
          amount: f[], the arm's allocation.
          shape: f[] or None, shape of the arm's threshold law.
        """
        rates = self.grid.nodes()
        success = threshold < jnp.inf
        seen = jnp.where(success, threshold, 1.0)
        reached = self._reached(amount, shape)
        log_share = self.log_share(success, amount, reached, rates, shape)
        truncated = self.problem.family.log_pdf(seen, rates, shape) - log_share
        squares = statistics.squares
        return Statistics(
            statistics.successes + success.astype(jnp.int32),
            statistics.likelihood.add(jnp.where(success, truncated, 0.0)),
            statistics.exposure.add(reached),
            amount,
            squares and squares.add(reached * reached),
        )

    def log_share(
        self,
        success: Bool[Array, ""],
        amount: Float[Array, ""],
        reached: Float[Array, " J"],
        rates: Float[Array, " J"],
        shape: Float[Array, ""] | None,
    ) -> Float[Array, " J"]:
        """log G at the arm's allocation; without a success, any finite number."""
        if self.problem.family.precise:
            # As precise as `log_cdf`, and less work.
            return jnp.log(jnp.where(success, reached, 1.0))
        bound = jnp.where(success, amount, 1.0)
        return self.problem.family.log_cdf(bound, rates, shape)

    def _reached(
        self, amount: Float[Array, ""], shape: Float[Array, ""] | None
    ) -> Float[Array, " J"]:
        """G(amount, rate) for all rates of the grid, f[J].

        For a memoryless family, doubling the rate squares ``1 - G``, so that G becomes
        ``G (2 - G)``. This step does not increase the relative error of G.
        """
        cdf, rates, octave = (
            self.problem.family.cdf,
            self.grid.nodes(),
            self.grid.octave,
        )
        if octave is None:
            return cdf(amount, rates, shape)
        rows = [stored(cdf(amount, rates[:octave], shape))]
        for first in range(octave, self.grid.size, octave):
            before = rows[-1][: self.grid.size - first]
            rows.append(stored(before * (2 - before)))
        return stored(jnp.concatenate(rows))

    def estimate(
        self,
        statistics: Any,
        shape: Float[Array, ""] | None,
        known: Likelihood | None = None,
    ) -> Estimate:
        """Rate and probability of one arm, eqs. (10) and (11).

        Without a success the rate is the middle of the grid and the probability 0.

        Args:
          statistics: statistics of the arm.
          shape: f[] or None, shape of the arm's threshold law.
          known: likelihood of the arm; computed by default.
        """
        none = statistics.successes == 0
        known = likelihood(statistics) if known is None else known
        place, height = self.likeliest(statistics, known, shape)
        # Stored, as else each of its many readers would repeat Newton's steps.
        place = stored(jnp.where(none, self.grid.last / 2, place))
        height = jnp.where(none, 0.0, height)
        exposure = jnp.maximum(exposure_at(statistics, place), TINY)
        probability = jnp.minimum(statistics.successes.astype(float) / exposure, 1.0)
        return Estimate(place, height, self.grid.rate(place), probability)

    def likeliest(
        self, statistics: Any, known: Likelihood, shape: Float[Array, ""] | None
    ) -> tuple[Float[Array, ""], Float[Array, ""]]:
        """Position of the rate with the largest log likelihood, and that value."""
        return maximum(known.values, self.grid.last, known.node, NODES)

    def rate_bounds(
        self, known: Likelihood, result: Estimate, z_squared: Float[Array, ""]
    ) -> tuple[Float[Array, ""], Float[Array, ""]]:
        """Positions where twice the log likelihood ratio to the estimate is z squared.

        Args:
          known: likelihood of an arm with at least one success.
          result: estimate of the arm.
          z_squared: f[] >= 0.

        Returns:
          ``(low f[], high f[])``; the end of the grid if no such position exists.
        """
        level = result.height - jnp.asarray(z_squared, result.height.dtype) / 2
        peak, height = result.place, result.height
        low, high = crossings(known.values, peak, height, level, NODES)
        # Stored, as else every entry of a window would repeat Newton's steps.
        ends: tuple[Array, Array] = stored((low, jnp.minimum(high, self.grid.last)))
        return ends


def probability_bound(
    statistics: Statistics, place: Float[Array, ""], z: Float[Array, ""]
) -> Float[Array, ""]:
    """Bound of the probability, given the rate; successes are nearly a Poisson count.

    Args:
      statistics: statistics of one arm.
      place: f[], position of the rate on the grid.
      z: f[], negative for a lower bound.

    Returns:
      f[] in [0, 1]: ``(n + z**2 / 2 + z sqrt(n + z**2 / 4)) / C``.
    """
    n = statistics.successes.astype(float)
    z = jnp.asarray(z, n.dtype)
    count = n + z * z / 2 + z * jnp.sqrt(n + z * z / 4)
    exposure = jnp.maximum(exposure_at(statistics, place), TINY)
    return jnp.clip(count / exposure, 0.0, 1.0)
