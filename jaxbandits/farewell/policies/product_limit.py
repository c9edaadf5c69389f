"""Wait-UCB with a product-limit estimate: longer waits learn from shorter ones.

If an epoch with wait j ends without a reward, only delay > j is known: the delay is
*censored*. Kaplan & Meier ("Nonparametric Estimation from Incomplete Observations",
1958) estimate the hazard of unit d, the probability to end in it, from the epochs that
entered unit d. The product of the survival rates has no bias from censoring.

With hazards ``h_d``, rewards ``v_d`` per entry of unit d and survival ``S(d) = (1 -
h_1) ... (1 - h_d)``, wait j has mean reward ``sum_{d <= j} S(d - 1) v_d`` and mean time
``sum_{d <= j} S(d - 1)``. The radius is Wait-UCB's. Its count is the number of epochs
that waited at least j, since only they inform about unit j (ours; no paper has it).

If the waits are not 1, ..., D, a unit is the time between two neighbouring waits. Its
time per entry is then the mean of the observed times.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits.arrays import CompensatedSum, constant, row, with_row
from jaxbandits.checks.factory import factory
from jaxbandits.farewell.policies.wait_ucb import Params, Radius, Waits, largest_bound
from jaxbandits.farewell.problem import Action, Feedback, Problem
from jaxbandits.protocol import Policy


class Units(NamedTuple):
    """How an epoch passed through the units of waiting; a unit ends with a wait.

    Attributes:
      reached: bool[D], whether the epoch's wait covers the unit.
      entered: bool[D], whether the epoch was still waiting when the unit began.
      ended: bool[D], whether the epoch's delay ends in the unit.
      starts: i32[D], the times at which the units begin.
      left: i32[D], the time at which the epoch left each unit that it entered.
    """

    reached: Bool[Array, " D"]
    entered: Bool[Array, " D"]
    ended: Bool[Array, " D"]
    starts: np.ndarray
    left: Int32[Array, " D"]

    @classmethod
    def of(
        cls, waits: np.ndarray, place: Int32[Array, ""], feedback: Feedback
    ) -> "Units":
        """The units of an epoch whose wait has the position `place`."""
        starts = np.append(0, waits[:-1]).astype(np.int32)
        reached = place >= np.arange(waits.size, dtype=np.int32)
        delay = feedback.delay
        entered = reached & (delay > jnp.asarray(starts, delay.dtype))
        ended = entered & (delay <= jnp.asarray(waits, delay.dtype))
        left = jnp.minimum(feedback.time, waits)
        return cls(reached, entered, ended, starts, left)


class Hazards(NamedTuple):
    """Statistics of every unit of waiting; rows of all macro-arms, or of one.

    Attributes:
      reached: i32[K, D], epochs with a wait that covers the unit.
      entered: i32[K, D], of these, epochs that entered the unit.
      ended: i32[K, D], of these, epochs whose delay ends in the unit.
      lasted: i32[K, D], time that all entered epochs spent in the unit.
      reward: f32[K, D], rewards of the epochs that ended in the unit.
    """

    reached: Int32[Array, "K D"]
    entered: Int32[Array, "K D"]
    ended: Int32[Array, "K D"]
    lasted: Int32[Array, "K D"]
    reward: CompensatedSum

    @classmethod
    def zeros(cls, shape: tuple[int, int]) -> "Hazards":
        """Statistics before the first epoch."""
        count = jnp.zeros(shape, jnp.int32)
        nothing = CompensatedSum.zeros(shape, float)
        return cls(count, count, count, count, nothing)

    def observe(self, epoch: Units, reward: Array) -> "Hazards":
        """Statistics of a macro-arm after one more epoch."""
        return Hazards(
            self.reached + epoch.reached.astype(jnp.int32),
            self.entered + epoch.entered.astype(jnp.int32),
            self.ended + epoch.ended.astype(jnp.int32),
            self.lasted + jnp.where(epoch.entered, epoch.left - epoch.starts, 0),
            self.reward.add(jnp.where(epoch.ended, reward, 0.0)),
        )

    @property
    def at_risk(self) -> Array:
        """Epochs that entered each unit, at least 1, f32[D]."""
        return jnp.maximum(self.entered, 1).astype(float)

    def survival(self) -> Array:
        """``S(d - 1)``, the probability to enter each unit, f32[D]."""
        survived = jnp.cumprod(1 - self.ended.astype(float) / self.at_risk)
        return jnp.concatenate([jnp.ones_like(survived[:1]), survived[:-1]])

    def mean_reward(self) -> Array:
        """Mean reward of every wait, f32[D]."""
        return jnp.cumsum(self.survival() * self.reward.total / self.at_risk)

    def mean(self, total: Array, unseen: Array) -> Array:
        """Mean, for every wait, of an amount that epochs collect in units, f32[D].

        Args:
          total: amount that all entered epochs have collected in every unit, [D].
          unseen: assumed amount per entry of a unit that no epoch has entered, [D].
        """
        each = jnp.where(self.entered > 0, total / self.at_risk, unseen)
        return jnp.cumsum(self.survival() * each)

    def mean_time(self, waits: np.ndarray) -> Array:
        """Mean time of every wait, f32[D]; an unentered unit counts with its length."""
        whole = constant(np.diff(waits, prepend=0).astype(float))
        return self.mean(self.lasted.astype(float), whole)


def times_add_up(policy: str, problem: Problem) -> None:
    """Require that giving up costs the wait: then its time is a sum over units."""
    if problem.failure != "wait":
        raise ValueError(f"problem: {policy} needs failure='wait'")


class State(NamedTuple):
    """Hazards, and the parts of the index that follow from them."""

    hazards: Hazards
    rate: Float[Array, "K D"]  # +inf where no epoch has waited that long
    radius: Radius


@factory(Problem)
def product_limit(problem: Problem) -> Policy[State, Params, Action]:
    """Wait-UCB on product-limit estimates; plays the first maximiser.

    Raises:
      ValueError: if giving up costs one unit: then time is not a sum over units.
    """
    times_add_up("product_limit", problem)
    shape, waits = (problem.num_arms, problem.num_waits), problem.lengths
    factors = Waits.of(problem)

    def init(params):
        zeros = jnp.zeros(shape, float)
        return State(Hazards.zeros(shape), zeros + jnp.inf, Radius(zeros, zeros))

    def update(noise, view, state, action, feedback, params):
        old = row(state.hazards, action.arm)
        epoch = Units.of(waits, action.wait, feedback)
        hazards = old.observe(epoch, feedback.reward)
        rate = hazards.mean_reward() / hazards.mean_time(waits)
        known = hazards.reached > 0
        count = jnp.maximum(hazards.reached, 1).astype(float)
        radius = Radius.of(count, constant(factors))
        new = State(hazards, jnp.where(known, rate, jnp.inf), radius)
        return with_row(state, action.arm, new)

    return Policy(
        "Wait-UCB, product-limit",
        init,
        largest_bound(problem, shows_shorter=True),
        update,
        Params(),
    )
