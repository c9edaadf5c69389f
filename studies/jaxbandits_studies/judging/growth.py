"""How fast regret grows on a leaderboard, from one horizon to the next."""

from collections.abc import Mapping
from math import hypot, log

from jaxbandits.stats import Entry, entry
from jaxbandits_studies.judging.board import Board
from jaxbandits_studies.judging.scores import Cell, Score

BEST = "best rival"


def cells_of(board: Board, title: str) -> dict[int, Cell]:
    """A case's cells by horizon."""
    return {cell.horizon: cell for cell in board.cells if cell.case == title}


def score(
    cells: Mapping[int, Cell], policy: str, horizon: int, at: int | None = None
) -> Score | None:
    """A policy's score in one of a case's cells, by horizon.

    For `BEST` that of the cell's best rival; in the cell `at`, if that is given.
    """
    name = cells[horizon].best if policy == BEST else policy
    return cells[at or horizon].scores.get(name)


def before(cells: Mapping[int, Cell], horizon: int) -> int | None:
    """The horizon before."""
    return max((t for t in cells if t < horizon), default=None)


def growth(cells: Mapping[int, Cell], policy: str, horizon: int) -> Entry | None:
    """Mean regret per unit of the logarithm of time since the horizon before.

    Its error takes the runs at both for independent.
    """
    earlier = before(cells, horizon)
    if earlier is None:
        return None
    new, old = (score(cells, policy, horizon, at) for at in (horizon, earlier))
    if not (new and old):
        return None
    apart = log(horizon / earlier)
    return entry((new.mean - old.mean) / apart, hypot(new.error, old.error) / apart)
