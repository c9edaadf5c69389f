"""Seeds as spans, ``((start, stop), ...)``: a hundred million seeds are one pair.

Spans keep the order of their seeds, and hold each seed once.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

import numpy as np

Spans = tuple[tuple[int, int], ...]
_PART = 1 << 20  # seeds that are compared at a time


def spans_of(seeds: np.ndarray) -> Spans:
    """Spans of the different seeds ``int[S]``, in their order."""
    starts = [0] if len(seeds) else []
    for begin in range(0, len(seeds) - 1, _PART):
        steps = np.diff(seeds[begin : begin + _PART + 1].astype(np.int64))
        starts += (begin + 1 + np.flatnonzero(steps != 1)).tolist()
    ends = [*starts[1:], len(seeds)]
    return tuple(
        (int(seeds[start]), int(seeds[end - 1]) + 1)
        for start, end in zip(starts, ends, strict=False)
    )


def count(spans: Iterable[tuple[int, int]]) -> int:
    """Number of seeds."""
    return sum(stop - start for start, stop in spans)


def listed(spans: Spans) -> np.ndarray:
    """The seeds one by one, i64[S]."""
    return np.concatenate(
        [np.zeros(0, np.int64), *(np.arange(*span, dtype=np.int64) for span in spans)]
    )


def parts(spans: Spans, size: int) -> Iterator[Spans]:
    """Consecutive parts of `size` seeds; the last part may be smaller."""
    part: list[tuple[int, int]] = []
    free = size
    for start, stop in spans:
        while start < stop:
            end = min(start + free, stop)
            part.append((start, end))
            free -= end - start
            start = end
            if not free:
                yield tuple(part)
                part, free = [], size
    if part:
        yield tuple(part)


def first(spans: Spans, size: int) -> Spans:
    """The first `size` seeds, or all seeds if there are fewer."""
    return next(parts(spans, size), ()) if size else ()


def without(spans: Spans, others: Iterable[tuple[int, int]]) -> Spans:
    """The seeds that are not among other seeds, in their order."""
    taken = joined(others)
    starts = [start for start, _ in taken]
    rest = []
    for start, stop in spans:
        at = max(bisect_right(starts, start) - 1, 0)
        while at < len(taken) and taken[at][0] < stop and start < stop:
            if taken[at][0] > start:
                rest.append((start, taken[at][0]))
            start = max(start, taken[at][1])
            at += 1
        if start < stop:
            rest.append((start, stop))
    return tuple(rest)


def overlap(spans: Spans, others: Spans) -> bool:
    """Whether two sets of spans share a seed."""
    return without(spans, others) != spans


def joined(spans: Iterable[tuple[int, int]]) -> Spans:
    """All seeds of spans that may overlap, in increasing order."""
    result: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(result[-1][1], stop)
        else:
            result.append((start, stop))
    return tuple(result)


def shown(spans: Spans) -> str:
    """The seeds in words: ``0-199``, ``0-9 and 20-29``."""
    few = [f"{a}" if b == a + 1 else f"{a}-{b - 1}" for a, b in spans[:3]]
    more = f" and {len(spans) - 3} more spans" if len(spans) > 3 else ""
    return ", ".join(few) + more
