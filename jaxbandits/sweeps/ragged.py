"""Seeds of which every point plays its own number: the first so many.

A point is one of a policy on an environment. What of a sweep is played is no rectangle
then, but every point has the first seeds of the axis, up to its own end.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from jaxbandits.results.dataset import Key


class Ragged(NamedTuple):
    """What stands for `Spec.seeds` where points stop one by one.

    Attributes:
      seeds: of the axis.
      least: how many of them every point plays at least, those that are in a store
        already counted: one number, or i64[P] by (environment, policy).
    """

    seeds: Any
    least: int | Mapping[Key, np.ndarray]


def counts_of(
    ragged: Ragged, points: Mapping[Key, int], seeds: int
) -> dict[Key, np.ndarray] | None:
    """How many seeds each point plays, i64[P] by (environment, policy).

    Args:
      ragged: what is wanted.
      points: P by (environment, policy).
      seeds: how many there are.

    Returns:
      None if all points play all of them.
    """
    least = ragged.least
    if not isinstance(least, Mapping):
        least = {key: np.full(count, least, np.int64) for key, count in points.items()}
    return None if all((x >= seeds).all() for x in least.values()) else dict(least)


def played_by(
    counts: np.ndarray | None, points: slice, seeds: slice
) -> tuple[int, ...] | None:
    """Where each of some points ends, of some seeds; None if all play all of them.

    Args:
      counts: of all points of a policy on an environment, or None.
      points: positions.
      seeds: positions.
    """
    if counts is None or (counts[points] >= seeds.stop).all():
        return None
    return tuple(counts[points].tolist())


def runs_at(ends: tuple[int, ...] | None, points: int, seeds: slice) -> np.ndarray:
    """bool[points, seeds], which runs are played, from what `played_by` gives."""
    if ends is None:
        return np.ones((points, seeds.stop - seeds.start), bool)
    return np.arange(seeds.start, seeds.stop) < np.array(ends)[:, None]
