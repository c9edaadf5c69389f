"""Rounds inside one kernel: a thread plays a run from one checkpoint to the next.

Arrays of the state lie in memory as ``[entries, runs]``, so that the threads of a warp
access neighbours; single numbers of a run stay in registers. No kernel is launched
between rounds, and threads neither share numbers nor wait for one another.
"""

from functools import cache, partial
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.gpu.values import TYPES, Memory, Value, literal, stored
from jaxbandits.engine.gpu.writer import Writer
from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.rollout import to_device
from jaxbandits.engine.rules import Carry, Rules, first_state, play_round, spending
from jaxbandits.engine.tape import Key, Stream, draw_words

MOST_NUMBERS = 2**31 - 1  # of one array: places have 32 bits
MOST_THREADS = 128  # of a block; the compiler limits registers accordingly


class UnsupportedError(ValueError):
    """A policy or an environment has an operation that the kernel cannot do."""


class Text(NamedTuple):
    """The text of a kernel.

    Attributes:
      source: a function ``leg`` of pointers: to the inputs, to the round and the states
        before and after, and to scratch memory.
      arguments: types of the pointers.
      words: 32-bit words of scratch memory of a run.
      missing: descriptions of operations that cannot be written.
    """

    source: str
    arguments: tuple[str, ...]
    words: int
    missing: tuple[str, ...]


