"""Wait-UCB with a product-limit estimate: longer waits learn from shorter ones.

An epoch with wait j that saw no reward says that the delay exceeds j, and no more: its
delay is *censored*. Kaplan & Meier ("Nonparametric Estimation from Incomplete
Observations", 1958) estimate the chance to end in unit d by those who entered unit d;
the product of the survival rates has no bias from censoring.

With hazards ``h_d``, rewards ``v_d`` per entry of unit d and survival ``S(d) = (1 -
h_1) ... (1 - h_d)``, wait j has the reward ``sum_{d <= j} S(d - 1) v_d`` and lasts
``sum_{d <= j} S(d - 1)``. The radius is Wait-UCB's with the epochs that waited at least
j, the only ones that say something about unit j (ours; no paper has it).

Where the waits are not 1, ..., D a unit is what lies between two waits, in which no
pull gives up, and an entry lasts as long in it as entries have lasted on average.
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
    """Where an epoch was in every unit of waiting; a unit ends with a wait.

    Attributes:
      reached: bool[D], whether its wait covers the unit.
      entered: bool[D], whether it was still waiting when the unit began.
      ended: bool[D], whether its delay ends there.
      starts: i32[D], when the units begin.
      left: i32[D], when it left them, where it entered.
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
        """Of the epoch with the wait at this position."""
        starts = np.append(0, waits[:-1]).astype(np.int32)
        reached = place >= np.arange(waits.size, dtype=np.int32)
        delay = feedback.delay
        entered = reached & (delay > jnp.asarray(starts, delay.dtype))
        ended = entered & (delay <= jnp.asarray(waits, delay.dtype))
        left = jnp.minimum(feedback.time, waits)
        return cls(reached, entered, ended, starts, left)


class Hazards(NamedTuple):
    """What epochs say about every unit of waiting; rows of all macro-arms, or of one.

    Attributes:
      reached: i32[K, D], epochs with a wait that covers the unit.
      entered: i32[K, D], of them those that were still waiting.
      ended: i32[K, D], of them those whose delay ends there.
      lasted: i32[K, D], the time that those who entered spent there.
      reward: f32[K, D], rewards of those that ended.
    """

    reached: Int32[Array, "K D"]
    entered: Int32[Array, "K D"]
    ended: Int32[Array, "K D"]
    lasted: Int32[Array, "K D"]
    reward: CompensatedSum

    @classmethod
    def zeros(cls, shape: tuple[int, int]) -> "Hazards":
        """Before the first epoch."""
        count = jnp.zeros(shape, jnp.int32)
        nothing = CompensatedSum.zeros(shape, float)
        return cls(count, count, count, count, nothing)

    def observe(self, epoch: Units, reward: Array) -> "Hazards":
        """The row of a macro-arm after one more epoch."""
        return Hazards(
            self.reached + epoch.reached.astype(jnp.int32),
            self.entered + epoch.entered.astype(jnp.int32),
            self.ended + epoch.ended.astype(jnp.int32),
            self.lasted + jnp.where(epoch.entered, epoch.left - epoch.starts, 0),
            self.reward.add(jnp.where(epoch.ended, reward, 0.0)),
        )

    @property
    def at_risk(self) -> Array:
        """Those that entered, at least 1, f32[D]."""
        return jnp.maximum(self.entered, 1).astype(float)

    def survival(self) -> Array:
        """``S(d - 1)``, the chance to enter a unit, f32[D]."""
        survived = jnp.cumprod(1 - self.ended.astype(float) / self.at_risk)
        return jnp.concatenate([jnp.ones_like(survived[:1]), survived[:-1]])

    def mean_reward(self) -> Array:
        """Of every wait, f32[D]."""
        return jnp.cumsum(self.survival() * self.reward.total / self.at_risk)

    def mean(self, total: Array, unseen: Array) -> Array:
        """Of what entries gather unit by unit, for every wait, f32[D].

        Args:
          total: what all of them have gathered in every unit, [D].
          unseen: what one would, where no pull has entered yet, [D].
        """
        each = jnp.where(self.entered > 0, total / self.at_risk, unseen)
        return jnp.cumsum(self.survival() * each)

    def mean_time(self, waits: np.ndarray) -> Array:
        """Of every wait, f32[D]; one that no pull has entered is stayed in wholly."""
        whole = constant(np.diff(waits, prepend=0).astype(float))
        return self.mean(self.lasted.astype(float), whole)


def times_add_up(policy: str, problem: Problem) -> None:
    """Require that giving up costs the wait, so that a time is a sum over units."""
    if problem.failure != "wait":
        raise ValueError(f"problem: {policy} needs failure='wait'")


class State(NamedTuple):
    """Hazards, and the parts of the index that they determine."""

    hazards: Hazards
    rate: Float[Array, "K D"]  # +inf where no epoch has waited that long
    radius: Radius


@factory(Problem)
def product_limit(problem: Problem) -> Policy[State, Params, Action]:
    """Wait-UCB on product-limit estimates; first maximiser.

    Raises:
      ValueError: if giving up costs one unit: the time then is no sum over units.
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
