"""Rows of moments of several stores, each of other seeds, put together in one.

A row cannot be divided, so a row of the new store holds whole rows of the others.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxbandits.results.dataset import Place
from jaxbandits.results.layout import PLAYED
from jaxbandits.results.moments import tables_joined
from jaxbandits.results.reading import Sessions, read_block
from jaxbandits.results.store import sessions, write_stored
from jaxbandits.sweeps.blocks import pieces


class _Part(NamedTuple):
    """A store of which the new one consists.

    Attributes:
      path: where it is.
      played: who played what in it.
      offset: seeds before its own.
      before: sessions before its own.
    """

    path: Any
    played: Sessions
    offset: int
    before: int

    def rows(self) -> Iterator[slice]:
        """The seeds of its rows, as places in the new store."""
        for own in pieces(self.played.shape[3], self.played.chunks[3]):
            yield slice(self.offset + own.start, self.offset + own.stop)


def parts_of(paths: Sequence[Any], before: Sequence[int]) -> list[_Part]:
    """Stores one after the other.

    Args:
      paths: of the stores.
      before: for each the number of sessions that come before its own.
    """
    played = [sessions(path) for path in paths]
    offsets = itertools.accumulate((each.shape[3] for each in played), initial=0)
    return [*map(_Part, paths, played, offsets, before)]


def row_length(parts: Sequence[_Part]) -> int:
    """Seeds of a row of the new store: as many as rows have already, or as stores have
    that are equally large, so that all are the very bits of one machine's or of its
    stores; else all of them, in a single row."""
    first = parts[0].played
    rows = [row for part in parts for row in part.rows()]
    for length in (first.chunks[3], first.shape[3]):
        if all(row.start // length == (row.stop - 1) // length for row in rows):
            return length
    return rows[-1].stop


def join_rows(parts: Sequence[_Part], into: Any) -> None:
    """Write the rows of stores into a new one."""
    environments, policies, points, seeds = sessions(into).shape
    *_, step, length = sessions(into).chunks
    rows_of: list[list[tuple[_Part, slice]]] = [[] for _ in pieces(seeds, length)]
    for part in parts:
        for row in part.rows():
            rows_of[row.start // length].append((part, row))
    games = itertools.product(range(environments), range(policies))
    for game, params in itertools.product(games, pieces(points, step)):
        for seed, sources in zip(pieces(seeds, length), rows_of, strict=True):
            place = Place(*game, params, seed)
            tables, who = _joined(sources, place)
            if who.any():
                write_stored(into, place, tables, who[:, None])


def _joined(
    sources: Sequence[tuple[_Part, slice]], place: Place
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Tables at a place of the new store, and i64[P], the last of their sessions."""
    found: dict[str, list[np.ndarray]] = {}
    who = np.zeros(place.params.stop - place.params.start, np.int64)
    for part, row in sources:
        own = slice(row.start - part.offset, row.stop - part.offset)
        tables = read_block(part.path, place._replace(seed=own))
        session = tables.pop(PLAYED)[:, 0]
        who = np.maximum(who, np.where(session > 0, session + part.before, 0))
        for name, table in tables.items():
            found.setdefault(name, []).append(table)
    joint = {name: tables_joined(np.stack(x)) for name, x in found.items()}
    for table in joint.values():
        table[who == 0] = np.nan
    return joint, who
