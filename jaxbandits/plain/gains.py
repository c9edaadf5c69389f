"""Posterior draws of a mean gain from the number, sum and sum of squares of the gains.

Take a Dirichlet process whose prior observations are the least and the largest possible
gain. Its draw of the mean weighs all observations by Dirichlet(1, ..., 1) weights
(Ferguson 1973). Here two values replace n gains with mean m and variance v. They have
the same mean and variance, and one of them is the largest gain. With gains scaled to
[0, 1] these values are

    1, a n times,  and  x = m - v / (1 - m), (1 - a) n times,
    a = v / ((1 - m)^2 + v).

A draw is ``w_1 + w_x x`` with (w_0, w_x, w_1) ~ Dirichlet(1, (1 - a) n, 1 + a n). Its
mean and variance are those of the process with every gain; if the gains are 0 or 1, or
all equal, the whole law agrees. Of all laws with this mean and variance, these two
values make high draws most likely. Hence an arm with a bad start is not given up too
soon, whatever the law of its gains (theory/cell-thompson.md). For a cost or a time, the
gain is the amount saved: see `drawn_cost`. At a price, gain and cost make one number:
see `shortfalls`.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Num

from jaxbandits.arrays import CompensatedSum
from jaxbandits.kernels.gamma import beta_from_uniforms

WORDS = 3  # words of noise per draw
_NONE = 1e-12  # stands for 0 in a denominator


class Sums(NamedTuple):
    """The statistics of gains that a policy keeps: their sum and sum of squares."""

    gain: CompensatedSum
    square: CompensatedSum

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> "Sums":
        """The sums of no gains."""
        none = CompensatedSum.zeros(shape, float)
        return cls(none, none)

    def add(
        self, gain: Float[Array, "..."], where: Bool[Array, "..."] | None = None
    ) -> "Sums":
        """The sums after one more gain, at all positions or where `where` is true."""
        if where is not None:
            gain = jnp.where(where, gain, 0.0)
        return Sums(self.gain.add(gain), self.square.add(gain * gain))


class Gains(NamedTuple):
    """Statistics of gains.

    Attributes:
      runs, total, square: the number of gains, their sum and the sum of their squares.
      least: the least possible gain; the largest is 1.
    """

    runs: Float[Array, "*shape"]
    total: Float[Array, "*shape"]
    square: Float[Array, "*shape"]
    least: float

    @classmethod
    def of(cls, runs: Num[Array, "*shape"], sums: Sums, least: float = 0.0) -> "Gains":
        """The statistics of `runs` gains with these sums."""
        return cls(runs.astype(float), sums.gain.total, sums.square.total, least)

    def expected(self) -> Float[Array, "*shape"]:
        """The posterior mean of the mean gain."""
        return (self.total + (self.least + 1)) / (self.runs + 2)

    def drawn(self, uniforms: Float[Array, "3 *#shape"]) -> Float[Array, "*shape"]:
        """A draw of the mean gain, in [least, 1]."""
        first, second, third = uniforms
        span = 1 - self.least
        count = jnp.maximum(self.runs, 1.0)
        mean = self.total / count
        variance = (self.square / count - mean * mean) / span**2
        # Rounding may move mean and variance out of their possible ranges: clip.
        mean = jnp.clip((mean - self.least) / span, 0.0, 1.0)
        missing = 1 - mean
        variance = jnp.clip(variance, 0.0, mean * missing)
        value = mean - variance / jnp.maximum(missing, _NONE)
        lower = missing**2 / jnp.maximum(missing**2 + variance, _NONE) * self.runs
        largest = beta_from_uniforms(first, second, 1 + self.runs - lower, 1 + lower)
        # w_x as a share of w_0 + w_x: a quantile of Beta((1 - a) n, 1).
        third = third.astype(lower.dtype)
        kept = jnp.exp(jnp.log(third) / jnp.maximum(lower, _NONE))
        return self.least + span * (largest + (1 - largest) * kept * value)

    def drawn_cost(self, uniforms: Float[Array, "3 *#shape"]) -> Float[Array, "*shape"]:
        """A draw of the mean cost, in (0, 1], if the statistics are those of costs.

        This is 1 minus a draw of the mean saving, where a saving is ``1 - cost``; one
        of the two values is a cost of 0. In this form, small costs lose no digits.
        """
        first, second, third = uniforms
        count = jnp.maximum(self.runs, 1.0)
        mean = jnp.clip(self.total / count, 0.0, 1.0)
        variance = jnp.maximum(self.square / count - mean * mean, 0.0)
        value = jnp.minimum(mean + variance / jnp.maximum(mean, _NONE), 1.0)
        upper = mean / jnp.maximum(value, _NONE) * self.runs
        some = beta_from_uniforms(first, second, 1 + upper, 1 + self.runs - upper)
        # The largest cost's share of this weight: 1 minus a draw of Beta(upper, 1).
        third = third.astype(upper.dtype)
        dear = -jnp.expm1(jnp.log(third) / jnp.maximum(upper, _NONE))
        return some * (dear + (1 - dear) * value)


def shortfalls(
    runs: Num[Array, "*shape"],
    gains: Sums,
    costs: Sums,
    products: CompensatedSum,
    share: Float[Array, "*#shape"],
) -> Gains:
    """Statistics of shortfalls: distances in [0, 1] of runs from full gain at no cost.

    Args:
      runs: number of runs.
      gains, costs: sums of the runs' gains and costs, in [0, 1].
      products: sum of the products of gain and cost of a run.
      share: s in [0, 1], weight of the cost; the shortfall is ``(1 - s)(1 - gain)
        + s cost``.
    """
    n, other = runs.astype(float), 1 - share
    gain, cost = gains.gain.total, costs.gain.total
    missed = n - gain
    missed_squares = missed - (gain - gains.square.total)
    both = cost - products.total
    squares = other**2 * missed_squares + share**2 * costs.square.total
    return Gains(
        n, other * missed + share * cost, squares + 2 * other * share * both, 0.0
    )
