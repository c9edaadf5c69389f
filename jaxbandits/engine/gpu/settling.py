"""Values that are computed at once: once for all who read them."""

import numpy as np

from jaxbandits.engine.gpu.positions import in_a_row
from jaxbandits.engine.gpu.space import IN_REGISTERS, Space
from jaxbandits.engine.gpu.values import Draws, Entries, Known, Stored, Value

# Operations that cost more than to store their result and to load it.
DEAR = 12


def settled(space: Space, value: Value) -> Value:
    """A value that is read more than once, computed once."""
    if isinstance(value, Entries | Known | Stored) or not value.size:
        return value
    # Words are drawn in pairs, and not in vain.
    few = isinstance(value, Draws) or value.size * value.cost <= space.style.settled
    if few and value.size <= IN_REGISTERS:
        entries = [value.entry(i) for i in np.ndindex(value.shape)]
        return Entries(space, entries, value.shape, value.dtype)
    memory = space.scratch(value.size, value.dtype)
    after = Stored(space, memory, value.shape)

    def keep(index, carry):
        space.store(memory, in_a_row(index, value.shape), value.entry(index))
        return carry

    space.over(value.shape, value.cost + 1, keep)
    return after


def number_or(space, value: Value) -> Value:
    """A value of shape ``()`` as a number."""
    if value.shape or isinstance(value, Entries | Known):
        return value
    return Entries(space, [value.entry(())], (), value.dtype)
