"""What a program does with its noise: words read that are not there, or as numbers.

JAX answers an index out of bounds with another entry. A draw would then be one that was
drawn before, and nothing would look wrong. So a traced program is walked, with all that
it calls and its loops, and the positions are computed at which it reads its noise, or
what is made of it entry by entry. Nothing else of it is computed.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import IntFlag
from functools import cache, partial, reduce
from operator import or_
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import ClosedJaxpr, Literal

from jaxbandits.jaxprs import CALLS, SAME, scan_counts

BEYOND, AS_NUMBERS = "beyond", "as numbers"  # the faults
UNSURE = "unsure"  # a position that could not be computed
MOST_EQUATIONS = 100_000  # that are walked, those of loops counted each time
# What leaves words as they are, and what picks among them.
MOVES = SAME.union(
    "broadcast_in_dim concatenate dynamic_slice gather reshape rev slice squeeze "
    "transpose".split()
)
KEEPS = frozenset(
    "convert_element_type cummax cummin reduce_max reduce_min sort".split()
)


class Noise(IntFlag):
    """What a variable has of the noise."""

    NONE = 0
    SOME = 1  # it is made of it
    ENTRIES = 2  # its entries are those of the noise, or made of them one by one
    WORDS = 4  # its numbers are words as they are


class _UnknownError(Exception):
    """The value of a variable depends on what is not known before play."""


UNKNOWN = _UnknownError, RecursionError  # the latter after very many turns of a loop


class _EndlessError(Exception):
    """More was walked than a round has time for."""


class _Variable:
    """A variable: how its value is found, once somebody asks, and its noise."""

    def __init__(self, value: Callable[[], Any], noise: Noise = Noise.NONE):
        self.value = value
        self.noise = noise


def _known(value) -> _Variable:
    return _Variable(lambda: value)


def _unknown(noise: Noise = Noise.NONE) -> _Variable:
    def value():
        raise _UnknownError

    return _Variable(value, noise)


def faults(program: ClosedJaxpr, values: Sequence[Any] | None = None) -> set[str]:
    """What is wrong with the way in which a program reads its first argument.

    Args:
      program: whose first argument is noise, u32[n].
      values: of its other arguments; None if they are not known.

    Returns:
      Of `BEYOND`, reads of entries that are not there; `AS_NUMBERS`, words that become
      floats as they are; and `UNSURE`, reads at positions that depend on what is not
      known.
    """
    _, *others = program.jaxpr.invars
    given = [_unknown() for _ in others] if values is None else map(_known, values)
    walk = _Walk()
    with suppress(_EndlessError):  # what was found until then is wrong all the same
        whole = Noise.SOME | Noise.ENTRIES | Noise.WORDS
        walk.program(program, [_unknown(whole), *given])
    return walk.found


class _Walk:
    """A walk through a program, and what was found on the way."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self.left = MOST_EQUATIONS

    def program(self, program, inputs: Sequence[_Variable]) -> list[_Variable]:
        """The outputs of a program."""
        if not isinstance(program, ClosedJaxpr):
            program = ClosedJaxpr(program, ())
        jaxpr = program.jaxpr
        scope = dict(zip(jaxpr.constvars, map(_known, program.consts), strict=True))
        scope |= dict(zip(jaxpr.invars, inputs, strict=True))

        def read(atom):
            return _known(atom.val) if isinstance(atom, Literal) else scope[atom]

        for eqn in jaxpr.eqns:
            self.left -= 1
            if self.left < 0:
                raise _EndlessError
            outputs = self.equation(eqn, [read(atom) for atom in eqn.invars])
            scope |= dict(zip(eqn.outvars, outputs, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def equation(self, eqn, inputs: list[_Variable]) -> list[_Variable]:
        """The outputs of an equation; only those that take noise are looked into."""
        name = eqn.primitive.name
        if name in CALLS:
            return self.program(eqn.params[CALLS[name]], inputs)
        if not any(x.noise for x in inputs):
            return _computed(eqn, inputs)
        if name in ("cond", "scan", "while"):
            return getattr(self, f"_{name}")(eqn.params, inputs)
        if name in ("dynamic_slice", "gather") and inputs[0].noise & Noise.ENTRIES:
            self._read(eqn, inputs)
        if name == "convert_element_type" and jnp.issubdtype(
            eqn.params["new_dtype"], jnp.floating
        ):
            words = inputs[0].noise & Noise.WORDS and eqn.invars[0].aval.size
            if words:
                self.found.add(AS_NUMBERS)
        return [_unknown(_made(eqn, inputs, v.aval)) for v in eqn.outvars]

    def _read(self, eqn, inputs):
        """Look at the positions of a read."""
        shape = eqn.invars[0].aval.shape
        sizes = eqn.params["slice_sizes"]
        # Of numbers, the NaN or what else fills shows by itself; a word would not.
        fills = eqn.params.get("mode") == lax.GatherScatterMode.FILL_OR_DROP
        if fills and not inputs[0].noise & Noise.WORDS:
            return
        try:
            if eqn.primitive.name == "gather":
                axes = eqn.params["dimension_numbers"].start_index_map
                positions = np.moveaxis(np.asarray(inputs[1].value()), -1, 0)
            else:
                axes = range(len(shape))
                positions = [np.asarray(x.value()) for x in inputs[1:]]
        except UNKNOWN:
            self.found.add(UNSURE)
            return
        for axis, position in zip(axes, positions, strict=True):
            if np.any((position < 0) | (position > shape[axis] - sizes[axis])):
                self.found.add(BEYOND)

    def _cond(self, params, inputs):
        which, *given = inputs
        branches = params["branches"]
        try:
            taken = [branches[np.clip(int(which.value()), 0, len(branches) - 1)]]
        except UNKNOWN:
            taken = branches
        outputs = [self.program(branch, given) for branch in taken]
        return outputs[0] if len(outputs) == 1 else _either(*outputs)

    def _scan(self, params, inputs):
        constants, carried = scan_counts(params)
        fixed, carry = inputs[:constants], inputs[constants:][:carried]
        rows = inputs[constants + carried :]
        stacked = [Noise.NONE] * (len(params["jaxpr"].jaxpr.outvars) - carried)
        for i in range(params["length"])[:: -1 if params["reverse"] else 1]:
            here = [*fixed, *carry, *(_row(x, i) for x in rows)]
            after = self.program(params["jaxpr"], here)
            carry, stacked = after[:carried], [x.noise for x in after[carried:]]
        return [*carry, *map(_unknown, stacked)]

    def _while(self, params, inputs):
        first, second = params["cond_nconsts"], params["body_nconsts"]
        asked, fixed = inputs[:first], inputs[first:][:second]
        carry = inputs[first + second :]
        while True:
            (going,) = self.program(params["cond_jaxpr"], [*asked, *carry])
            try:
                if not going.value():
                    return carry
            except UNKNOWN:
                carry = [_unknown(x.noise) for x in carry]
                after = self.program(params["body_jaxpr"], [*fixed, *carry])
                return _either(carry, after)
            carry = self.program(params["body_jaxpr"], [*fixed, *carry])


def _either(*outputs: list[_Variable]) -> list[_Variable]:
    """What is known of outputs that are those of one program or of another."""
    return [
        _unknown(reduce(or_, (x.noise for x in each)))
        for each in zip(*outputs, strict=True)
    ]


def _row(x: _Variable, i: int) -> _Variable:
    return _Variable(lambda: x.value()[i], x.noise)


def _made(eqn, inputs, result) -> Noise:
    """What a result has of the noise in the inputs of an equation."""
    name = eqn.primitive.name
    parts = [
        x.noise & ~(Noise.NONE if _has_entries(v, name, result) else Noise.ENTRIES)
        for x, v in zip(inputs, eqn.invars, strict=True)
    ]
    noise = reduce(or_, parts, Noise.NONE)
    if name in MOVES or (name in KEEPS and jnp.issubdtype(result.dtype, jnp.integer)):
        return noise
    return noise & ~Noise.WORDS


def _has_entries(v, name, result) -> bool:
    """Whether the entries of an input are those of a result, and more than one."""
    return v.aval.size > 1 and (name in MOVES or v.aval.shape == result.shape)


def _computed(eqn, inputs) -> list[_Variable]:
    """The outputs of an equation without noise, computed when one is asked for."""

    @cache
    def results():
        values = [x.value() for x in inputs]
        try:
            found = eqn.primitive.bind(*values, **eqn.params)
        except Exception as error:  # an operation for programs only
            raise _UnknownError from error
        return found if eqn.primitive.multiple_results else [found]

    return [
        _Variable(partial(lambda i: results()[i], i)) for i in range(len(eqn.outvars))
    ]
