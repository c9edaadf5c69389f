"""How long a call on the devices may take, and games that would never end.

While a call runs, Ctrl-C has no effect and no progress is shown; so a call plays a
limited number of rounds, about a second's worth. Between calls the host looks at what
is spent: a budget that is out of reach ends with an error, not after 2**31 rounds.
"""

import jax
import numpy as np

from jaxbandits.checks import MOST_ROUNDS
from jaxbandits.engine.schedule import Schedule

FIRST_STEPS = 1 << 13
FEWEST_STEPS, MOST_STEPS = 1 << 8, 1 << 30
SECONDS = 1.0  # that a call should take
# Rounds without any spending after which there will be none, and rounds after which the
# mean spending of a round is known well enough to say how many rounds are needed.
IDLE_ROUNDS = 1 << 24
ENOUGH_ROUNDS = 1 << 16


def refuse_nan(name: str, state) -> None:
    """Require that the state of a policy holds no NaN after play.

    Otherwise it has chosen by comparisons with NaN, and its regret means nothing.

    Raises:
      ValueError: naming the policy and the leaf.
    """
    for path, leaf in jax.tree_util.tree_leaves_with_path(state):
        if leaf.dtype.kind == "f" and np.isnan(leaf).any():
            raise ValueError(
                f"policy {name!r}: update must keep NaN out of the state, but state"
                f"{jax.tree_util.keystr(path)} holds NaN after play (feedback may have "
                "had it first: see check_policy and check_environment of "
                "jaxbandits.testing)"
            )


class Watch:
    """Looks at the lanes of a chunk after every call.

    Attributes:
      steps: how many rounds the next call may play, one after the other.
    """

    def __init__(self, schedule: Schedule, num_lanes: int):
        """
        Args:
          schedule: with amounts in the units of what is spent.
          num_lanes: lanes that count.
        """
        self.steps = FIRST_STEPS
        self._end = float(schedule.checkpoints[-1])
        self._by_budget = schedule.by_budget
        self._limited = schedule.last_round < MOST_ROUNDS
        self._spent = np.zeros(num_lanes)
        self._round = np.zeros(num_lanes, np.int64)
        self._since = np.ones(num_lanes, np.int64)  # round of the last spending

    def look(self, seconds: float, round_, spent, done) -> None:
        """Choose the next call's steps, and check that the game can end.

        Args:
          seconds: that the call took.
          round_: [L], the round to be played next.
          spent: [L].
          done: bool[L], whether a lane has come to all checkpoints of the call.

        Raises:
          ValueError: if what is spent is NaN, falls, does not grow, or grows so slowly
            that the budget is not reached within the rounds that can be counted.
          RuntimeError: if some lanes are not done, but none has played a round: then
            two parts of the program disagree on whether a lane is done.
        """
        factor = np.clip(SECONDS / max(seconds, 1e-9), 0.25, 4.0)
        self.steps = int(np.clip(self.steps * factor, FEWEST_STEPS, MOST_STEPS))
        if self._by_budget:
            round_, spent = (np.asarray(x)[: done.size] for x in (round_, spent))
            on = ~done
            self._check(round_, spent, on)
            if on.any() and np.all(round_ == self._round):
                raise RuntimeError(
                    f"{on.sum()} runs wait for a checkpoint and play no round; they "
                    f"have spent {self._spent[on].min():.9g} or more of {self._end:.9g}"
                )
            self._round = round_

    def _check(self, round_, spent, on):
        if np.isnan(spent).any():
            raise ValueError("environment.spent is NaN: a cost must be a number >= 0")
        if np.any(spent < self._spent):
            raise ValueError(
                f"environment.spent must not fall, fell from {self._spent.max()}"
            )
        self._since = np.where(spent > self._spent, round_, self._since)
        self._spent = spent.astype(np.float64)
        if self._limited or not on.any():
            return
        idle = (round_ - self._since)[on].max()
        rounds, paid = round_[on].max(), self._spent[on].max()
        needed = self._end / max(paid, 1e-300) * rounds
        too_slow = rounds >= ENOUGH_ROUNDS and needed > 2 * MOST_ROUNDS
        if idle >= IDLE_ROUNDS or too_slow:
            raise ValueError(
                f"budget = {self._end:g} is out of reach: {paid:g} was spent in "
                f"{rounds} rounds, nothing in the last {idle} of a run (costs may be 0 "
                "or too small for the precision, or actions are not the game's), and "
                f"at most {MOST_ROUNDS} rounds can be played; a horizon too ends runs "
                "after so many rounds"
            )
