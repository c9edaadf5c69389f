"""Values of a run's program: where they lie, or the expression of an entry."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

TYPES = {"float32": "F", "int32": "I", "uint32": "U", "bool": "B"}
Index = tuple[str, ...]  # in C++, a place along each axis


class MissingError(Exception):
    """An operation cannot be written; the argument names it."""


class Memory(NamedTuple):
    """Where an array lies.

    Attributes:
      name: of the variable or pointer.
      kind: ``OWN``, an array of one run; ``ALL``, the entries of all runs side by side;
        ``""``, a variable.
      size: entries of a run.
      carried: whether it is written again in the next round or turn of a loop.
    """

    name: str
    kind: str
    size: int
    carried: bool = False

    def at(self, place: str) -> str:
        """The entry at a place."""
        whole = f"{self.kind}({self.name}, {place}, {self.size})"
        return whole if self.kind else self.name


class Value:
    """An array; the expression of an entry is written wherever the entry is read.

    Attributes:
      shape: the shape of the array.
      dtype: the name of its dtype.
      at: ``index -> text`` of an entry.
      cost: simple operations per entry.
      reads: memory that entries are computed from.
      moved: those of `reads` in which an entry reads another place than its own.
      memory: where the whole value lies; None if it is not stored.
      put: the array, place and row of a value that is an array with a row put.
    """

    def __init__(
        self,
        shape: Sequence[int],
        dtype: Any,
        at: Callable[[Index], str],
        cost: int = 0,
        sources: Sequence["Value"] = (),
        *,
        aligned: bool = False,
        put: "Put | None" = None,
    ):
        self.shape, self.dtype, self.at, self.cost = tuple(shape), str(dtype), at, cost
        self.reads = frozenset().union(*(each.reads for each in sources))
        near = [each for each in sources if aligned and each.shape == self.shape]
        self.moved = frozenset().union(
            *(each.moved if each in near else each.reads for each in sources)
        )
        self.memory, self.put = None, put

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    @property
    def type(self) -> str:
        """The type in C++."""
        return TYPES[self.dtype]

    def spread_at(self, index: Index) -> str:
        """The entry at an index of a larger array, over which this one is spread."""
        inner = index[len(index) - len(self.shape) :]
        places = zip(inner, self.shape, strict=True)
        return self.at(tuple("0" if n == 1 else i for i, n in places))


class Put(NamedTuple):
    """An array with one row put into it.

    Attributes:
      base: the array.
      index: of the row.
      row: its entries.
    """

    base: Value
    index: Index
    row: Value


def stored(memory: Memory, shape: Sequence[int], dtype: Any) -> Value:
    """The value that lies in memory."""
    value = Value(shape, dtype, lambda index: memory.at(flat_place(index, shape)))
    value.cost = 1 if memory.kind else 0
    value.memory, value.reads = memory, frozenset({memory})
    return value


def base_of(value: Value) -> Memory | None:
    """The memory that a value fills, apart from rows that are put; None if none."""
    return value.memory if value.put is None else base_of(value.put.base)


def literal(x: Any) -> str:
    """A number in C++."""
    x = np.asarray(x)
    if x.dtype == bool:
        return "true" if x else "false"
    if x.dtype.kind == "f":
        if np.isnan(x):
            return "NAN_"
        text = "INF_" if np.isinf(x) else f"{abs(float(x))!r}f"
        return f"(-{text})" if np.signbit(x) else text
    if x.dtype == np.uint32:
        return f"{int(x)}u"
    return str(int(x)) if x >= 0 else f"({int(x) + 1} - 1)"  # also for the least one


def plus(place: str, more: Any) -> str:
    """The sum of two places."""
    return f"({place} + {more})" if more else place


def flat_place(index: Index, shape: Sequence[int]) -> str:
    """The place of an entry in row-major order."""
    strides = (math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
    longer = [x for x in zip(index, strides, shape, strict=True) if x[2] > 1]
    terms = [place if by == 1 else f"{place} * {by}" for place, by, _ in longer]
    return f"({' + '.join(terms)})" if terms else "0"


def index_of(place: str, shape: Sequence[int]) -> Index:
    """The index of an entry, from its place in row-major order."""
    index = []
    for axis, length in enumerate(shape):
        whole = f"{place} / {math.prod(shape[axis + 1 :])}"
        is_first = math.prod(shape[:axis]) == 1
        index.append(f"({whole})" if is_first else f"({whole} % {length})")
    return tuple("0" if n == 1 else i for i, n in zip(index, shape, strict=True))
