"""The text of a leg: one run's rounds from one checkpoint to the next."""

import math
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.gpu.values import TYPES, Memory, Value, literal, stored
from jaxbandits.engine.gpu.writer import Writer
from jaxbandits.engine.rules import Rules, play_round
from jaxbandits.engine.tape import Key, draw_words

MOST_THREADS = 128  # of a block, for which registers are reserved


def _tape_row(key: Key, round_, width: int):
    """`tape.draw_words` under a name by which `forms` knows it."""
    return draw_words(key, round_, width)


_tape_row.__name__ = PREFIX + "tape_row"
tape_row = jax.jit(_tape_row, static_argnums=2)


class Leaf(NamedTuple):
    """A leaf of a kernel's arguments.

    Attributes:
      shape: in one run.
      dtype: its name.
      own: whether every run has its own: ``[*shape, runs]``, else ``[*shape]``.
    """

    shape: tuple[int, ...]
    dtype: str
    own: bool

    @property
    def size(self) -> int:
        """Entries of a run."""
        return math.prod(self.shape)

    @property
    def struct(self):
        """One run's, for tracing."""
        return jax.ShapeDtypeStruct(self.shape, self.dtype)


class Plan(NamedTuple):
    """What a kernel is written from. Hashable, no data.

    Attributes:
      rules: the policy and the environment.
      runs: of the device.
      structure: of ``keys, params, instance``.
      bounds: leaves of the last round; in a game with a budget of the target and of who
        plays, too.
      given: leaves of the structure.
      tree: structure of both states.
      state: leaves of these.
    """

    rules: Rules
    runs: int
    structure: Any
    bounds: tuple[Leaf, ...]
    given: tuple[Leaf, ...]
    tree: Any
    state: tuple[Leaf, ...]


class Text(NamedTuple):
    """The text of a kernel.

    Attributes:
      source: a function ``leg`` of pointers to the bounds, what is given, the round and
        the states as they were, and as they become, and scratch memory.
      arguments: types of the pointers.
      words: of scratch memory of a run, of 32 bits.
      missing: notes of what cannot be written.
    """

    source: str
    arguments: tuple[str, ...]
    words: int
    missing: tuple[str, ...]


class Kernel:
    """A kernel in writing.

    Attributes:
      writer: of what a run does.
    """

    def __init__(self):
        self.writer = Writer()
        self._inputs: list[tuple[str, str]] = []
        self._outputs: list[tuple[str, str]] = []
        self._variables: list[str] = []

    def given(self, name: str, leaf: Leaf) -> Value:
        """An argument that stays as it is."""
        value = self._argument(name, leaf, "const ", self._inputs)
        value.reads = frozenset()
        return value

    def written(self, name: str, leaf: Leaf) -> Value:
        """An argument in whose place another value comes."""
        kind = TYPES.get(leaf.dtype, "F")
        self._inputs.append((f"const {kind}*", f"before_{name}"))
        value = self._argument(name, leaf, "", self._outputs)
        if not value.memory.kind:
            self._variables.append(name)
        return value

    def _argument(self, name: str, leaf: Leaf, constant: str, arguments) -> Value:
        if leaf.dtype not in TYPES:
            self.writer.missing.append(f"{leaf.dtype}, which is not of 32 bits")
            leaf = leaf._replace(dtype="float32")
        kind, where = constant + TYPES[leaf.dtype], "ALL" if leaf.own else "OWN"
        pointer = name
        if leaf.size == 1:
            pointer, where = f"{name}_in", ""
            place = "run" if leaf.own else "0"
            self.writer.line(f"{kind} {name} = {pointer}[{place}];")
        arguments.append((f"{kind}*", pointer))
        memory = Memory(name, where, leaf.size, carried=not constant)
        return stored(memory, leaf.shape, leaf.dtype)

    def text(self, runs: int) -> Text:
        """What has been written, as a function of the arguments."""
        arguments = [*self._inputs, *self._outputs, ("U*", "scratch")]
        pointers = ", ".join(f"{kind} __restrict__ {name}" for kind, name in arguments)
        writer = self.writer
        lines = [
            *map(_table, writer.tables.values()),
            f"enum {{ runs = {runs} }};",
            f'extern "C" __global__ void __launch_bounds__({MOST_THREADS})',
            f"leg({pointers}) {{",
            "  const int run = RUN;",
            "  if (run >= runs) return;",
            *writer.lines,
            *(f"  {name}_in[run] = {name};" for name in self._variables),
            "}",
        ]
        types = tuple(kind for kind, _ in arguments)
        source = "\n".join(lines) + "\n"
        return Text(source, types, writer.words, tuple(writer.missing))


@cache
def text_of(plan: Plan) -> Text:
    """The kernel that plays a leg."""
    kernel = Kernel()
    bounds = [kernel.given(f"bound{k}", leaf) for k, leaf in enumerate(plan.bounds)]
    given = [kernel.given(f"given{k}", leaf) for k, leaf in enumerate(plan.given)]
    round_ = kernel.written("round", Leaf((), "int32", True))
    state = [kernel.written(f"state{k}", leaf) for k, leaf in enumerate(plan.state)]
    last, *others = (each.at(()) for each in bounds)
    memories, writer = [value.memory for value in state], kernel.writer

    def play():
        outputs = writer.run(_round(plan), [round_, *given, *state], memories)
        writer.write(list(zip(memories, outputs, strict=True)))

    if plan.rules.by_budget:
        # Who begins is said by those who ask afterwards who has come to an end: two
        # compilers may round what is spent in two ways, and a run would never go on.
        target, going = others
        writer.line(f"if (!{going} || round > {last}) return;")
        instance = jax.tree.unflatten(plan.structure, given)[2]
        writer.line("ROLLED")
        with writer.block("for (;;)"):
            play()
            writer.line(f"if (++round > {last}) break;")
            inputs = [*jax.tree.leaves(instance), *state]
            (spent,) = writer.run(_spent(plan), inputs)
            writer.line(f"if (!({spent.at(())} < {target})) break;")
    else:
        writer.line(f"if (round > {last}) return;")
        writer.line("ROLLED")
        with writer.block(f"for (; round <= {last}; ++round)"):
            play()
    return kernel.text(plan.runs)


def _table(table) -> str:
    name, array = table
    entries = ", ".join(literal(x) for x in array.flat)
    return f"TABLE {TYPES[str(array.dtype)]} {name}[{array.size}] = {{{entries}}};"


def _shapes(plan: Plan):
    """One run's ``(keys, params, instance), states``, for tracing."""
    given = jax.tree.unflatten(plan.structure, [leaf.struct for leaf in plan.given])
    return given, jax.tree.unflatten(plan.tree, [leaf.struct for leaf in plan.state])


def _round(plan: Plan):
    """The jaxpr of a round: ``(round, keys, params, instance, states) -> states``."""
    given, states = _shapes(plan)

    def play(round_, given, states):
        keys, params, instance = given
        return play_round(
            plan.rules, round_, keys, instance, params, states, draw=tape_row
        )

    round_ = jax.ShapeDtypeStruct((), jnp.int32)
    return jax.make_jaxpr(play)(round_, given, states)


def _spent(plan: Plan):
    """The jaxpr of what is spent: ``(instance, states) -> number``."""
    (_, _, instance), states = _shapes(plan)

    def spent(instance, states):
        return plan.rules.game.spent(instance, states[1])

    return jax.make_jaxpr(spent)(instance, states)
