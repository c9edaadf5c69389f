"""A leaderboard as a file: what is committed, and what pages and advice read."""

import json
import math
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

from jaxbandits.protocol import Environment
from jaxbandits_studies.judging.protocol import Entrant, Protocol
from jaxbandits_studies.judging.scores import Cell, Score

VERSION = 1
DIGITS = 6  # significant ones


class Board(NamedTuple):
    """All scores of a setting.

    Attributes:
      setting: its name.
      seeds: of every cell.
      root_seed: of the runs.
      cells: case by case, horizons ascending.
      microseconds: per round of a run, by entrant, in one case on a busy machine.
      played: provenance of the last run.
    """

    setting: str
    seeds: int
    root_seed: int
    cells: tuple[Cell, ...]
    microseconds: Mapping[str, float]
    played: Mapping[str, Any]


def dumped(board: Board) -> str:
    """As JSON, a line per cell."""
    head = {
        "version": VERSION,
        "setting": board.setting,
        "seeds": board.seeds,
        "root_seed": board.root_seed,
        "played": dict(board.played),
        "microseconds": _rounded(board.microseconds),
        "score": list(Score._fields),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    cells = ",\n".join(json.dumps(_plain(c), allow_nan=False) for c in board.cells)
    return "{" + ",\n".join([*lines, f'"cells": [\n{cells}\n]']) + "}\n"


def loaded(text: str) -> Board:
    """From JSON.

    Raises:
      ValueError: if it is of another form.
    """
    results = json.loads(text)
    if results.get("version") != VERSION or results.get("score") != list(Score._fields):
        raise ValueError("no leaderboard of this version: make it again")
    for cell in results["cells"]:
        cell["scores"] = {name: Score(*x) for name, x in cell["scores"].items()}
    results["cells"] = tuple(Cell(**cell) for cell in results["cells"])
    return Board(*(results[name] for name in Board._fields))


def joined(old: Board, new: Board, cases: Sequence[str]) -> Board:
    """A board with the cells of another one that it has not played itself.

    So what takes days is played in pieces, on machines that do not keep their stores.

    Args:
      old: the other one.
      new: the board; the result is of its last run.
      cases: titles, in the order of the result; cells of others are left out.

    Returns:
      `new` alone if the two are of other seeds.
    """
    of = ("setting", "seeds", "root_seed")
    if any(getattr(old, x) != getattr(new, x) for x in of):
        return new
    # Where both have played, the later one stays.
    cells = {(cell.case, cell.horizon): cell for cell in (*old.cells, *new.cells)}
    kept = sorted(
        (cases.index(case), horizon) for case, horizon in cells if case in cases
    )
    return new._replace(
        cells=tuple(cells[cases[case], horizon] for case, horizon in kept)
    )


def refreshed(old: Cell, new: Cell, entrants: Mapping[str, Entrant]) -> Cell | None:
    """A cell in which some entrants were played again, or for the first time.

    Args:
      old: all entrants.
      new: those that were played, and the best rival of `old`, on the same seeds.
      entrants: all that are listed; others are left out.

    Returns:
      The cell, or None if another rival is best now: differences would be to two, so
      that all have to be played.
    """
    results = {**old.scores, **new.scores}
    scores = {name: results[name] for name in entrants if name in results}
    rivals = [name for name in scores if entrants[name].rival]
    best = min(rivals, key=lambda name: scores[name].mean)
    # Two rivals that play alike have one mean but for the digits that files keep.
    if math.isclose(
        scores[old.best].mean, scores[best].mean, rel_tol=10.0 ** (1 - DIGITS)
    ):
        best = old.best
    if not new.best == old.best == best:
        return None
    best_high = min(scores[name].high for name in rivals)
    return old._replace(best_high=best_high, scores=scores)


def shipped(setting: str) -> Board | None:
    """The leaderboard that came with the package, or None if there is none."""
    file = resources.files(__package__) / "boards" / f"{setting}.json"
    return loaded(file.read_text()) if file.is_file() else None


def shipped_cases(
    protocol: Protocol, titles: Sequence[str], what: str
) -> tuple[Board, dict[str, Environment]]:
    """The leaderboard that came with the package, and cases of it.

    Args:
      protocol: of a setting.
      titles: of judging cases; those that lack their data are left out.
      what: it is needed for.

    Raises:
      ValueError: if no leaderboard came with the package.
    """
    board = shipped(protocol.setting)
    if board is None:
        raise ValueError(f"{what} needs the leaderboard, which is not in the package")
    made = {title: protocol.judging[title].environment() for title in titles}
    return board, {title: each for title, each in made.items() if each is not None}


def _plain(cell: Cell) -> dict[str, Any]:
    scores = {name: [_digits(x) for x in score] for name, score in cell.scores.items()}
    plain = cell._replace(best_high=_digits(cell.best_high), scores=scores)
    return plain._asdict()


def _rounded(numbers: Mapping[str, float]) -> dict[str, float]:
    return {name: float(f"{value:.2g}") for name, value in numbers.items()}


def _digits(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
