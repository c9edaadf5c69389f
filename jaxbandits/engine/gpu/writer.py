"""Writes the program of one run as the code of a kernel, step by step."""

from functools import cache

import numpy as np
from jax.extend.core import ClosedJaxpr

from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.gpu.forms import FORMS
from jaxbandits.engine.gpu.loops import LOOPS, carried
from jaxbandits.engine.gpu.moves import MOVES
from jaxbandits.engine.gpu.operations import (
    DEAR_COST,
    DEAR_OPERATIONS,
    JOINED,
    elementwise,
    iota,
    is_elementwise,
)
from jaxbandits.engine.gpu.program import Missing, Program, Step, flat
from jaxbandits.engine.gpu.reductions import REDUCTIONS
from jaxbandits.engine.gpu.settling import DEAR, copied, number_or, settled
from jaxbandits.engine.gpu.space import Memory, Space
from jaxbandits.engine.gpu.values import (
    DRAW,
    Entries,
    Known,
    Moved,
    Stored,
    Value,
)
from jaxbandits.engine.gpu.writes import lies_in, write_all

RULES = FORMS | MOVES | REDUCTIONS | {"iota": iota}
# Kernels of which an entry is found without a loop over all of them.
PASSING = {"pick", "put", "window"}


class Writer:
    """Evaluates programs in a space.

    Attributes:
      space: what the kernel works in.
      missing: notes of what has no rule; None to raise `Missing` at the first.
    """

    def __init__(self, space: Space, missing: list | None = None):
        self.space, self.missing = space, missing

    def run(self, closed: ClosedJaxpr, inputs: list[Value], free=None) -> list[Value]:
        """The outputs of a program.

        Args:
          closed: the program.
          inputs: what it is given.
          free: memory that nobody reads afterwards: a loop may carry what lies there,
            and rows that are put and stored are written there at once. None: no memory,
            and scratch neither, in which loops may.
        """
        program = _program(closed)
        values = dict(zip(program.inputs, inputs, strict=True))
        values |= {v: Known(self.space, x) for v, x in program.constants.items()}
        kept = program.kept(_cost, DEAR)
        together = program.together
        for number, step in enumerate(program.steps):
            places = {}
            if free is not None and step.name in LOOPS:
                places = self._free(program, number, values, free)
            outputs = self.step(step, [values[v] for v in step.inputs], places)
            for name, value in zip(step.outputs, outputs, strict=True):
                value = number_or(self.space, value)
                group = together.get(name, ())
                if free and group and lies_in(value) in free:
                    dear = False  # it is written below, with the others
                else:
                    dear = name in kept and value.cost > DEAR
                values[name] = settled(self.space, value) if dear else value
                if free and group and name == max(group):
                    self._put(program, number, values, group, free)
        return [values[v] for v in program.outputs]

    def _put(self, program: Program, number: int, values, group, free) -> None:
        """Write those of a group that are free memory with rows put, where that lies.

        The rows are then computed once, and read where they belong. Others that are
        computed from the same memory, and are read later, are computed before.
        """
        found = {v: lies_in(values[v]) for v in group}
        found = {v: memory for v, memory in found.items() if memory in free}
        later = {v for s in program.steps[number + 1 :] for v in s.inputs}
        later = sorted((later | {*program.outputs}) & set(values) - set(found))
        readers = [v for v in later if set(found.values()) & set(values[v].reads)]
        values |= {v: copied(self.space, values[v]) for v in readers}
        write_all(self.space, [(memory, values[v]) for v, memory in found.items()])
        values |= {v: Stored(self.space, m, values[v].shape) for v, m in found.items()}

    def _free(self, program: Program, number: int, values, free) -> dict[int, Memory]:
        """Memory in which a loop may carry what lies there, by place in its carry.

        Others that are computed from the same memory, and are read in the loop or after
        it, are computed before, if this is less than to copy what is carried.
        """
        step, found = program.steps[number], {}
        places = carried(step)
        later = {*program.outputs, *step.inputs[: places.start]}
        later |= {v for s in program.steps[number + 1 :] for v in s.inputs}
        later = sorted(later & set(values))
        for place, name in enumerate(step.inputs[places]):
            memory = lies_in(values[name])
            if memory is None or memory in found.values():
                continue
            readers = [v for v in later if memory in values[v].reads]
            less = sum(values[v].size for v in readers) < memory.size
            if less and (memory in free or memory.first is not None):
                values |= {v: copied(self.space, values[v]) for v in readers}
                found[place] = memory
        return found

    def step(self, step: Step, inputs: list[Value], places) -> list[Value]:
        """The outputs of one step; of a loop, `places` are as in `Held`."""
        name = step.name.removeprefix(PREFIX)
        try:
            if any(v.aval.dtype.itemsize == 8 for v in step.eqn.outvars):
                raise Missing("64-bit numbers")
            if name in LOOPS:
                return LOOPS[name](self, step, inputs, places)
            if is_elementwise(name):
                return [elementwise(self.space, step, inputs)]
            if name not in RULES:
                raise Missing(name)
            return [RULES[name](self.space, step, inputs)]
        except Missing as missing:
            return self._unknown(step, str(missing))

    def _unknown(self, step: Step, what: str) -> list[Value]:
        """Stand-ins for the outputs of a step that has no rule."""
        what = f"{what}{step.line()}"
        if self.missing is None:
            raise Missing(what)
        self.missing.append(what)
        return [self._zeros(v.aval) for v in step.eqn.outvars]

    def _zeros(self, aval) -> Value:
        zero = self.space.spread(np.zeros((), aval.dtype)[()])
        number = Entries(self.space, [zero], (), aval.dtype)
        return Moved(number, lambda index: (), aval.shape) if aval.shape else number


@cache
def _program(closed: ClosedJaxpr) -> Program:
    return flat(closed, {*FORMS, *JOINED})


def _cost(step: Step) -> int | None:
    """Operations of an entry, where they are put off until it is read; else None."""
    name = step.name.removeprefix(PREFIX)
    if not step.eqn.outvars[0].aval.shape:
        return None
    if is_elementwise(name):
        return DEAR_COST if name in DEAR_OPERATIONS else 1
    if name == "tape_row" or name.startswith("reduce_"):
        return DRAW
    return 0 if name in MOVES or name in PASSING else None
