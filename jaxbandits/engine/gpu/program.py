"""A jaxpr as a flat list of steps: calls inlined, what nothing reads left out."""

from collections import Counter
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from jax.extend.core import ClosedJaxpr

from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.elementwise import ELEMENTWISE
from jaxbandits.engine.gpu.forms import FORMS, REWRITTEN
from jaxbandits.engine.jaxprs import called, expanded, inner_of, lower_level, walk

BARRIER = "optimization_barrier"
# Array primitives that stay as they are. (Without the prefix a name may be that of a
# function of a policy's.)
KEPT = {PREFIX + name for name in (*FORMS, "multiply_add")}
ours = partial(expanded, forms={PREFIX + name: fn for name, fn in REWRITTEN.items()})
# Entries are read under conditions, where none can be kept for other readers.
GUARDED = {"concatenate", "pad"}


class Step(NamedTuple):
    """One operation of a program.

    Attributes:
      name: of the primitive, or of an array primitive without its prefix.
      eqn: the equation; its parameters, shapes and source.
      inputs: numbers of values.
      outputs: numbers of values.
      asked: the outermost call that the equation is part of, or the equation.
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
      steps: those that an output depends on.
      constants: ``{value: array}``.
      inputs: numbers of values.
      outputs: numbers of values.
      readers: how often each value is read.
      last: the last step that reads each value.
      loops: which steps go through the entries of each value; entry by entry, others
        are part of these.
    """

    steps: tuple[Step, ...]
    constants: dict[int, np.ndarray]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    readers: Counter
    last: dict[int, int]
    loops: dict[int, set[int]]


@cache
def flat(closed: ClosedJaxpr) -> Program:
    """The program of a jaxpr."""
    steps: list[Step] = []
    constants: dict[int, np.ndarray] = {}
    asked: list[Any] = []
    numbers = iter(range(10**9))

    def constant(x, dtype) -> int:
        number = next(numbers)
        constants[number] = np.asarray(x, dtype)
        return number

    def emit(eqn, inputs):
        if eqn.primitive.name == BARRIER:
            return inputs
        own = called(eqn)
        ways = () if own in KEPT else (ours, inner_of, expanded, lower_level)
        programs = (way(eqn) for way in ways)
        inner = next((each for each in programs if each is not None), None)
        if inner is not None:
            asked.append(asked[-1] if asked else eqn)
            outputs = walk(inner, inputs, constant, emit)
            asked.pop()
            return outputs
        name = own.removeprefix(PREFIX)
        outputs = tuple(next(numbers) for _ in eqn.outvars)
        origin = asked[-1] if asked else eqn
        steps.append(Step(name, eqn, tuple(inputs), outputs, origin))
        return outputs

    inputs = tuple(next(numbers) for _ in closed.jaxpr.invars)
    outputs = tuple(walk(closed, inputs, constant, emit))
    needed, kept = set(outputs), []
    for step in reversed(steps):
        if needed & set(step.outputs):
            needed.update(step.inputs)
            kept.append(step)
    kept.reverse()
    readers = Counter(v for step in kept for v in step.inputs) + Counter(outputs)
    last = {v: place for place, step in enumerate(kept) for v in step.inputs}
    last |= dict.fromkeys(outputs, len(kept))
    loops = _loops(kept, outputs, readers)
    return Program(tuple(kept), constants, inputs, outputs, readers, last, loops)


def _loops(steps: list[Step], outputs, readers) -> dict[int, set[int]]:
    """`Program.loops`: a value that several of them read is taken to be stored."""
    loops: dict[int, set[int]] = {v: {len(steps)} for v in outputs}
    for place in reversed(range(len(steps))):
        step = steps[place]
        (first, *_) = step.outputs
        shape = step.eqn.outvars[0].aval.shape
        through = loops.get(first, {place})
        through = {place} if len(through) > 1 and readers[first] > 1 else through
        for v, atom in zip(step.inputs, step.eqn.invars, strict=True):
            same = step.name in ELEMENTWISE and atom.aval.shape == shape
            own = {place, -1} if step.name in GUARDED else {place}
            loops.setdefault(v, set()).update(through if same else own)
    return loops


def _line(eqn) -> str:
    frames = getattr(eqn.source_info.traceback, "frames", [])
    inside = ("/jax/", "/jaxbandits/arrays/", "/jaxbandits/kernels/", "<")
    for frame in frames:
        if not any(part in frame.file_name for part in inside):
            return f" ({frame.file_name.rsplit('/', 1)[-1]}:{frame.line_num})"
    return ""
