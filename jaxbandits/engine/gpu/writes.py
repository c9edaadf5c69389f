"""Writing new values over old ones that they were computed from.

A round's new state lies where the old one did, and no value is computed before it is
needed. So the order matters: what is read is read before it is written.

* A value that is another with some rows put is written as these rows alone.
* What is small is computed first and held in registers until all is read.
* What is large is written in a loop, entry by entry; together with others of its shape
  as long as each entry is computed from entries at the same place. If not, it goes to
  scratch first.
* Rows of one array may be one and the same, of which the last one stays: where they
  would not be written alike, they are kept, and written in their order when all else
  is.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from jaxbandits.engine.gpu.positions import in_a_row, number, plus, times
from jaxbandits.engine.gpu.settling import copied
from jaxbandits.engine.gpu.space import IN_REGISTERS, Memory, Space
from jaxbandits.engine.gpu.values import (
    ROW,
    WHOLE,
    Moved,
    Put,
    Stored,
    Value,
    clipped,
)


class Write(NamedTuple):
    """Entries that are written in a row.

    Attributes:
      memory: where.
      first: position of the first one.
      value: the entries.
      how: `WHOLE`, or `ROW` if it is a row of what lies there.
      inside: bool[B], runs in which there is such a row; None for all.
    """

    memory: Memory
    first: Any
    value: Value
    how: str
    inside: Any = None

    def store(self, space: Space, position, entry, mask) -> None:
        """Write an entry of `value`."""
        if self.inside is not None:
            mask = self.inside if mask is None else mask & self.inside
        space.store(self.memory, plus(self.first, position), entry, mask)


def write_all(space: Space, targets: list[tuple[Memory, Value]], mask=None) -> None:
    """Let values take the place of others.

    Args:
      space: what the kernel works in.
      targets: where, and the new value; one may be computed from any of the others.
      mask: bool[B], runs that are written; all by default.
    """
    writes = []
    for memory, value in targets:
        rows = puts(memory, value)
        writes += [Write(memory, 0, value, WHOLE)] if rows is None else rows
    last = _unlike(space, writes)
    alike = [w for w in writes if w.memory not in last]
    small = [_is_small(space, w.value) for w in alike]
    large = [w for w, few in zip(alike, small, strict=True) if not few]
    few = [w for w, few in zip(alike, small, strict=True) if few]
    held = [[w.value.entry(i) for i in np.ndindex(w.value.shape)] for w in few]
    kept = [
        w._replace(value=copied(space, w.value)) for w in writes if w.memory in last
    ]
    ready = _in_their_places(space, large)
    for group in _by_shape(ready).values():
        _write_group(space, group, mask)
    for write, entries in zip(few, held, strict=True):
        for i, entry in enumerate(entries):
            write.store(space, i, entry, mask)
    for write in kept:
        _write_group(space, [write], mask)


def _unlike(space: Space, writes: list[Write]) -> set[Memory]:
    """Memories of which several rows are written, and not all in one loop or way."""
    ways: dict[Memory, set] = {}
    for write in writes:
        way = True if _is_small(space, write.value) else write.value.shape
        ways.setdefault(write.memory, set()).add(way)
    return {memory for memory, each in ways.items() if len(each) > 1}


def puts(memory: Memory, value: Value) -> list[Write] | None:
    """A value as rows that are put into what lies in `memory`; None if it is not so."""
    if isinstance(value, Stored):
        return [] if value.memory is memory else None
    if isinstance(value, Moved) and value.in_order:
        return puts(memory, value.operand)
    if not isinstance(value, Put):
        return None
    before = puts(memory, value.base)
    if before is None:
        return None
    lengths = value.base.shape[: len(value.index)]
    inside = None
    for position, length in zip(value.index, lengths, strict=True):
        # Before it is multiplied, which may lead back inside.
        if not isinstance(position, int) or not 0 <= position < length:
            here = (number(position) >= 0) & (number(position) < length)
            inside = here if inside is None else inside & here
    if inside is not None:
        inside = value.space.spread(inside)
    # A row that is nowhere is not written: the place is that of what is read for it.
    index = [clipped(i, 1, n) for i, n in zip(value.index, lengths, strict=True)]
    first = times(in_a_row(index, lengths), value.row.size)
    return [*before, Write(memory, first, value.row, ROW, inside)]


def lies_in(value: Value) -> Memory | None:
    """The memory of which a value is the whole, but for rows that are put."""
    while isinstance(value, Put) or (isinstance(value, Moved) and value.in_order):
        value = value.base if isinstance(value, Put) else value.operand
    if not isinstance(value, Stored) or value.size != value.memory.size:
        return None
    return value.memory if value.memory.own else None


def _is_small(space: Space, value: Value) -> bool:
    few = value.size * value.cost <= 2 * space.style.settled
    return value.size == 1 or (few and value.size <= IN_REGISTERS)


def _in_their_places(space: Space, writes: list[Write]) -> list[Write]:
    """What is not computed from entries at its own place goes to scratch before."""
    groups = _by_shape(writes)
    written = {w.memory: name for name, group in groups.items() for w in group}

    def fits(write: Write, name) -> bool:
        reads = write.value.reads.items()
        return all(
            written[memory] == name and how == write.how
            for memory, how in reads
            if memory in written
        )

    return [
        w if fits(w, name) else w._replace(value=copied(space, w.value))
        for name, group in groups.items()
        for w in group
    ]


def _by_shape(writes: list[Write]) -> dict[Any, list[Write]]:
    groups: dict[Any, list[Write]] = {}
    for write in writes:
        groups.setdefault((write.how, write.value.shape), []).append(write)
    return groups


def _write_group(space: Space, group: list[Write], mask) -> None:
    shape = group[0].value.shape
    cost = sum(w.value.cost + 1 for w in group)
    space.over(shape, cost, partial(_write_entries, space, group, mask))


def _write_entries(space: Space, group, mask, index, carry):
    entries = [w.value.entry(index) for w in group]
    place = in_a_row(index, group[0].value.shape)
    for write, entry in zip(group, entries, strict=True):
        write.store(space, place, entry, mask)
    return carry
