"""A jaxpr as a flat list of steps: calls inlined, unread steps left out."""

from collections import Counter
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from jax.extend.core import ClosedJaxpr

from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.elementwise import ELEMENTWISE
from jaxbandits.engine.gpu.forms import FORMS, REWRITTEN
from jaxbandits.engine.jaxprs import EXPANDED, LOWER_LEVEL, called, inner_of, walk

BARRIER = "optimization_barrier"
# Named kernels that stay calls. (A name without the prefix may be that of a function in
# a policy.)
KEPT = {PREFIX + name for name in (*FORMS, "multiply_add")}
INLINED = EXPANDED | LOWER_LEVEL | {PREFIX + x: fn for x, fn in REWRITTEN.items()}


class Step(NamedTuple):
    """One operation of a program.

    Attributes:
      name: the primitive's, or a named kernel's without the prefix.
      eqn: the equation; its parameters, shapes and source.
      inputs: numbers of values.
      outputs: numbers of values.
      asked: the outermost call that the equation is part of, or the equation itself.
    """

    name: str
    eqn: Any
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    asked: Any

    def line(self) -> str:
        """`` (file:line)`` of the source, if it is known."""
        return _line(self.asked) or _line(self.eqn)


class Program(NamedTuple):
    """Steps in order.

    Attributes:
      steps: the steps that an output depends on.
      constants: ``{value: array}``.
      inputs: numbers of values.
      outputs: numbers of values.
      readers: how often each value is read.
      apart: values that are read in several loops over entries.
    """

    steps: tuple[Step, ...]
    constants: dict[int, np.ndarray]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    readers: Counter
    apart: set[int]


@cache
def flat(closed: ClosedJaxpr) -> Program:
    """The program of a jaxpr."""
    steps: list[Step] = []
    constants: dict[int, np.ndarray] = {}
    asked: list[Any] = []
    shapes: list[tuple[int, ...]] = []  # of all values

    def value(shape) -> int:
        shapes.append(shape)
        return len(shapes) - 1

    def constant(x, dtype) -> int:
        number = value(np.shape(x))
        constants[number] = np.asarray(x, dtype)
        return number

    def emit(eqn, inputs):
        if eqn.primitive.name == BARRIER:
            return inputs
        own = called(eqn)
        inner = None if own in KEPT else inner_of(eqn, INLINED)
        if inner is not None:
            asked.append(asked[-1] if asked else eqn)
            outputs = walk(inner, inputs, constant, emit)
            asked.pop()
            return outputs
        name = own.removeprefix(PREFIX)
        outputs = tuple(value(v.aval.shape) for v in eqn.outvars)
        origin = asked[-1] if asked else eqn
        steps.append(Step(name, eqn, tuple(inputs), outputs, origin))
        return outputs

    inputs = tuple(value(v.aval.shape) for v in closed.jaxpr.invars)
    outputs = tuple(walk(closed, inputs, constant, emit))
    needed, kept = set(outputs), []
    for step in reversed(steps):
        if needed & set(step.outputs):
            needed.update(step.inputs)
            kept.append(step)
    readers = Counter(v for step in kept for v in step.inputs) + Counter(outputs)
    kept = _joined(kept[::-1], readers, constants)
    loops = _loops(kept, outputs, readers, shapes)
    apart = {v for v, places in loops.items() if len(places) > 1}
    return Program(tuple(kept), constants, inputs, outputs, readers, apart)


def _loops(steps: list[Step], outputs, readers, shapes) -> dict[int, set[int]]:
    """The steps in which there is a loop over the entries of each value.

    Element-wise steps have none of their own: they are computed in the loops of their
    readers. A value that is read in several loops is taken to be stored.
    """
    loops: dict[int, set[int]] = {v: {len(steps)} for v in outputs}
    for place in reversed(range(len(steps))):
        step, (first, *_) = steps[place], steps[place].outputs
        through = loops.get(first, {place})
        through = {place} if len(through) > 1 and readers[first] > 1 else through
        for v in step.inputs:
            same = step.name in ELEMENTWISE and shapes[v] == shapes[first]
            # An entry of a part is computed wherever one of the whole is.
            own = {place, -1} if step.name == "concatenate" else {place}
            loops.setdefault(v, set()).update(through if same else own)
    return loops


def _joined(steps: list[Step], readers, constants) -> list[Step]:
    """The steps, in which a product that only one sum reads is part of that sum.

    The product is then exact wherever the sum is computed, so that compensated sums
    stay error-free. A sum ``0 x + c`` that only products with x read is c: they are NaN
    all the same if x is.
    """
    made = {step.outputs[0]: step for step in steps}
    for step in steps:
        is_sum = step.name == "add" and step.eqn.outvars[0].aval.dtype == np.float32
        for k, v in enumerate(step.inputs if is_sum else ()):
            if v in made and made[v].name == "mul" and readers[v] == 1:
                inputs = (*made.pop(v).inputs, step.inputs[1 - k])
                join = step._replace(name="multiply_add", inputs=inputs)
                zero, x, rest = inputs
                both = {x, *step.outputs}
                after = [e for e in steps if e.name == "mul" and both <= {*e.inputs}]
                is_first = not np.any(constants.get(zero, True))
                if is_first and len(after) == readers[step.outputs[0]]:
                    name = "convert_element_type"  # to the type that it has
                    join = step._replace(name=name, inputs=(rest,))
                made[step.outputs[0]] = join
                break
    return [*made.values()]


def _line(eqn) -> str:
    frames = getattr(eqn.source_info.traceback, "frames", [])
    inside = ("/jax/", "/jaxbandits/arrays/", "/jaxbandits/kernels/", "<")
    for frame in frames:
        if not any(part in frame.file_name for part in inside):
            return f" ({frame.file_name.rsplit('/', 1)[-1]}:{frame.line_num})"
    return ""
