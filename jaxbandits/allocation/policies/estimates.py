"""What a learner knows about an arm: likelihoods on a grid of rates, and what follows.

A success at allocation x shows the threshold truncated to [0, x], so the likelihood of
a rate given the thresholds seen is the product of ``pdf(F_u) / G(x_u)`` over successes.
(The paper's eqs. (6), (9) and (10) have B for x, which is right for ``x = B`` only;
errata.md.) Allocations differ from round to round, so no fixed number of moments
is sufficient; the logarithm of the likelihood at a few dozen rates, equally spaced in
``log rate``, is, up to an interpolation error that is a small fraction of a standard
error: with the spacing h in units of the family's `sharpness`, the slope of the
polynomials is wrong by about ``h**7 / 280`` per success at ``h = .24`` (and so by less
than 1/1,000 of a standard error after a million), times an eighth derivative. The same
nodes hold the exposure ``C(rate) = sum_u G(x_u, rate)`` over all rounds, successes or
not, which turns successes into a probability, eq. (11).
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

# Neighbouring rates differ by a factor of at most exp(SPACING), and of exp(SHARP) to
# the power of one over the sharpness of the likelihood.
SPACING = 0.14
SHARP = 0.24
NODES = 8  # that a polynomial passes through
FINE = 0.12  # the spacing for densities that are linear between nodes
TINY = 1e-30  # stands for an exposure of 0


class Statistics(NamedTuple):
    """What has been observed of an arm; a leading axis K for all arms.

    Attributes:
      successes: i32[], n.
      likelihood: f32[J], logarithm of the likelihood of every rate.
      exposure: f32[J], C.
      last: f32[], the last allocation that was observed.
      squares: f32[J], sum of the squares of what `exposure` sums; None unless variances
        need it.
    """

    successes: Int32[Array, "*arms"]
    likelihood: CompensatedSum
    exposure: CompensatedSum
    last: Float[Array, "*arms"]
    squares: CompensatedSum | None = None


class Estimate(NamedTuple):
    """Point estimates.

    Attributes:
      place: f[], of the rate on the grid, in units of the spacing.
      height: f[], the likelihood there.
      rate: f[].
      probability: f[].
    """

    place: Float[Array, "*arms"]
    height: Float[Array, "*arms"]
    rate: Float[Array, "*arms"]
    probability: Float[Array, "*arms"]


class Grid(NamedTuple):
    """The rates of a problem: ``lowest exp(spacing j)``, j = 0, ..., J - 1.

    Of a family without memory they double every `octave` nodes (None otherwise), and
    the last one may lie beyond the largest possible rate.
    """

    lowest: float
    highest: float
    size: int
    octave: int | None

    @classmethod
    def of(cls, problem: Problem, spacing: float = SPACING) -> "Grid":
        """From the least to the largest possible rate.

        Args:
          problem: the game.
          spacing: at most, between logarithms of neighbouring rates.
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
        """Place of the largest rate."""
        if self.octave is None:
            return self.size - 1.0
        return self.octave * math.log2(self.highest / self.lowest)

    @property
    def spacing(self) -> float:
        """Distance between logarithms of neighbouring rates."""
        return math.log(self.highest / self.lowest) / self.last

    def nodes(self) -> Float[Array, " J"]:
        """f[J]."""
        if self.octave is None:
            rates = np.geomspace(self.lowest, self.highest, self.size)
        else:
            rates = self.lowest * 2.0 ** (np.arange(self.size) / self.octave)
        return jnp.asarray(rates, float)

    def rate(self, place: Array) -> Array:
        """The rate at a place."""
        rate = self.lowest * jnp.exp(self.spacing * place)
        return jnp.clip(rate, self.lowest, self.highest)

    def place(self, rate: Array) -> Array:
        """The place of a rate."""
        place = jnp.log(rate / self.lowest) / self.spacing
        return jnp.clip(place, 0.0, self.last)


class Likelihood(NamedTuple):
    """The log likelihood of an arm.

    Attributes:
      values: f[J], at the nodes, less the largest total: small numbers.
      node: i32[], of the largest.
    """

    values: Float[Array, " J"]
    node: Int32[Array, ""]


