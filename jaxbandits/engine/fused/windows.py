"""Cutting out and putting together, without a slice or a gather.

A slice is a `Window` until somebody needs its numbers. A selection between two windows
of one array is a window whose start is selected: so the tree of selections in
`kernels.select.pick` and the barrel shifter in `kernels.interpolation.window` become
one comparison of positions with an index, and one masked sum.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax

from jaxbandits.engine.fused.padded import Padded, Spread, padded_shape, spread
from jaxbandits.engine.fused.reductions import taken


class Window(NamedTuple):
    """``source[start : start + length]`` along an axis.

    Attributes:
      source: what is cut.
      axis: along which.
      start: i32, a scalar, or of the source's shape with 1 at `axis`.
      length: of the window.
      squeezed: whether the axis, of length 1, is dropped.
    """

    source: Padded
    axis: int
    start: Padded
    length: int
    squeezed: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the window, without padding."""
        before, after = (
            self.source.shape[: self.axis],
            self.source.shape[self.axis + 1 :],
        )
        return (*before, *(() if self.squeezed else (self.length,)), *after)

    @property
    def batched(self) -> bool:
        """Whether it depends on the lane."""
        return self.source.batched or self.start.batched

    def padded(self) -> Padded:
        """The window as a value."""
        return Padded(None, self.shape, self.batched, self)

    def compute(self):
        """The array."""
        lanes = {x.value.shape[-1] for x in (self.source, self.start) if x.batched}
        num_lanes = lanes.pop() if lanes else None
        x = spread(self.source, self.source.shape, num_lanes)
        axis, wide = self.axis, padded_shape((self.length,))[0]
        if self.length == 1:
            out = taken(_positions(x, axis) == self._start(x, num_lanes), x, axis)
            return out if self.squeezed else lax.expand_dims(out, (axis,))
        start = int(self.start.origin.array) if self.start.known else None
        if start is not None and start % wide == 0:
            pieces = x.reshape(*x.shape[:axis], -1, wide, *x.shape[axis + 1 :])
            if pieces.shape[axis] == 1:
                return lax.squeeze(pieces, (axis,))
            return taken(_positions(pieces, axis) == start // wide, pieces, axis)
        pairs = _paired(x, axis, wide)
        start = _paired(self._start(x, num_lanes), axis, wide)
        return taken(
            _positions(pairs, axis) == start + _positions(pairs, axis + 1), pairs, axis
        )

    def _start(self, x, num_lanes):
        """The start, for every entry of the source."""
        if not self.start.shape:
            return spread(self.start, self.source.shape, num_lanes)
        value = self.start.value
        dims = [*range(value.ndim)]
        return lax.broadcast_in_dim(value, x.shape, dims)


def cut(x: Padded, axis: int, start: Padded, length: int) -> Padded:
    """A window of `x`; a window of a window along its axis is one of the source."""
    inner = x.origin
    if isinstance(inner, Window) and inner.axis == axis and not inner.squeezed:
        return inner._replace(start=_sum(inner.start, start), length=length).padded()
    return Window(x, axis, start, length).padded()


def squeezed(x: Padded, shape: tuple[int, ...]) -> Padded | None:
    """`x` in a shape that drops the window's axis, if that is what it does."""
    window = x.origin
    if not isinstance(window, Window) or window.squeezed or window.length != 1:
        return None
    narrow = window._replace(squeezed=True)
    return narrow.padded() if narrow.shape == tuple(shape) else None


def selected(condition: Padded, false: Padded, true: Padded, select) -> Padded | None:
    """A selection between two windows of one array, as a window; None if it is not one.

    Args:
      condition: bool.
      false: the value where it is false.
      true: the value where it is true.
      select: ``(condition, false, true) -> Padded``, for the starts.
    """
    one, other = false.origin, true.origin
    if not isinstance(one, Window) or not isinstance(other, Window):
        return None
    alike = one._replace(start=None) == other._replace(start=None)
    condition = _without(condition, one.axis, one.squeezed) if alike else None
    if condition is None:
        return None
    return one._replace(start=select(condition, one.start, other.start)).padded()


def placed(x: Padded, axis: int, offset: int, base, num_lanes: int | None):
    """The array `base` with `x` at ``offset : offset + n`` along an axis."""
    n = x.shape[axis]
    value = spread(x, x.shape, num_lanes)
    wide, size = base.shape[axis], value.shape[axis]
    if offset % size == 0:
        # Repeated along the axis, one of the copies lies where it should.
        shape = (*value.shape[:axis], wide // size, *value.shape[axis:])
        dims = [i if i < axis else i + 1 for i in range(value.ndim)]
        moved = lax.broadcast_in_dim(value, shape, dims).reshape(base.shape)
    else:
        pairs = _paired(value, axis, wide)
        here = _positions(pairs, axis) + offset == _positions(pairs, axis + 1)
        moved = taken(here, pairs, axis)
    position = _positions(base, axis)
    inside = (position >= offset) & (position < offset + n)
    return lax.select(inside, moved, base)


def _sum(start: Padded, more: Padded) -> Padded:
    if start.known and more.known:
        array = start.origin.array + more.origin.array
        return Padded(None, (), False, start.origin._replace(array=array))
    batched = start.batched or more.batched
    if not start.shape and not more.shape:
        return Padded(start.value + more.value, (), batched)
    shape = start.shape or more.shape
    lanes = [x.value.shape[-1] for x in (start, more) if x.batched]
    num_lanes = lanes[0] if lanes else None
    total = spread(start, shape, num_lanes) + spread(more, shape, num_lanes)
    return Padded(total, shape, batched)


def _without(condition: Padded, axis: int, dropped: bool) -> Padded | None:
    """A condition that does not vary along an axis, with length 1 there, or scalar."""
    if not condition.shape:
        return condition
    if dropped:
        shape = (*condition.shape[:axis], 1, *condition.shape[axis:])
        return Padded(
            lax.expand_dims(condition.value, (axis,)), shape, condition.batched
        )
    origin = condition.origin
    if not isinstance(origin, Spread):
        return None
    lengths = dict(zip(origin.dims, origin.operand.shape, strict=True))
    if lengths.get(axis, 1) != 1:
        return None
    if not origin.operand.shape:
        return origin.operand
    shape = (*condition.shape[:axis], 1, *condition.shape[axis + 1 :])
    narrow = Spread(origin.operand, origin.dims, shape)
    return Padded(None, shape, condition.batched, narrow)


def _positions(x, axis: int):
    return lax.broadcasted_iota(jnp.int32, x.shape, axis)


def _paired(x, axis: int, wide: int):
    """`x` repeated along a new axis of length `wide` behind `axis`."""
    shape = (*x.shape[: axis + 1], wide, *x.shape[axis + 1 :])
    dims = [i if i <= axis else i + 1 for i in range(x.ndim)]
    return lax.broadcast_in_dim(x, shape, dims)
