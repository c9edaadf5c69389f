"""The statistics of every arm that the policies keep."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import CompensatedSum


class Statistics(NamedTuple):
    """How to keep statistics.

    Attributes:
      zeros: ``num_arms -> state``, leaves ``[K]``.
      observe: ``(row, constants, reward, cost) -> row``, the statistics of an arm after
        one more pull; arguments are ``[]`` (or have one axis, for several arms).
      constants: pytree of arrays ``[K]``, what `observe` knows about the arms.
    """

    zeros: Callable[[int], Any]
    observe: Callable[[Any, Any, Any, Any], Any]
    constants: Any = ()


class Averages(Protocol):
    """What an index reads from the statistics, f[K] each; `count` is above 0."""

    @property
    def count(self) -> Array: ...
    @property
    def mean_reward(self) -> Array: ...
    @property
    def mean_cost(self) -> Array: ...


class Means(NamedTuple):
    """Pulls, sums and means; fields ``[K]``, or ``[]`` for the row of one arm.

    A mean is the sum divided by the pulls, not an incremental update: arms with equal
    sums and pulls tie exactly.
    """

    pulls: Int32[Array, " K"]
    reward: CompensatedSum  # f32[K]
    cost: CompensatedSum  # f32[K]
    mean_reward: Float[Array, " K"]  # 0 before the first pull
    mean_cost: Float[Array, " K"]  # 0 before the first pull

    @classmethod
    def zeros(cls, num_arms: int) -> "Means":
        """Statistics before the first pull."""
        nothing = CompensatedSum.zeros(num_arms, float)
        zero = jnp.zeros(num_arms, float)
        return cls(jnp.zeros(num_arms, jnp.int32), nothing, nothing, zero, zero)

    def observe(self, reward: Array, cost: Array) -> "Means":
        """The statistics of one arm after one more pull."""
        pulls = self.pulls + 1
        count = pulls.astype(float)
        rewards, costs = self.reward.add(reward), self.cost.add(cost)
        return Means(pulls, rewards, costs, rewards.total / count, costs.total / count)

    @property
    def count(self) -> Array:  # type: ignore[override]
        """Pulls as real numbers, at least 1."""
        return jnp.maximum(self.pulls, 1).astype(float)

    @property
    def ratio(self) -> Array:
        """Total reward over total cost; +inf where the total cost is 0.

        The ratio uses sums, not means: arms with equal ratios of counts tie exactly.
        """
        return ratio_to_cost(self.reward.total, self.cost.total)


class Moments(NamedTuple):
    """Means, and sums of squared deviations from them, by Welford's updates.

    Attributes:
      means: means of rewards and costs.
      reward, cost: f32[K], of rewards and costs, or of their positions in a range.
      product: f32[K], sums of products of both deviations; None if it is not needed.
    """

    means: Means
    reward: CompensatedSum
    cost: CompensatedSum
    product: CompensatedSum | None = None

    @classmethod
    def zeros(cls, num_arms: int, joint: bool = False) -> "Moments":
        """Statistics before the first pull; `joint` adds products."""
        nothing = CompensatedSum.zeros(num_arms, float)
        means = Means.zeros(num_arms)
        return cls(means, nothing, nothing, nothing if joint else None)

    def observe(
        self, means: Means, reward: Sequence[Array], cost: Sequence[Array]
    ) -> "Moments":
        """The statistics of one arm after one more pull.

        Args:
          means: its means after the pull.
          reward, cost: the observation, the mean before it and the mean after it.
        """
        observed = reward, cost
        squares = ((x - before) * (x - after) for x, before, after in observed)
        rewards, costs = map(CompensatedSum.add, self[1:3], squares)
        product = self.product
        if product is not None:
            (x, before, _), (y, _, after) = observed
            product = product.add((x - before) * (y - after))
        return Moments(means, rewards, costs, product)


MEANS = Statistics(
    Means.zeros, lambda row, constants, reward, cost: row.observe(reward, cost)
)


def ratio_to_cost(value: Array, cost: Array) -> Array:
    """``value / cost``, or +inf where the cost is not positive."""
    free = cost <= 0
    return jnp.where(free, jnp.inf, value / jnp.where(free, 1.0, cost))