def likelihood(statistics: Statistics) -> Likelihood:
    """The log likelihood of one arm.

    The node is that of the largest total, whatever rounding has lost of that: totals of
    n successes are known to some n times 6e-8, and from one node to the next the slope
    changes by n times the square of the spacing.
    """
    total, lost = statistics.likelihood
    node = first_argmax(total)
    return Likelihood(stored((total - pick(total, node)) + lost), node)


def exposure_at(statistics: Statistics, place: Float[Array, ""]) -> Float[Array, ""]:
    """C at a place of the grid."""
    return interpolate(statistics.exposure.total, place, NODES)


class Estimator:
    """How arms are learnt about: what is kept of one, and what follows from it.

    Attributes:
      problem: the game.
      grid: the rates at which likelihoods are known.
      variances: whether is kept what variances of p need.
    """

    def __init__(
        self, problem: Problem, spacing: float = SPACING, variances: bool = False
    ) -> None:
        self.problem, self.variances = problem, variances
        self.grid = Grid.of(problem, spacing)

    def zeros(self) -> Any:
        """Before the first round, for all arms."""
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
          statistics: of the arm.
          threshold: f[], as in the feedback: +inf unless the arm succeeded.
          amount: f[], what the arm had.
          shape: f[] or None, the arm's.
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
        """Logarithm of G where thresholds are truncated; any number without success."""
        if self.problem.family.precise:
            # As precise as the other term, and less work.
            return jnp.log(jnp.where(success, reached, 1.0))
        bound = jnp.where(success, amount, 1.0)
        return self.problem.family.log_cdf(bound, rates, shape)

    def _reached(
        self, amount: Float[Array, ""], shape: Float[Array, ""] | None
    ) -> Float[Array, " J"]:
        """G(amount, rate) for all rates of the grid, f[J].

        Without memory ``1 - G`` is squared where the rate is doubled, so that G is ``G
        (2 - G)`` there: the error in digits of G does not grow by that.
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
          statistics: of the arm.
          shape: f[] or None, the arm's.
          known: its likelihood; by default it is looked for.
        """
        none = statistics.successes == 0
        known = likelihood(statistics) if known is None else known
        place, height = self.likeliest(statistics, known, shape)
        # Stored: it has many readers, and each would compute Newton's steps again.
        place = stored(jnp.where(none, self.grid.last / 2, place))
        height = jnp.where(none, 0.0, height)
        exposure = jnp.maximum(exposure_at(statistics, place), TINY)
        probability = jnp.minimum(statistics.successes.astype(float) / exposure, 1.0)
        return Estimate(place, height, self.grid.rate(place), probability)

    def likeliest(
        self, statistics: Any, known: Likelihood, shape: Float[Array, ""] | None
    ) -> tuple[Float[Array, ""], Float[Array, ""]]:
        """Place of the rate with the largest likelihood, and that likelihood."""
        return maximum(known.values, self.grid.last, known.node, NODES)

    def rate_bounds(
        self, known: Likelihood, result: Estimate, z_squared: Float[Array, ""]
    ) -> tuple[Float[Array, ""], Float[Array, ""]]:
        """Places where twice the log likelihood ratio to the estimate is z squared.

        Args:
          known: the likelihood of an arm with at least one success.
          result: its estimate.
          z_squared: f[] >= 0.

        Returns:
          ``(low f[], high f[])``, the end of the grid where there is none.
        """
        level = result.height - jnp.asarray(z_squared, result.height.dtype) / 2
        peak, height = result.place, result.height
        low, high = crossings(known.values, peak, height, level, NODES)
        # Stored: every entry of a window would compute Newton's steps again.
        ends: tuple[Array, Array] = stored((low, jnp.minimum(high, self.grid.last)))
        return ends


def probability_bound(
    statistics: Statistics, place: Float[Array, ""], z: Float[Array, ""]
) -> Float[Array, ""]:
    """Bound of the probability, given the rate: successes are nearly a Poisson count.

    Args:
      statistics: of one arm.
      place: f[], of the rate.
      z: f[], negative for a lower bound.

    Returns:
      f[] in [0, 1]: ``(n + z**2 / 2 + z sqrt(n + z**2 / 4)) / C``.
    """
    n = statistics.successes.astype(float)
    z = jnp.asarray(z, n.dtype)
    count = n + z * z / 2 + z * jnp.sqrt(n + z * z / 4)
    exposure = jnp.maximum(exposure_at(statistics, place), TINY)
    return jnp.clip(count / exposure, 0.0, 1.0)
