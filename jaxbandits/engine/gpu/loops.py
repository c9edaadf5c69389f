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
    """Values that a loop carries: a few numbers in registers, the others in memory.

    Args:
      space: what the kernel works in.
      start: the values before the loop.
      places: memory of their own in which they may stay, by place in `start`; others
        are copied.
    """

    def __init__(self, space: Space, start: list[Value], places: dict[int, Memory]):
        self.space, self.start = space, start
        self.memories = [
            None
            if x.size <= space.style.carried
            else places.get(i) or space.scratch(x.size, x.dtype)
            for i, x in enumerate(start)
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


def carried(step: Step) -> slice:
    """Which inputs of a loop it carries; those before them it only reads."""
    params = step.eqn.params
    if step.name == "scan":
        first, number = scan_counts(params)
        return slice(first, first + number)
    return slice(params["cond_nconsts"] + params["body_nconsts"], len(step.inputs))


def scan(writer, step: Step, inputs: list[Value], places) -> list[Value]:
    """A loop of fixed length; `writer` writes its body."""
    space, params = writer.space, step.eqn.params
    carry, length = carried(step), params["length"]
    num_carry = carry.stop - carry.start
    constants, columns = inputs[: carry.start], inputs[carry.stop :]
    held = Held(space, inputs[carry], places)
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


def while_loop(writer, step: Step, inputs: list[Value], places) -> list[Value]:
    """A loop until all runs of the block are done; those that are wait as they are.

    `writer` writes its condition and its body.
    """
    space, params = writer.space, step.eqn.params
    carry, first = carried(step), params["cond_nconsts"]
    held = Held(space, inputs[carry], places)

    def going(numbers):
        values = [*inputs[:first], *held.values(numbers)]
        (active,) = space.within(writer.run)(params["cond_jaxpr"], values)
        return space.spread(jnp.asarray(active.entry(())))

    def body(state):
        mask, numbers = state
        values = [*inputs[first : carry.start], *held.values(numbers)]
        after = held.after(writer.run(params["body_jaxpr"], values), numbers, mask)
        return going(after), after

    # Carried, and not asked anew: a condition may not look into memory.
    start = held.begin()
    start = going(start), start
    _, numbers = lax.while_loop(lambda s: any_lane(s[0]), space.within(body), start)
    return held.values(numbers)


def any_lane(active):
    """Whether one of the lanes is active: bool[]."""
    return lax.reduce_max(active.astype(jnp.int32), (0,)) > 0


LOOPS = {"scan": scan, "while": while_loop}
