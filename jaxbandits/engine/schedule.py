"""When metrics are recorded and when a run stops."""

from typing import Any, NamedTuple

import numpy as np

COUNT = 100  # checkpoints of a grid


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


class Terms(NamedTuple):
    """What all runs of a simulation or a sweep have in common.

    Attributes:
      schedule: checkpoints and the last round.
      root_seed: the key of the whole simulation is made of it.
      runs_per_instance: how many consecutive seeds share one drawn instance.
      engine: name of the engine, one of `engine.choice.ENGINES`.
      keep: fields of the record that are results, beside the metrics.
    """

    schedule: Schedule
    root_seed: int = 0
    runs_per_instance: int = 1
    engine: str = "scan"
    keep: tuple[str, ...] = ()


def resolved(checkpoints: Any, end: float, by_budget: bool = False) -> np.ndarray:
    """Checkpoints of a game that a user named or listed, and its end.

    Args:
      checkpoints: ``"linear"`` or ``"log"``, or rounds, or amounts of spent budget.
      end: the horizon, or the budget. A game is played to its end, which is therefore
        always recorded.
      by_budget: whether `checkpoints` are amounts, and `end` is a budget.

    Returns:
      i64[C] or f64[C], strictly increasing; at most `COUNT` of those that are named.

    Raises:
      ValueError: if they are not strictly increasing integers in [1, horizon], or
        numbers in (0, budget].
    """
    what, kinds = ("amounts", "iuf") if by_budget else ("integer rounds", "iu")
    if isinstance(checkpoints, str):
        grids = {
            "linear": np.linspace(end / COUNT, end, COUNT),
            "log": np.geomspace(end / 1e4 if by_budget else 1, end, COUNT),
        }
        if checkpoints not in grids:
            raise ValueError(
                f"checkpoints must be 'linear', 'log' or {what}, got {checkpoints!r}"
            )
        marks = grids[checkpoints]
        if not by_budget:
            marks = np.unique(np.maximum(np.round(marks), 1))
    else:
        marks = np.asarray(checkpoints)
        increasing = marks.ndim == 1 and marks.size and marks.dtype.kind in kinds
        if not increasing or np.any(np.diff(marks) <= 0):
            raise ValueError(f"checkpoints must be strictly increasing {what}")
    if not (marks[0] > 0 and marks[-1] <= end):
        allowed = f"(0, budget = {end}]" if by_budget else f"[1, horizon = {end}]"
        raise ValueError(f"checkpoints must be in {allowed}")
    marks = marks if by_budget else marks.astype(np.int64)
    return marks if marks[-1] == end else np.append(marks, end)
