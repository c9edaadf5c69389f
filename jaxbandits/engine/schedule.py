"""When the accounts are read and when a run stops: made once, and passed down whole."""

from typing import Any, NamedTuple

import numpy as np


class Schedule(NamedTuple):
    """When metrics are recorded and runs stop.

    Attributes:
      checkpoints: [C], increasing: rounds, or amounts of spent budget.
      last_round: no run plays beyond this round.
      by_budget: whether `checkpoints` are amounts of spent budget.
    """

    checkpoints: Any
    last_round: int
    by_budget: bool = False

    @property
    def kind(self) -> str:
        """What `checkpoints` are, for results: ``round`` or ``spent``."""
        return "spent" if self.by_budget else "round"


class Terms(NamedTuple):
    """What all runs of a simulation or a sweep have in common.

    Attributes:
      schedule: checkpoints and the last round.
      root_seed: names the whole run.
      runs_per_instance: how many consecutive seeds share one drawn instance.
      engine: how rounds are played, one of `engine.choice.ENGINES`.
      keep: fields of the record that are results as they are, beside the metrics.
    """

    schedule: Schedule
    root_seed: int = 0
    runs_per_instance: int = 1
    engine: str = "scan"
    keep: tuple[str, ...] = ()


def log_checkpoints(last: int, count: int = 100) -> np.ndarray:
    """At most `count` rounds, evenly spaced in the logarithm, ending with `last`.

    Returns:
      i64[C], strictly increasing (fewer than `count` where rounding makes them equal).
    """
    _check(last, count)
    return np.unique(np.round(np.geomspace(1, last, count)).astype(np.int64))


def linear_checkpoints(last: int, count: int = 100) -> np.ndarray:
    """At most `count` evenly spaced rounds, ending with `last`.

    Returns:
      i64[C], strictly increasing.
    """
    _check(last, count)
    grid = np.linspace(last / count, last, count)
    return np.unique(np.maximum(np.round(grid), 1).astype(np.int64))


def resolve_rounds(checkpoints: Any, horizon: int) -> np.ndarray:
    """Checkpoints of a game with a horizon: ``"linear"``, ``"log"`` or rounds.

    Raises:
      ValueError: if they are not strictly increasing integers in [1, horizon].
    """
    if isinstance(checkpoints, str):
        if checkpoints not in ("linear", "log"):
            raise ValueError(
                f"checkpoints must be 'linear', 'log' or rounds, got {checkpoints!r}"
            )
        make = linear_checkpoints if checkpoints == "linear" else log_checkpoints
        return make(horizon)
    rounds = np.asarray(checkpoints)
    whole = rounds.ndim == 1 and rounds.size and np.issubdtype(rounds.dtype, np.integer)
    if not whole or np.any(np.diff(rounds) <= 0):
        raise ValueError("checkpoints must be strictly increasing integer rounds")
    if rounds[0] < 1 or rounds[-1] > horizon:
        raise ValueError(f"checkpoints must be in [1, horizon = {horizon}]")
    rounds = rounds.astype(np.int64)
    # The game is played to its horizon, so its end is always on record.
    return rounds if rounds[-1] == horizon else np.append(rounds, horizon)


def resolve_spent(checkpoints: Any, budget: float) -> np.ndarray:
    """Checkpoints of a game with a budget: ``"linear"``, ``"log"`` or amounts.

    Raises:
      ValueError: if they are not strictly increasing numbers in (0, budget].
    """
    if isinstance(checkpoints, str):
        grids = {
            "linear": np.linspace(budget / 100, budget, 100),
            "log": np.geomspace(budget / 1e4, budget, 100),
        }
        if checkpoints not in grids:
            raise ValueError(
                f"checkpoints must be 'linear', 'log' or amounts, got {checkpoints!r}"
            )
        return grids[checkpoints]
    amounts = np.asarray(checkpoints)
    if amounts.ndim != 1 or not amounts.size or np.any(np.diff(amounts) <= 0):
        raise ValueError("checkpoints must be strictly increasing amounts")
    if not (amounts[0] > 0 and amounts[-1] <= budget):
        raise ValueError(f"checkpoints must be in (0, budget = {budget}]")
    # The game is played until the budget is spent, so its end is always on record.
    return amounts if amounts[-1] == budget else np.append(amounts, budget)


def _check(last: int, count: int) -> None:
    if last < 1 or count < 1:
        raise ValueError(f"need last >= 1 and count >= 1, got {last=}, {count=}")
