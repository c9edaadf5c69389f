"""How the leaves of states, parameters and instances lie in memory."""

import math
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax.experimental import pallas as pl

from jaxbandits.engine.gpu.space import Memory, Space, held_as
from jaxbandits.engine.gpu.values import Entries, Stored, Value


class Leaf(NamedTuple):
    """How a value lies in memory.

    Attributes:
      shape: in one run.
      dtype: of the value.
      own: whether every run has its own.
    """

    shape: tuple[int, ...]
    dtype: Any
    own: bool

    @property
    def size(self) -> int:
        """Numbers of a run."""
        return math.prod(self.shape)

    def packed(self, x):
        """The array that the kernel is given: ``[entries, runs]``, without bools."""
        x = jnp.asarray(x).astype(held_as(self.dtype))
        return x.reshape(self.size, *x.shape[len(self.shape) :])

    def unpacked(self, x):
        """What a caller outside expects, of an array that the kernel has written."""
        return x.reshape(*self.shape, *x.shape[1:]).astype(self.dtype)

    def block(self, num_lanes: int) -> pl.BlockSpec:
        """What every program sees of the packed array: all of it, of all runs."""
        if self.own:
            return pl.BlockSpec((self.size, num_lanes), lambda i: (0, 0))
        return pl.BlockSpec((self.size,), lambda i: (0,))

    def memory(self, ref) -> Memory:
        """The packed array inside the kernel."""
        return Memory(ref, self.size, self.dtype, self.own)

    def value(self, space: Space, memory: Memory) -> Value:
        """Numbers are loaded at once; of an array, what is needed when it is."""
        if self.size == 1:
            return Entries(space, [space.load(memory, 0)], self.shape, self.dtype)
        return Stored(space, memory, self.shape)
