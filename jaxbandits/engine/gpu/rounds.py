"""The rounds of a leg, written into a space; and what they need there."""

from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxbandits.engine.gpu.draws import tape_row
from jaxbandits.engine.gpu.leaves import Leaf
from jaxbandits.engine.gpu.loops import any_lane
from jaxbandits.engine.gpu.space import (
    COMPACT,
    MANY_OPERATIONS,
    WIDE,
    Memory,
    Space,
    Style,
)
from jaxbandits.engine.gpu.values import Entries, Stored, Value
from jaxbandits.engine.gpu.writer import Writer
from jaxbandits.engine.gpu.writes import write_all
from jaxbandits.engine.rules import Rules, play_round


class Told(NamedTuple):
    """What a kernel is written from. Hashable, no data.

    Attributes:
      rules: the policy and the environment.
      structure: of ``bounds, (keys, params, instance)``; the bounds are the first
        round, the target, the last round and, in a game with a budget, who plays.
      fixed: leaves of these.
      tree: structure of both states.
      state: leaves of these.
    """

    rules: Rules
    structure: Any
    fixed: tuple[Leaf, ...]
    tree: Any
    state: tuple[Leaf, ...]


class Sketch(NamedTuple):
    """What a leg needs beside its arguments.

    Attributes:
      tables: arrays of constants.
      scratch: ``((dtype, entries of a run), ...)``.
      style: how much is written out.
      missing: notes of what has no rule.
    """

    tables: tuple[np.ndarray, ...]
    scratch: tuple[tuple[np.dtype, int], ...]
    style: Style
    missing: tuple[str, ...]


@cache
def sketched(told: Told) -> Sketch:
    """What a leg needs, found by writing it once without a kernel around it."""
    space, missing = _dry(told, WIDE)
    if space.operations > MANY_OPERATIONS:
        space, missing = _dry(told, COMPACT)
    scratch = tuple(sorted(space.used.items(), key=str))
    return Sketch(tuple(space.tables.values()), scratch, space.style, tuple(missing))


def _dry(told: Told, style: Style) -> tuple[Space, list[str]]:
    """A leg written to nowhere: what it used, and what has no rule."""
    found = []

    def write():
        space, missing = Space(1, style=style), []
        memories = [[f.memory(None) for f in part] for part in (told.fixed, told.state)]
        play(told, space, *memories, Memory(None, 1, np.int32, own=True), missing)
        found.extend([space, missing])

    jax.eval_shape(write)
    return tuple(found)


def play(told: Told, space: Space, fixed, state, round_memory, missing=None) -> None:
    """Play the rounds of a leg."""
    rules, writer = told.rules, Writer(space, missing)
    values = [f.value(space, m) for f, m in zip(told.fixed, fixed, strict=True)]
    bounds, given = jax.tree.unflatten(told.structure, values)
    singles = [f.size == 1 for f in told.state]

    def unpacked(numbers) -> list[Value]:
        """Both states: single numbers, and what lies in memory."""
        rest = iter(numbers)
        return [
            Entries(space, [next(rest)], f.shape, f.dtype)
            if single
            else Stored(space, m, f.shape)
            for f, m, single in zip(told.state, state, singles, strict=True)
        ]

    def one_round(round_, numbers, mask=None):
        """Write a round; the single numbers after it."""
        round_ = Entries(space, [round_], (), np.int32)
        inputs = [round_, *jax.tree.leaves(given), *unpacked(numbers)]
        # A run that waits keeps its state, which no loop may then write.
        after = writer.run(_round(told), inputs, state if mask is None else ())
        new = [
            space.spread(jnp.asarray(x.entry((0,) * len(x.shape))))
            for x, single in zip(after, singles, strict=True)
            if single
        ]
        targets = zip(state, after, singles, strict=True)
        write_all(space, [(m, x) for m, x, single in targets if not single], mask)
        return new

    one_round = space.within(one_round)
    numbers = [
        space.load(m, 0) for m, single in zip(state, singles, strict=True) if single
    ]
    start, target, last, *going = (x.entry(()) for x in bounds)
    if not rules.by_budget:
        end = jnp.minimum(target.astype(jnp.int32), last) + 1
        after = lax.fori_loop(start, end, one_round, numbers)
        round_ = space.spread(jnp.maximum(start, end))
    else:

        def active(round_, numbers):
            inputs = [*jax.tree.leaves(given[2]), *unpacked(numbers)]
            (spent,) = space.within(writer.run)(_spent(told), inputs)
            return (space.spread(spent.entry(())) < target) & (round_ <= last)

        def body(state):
            going, round_, numbers = state
            after = one_round(round_, numbers, going)
            select = partial(jnp.where, going)
            after = [select(new, old) for new, old in zip(after, numbers, strict=True)]
            round_ = round_ + going.astype(jnp.int32)
            return active(round_, after), round_, after

        # Who begins is said by those who ask afterwards who has come to an end: two
        # programs may round what is spent in two ways, and nobody would play on.
        begin = going[0] & (start <= last), start, numbers
        _, round_, after = lax.while_loop(lambda s: any_lane(s[0]), body, begin)
    space.store(round_memory, 0, round_)
    rest = iter(after)
    for memory, single in zip(state, singles, strict=True):
        if single:
            space.store(memory, 0, next(rest))


def _shapes(told: Told):
    """One run's ``(keys, params, instance), states``, for tracing."""

    def struct(f):
        return jax.ShapeDtypeStruct(f.shape, f.dtype)

    _, given = jax.tree.unflatten(told.structure, [struct(f) for f in told.fixed])
    return given, jax.tree.unflatten(told.tree, [struct(f) for f in told.state])


@cache
def _round(told: Told):
    """The jaxpr of a round: ``(round, keys, params, instance, states) -> states``."""
    given, states = _shapes(told)

    def play(round_, given, states):
        keys, params, instance = given
        return play_round(
            told.rules, round_, keys, instance, params, states, draw=tape_row
        )

    round_ = jax.ShapeDtypeStruct((), jnp.int32)
    return jax.make_jaxpr(play)(round_, given, states)


@cache
def _spent(told: Told):
    """The jaxpr of what is spent: ``(instance, states) -> number``."""
    (_, _, instance), states = _shapes(told)

    def spent(instance, states):
        return told.rules.game.spent(instance, states[1])

    return jax.make_jaxpr(spent)(instance, states)
