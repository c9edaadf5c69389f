"""The types that a policy and an environment of the farewell setting exchange."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.checks import (
    MOST,
    Numbers,
    non_negative,
    numbers,
    one_of,
    shown,
    whole,
)
from jaxbandits.checks.rounds import positions, within

FAILURES = ("wait", "unit")
LONGEST = 2**24  # largest delay and wait; float32 holds all integers up to it


def whole_times(name: str, values: Numbers) -> tuple[int, ...]:
    """Delays or waits, checked."""
    times = numbers(name, values, 1)
    inside = (times >= 1) & (times <= LONGEST) & (times == np.round(times))
    if not times.size or not inside.all() or np.any(np.diff(times) <= 0):
        raise ValueError(
            f"{name} must be whole numbers in [1, 2**24] that increase, got "
            f"{shown(values)}"
        )
    return tuple(int(time) for time in times)


class Action(NamedTuple):
    """A macro-arm and a wait.

    Attributes:
      arm: i32[] in [0, K).
      wait: i32[] in [0, D), position of the wait in `Problem.lengths`.
    """

    arm: Int32[Array, ""]
    wait: Int32[Array, ""]


class Feedback(NamedTuple):
    """What a learner observes in an epoch, section 2.1.

    Attributes:
      reward: f32[], V if the reward came in time, else 0.
      time: i32[], duration of the epoch.
      delay: f32[], tau if the reward came in time, else +inf.
    """

    reward: Float[Array, ""]
    time: Int32[Array, ""]
    delay: Float[Array, ""]


class View(NamedTuple):
    """What a policy may know before it acts.

    Attributes:
      round: i32[], the epoch about to be played; the first is 1.
      clock: i32[], total time of all earlier epochs.
    """

    round: Int32[Array, ""]
    clock: Int32[Array, ""]


class Problem(NamedTuple):
    """What a learner knows about the game. Hashable: policies are built from it.

    Attributes:
      num_arms: K macro-arms.
      num_waits: D, the number of waits.
      failure: cost of giving up: ``wait``, the time waited, or ``unit``, one unit (a
        lost bid costs the participation fee).
      waits: the waits, increasing (footnote 3); empty for 1, ..., D.
    """

    num_arms: int
    num_waits: int
    failure: str = "wait"
    waits: tuple[int, ...] = ()

    def check(self) -> None:
        """Require arms, waits and a cost of giving up that an environment may have."""
        whole("num_arms", self.num_arms, 1, MOST)
        whole("num_waits", self.num_waits, 1, LONGEST)
        one_of("failure", self.failure, FAILURES)
        len(self.lengths)  # raises

    @property
    def num_pairs(self) -> int:
        """K D."""
        return self.num_arms * self.num_waits

    @property
    def lengths(self) -> np.ndarray:
        """The waits, i32[D].

        Raises:
          ValueError: if `waits` are not `num_waits` increasing whole numbers.
        """
        if not self.waits:
            return np.arange(1, self.num_waits + 1, dtype=np.int32)
        lengths = whole_times("waits", self.waits)
        if len(lengths) != self.num_waits:
            raise ValueError(
                f"waits must be num_waits = {self.num_waits} whole numbers, got "
                f"{len(lengths)}"
            )
        return np.array(lengths, np.int32)

    @property
    def longest(self) -> float:
        """The longest wait."""
        return float(self.lengths[-1])

    def time(self, delay: Array, wait: Array | np.ndarray) -> Array:
        """Duration of an epoch, in [1, wait].

        Args:
          delay: array, +inf if the delay exceeds the wait.
          wait: array, the wait (not its position); both broadcast together.
        """
        given_up = wait if self.failure == "wait" else jnp.ones_like(wait)
        return jnp.where(delay <= wait, delay, given_up)

    def check_view(self, view: View) -> None:
        """Require a clock of 0 at the start, and one unit or more per epoch since."""
        non_negative(**{"view.clock": view.clock})
        earlier = int(view.round) - 1
        if view.clock < earlier or (earlier == 0 and view.clock > 0):
            raise ValueError(
                "view.clock must be 0 in the first epoch, and has grown by at least 1 "
                f"in each since, got {view.clock} in epoch {view.round}"
            )

    def check_action(self, view: Any, action: Any) -> None:
        """Require an arm and a wait that exist."""
        positions("action.arm", action.arm, self.num_arms)
        positions("action.wait", action.wait, self.num_waits)

    def check_feedback(self, view: Any, action: Any, feedback: Feedback) -> None:
        """Require valid feedback of an epoch, section 2.1."""
        reward, time, delay = feedback
        wait = self.lengths[action.wait]
        within("feedback.reward", reward, 0, 1)
        end = f"{wait}, the wait"
        within("feedback.delay", delay, 1, wait, end, or_infinite=True)
        if delay != np.floor(delay):
            raise ValueError(f"feedback.delay must be a whole number, got {delay:g}")
        if delay == np.inf and reward != 0:
            raise ValueError(
                "feedback.reward must be 0 where nothing came (delay inf), got "
                f"{reward:g}"
            )
        if time != (lasts := int(self.time(delay, wait))):
            raise ValueError(
                f"feedback.time must be {lasts}, with failure={self.failure!r} and a "
                f"delay of {delay:g}, got {time}"
            )
