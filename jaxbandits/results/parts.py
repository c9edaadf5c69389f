"""Parts of a sweep: which points of which policy are played in which environment."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxbandits.checks.points import Points
from jaxbandits.results import spans
from jaxbandits.results.plain import plain
from jaxbandits.results.spans import Spans

Game = tuple[str, str]  # names of an environment and a policy
Row = tuple[tuple[str, float], ...]  # a point: leaves and values that are no defaults


class Part(NamedTuple):
    """Some points of a policy in an environment, each on some seeds.

    Attributes:
      game: names of the environment and the policy.
      points: P points, NaN where a point leaves a parameter at its default.
      seeds: their spans.
      key: of a block, the unit that is played and written: a digest of all that its
        numbers depend on.
    """

    game: Game
    points: Points
    seeds: Spans
    key: str = ""

    @property
    def size(self) -> int:
        """Number of runs."""
        return self.points.count * spans.count(self.seeds)

    @property
    def name(self) -> str:
        """The policy and the environment: ``RCUCB in Indep``."""
        environment, policy = self.game
        return f"{policy} in {environment}"


def lacking(wanted: Iterable[Part], known: Iterable[Part]) -> list[Part]:
    """The runs of some parts that are in no known part, again as parts."""
    by_game: dict[Game, list[Part]] = {}
    for part in known:
        by_game.setdefault(part.game, []).append(part)
    result = []
    for part in wanted:
        rest: dict[Spans, list[int]] = {}
        for numbers, holders in alike(rows_of(part.points), by_game.get(part.game, [])):
            held = [span for holder in holders for span in holder.seeds]
            rest.setdefault(spans.without(part.seeds, held), []).extend(numbers)
        for seeds, numbers in rest.items():
            if seeds:
                whole = len(numbers) == part.points.count
                points = part.points if whole else part.points.at(sorted(numbers))
                result.append(Part(part.game, points, seeds))
    return result


def alike(
    rows: Sequence[Row], parts: Sequence[Part]
) -> Iterator[tuple[list[int], list[Part]]]:
    """Group rows by the parts that have them: numbers of the rows, and those parts."""
    number = {row: i for i, row in enumerate(rows)}
    there = np.zeros((len(rows), len(parts)), bool)
    for column, part in enumerate(parts):
        places = [number[row] for row in rows_of(part.points) if row in number]
        there[places, column] = True
    kinds, kind = np.unique(there, axis=0, return_inverse=True)
    for which, flags in enumerate(kinds):
        numbers = np.flatnonzero(kind.reshape(-1) == which).tolist()
        yield numbers, [part for part, flag in zip(parts, flags, strict=True) if flag]


def apart(pieces: Iterable[Part]) -> list[Part]:
    """The pieces that share no run with an earlier piece that was kept."""
    known, kept = Runs(), []
    for piece in pieces:
        if not known.overlaps(piece):
            known.add(piece)
            kept.append(piece)
    return kept


class Runs:
    """A set of runs, to which parts can be added."""

    def __init__(self, parts: Iterable[Part] = ()) -> None:
        self._known: dict[Game, list[tuple[set[Row], Spans]]] = {}
        self._rows: dict[int, tuple[Points, set[Row]]] = {}  # by the table of points
        for part in parts:
            self.add(part)

    def add(self, part: Part) -> None:
        """Add the runs of a part."""
        own = self._rows_of(part.points), part.seeds
        self._known.setdefault(part.game, []).append(own)

    def overlaps(self, part: Part) -> bool:
        """Whether the set has a run of a part."""
        return any(
            spans.overlap(part.seeds, seeds)
            and not rows.isdisjoint(self._rows_of(part.points))
            for rows, seeds in self._known.get(part.game, ())
        )

    def _rows_of(self, points: Points) -> set[Row]:
        if id(points) not in self._rows:
            self._rows[id(points)] = points, {*rows_of(points)}
        return self._rows[id(points)][1]


def rows_of(points: Points) -> list[Row]:
    """The points one by one, as tuples that can be compared."""
    leaves = sorted(points.columns)
    columns = [points.columns[leaf].tolist() for leaf in leaves]
    if not columns:
        return [()] * points.count
    return [
        tuple((x, v) for x, v in zip(leaves, row, strict=True) if not math.isnan(v))
        for row in zip(*columns, strict=True)
    ]


def written(points: Points) -> dict[str, Any]:
    """Points as JSON can hold them.

    A default is None; a parameter that all points leave at its default has no column.
    """
    columns = {
        leaf: [
            None if math.isnan(x) else plain(x) for x in points.columns[leaf].tolist()
        ]
        for leaf in sorted(points.columns)
        if not np.isnan(points.columns[leaf]).all()
    }
    return {"count": points.count, "columns": columns}


def read(content: Mapping[str, Any]) -> Points:
    """The points of what `written` returned."""
    columns = {
        leaf: np.array([math.nan if x is None else float(x) for x in column])
        for leaf, column in content["columns"].items()
    }
    return Points(columns, content["count"])


def digest(value: Any) -> str:
    """A digest of a value that JSON can hold."""
    text = json.dumps(value, sort_keys=True).encode()
    return hashlib.sha256(text).hexdigest()[:32]


def fingerprint(sweep: Mapping[str, Any], parts: Iterable[Part]) -> str:
    """A digest of the description of a sweep and of its parts, in any order."""
    asked = [[part.game, written(part.points), part.seeds] for part in parts]
    return digest([sweep, sorted(asked, key=digest)])
