"""Loops of the program: the same loops in the kernel, all runs of a block together."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxbandits.engine.gpu.positions import At, in_a_row, plus, times
from jaxbandits.engine.gpu.program import Step
from jaxbandits.engine.gpu.settling import number_or
from jaxbandits.engine.gpu.space import Memory, Space
from jaxbandits.engine.gpu.values import Entries, Moved, Stored, Value
from jaxbandits.engine.gpu.writes import write_all
from jaxbandits.engine.jaxprs import scan_counts


class Held:
    """Values that a loop carries: a few numbers in registers, the others in scratch."""

    def __init__(self, space: Space, start: list[Value]):
        self.space, self.start = space, start
        self.memories = [
            space.scratch(x.size, x.dtype) if x.size > space.style.carried else None
            for x in start
        ]

    def begin(self) -> list:
        """Put what the loop begins with in its place; the numbers in registers."""
        targets = zip(self.memories, self.start, strict=True)
        write_all(self.space, [(m, x) for m, x in targets if m is not None])
        return self.numbers(self.start)

    def numbers(self, values: list[Value]) -> list:
        """What a loop carries in registers, ``[B]`` each."""
        spread = self.space.spread
        return [
            [spread(jnp.asarray(x.entry(i))) for i in np.ndindex(x.shape)]
            for x, memory in zip(values, self.memories, strict=True)
            if memory is None
        ]

    def values(self, numbers: list) -> list[Value]:
        """The values, of numbers in registers and what lies in scratch."""
        rest = iter(numbers)
        return [
            Entries(self.space, next(rest), x.shape, x.dtype)
            if memory is None
            else Stored(self.space, memory, x.shape)
            for x, memory in zip(self.start, self.memories, strict=True)
        ]

    def after(self, values: list[Value], numbers: list, mask=None) -> list:
        """Take over new values, where `mask` holds; the numbers in registers."""
        new = self.numbers(values)
        if mask is not None:
            new = jax.tree.map(lambda n, o: jnp.where(mask, n, o), new, numbers)
        targets = zip(self.memories, values, strict=True)
        write_all(self.space, [(m, x) for m, x in targets if m is not None], mask)
        return new


def scan(writer, step: Step, inputs: list[Value]) -> list[Value]:
    """A loop of fixed length; `writer` writes its body."""
    space, params = writer.space, step.eqn.params
    first, num_carry = scan_counts(params)
    last, length = first + num_carry, params["length"]
    constants, columns = inputs[:first], inputs[last:]
    held = Held(space, inputs[first:last])
    found = [v.aval for v in step.eqn.outvars[num_carry:]]
    books = [space.scratch(a.size, a.dtype) for a in found]

    def body(i, numbers):
        at = At(jnp.int32(length - 1) - i if params["reverse"] else i, 1, 0)
        rows = [_row(space, x, at) for x in columns]
        outputs = writer.run(
            params["jaxpr"], [*constants, *held.values(numbers), *rows]
        )
        for book, value in zip(books, outputs[num_carry:], strict=True):
            _keep_row(space, book, at, value)
        return held.after(outputs[:num_carry], numbers)

    numbers = space.loop(length, body, held.begin()) if length else held.begin()
    rows = [Stored(space, m, a.shape) for m, a in zip(books, found, strict=True)]
    return [*held.values(numbers), *rows]


def _row(space: Space, x: Value, at: At) -> Value:
    row = Moved(x, lambda index: (at, *index), x.shape[1:])
    return number_or(space, row)


def _keep_row(space: Space, book: Memory, at: At, value: Value) -> None:
    def keep(index, carry):
        place = plus(times(at, value.size), in_a_row(index, value.shape))
        space.store(book, place, value.entry(index))
        return carry

    space.over(value.shape, value.cost + 1, keep)


def while_loop(writer, step: Step, inputs: list[Value]) -> list[Value]:
    """A loop until all runs of the block are done; those that are wait as they are.

    `writer` writes its condition and its body.
    """
    space, params = writer.space, step.eqn.params
    first = params["cond_nconsts"]
    last = first + params["body_nconsts"]
    held = Held(space, inputs[last:])

    def going(numbers):
        values = [*inputs[:first], *held.values(numbers)]
        (active,) = space.within(writer.run)(params["cond_jaxpr"], values)
        return space.spread(jnp.asarray(active.entry(())))

    def body(numbers):
        mask = going(numbers)
        values = [*inputs[first:last], *held.values(numbers)]
        return held.after(writer.run(params["body_jaxpr"], values), numbers, mask)

    numbers = lax.while_loop(
        lambda numbers: any_lane(space.within(going)(numbers)),
        space.within(body),
        held.begin(),
    )
    return held.values(numbers)


def any_lane(active):
    """Whether one of the lanes is active: bool[]."""
    return lax.reduce_max(active.astype(jnp.int32), (0,)) > 0


LOOPS = {"scan": scan, "while": while_loop}
