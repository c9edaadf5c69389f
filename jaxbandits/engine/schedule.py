"""When metrics are recorded and when a run stops."""

from collections.abc import Iterable
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

    @property
    def kind(self) -> str:
        """What `checkpoints` are, for results: ``round`` or ``spent``."""
        return "spent" if self.by_budget else "round"


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


def resolve_rounds(checkpoints: Any, horizon: int) -> np.ndarray:
    """Checkpoints of a game with a horizon: ``"linear"``, ``"log"`` or rounds.

    Returns:
      i64[C], strictly increasing; at most `COUNT` of those that are named.

    Raises:
      ValueError: if they are not strictly increasing integers in [1, horizon].
    """
    grids = (
        np.linspace(horizon / COUNT, horizon, COUNT),
        np.geomspace(1, horizon, COUNT),
    )
    named = (np.unique(np.maximum(np.round(x), 1)) for x in grids)
    rounds = _resolved(checkpoints, named, "integer rounds", "iu")
    if rounds[0] < 1 or rounds[-1] > horizon:
        raise ValueError(f"checkpoints must be in [1, horizon = {horizon}]")
    return _with_end(rounds.astype(np.int64), horizon)


def resolve_spent(checkpoints: Any, budget: float) -> np.ndarray:
    """Checkpoints of a game with a budget: ``"linear"``, ``"log"`` or amounts.

    Raises:
      ValueError: if they are not strictly increasing numbers in (0, budget].
    """
    named = np.linspace(budget / COUNT, budget, COUNT)
    named = named, np.geomspace(budget / 1e4, budget, COUNT)
    amounts = _resolved(checkpoints, named, "amounts", "iuf")
    if not (amounts[0] > 0 and amounts[-1] <= budget):
        raise ValueError(f"checkpoints must be in (0, budget = {budget}]")
    return _with_end(amounts, budget)


def _resolved(
    checkpoints: Any, named: Iterable[np.ndarray], what: str, kinds: str
) -> np.ndarray:
    """Those of a name, ``linear`` or ``log``, or numbers of some kinds."""
    if isinstance(checkpoints, str):
        grids = dict(zip(("linear", "log"), named, strict=True))
        if checkpoints not in grids:
            raise ValueError(
                f"checkpoints must be 'linear', 'log' or {what}, got {checkpoints!r}"
            )
        return grids[checkpoints]
    marks = np.asarray(checkpoints)
    increasing = marks.ndim == 1 and marks.size and marks.dtype.kind in kinds
    if not increasing or np.any(np.diff(marks) <= 0):
        raise ValueError(f"checkpoints must be strictly increasing {what}")
    return marks


def _with_end(marks: np.ndarray, end: float) -> np.ndarray:
    """A game is played to its end, which is therefore always recorded."""
    return marks if marks[-1] == end else np.append(marks, end)
