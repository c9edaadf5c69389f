"""A jaxpr as a flat list of steps: calls inlined, what nobody reads left out.

What a step's result is read by decides whether it is worth storing (`Program.kept`).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jax.extend.core import ClosedJaxpr, Literal

from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.jaxprs import CALLS, SAME, expanded

PUT = PREFIX + "put"
# What leaves its inputs as they are; of the first, a dear one is computed once.
BARRIER = "optimization_barrier"
UNCHANGED = SAME | {BARRIER}


class Missing(Exception):  # noqa: N818  (what is missing, not what went wrong)
    """A part of the program has no rule; the argument names it."""


class Step(NamedTuple):
    """One operation of a program.

    Attributes:
      name: of the primitive, or of a kernel that has a form of its own.
      eqn: the equation; its parameters, shapes and source.
      inputs: names of values.
      outputs: names of values.
      asked: the equation that asked for it: the outermost call, or itself.
    """

    name: str
    eqn: Any
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    asked: Any

    def line(self) -> str:
        """`` (file:line)`` that asks for it, if it is known."""
        return _written_at(self.asked) or _written_at(self.eqn)


class Program(NamedTuple):
    """Steps in order.

    Attributes:
      steps: those that an output depends on.
      constants: ``{value: array}``.
      inputs: names of values.
      outputs: names of values.
      stored: names of values that the program asks to store, by what asks for them.
    """

    steps: tuple[Step, ...]
    constants: dict[int, np.ndarray]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    stored: tuple[tuple[int, ...], ...] = ()

    @property
    def together(self) -> dict[int, tuple[int, ...]]:
        """Of every value that is stored, what is stored with it."""
        return {value: group for group in self.stored for value in group}

    def kept(self, cost: Callable[[Step], int | None], dear: int) -> set[int]:
        """Values that are worth storing: dear ones that several loops would compute.

        Args:
          cost: operations that an entry of a step's result takes beside those of its
            inputs; None if the step is not put off until its result is read.
          dear: what a value costs that is cheaper to store.
        """
        costs: dict[int, int] = {}
        for step in self.steps:
            own = cost(step)
            if own is not None:
                total = own + sum(costs.get(v, 1) for v in set(step.inputs))
                costs |= dict.fromkeys(step.outputs, total)
        # By what a value is read in the end, seen from the end.
        readers: dict[int, set] = {}
        kept = set().union(*self.stored)
        group = self.together
        for value in self.outputs:
            readers.setdefault(value, set()).add("outputs")
        for number, step in reversed(list(enumerate(self.steps))):
            after = set().union(*(readers.get(v, ()) for v in step.outputs))
            (*_, value) = step.outputs
            if step.name == PUT and value in group:
                after = {group[value]}  # they are written in one loop
            if len(after) > 1 and costs.get(value, 0) > dear:
                kept.add(value)
                after = {number}
            through = after if cost(step) is not None else {number}
            for value in step.inputs:
                readers.setdefault(value, set()).update(through)
        return kept


def flat(closed: ClosedJaxpr, forms) -> Program:
    """The program of a jaxpr.

    Args:
      closed: the jaxpr.
      forms: names of calls that stay as they are.
    """
    steps: list[Step] = []
    constants: dict[int, np.ndarray] = {}
    number = iter(range(10**9))
    known: dict[Any, Any] = {}  # what has been computed, or is a constant
    stored: list[tuple[int, ...]] = []

    def constant(array) -> int:
        array = np.asarray(array)
        same = (array.shape, array.dtype, array.tobytes())
        if same not in known:
            known[same] = next(number)
            constants[known[same]] = array
        return known[same]

    def walk(closed: ClosedJaxpr, inputs, asked=None) -> list[int]:
        jaxpr = closed.jaxpr
        names = dict(zip(jaxpr.invars, inputs, strict=True))
        names |= {
            v: constant(c) for v, c in zip(jaxpr.constvars, closed.consts, strict=True)
        }

        def read(atom) -> int:
            if isinstance(atom, Literal):
                return constant(np.asarray(atom.val, atom.aval.dtype))
            return names[atom]

        for eqn in jaxpr.eqns:
            found = tuple(read(atom) for atom in eqn.invars)
            inner = _inner(eqn, forms)
            if eqn.primitive.name in UNCHANGED:
                after = found
                if eqn.primitive.name == BARRIER:
                    stored.append(found)
            elif inner is not None:
                after = walk(inner, found, asked or eqn)
            else:
                same = _identity(eqn, found)
                after = known.get(same)
                if after is None:
                    after = tuple(next(number) for _ in eqn.outvars)
                    steps.append(Step(called(eqn), eqn, found, after, asked or eqn))
                    known[same] = after
            names |= dict(zip(eqn.outvars, after, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    inputs = tuple(next(number) for _ in closed.jaxpr.invars)
    outputs = tuple(walk(closed, inputs))
    needed, kept = set(outputs), []
    for step in reversed(steps):
        if needed & set(step.outputs):
            needed.update(step.inputs)
            kept.append(step)
    constants = {name: x for name, x in constants.items() if name in needed}
    kept.reverse()
    groups = tuple(tuple(v for v in group if v in needed) for group in stored)
    return Program(tuple(kept), constants, inputs, outputs, groups)


def called(eqn) -> str:
    """The name under which an equation has a rule."""
    name = eqn.primitive.name
    return eqn.params.get("name", name) if name in CALLS else name


def _identity(eqn, inputs):
    """Equal for equations with the same results."""
    # Of a kernel with a form its name and the shapes say it all.
    params = () if eqn.primitive.name in CALLS else sorted(eqn.params.items())
    try:
        same = (called(eqn), tuple(params), inputs, *(v.aval for v in eqn.outvars))
        hash(same)
    except TypeError:
        return object()
    return same


def _inner(eqn, forms) -> ClosedJaxpr | None:
    """The program that stands for an equation."""
    name = eqn.primitive.name
    if name not in CALLS:
        return expanded(eqn)
    own = called(eqn)
    if own in forms or own.removeprefix(PREFIX) in forms:
        return None
    inner = eqn.params[CALLS[name]]
    return inner if isinstance(inner, ClosedJaxpr) else ClosedJaxpr(inner, ())


def _written_at(eqn) -> str:
    """The line of the source that an equation was traced from, if it is known."""
    frames = getattr(eqn.source_info.traceback, "frames", [])
    inside = ("/jax/", "/jaxbandits/arrays/", "/jaxbandits/kernels/", "<")
    for frame in frames:
        if not any(part in frame.file_name for part in inside):
            return f" ({frame.file_name.rsplit('/', 1)[-1]}:{frame.line_num})"
    return ""
