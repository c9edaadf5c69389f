"""Values of a run's program: where they lie, or how an entry of them is written."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

TYPES = {"float32": "F", "int32": "I", "uint32": "U", "bool": "B"}
Place = int | str  # along an axis: a number, or the text of one
Index = tuple[Place, ...]


class MissingError(Exception):
    """A part of a program cannot be written; the argument names it."""


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

    def at(self, place: Place) -> str:
        """The entry at a place."""
        if not self.kind:
            return self.name
        return f"{self.kind}({self.name}, {place}, {self.size})"


class Value:
    """An array, of which entries are written where they are read.

    Attributes:
      shape: of the array.
      dtype: its name.
      at: ``index -> text`` of an entry.
      cost: simple operations that an entry takes.
      reads: memory that entries are read from, of what is written again.
      moved: memory among these in which an entry is not read at its own place.
      memory: where the whole value lies, if it does.
      constant: the array itself, if it is known.
      put: the array, place and row that it is made of, if it is one with a row put.
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
        constant: np.ndarray | None = None,
        put: "Put | None" = None,
    ):
        self.shape, self.dtype, self.at, self.cost = tuple(shape), str(dtype), at, cost
        self.reads = frozenset().union(*(each.reads for each in sources))
        near = [each for each in sources if aligned and each.shape == self.shape]
        self.moved = frozenset().union(
            *(each.moved if each in near else each.reads for each in sources)
        )
        self.memory, self.constant, self.put = None, constant, put

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    @property
    def type(self) -> str:
        """In C++."""
        return TYPES[self.dtype]

    @property
    def is_stored(self) -> bool:
        """Whether an entry is as good as read."""
        return self.memory is not None or self.constant is not None

    def spread_at(self, index: Index) -> str:
        """The entry at an index of a larger array, over which this one is spread."""
        inner = index[len(index) - len(self.shape) :]
        places = zip(inner, self.shape, strict=True)
        return self.at(tuple(0 if n == 1 else i for i, n in places))


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
    """What lies in memory."""
    value = Value(shape, dtype, lambda index: memory.at(flat_place(index, shape)), 1)
    value.cost = 1 if memory.kind else 0
    value.memory, value.reads = memory, frozenset({memory})
    return value


def base_of(value: Value) -> Memory | None:
    """The memory of which a value is the whole, but for rows that are put."""
    while value.memory is None and value.put is not None:
        value = value.put.base
    return value.memory


def place_of(index: Value) -> Place:
    """A number as a place."""
    return index.at(()) if index.constant is None else int(index.constant)


def literal(x: Any) -> str:
    """A number in C++."""
    x = np.asarray(x)
    if x.dtype == bool:
        return "true" if x else "false"
    if x.dtype.kind == "f":
        if np.isnan(x):
            return "NAN_"
        if np.isinf(x):
            return "INF_" if x > 0 else "(-INF_)"
        text = repr(float(x))
        return f"({text}f)" if x < 0 else f"{text}f"
    if x.dtype == np.uint32:
        return f"{int(x)}u"
    return str(int(x)) if x >= 0 else f"({int(x) + 1} - 1)"  # of the least one, too


def plus(place: Place, more: Place) -> Place:
    """The sum of two places."""
    if isinstance(place, int) and isinstance(more, int):
        return place + more
    if 0 in (place, more):
        return more if place == 0 else place
    return f"({place} + {more})"


def times(place: Place, factor: int) -> Place:
    """A place times a number."""
    if isinstance(place, int):
        return place * factor
    return place if factor == 1 else f"({place} * {factor})"


def flat_place(index: Index, shape: Sequence[int]) -> Place:
    """The place of an entry in row-major order."""
    known, total = 0, 0
    for axis, place in enumerate(index):
        step = times(place, math.prod(shape[axis + 1 :]))
        if isinstance(step, int):
            known += step
        else:
            total = plus(total, step)
    return plus(total, known)


def index_of(place: Place, shape: Sequence[int]) -> Index:
    """The index of an entry of which the place in row-major order is known."""
    index = []
    for axis, length in enumerate(shape):
        stride = math.prod(shape[axis + 1 :])
        if isinstance(place, int):
            index.append(place // stride % length)
        elif length == 1:
            index.append(0)
        else:
            whole = place if stride == 1 else f"{place} / {stride}"
            last = math.prod(shape[:axis]) == 1
            index.append(f"({whole})" if last else f"({whole} % {length})")
    return tuple(index)
