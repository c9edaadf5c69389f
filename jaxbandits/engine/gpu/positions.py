"""Where an entry stands: known now, counted by a loop, or each run's own.

A position along an axis is an ``int``, an `At` (what a loop counts, times a step, plus
an offset), or an array. The first two keep what is known about an unrolled entry
through reshapes and slices, so that a table or a padding is looked up while the kernel
is written and not while it runs.
"""

import math
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax


class At(NamedTuple):
    """``count * step + offset``.

    Attributes:
      count: i32[], counted by a loop.
      step: int.
      offset: int, at least 0.
    """

    count: Any
    step: int
    offset: int


def number(position):
    """The position as a number of the kernel."""
    if isinstance(position, At):
        count, step, offset = position
        scaled = count * jnp.int32(step) if step != 1 else count
        return scaled + jnp.int32(offset) if offset else scaled
    return jnp.int32(position) if isinstance(position, int) else position


def key(position):
    """Equal for equal positions."""
    if isinstance(position, At):
        return (id(position.count), position.step, position.offset)
    return position if isinstance(position, int | str) else ("array", id(position))


def plus(a, b):
    """The sum of two positions."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if isinstance(b, At) and not isinstance(a, At):
        a, b = b, a
    if isinstance(a, At):
        if isinstance(b, int) and a.offset + b >= 0:
            return a._replace(offset=a.offset + b)
        if isinstance(b, At) and b.count is a.count:
            return At(a.count, a.step + b.step, a.offset + b.offset)
    if isinstance(b, int) and b == 0:
        return a
    if isinstance(a, int) and a == 0:
        return b
    return number(a) + number(b)


def times(a, n: int):
    """A position times a whole number."""
    if isinstance(a, int):
        return a * n
    if isinstance(a, At):
        return At(a.count, a.step * n, a.offset * n)
    return a if n == 1 else a * jnp.int32(n)


def split(a, n: int):
    """Quotient and rest of a position by a whole number."""
    if isinstance(a, int):
        return divmod(a, n)
    if n == 1:
        return a, 0
    if isinstance(a, At) and a.step % n == 0:
        quotient, rest = divmod(a.offset, n)
        return At(a.count, a.step // n, quotient), rest
    a = number(a)
    quotient = lax.div(a, jnp.full_like(a, n))
    return quotient, a - quotient * jnp.int32(n)


def in_a_row(index, shape):
    """The row-major position of an entry."""
    total = 0
    for position, length in zip(index, shape, strict=True):
        total = plus(times(total, length), position)
    return total


def of_a_row(position, shape) -> tuple:
    """The index of the entry at a row-major position."""
    index = []
    for axis in reversed(range(len(shape))):
        if axis == 0:
            rest = position
        else:
            position, rest = split(position, shape[axis])
        index.append(0 if shape[axis] == 1 else rest)
    return tuple(reversed(index))


def reshaped(index, before, after) -> tuple:
    """The index in shape `before` of an entry at `index` in shape `after`."""
    if math.prod(after) == 1:
        return (0,) * len(before)
    long_before = [n for n in before if n != 1]
    if long_before == [n for n in after if n != 1]:
        kept = iter([i for i, n in zip(index, after, strict=True) if n != 1])
        return tuple(0 if n == 1 else next(kept) for n in before)
    return of_a_row(in_a_row(index, after), before)
