"""Writes the program of one run as the code of a kernel, step by step."""

from functools import cache

import numpy as np
from jax.extend.core import ClosedJaxpr

from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.gpu.forms import FORMS
from jaxbandits.engine.gpu.loops import LOOPS
from jaxbandits.engine.gpu.moves import MOVES
from jaxbandits.engine.gpu.operations import (
    DEAR_COST,
    DEAR_OPERATIONS,
    elementwise,
    iota,
    is_elementwise,
)
from jaxbandits.engine.gpu.program import Missing, Program, Step, flat
from jaxbandits.engine.gpu.reductions import REDUCTIONS
from jaxbandits.engine.gpu.settling import DEAR, number_or, settled
from jaxbandits.engine.gpu.space import Space
from jaxbandits.engine.gpu.values import DRAW, Entries, Known, Moved, Value

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

    def run(self, closed: ClosedJaxpr, inputs: list[Value]) -> list[Value]:
        """The outputs of a program."""
        program = _program(closed)
        values = dict(zip(program.inputs, inputs, strict=True))
        values |= {v: Known(self.space, x) for v, x in program.constants.items()}
        kept = program.kept(_cost, DEAR)
        for step in program.steps:
            outputs = self.step(step, [values[v] for v in step.inputs])
            for name, value in zip(step.outputs, outputs, strict=True):
                value = number_or(self.space, value)
                dear = name in kept and value.cost > DEAR
                values[name] = settled(self.space, value) if dear else value
        return [values[v] for v in program.outputs]

    def step(self, step: Step, inputs: list[Value]) -> list[Value]:
        """The outputs of one step."""
        name = step.name.removeprefix(PREFIX)
        try:
            if any(v.aval.dtype.itemsize == 8 for v in step.eqn.outvars):
                raise Missing("64-bit numbers")
            if name in LOOPS:
                return LOOPS[name](self, step, inputs)
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
    return flat(closed, FORMS)


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
