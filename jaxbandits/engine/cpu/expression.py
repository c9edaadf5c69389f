"""Values of the lanes transform, and cheap expressions that are not computed yet.

An element-wise operation or a broadcast is *deferred*: it is emitted as a whole array
only if an operation needs the array. A reduction uses its operand entry by entry, so
that an index such as ``mean + bonus * width`` is computed inside the reduction and
never written to memory.
"""

import math
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax

from jaxbandits.engine.elementwise import CHEAP, ELEMENTWISE, PRODUCTS

MAX_DEPTH = 6  # of nested cheap operations that are repeated, not stored
MANY = 128  # a broadcast to so many times as many entries stores its operand first


# The flag of an input with a lane axis in which all lanes hold the same.
UNIFORM = "uniform"


class Scope(NamedTuple):
    """Facts that hold for all values of a program.

    Attributes:
      num_lanes: length of the lane axis.
      going: bool[L], false for frozen lanes; None if no lane is frozen.
      scatter: whether arrays can be written in place.
      platform: the platform of the program.
    """

    num_lanes: int
    going: Any = None
    scatter: bool = True
    platform: str = "cpu"


class Lane:
    """One value of the one-lane program, for all lanes.

    Attributes:
      batched: whether the value has the lane axis, last.
      shape: of the value in one lane.
      origin: the number of the input that this is, up to writes that leave frozen lanes
        as they are; None for another value.
      uniform: whether all lanes are known to hold the same. Numbers are computed lane
        by lane nevertheless, so that they are the same bits whether it is known or not.
      is_product: whether the value is a product that is not stored.
    """

    __slots__ = (
        "_value",
        "batched",
        "depth",
        "is_product",
        "num_lanes",
        "operation",
        "origin",
        "shape",
        "uniform",
    )

    def __init__(
        self,
        value: Any,
        batched: bool,
        origin: int | None = None,
        uniform: bool = False,
    ):
        self._value = value
        self.batched = batched
        self.origin = origin
        self.uniform = uniform or not batched
        self.shape = value.shape[:-1] if batched else value.shape
        self.operation, self.depth, self.num_lanes = None, 0, None
        self.is_product = False

    @classmethod
    def deferred(cls, primitive, params, operands, shape, num_lanes) -> "Lane":
        """The result of an element-wise operation or a broadcast, not computed yet."""
        operands = [_stored(operand, shape) for operand in operands]
        lane = cls.__new__(cls)
        lane._value, lane.batched, lane.shape = None, True, shape
        lane.num_lanes, lane.origin = num_lanes, None
        lane.uniform = all(operand.uniform for operand in operands)
        lane.operation = (primitive, params, operands)
        lane.depth = 1 + max(operand.depth for operand in operands)
        name = primitive.name
        negated = name == "neg" and operands[0].is_product
        lane.is_product = name in PRODUCTS or negated
        cheap = name == "broadcast_in_dim" or ELEMENTWISE[name].cost == CHEAP
        if not cheap or lane.depth > MAX_DEPTH:
            _ = lane.value
        return lane

    @property
    def value(self):
        """The array, ``[*shape, lanes]`` if batched."""
        if self._value is None:
            primitive, params, operands = self.operation
            if primitive.name == "broadcast_in_dim":
                dims = (*params["broadcast_dimensions"], len(self.shape))
                self._value = lax.broadcast_in_dim(
                    operands[0].value, (*self.shape, self.num_lanes), dims
                )
            else:
                values = [align(x, self.shape, self.num_lanes) for x in operands]
                self._value = primitive.bind(*values, **params)
            self.operation, self.depth = None, 0
        return self._value

    @property
    def reads(self) -> int:
        """How many arrays an entry is computed from."""
        if self.operation is None:
            return int(self.batched and len(self.shape) > 0)
        return sum(operand.reads for operand in self.operation[2])

    def common(self):
        """The value in all lanes, of a uniform one."""
        return self.value[..., 0] if self.batched else self.value

    def entry(self, position: tuple[int, ...]):
        """The value at one position: ``[lanes]`` if batched, else a scalar."""
        if self.operation is None:
            start = (*position, 0) if self.batched else position
            stop = tuple(i + 1 for i in position)
            stop = (*stop, self._value.shape[-1]) if self.batched else stop
            out = lax.slice(self._value, start, stop)
            return out.reshape(out.shape[-1:] if self.batched else ())
        primitive, params, operands = self.operation
        if primitive.name == "broadcast_in_dim":
            (operand,) = operands
            inner = tuple(position[axis] for axis in params["broadcast_dimensions"])
            return operand.entry(_within(operand, inner))
        entries = [Lane(x.entry(_within(x, position)), x.batched) for x in operands]
        values = [align(x, (), self.num_lanes) for x in entries]
        return primitive.bind(*values, **params)


def _stored(operand: Lane, shape: tuple[int, ...]) -> Lane:
    """An operand of a result of some shape.

    It is stored if it must not be computed again for each of the entries that it is
    spread over: that of a broadcast, or a scalar beside an array.
    """
    if operand.shape == shape or not operand.batched:
        return operand
    # Many entries: or XLA computes it anew for each, however dear it is.
    # A product: with few lanes the compiler moves it out of the loop over entries, with
    # many it stays and is rounded together with a sum. The last bit would depend on the
    # chunk.
    if operand.is_product or math.prod(shape) > MANY * math.prod(operand.shape):
        value = lax.optimization_barrier(operand.value)
        return Lane(value, operand.batched, uniform=operand.uniform)
    return operand


def _within(lane: Lane, position: tuple[int, ...]) -> tuple[int, ...]:
    """A position of a result in an operand: scalars and axes of length 1 spread."""
    if not lane.shape:
        return ()
    return tuple(0 if n == 1 else i for n, i in zip(lane.shape, position, strict=True))


def align(lane: Lane, shape: tuple[int, ...], num_lanes: int):
    """The value of an operand as an array ``[*shape, lanes]``."""
    value = jnp.asarray(lane.value)
    ndim = len(lane.shape)
    if lane.batched and ndim == len(shape):
        return value
    # A scalar operand (select_n's predicate, clamp's bounds) spreads over `shape`.
    dims = tuple(range(ndim)) + ((len(shape),) if lane.batched else ())
    return lax.broadcast_in_dim(value, (*shape, num_lanes), dims)