def legs(rules: Rules, keys, params, instance, last_round, *, call):
    """Plays all rounds of a leg in one kernel; otherwise as `legs.scan_legs`.

    Args:
      rules, keys, params, instance, last_round: as for `scan_legs`.
      call: ``(text, runs) -> (target, attributes)`` of the foreign call: `build.on_gpu`
        or `build.on_cpu`.

    Returns:
      ``leg(carry, target, steps) -> (carry, steps)``. With a budget, too, all lanes are
      played to their targets, or until the steps are used up.

    Raises:
      NotImplementedError: naming operations of the policy or the environment that
        cannot be written.
      ValueError: if there are too many lanes.
    """
    num_lanes = keys[Stream.ACT].low.shape[0]
    spent_of = spending(rules, instance, num_lanes)

    def leg(carry: Carry, target, steps):
        start = carry.round
        bounds = [jnp.minimum(target[:1], start[:1] + steps - 1)]
        if rules.by_budget:
            last = jnp.minimum(last_round, start + steps - 1)
            bounds = [last, target, spent_of(carry) < target]
        given = bounds, keys, instance, params
        text = text_of(rules, given, carry)
        if text.missing:
            raise NotImplementedError("; ".join(text.missing))
        before = jax.tree.leaves(given)
        written, structure = jax.tree.flatten(carry)
        largest = max([text.words, *(x.size // num_lanes for x in written)])
        if (most := MOST_NUMBERS // largest) < num_lanes:
            raise ValueError(f"chunk must be at most {most} lanes, got {num_lanes}")
        shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in written]
        shapes.append(jax.ShapeDtypeStruct((text.words, num_lanes), jnp.uint32))
        aliases = {len(before) + k: k for k in range(len(written))}
        name, attributes = call(text, num_lanes)
        kernel = jax.ffi.ffi_call(name, shapes, input_output_aliases=aliases)
        *after, _ = kernel(*before, *written, **attributes)
        after = jax.tree.unflatten(structure, after)
        return after, steps - jnp.max(after.round - start)

    return leg


def unsupported(policy, environment) -> list[str]:
    """The reasons why the kernel cannot play a policy in an environment.

    Args:
      policy: the policy.
      environment: the environment.

    Returns:
      Texts such as ``"sort (rcucb.py:110)"``: an operation that cannot be written, and
      the line of the source that calls it. None if the kernel can play it.
    """
    return list(_text_for(policy, environment).missing)


def scratch(policy, environment) -> int:
    """The bytes of scratch memory of a run."""
    return 4 * _text_for(policy, environment).words


def _text_for(policy, environment) -> Text:
    """The text for a single run; with a budget where the game can have one."""
    game, word = environment.game, jnp.uint32(0)
    rules = Rules(policy.functions, game, game.spent is not None, engine=SCAN)

    def write(params, setup):
        instance, its = first_state(game, setup)
        keys = {s: Key(word, word) for s in Stream if s != Stream.INSTANCE}
        carry = Carry(jnp.int32(1), policy.init(params), its)
        one = keys, instance, params, carry
        *given, carry = jax.tree.map(lambda x: jnp.asarray(x)[..., None], one)
        bounds = [carry.round]
        if rules.by_budget:
            bounds += [spending(rules, given[1], 1)(carry), carry.round > 0]
        texts.append(text_of(rules, (bounds, *given), carry))

    texts: list[Text] = []
    jax.eval_shape(write, *jax.tree.map(to_device, (policy.params, environment.setup)))
    return texts[0]


def text_of(rules: Rules, given, carry: Carry) -> Text:
    """The kernel that plays a leg.

    Args:
      rules: the policy and the environment.
      given: ``(bounds, keys, instance, params)`` with leaves ``[..., L]``, or
        ``[..., 1]`` if shared, or their shapes. Bounds are the last round, and with a
        budget also the target and whether a run plays at all.
      carry: the round and the states, which are written; or their shapes.
    """
    leaves, structure = jax.tree.flatten((given, carry))
    shapes = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in leaves)
    # The text of a round does not depend on these.
    return _text(rules._replace(engine=None, keep=(), uniform=()), structure, shapes)


@cache
def _text(rules: Rules, structure, shapes) -> Text:
    given, carry = jax.tree.unflatten(structure, shapes)
    kernel = Kernel(carry.round.size)
    (last, *others), *given = kernel.arguments("given", given)
    round_, *states = kernel.arguments("state", carry, written=True)
    memories, writer = [x.memory for x in jax.tree.leaves(states)], kernel.writer
    number, end = round_.at(()), last.at(())

    def play():
        round_of = partial(play_round, rules, draw=tape_row)
        outputs = kernel.outputs(round_of, round_, *given, states, own=memories)
        writer.write(list(zip(memories, outputs, strict=True)))

    if rules.by_budget:
        # Whether a run begins is computed by XLA's program around the kernel, as is
        # whether it has ended: two compilers may round what is spent in two ways, and
        # then a run would neither go on nor end.
        target, going = (x.at(()) for x in others)
        writer.line(f"if (!{going} || {number} > {end}) return;")
        writer.line("ROLLED")
        with writer.block("for (;;)"):
            play()
            writer.line(f"if (++{number} > {end}) break;")
            (spent,) = kernel.outputs(rules.game.spent, given[1], states[1])
            writer.line(f"if (!({spent.at(())} < {target})) break;")
    else:
        writer.line(f"if ({number} > {end}) return;")
        writer.line("ROLLED")
        with writer.block(f"for (; {number} <= {end}; ++{number})"):
            play()
    return kernel.text()


class Kernel:
    """A kernel that is being written.

    Attributes:
      writer: writes what a run does.
    """

    def __init__(self, runs: int):
        """`runs` is the number of runs of a device."""
        self.writer, self._runs = Writer(), runs
        self._inputs: list[tuple[str, str]] = []
        self._outputs: list[tuple[str, str]] = []
        self._variables: list[str] = []

    def arguments(self, name: str, tree, written: bool = False):
        """Arrays ``[..., runs]``, or ``[..., 1]`` if all runs share them, as values.

        Args:
          name: the beginning of the pointers' names.
          tree: pytree of shapes.
          written: whether the kernel writes the arrays.
        """
        leaves, structure = jax.tree.flatten(tree)
        each = (self._argument(f"{name}{k}", x, written) for k, x in enumerate(leaves))
        return jax.tree.unflatten(structure, each)

    def _argument(self, name: str, x, written: bool) -> Value:
        shape, dtype, own = x.shape[:-1], str(x.dtype), x.shape[-1] == self._runs
        if dtype not in TYPES:
            self.writer.missing.append(f"{dtype}, which is not of 32 bits")
            dtype = "float32"
        kind, size = "" if written else "const ", x.size // x.shape[-1]
        memory = Memory(name, "ALL" if own else "OWN", size, carried=written)
        pointer = name
        if size == 1:
            pointer, memory = f"{name}_in", memory._replace(kind="")
            place = "run" if own else "0"
            self.writer.line(f"{kind}{TYPES[dtype]} {name} = {pointer}[{place}];")
        if written:
            self._inputs.append((f"const {TYPES[dtype]}*", f"before_{name}"))
            self._variables += [name] * (size == 1)
        arguments = self._outputs if written else self._inputs
        arguments.append((f"{kind}{TYPES[dtype]}*", pointer))
        return stored(memory, shape, dtype)

    def outputs(self, fn, *args, own=()) -> list[Value]:
        """The outputs of a function of one run; `own` as of `Writer.run`."""
        shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), args)
        return self.writer.run(jax.make_jaxpr(fn)(*shapes), jax.tree.leaves(args), own)

    def text(self) -> Text:
        """The text, a function of the arguments."""
        arguments = [*self._inputs, *self._outputs, ("U*", "scratch")]
        pointers = ", ".join(f"{kind} __restrict__ {name}" for kind, name in arguments)
        writer = self.writer
        lines = [
            *map(_table, writer.tables.values()),
            f"enum {{ runs = {self._runs} }};",
            f'extern "C" __global__ void __launch_bounds__({MOST_THREADS})',
            f"leg({pointers}) {{",
            "  const int run = RUN;",
            "  if (run >= runs) return;",
            *writer.lines,
            *(f"  {name}_in[run] = {name};" for name in self._variables),
            "}\n",
        ]
        types = tuple(kind for kind, _ in arguments)
        return Text("\n".join(lines), types, writer.words, tuple(writer.missing))


def _table(table) -> str:
    name, array = table
    entries = ", ".join(literal(x) for x in array.flat)
    return f"TABLE {TYPES[str(array.dtype)]} {name}[{array.size}] = {{{entries}}};"


def _tape_row(key: Key, round_, width: int):
    """`tape.draw_words`, with the name of a form in `forms`."""
    return draw_words(key, round_, width)


_tape_row.__name__ = PREFIX + "tape_row"
tape_row = jax.jit(_tape_row, static_argnums=2)
