"""Writes the program of one run as C++, step by step.

A number is a variable. An array is an expression of its index until the program stores
it or several steps read it: then a loop fills an array, which is the run's own if it is
short and lies in scratch memory otherwise. Memory is read before it is written, see
`Writer.write`.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import contextmanager

import numpy as np
from jax.extend.core import ClosedJaxpr

from jaxbandits.engine.elementwise import ELEMENTWISE
from jaxbandits.engine.gpu import forms, loops, moves, reductions
from jaxbandits.engine.gpu.program import Program, Step, flat
from jaxbandits.engine.gpu.values import (
    TYPES,
    Index,
    Memory,
    MissingError,
    Put,
    Value,
    base_of,
    flat_place,
    literal,
    stored,
)

# Functions ``(writer, step, inputs) -> list of outputs``.
RULES = forms.FORMS | moves.MOVES | reductions.REDUCTIONS
SHORT = 48  # the most entries of a run's own array; longer ones are scratch
DEAR = 2  # entries of more operations are stored for several readers
FAR = 6  # the same where they would be scratch, which is slower to write and to read


class Writer:
    """Writes programs.

    Attributes:
      lines: the lines so far.
      tables: arrays of constants by their content: name and array.
      words: 32-bit words of scratch memory of a run.
      missing: descriptions of operations that cannot be written.
    """

    def __init__(self):
        self.lines: list[str] = []
        self.tables: dict[tuple, tuple[str, np.ndarray]] = {}
        self.words = 0
        self.missing: list[str] = []
        self._names, self._depth, self._taken = 0, 1, 0
        self._at_hand: dict[tuple, str] = {}  # entries that are variables in this block
        self._own: set[Memory] = set()  # memory that the current program may write

    def line(self, text: str) -> None:
        """Write a line."""
        self.lines.append("  " * self._depth + text)

    def name(self, kind: str) -> str:
        """A new name that begins with `kind`."""
        self._names += 1
        return f"{kind}{self._names}"

    @contextmanager
    def block(self, head: str):
        """Braces around what is written inside; its scratch memory is free after it."""
        taken, at_hand = self._taken, self._at_hand
        self.line(f"{head} {{")
        self._depth, self._at_hand = self._depth + 1, dict(at_hand)
        yield
        self._depth, self._at_hand = self._depth - 1, at_hand
        self.line("}")
        self._taken = taken

    def over(self, shape: Sequence[int], body: Callable[[Index], None]) -> None:
        """Write loops over all indices of a shape.

        Args:
          shape: of the array.
          body: ``index -> None``, writes the lines for an index.
        """
        if 0 in shape:
            return

        def nest(index: Index) -> None:
            if len(index) == len(shape):
                return body(index)
            length = shape[len(index)]
            if length == 1:
                return nest((*index, "0"))
            name = self.name("i")
            with self.block(f"for (int {name} = 0; {name} < {length}; ++{name})"):
                nest((*index, name))

        nest(())

    def fill(self, shape: Sequence[int], to: Callable, entry: Callable) -> None:
        """Write ``to(index) = entry(index)`` for all indices of a shape."""
        self.over(shape, lambda i: self.line(f"{to(i)} = {entry(i)};"))

    def constant(self, x) -> Value:
        """A number or an array of the program."""
        x = np.asarray(x)
        if x.dtype.itemsize == 8:
            x = x.astype({"f": np.float32, "i": np.int32}[x.dtype.kind])
        if x.size and (x == x.flat[0]).all():
            text = literal(x.flat[0])
            return Value(x.shape, x.dtype, lambda index: text)
        same = (x.shape, x.dtype, x.tobytes())
        name, _ = self.tables.setdefault(same, (f"table{len(self.tables)}", x))
        return stored(Memory(name, "OWN", x.size), x.shape, x.dtype)

    def number(self, text: str, dtype) -> Value:
        """A number, computed here."""
        name = self.name("v")
        self.line(f"const {TYPES[str(dtype)]} {name} = {text};")
        return Value((), dtype, lambda index: name)

    def lazy(self, shape, dtype, at, cost: int, sources, *, aligned=False) -> Value:
        """A value that is computed where it is read, or here if it is a number."""
        if not shape:
            return self.number(at(()), dtype)
        return Value(shape, dtype, at, cost, sources, aligned=aligned)

    def array(self, shape, dtype, *, carried: bool = False) -> Value:
        """Memory for an array."""
        size, kind = max(math.prod(shape), 1), TYPES[str(dtype)]
        name = self.name("a")
        if size <= SHORT:
            self.line(f"{kind} {name}[{size}];")
        else:
            first, self._taken = self._taken, self._taken + size
            self.words = max(self.words, self._taken)
            self.line(f"{kind}* const {name} = ({kind}*)(scratch + {first} * runs);")
        memory = Memory(name, "OWN" if size <= SHORT else "ALL", size, carried)
        self._own.add(memory)
        return stored(memory, shape, dtype)

    def clipped(self, index: Value, length: int) -> str:
        """A place on an axis: the nearest one for an index out of range."""
        if length == 1:
            return "0"
        text = f"lesser(greater({index.at(())}, 0), {length - 1})"
        return self.number(text, "int32").at(())

    def store(self, value: Value) -> Value:
        """A value that later writes do not change."""
        kept = value.memory is not None and not value.memory.carried
        if kept or not (value.cost or value.reads):
            return value
        if not value.shape:
            return self.number(value.at(()), value.dtype)
        return self.copied(value)

    def copied(self, value: Value, *, carried: bool = False) -> Value:
        """A value in new memory; a number that is carried is a variable."""
        if not value.shape and carried:
            name = self.name("c")
            self.line(f"{value.type} {name} = {value.at(())};")
            return stored(Memory(name, "", 1, carried=True), (), value.dtype)
        result = self.array(value.shape, value.dtype, carried=carried)
        self.fill(value.shape, result.at, value.at)
        return result

    def once(self, value: Value) -> Value:
        """A value that is stored for its readers if its entries are costly."""
        return value if value.cost <= DEAR else self.store(value)

    def shared(self, value: Value) -> Value:
        """A value with entries that are computed once per block, for all readers."""
        number = self.name("s")

        def at(index):
            key = number, index
            if key not in self._at_hand:
                self._at_hand[key] = self.number(value.at(index), value.dtype).at(())
            return self._at_hand[key]

        return Value(value.shape, value.dtype, at, value.cost, [value], aligned=True)

    def write(self, targets: Sequence[tuple[Memory, Value]]) -> None:
        """Write values over others, from any of which they may be computed.

        Numbers are computed first and written last. A value that is the old one with
        rows put is written as these rows alone, which are computed already, after all
        other arrays. Another array is written entry by entry if no entry reads memory
        that is written, except its own place; otherwise it is copied first.
        """
        rows, whole, numbers = [], {}, []
        for memory, value in targets:
            if value.memory == memory:
                continue
            if not memory.kind:
                text = value.at(("0",) * len(value.shape))
                numbers.append((memory, self.number(text, value.dtype)))
            elif base_of(value) == memory:
                rows += [(memory, put) for put in _puts(value)]
            else:
                whole[memory] = value
        for memory, value in whole.items():
            if (value.moved | value.reads - {memory}) & {*whole}:
                whole[memory] = self.copied(value)
        for memory, value in whole.items():
            target = stored(memory, value.shape, value.dtype)
            self.fill(value.shape, target.at, value.at)
        for memory, put in rows:
            self._write_row(memory, put)
        for memory, number in numbers:
            self.line(f"{memory.name} = {number.at(())};")

    def _write_row(self, memory: Memory, put: Put) -> None:
        """Write a row at its place, or nothing if the place is out of range."""
        shape, axes = put.base.shape, len(put.index)
        pairs = zip(put.index, shape, strict=False)
        tests = " && ".join(f"(U){place} < {length}u" for place, length in pairs)

        def at(index: Index) -> str:
            return memory.at(flat_place((*put.index, *index), shape))

        with self.block(f"if ({tests})"):
            self.fill(shape[axes:], at, put.row.spread_at)

    def run(
        self, closed: ClosedJaxpr, inputs: Sequence[Value], own: Sequence[Memory] = ()
    ) -> list[Value]:
        """The outputs of a program.

        Args:
          closed: the program.
          inputs: the values of its inputs.
          own: memory of inputs that the program may write once it is not read any more.
        """
        program = flat(closed)
        outer, self._own = self._own, set(own)
        values = dict(zip(program.inputs, inputs, strict=True))
        values |= {v: self.constant(x) for v, x in program.constants.items()}
        for place, step in enumerate(program.steps):
            in_place = self._in_place(program, place, values)
            outputs = self.step(step, [values[v] for v in step.inputs], in_place)
            for v, value in zip(step.outputs, outputs, strict=True):
                dear = DEAR if value.size <= SHORT else FAR
                again = program.readers[v] > 1 and value.cost > dear
                if again and value.shape and value.put is None:
                    keep = self.store if v in program.apart else self.shared
                    value = keep(value)
                values[v] = value
        self._own = outer
        return [values[v] for v in program.outputs]

    def step(self, step: Step, inputs, in_place) -> list[Value]:
        """The outputs of a step; a loop carries values in the memory of `in_place`."""
        try:
            kinds = {str(v.aval.dtype) for v in step.eqn.outvars} - {*TYPES}
            if kinds:
                raise MissingError(f"{min(kinds)}, which is not of 32 bits,")
            if step.name in loops.LOOPS:
                return loops.LOOPS[step.name](self, step, inputs, in_place)
            if step.name in RULES:
                return RULES[step.name](self, step, inputs)
            return [self._elementwise(step, inputs)]
        except MissingError as missing:
            self.missing.append(f"{missing}{step.line()}")
            avals = [v.aval for v in step.eqn.outvars]  # zeros stand in its place
            dtypes = [x.dtype if str(x.dtype) in TYPES else "float32" for x in avals]
            pairs = zip(avals, dtypes, strict=True)
            return [self.constant(np.zeros(x.shape, dtype)) for x, dtype in pairs]

    def _elementwise(self, step: Step, inputs: list[Value]) -> Value:
        form = ELEMENTWISE.get(step.name)
        if form is None or form.text is None or len(inputs) > 3:
            raise MissingError(step.name)
        aval, params = step.eqn.outvars[0].aval, step.eqn.params

        def at(index):
            texts = (each.spread_at(index) for each in inputs)
            return form.text.format(*texts, type=TYPES[str(aval.dtype)], **params)

        cost = form.cost + sum(each.cost for each in inputs)
        return self.lazy(aval.shape, aval.dtype, at, cost, inputs, aligned=True)

    def _in_place(self, program: Program, place: int, values) -> dict[int, Memory]:
        """Memory in which a loop may carry values, by their place among its inputs.

        Other values that are computed from this memory, and are read in the loop or
        after it, are computed before it, if they are fewer than the carried entries.
        """
        step, result = program.steps[place], {}
        if step.name not in loops.LOOPS:
            return result
        carried = loops.carried(step)
        later = {*step.inputs[: carried.start], *step.inputs[carried.stop :]}
        later |= {v for each in program.steps[place + 1 :] for v in each.inputs}
        later |= {*program.outputs}
        for number in range(carried.start, carried.stop):
            memory = base_of(values[step.inputs[number]])
            if memory not in self._own or memory in result.values():
                continue
            readers = [v for v in later & {*values} if memory in values[v].reads]
            if sum(values[v].size for v in readers) < memory.size:
                values.update({v: self.copied(values[v]) for v in readers})
                result[number] = memory
        return result


def _puts(value: Value) -> list[Put]:
    """The rows that are put into the memory of a value, in order."""
    return [] if value.put is None else [*_puts(value.put.base), value.put]
