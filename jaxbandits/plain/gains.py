"""A mean gain, drawn from the number of gains, their sum and the sum of their squares.

A Dirichlet process that has two observations before the first run, the least and the
largest gain that there can be, weighs all that it has seen by Dirichlet(1, ..., 1)
weights: a draw of the mean (Ferguson 1973). In the place of n gains with the mean m and
the variance v it is here shown two values with the same mean and variance, one of which
is the largest gain. In units in which gains are in [0, 1] these are

    1, a n times,  and  x = m - v / (1 - m), (1 - a) n times,
    a = v / ((1 - m)^2 + v),

so that a draw is ``w_1 + w_x x`` with (w_0, w_x, w_1) of Dirichlet(1, (1 - a) n, 1 + a
n). Mean and variance are those of the process that has seen every gain, and so are all
draws if gains are 0 or 1, or all alike. Of all gains with this mean and variance these
two values are the easiest to exceed: hence nothing that has begun badly is given up too
soon, whatever the law of the gains (theory/cell-thompson.md). What is better the
less it is (a cost, a time) has what is saved for a gain: `drawn_cost`. Gains that come
with costs are one number at a price: `lacks`.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Num

from jaxbandits.arrays import CompensatedSum
from jaxbandits.kernels.gamma import beta_from_uniforms

WORDS = 3  # of every draw
_NONE = 1e-12  # stands for 0 in a denominator


class Sums(NamedTuple):
    """What a policy keeps of gains: their sum and the sum of their squares."""

    gain: CompensatedSum
    square: CompensatedSum

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> "Sums":
        """Of no gains."""
        none = CompensatedSum.zeros(shape, float)
        return cls(none, none)

    def add(
        self, gain: Float[Array, "..."], where: Bool[Array, "..."] | None = None
    ) -> "Sums":
        """One more gain, everywhere or in some places."""
        if where is not None:
            gain = jnp.where(where, gain, 0.0)
        return Sums(self.gain.add(gain), self.square.add(gain * gain))


class Gains(NamedTuple):
    """Numbers of gains, and what they were.

    Attributes:
      runs, total, square: the number of gains, their sum and the sum of their squares.
      least: the least gain that there can be; the largest is 1.
    """

    runs: Float[Array, "*shape"]
    total: Float[Array, "*shape"]
    square: Float[Array, "*shape"]
    least: float

    @classmethod
    def of(cls, runs: Num[Array, "*shape"], sums: Sums, least: float = 0.0) -> "Gains":
        """What was kept of `runs` gains."""
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
        # With what rounding leaves inside of what gains can have.
        mean = jnp.clip((mean - self.least) / span, 0.0, 1.0)
        missing = 1 - mean
        variance = jnp.clip(variance, 0.0, mean * missing)
        value = mean - variance / jnp.maximum(missing, _NONE)
        lower = missing**2 / jnp.maximum(missing**2 + variance, _NONE) * self.runs
        largest = beta_from_uniforms(first, second, 1 + self.runs - lower, 1 + lower)
        # Of the rest, all but w_0: the quantile of Beta((1 - a) n, 1).
        third = third.astype(lower.dtype)
        kept = jnp.exp(jnp.log(third) / jnp.maximum(lower, _NONE))
        return self.least + span * (largest + (1 - largest) * kept * value)

    def drawn_cost(self, uniforms: Float[Array, "3 *#shape"]) -> Float[Array, "*shape"]:
        """A draw of a mean cost, in (0, 1], of which sums and squares were kept.

        That is 1 less a draw of the mean of what is saved, ``1 - cost``: of the two
        values one is 0. Written in terms of costs, small ones lose no digits.
        """
        first, second, third = uniforms
        count = jnp.maximum(self.runs, 1.0)
        mean = jnp.clip(self.total / count, 0.0, 1.0)
        variance = jnp.maximum(self.square / count - mean * mean, 0.0)
        value = jnp.minimum(mean + variance / jnp.maximum(mean, _NONE), 1.0)
        upper = mean / jnp.maximum(value, _NONE) * self.runs
        some = beta_from_uniforms(first, second, 1 + upper, 1 + self.runs - upper)
        # Of this, what falls to the largest cost: all but a draw of Beta(upper, 1).
        third = third.astype(upper.dtype)
        dear = -jnp.expm1(jnp.log(third) / jnp.maximum(upper, _NONE))
        return some * (dear + (1 - dear) * value)


def lacks(
    runs: Num[Array, "*shape"],
    gains: Sums,
    costs: Sums,
    products: CompensatedSum,
    share: Float[Array, "*#shape"],
) -> Gains:
    """How much runs lacked of gaining all for nothing, as numbers in [0, 1].

    Args:
      runs: how many.
      gains, costs: of these, in [0, 1].
      products: of the gain and the cost of a run.
      share: s in [0, 1], what part of it is the cost: ``(1 - s)(1 - gain) + s cost``.
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
