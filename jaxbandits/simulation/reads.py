"""What a program does with its noise: words read that are not there, or as numbers.

JAX answers an index out of bounds with another entry. A draw would then be one that was
drawn before, and nothing would look wrong. So a traced program is walked, with all that
it calls and its loops, and the positions are computed at which it reads its noise, or
what is made of it entry by entry. Nothing else of it is computed.

Python cuts a slice short before JAX sees it: of one word, ``u[:2]`` is ``u``. So a
function is traced once more, with far more words than it has: there its slices show
where they end. Randomness that is made of no noise is looked for in the same programs.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import IntFlag
from functools import cache, partial, reduce
from operator import or_
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from jaxbandits.engine.jaxprs import CALLS, SAME, scan_counts

MOST_EQUATIONS = 100_000  # that are walked, those of loops counted each time
MOST_OF_WIDE = 5_000  # the same where there are far more words
# What leaves words as they are, and what picks among them.
MOVES = SAME.union(
    "broadcast_in_dim concatenate dynamic_slice gather reshape rev slice squeeze "
    "transpose".split()
)
KEEPS = frozenset(
    "convert_element_type cummax cummin reduce_max reduce_min sort".split()
)


# What draws random bits of a key, or asks the host for whatever it likes.
DRAWS = frozenset(
    "random_bits random_gamma threefry2x32 rng_bit_generator rng_uniform "
    "io_callback".split()
)
PICK = "jaxbandits.pick"  # `arrays.pick`, as programs have it
# Threefry's constant, by which its words are known where they are made by hand.
PARITY = 0x1BD11BDA
LONGEST_BEYOND = 40  # how far a slice is followed beyond the words that there are


class Faults(NamedTuple):
    """What is wrong with the way in which a program reads its noise.

    Attributes:
      beyond: an index that is read and is not there, or None.
      as_numbers: whether words become floats as they are.
      unsure: whether there are reads at positions that depend on what is not known.
    """

    beyond: int | None = None
    as_numbers: bool = False
    unsure: bool = False


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


def faults(program: ClosedJaxpr, values: Sequence[Any] | None = None) -> Faults:
    """What is wrong with the way in which a program reads its first argument.

    Args:
      program: whose first argument is noise, u32[n].
      values: of its other arguments; None if they are not known.
    """
    walk = _Walk(MOST_EQUATIONS)
    with suppress(_EndlessError):  # what was found until then is wrong all the same
        walk.whole(program, values)
    return walk.found


def sliced_beyond(function: Callable, width: int, *args: Any) -> int | None:
    """An index at which a function slices its noise, and which is not there.

    Args:
      function: of noise, u32[width], and more.
      width: how many words it has.
      *args: what else it takes, arrays or their shapes.

    Returns:
      The index, below 0 if it is one from the end; None if there is none, or the
      function takes no other number of words than its own.
    """
    near = width + LONGEST_BEYOND  # that far from an end, an index is one of that end
    wide = 2 * near + 4
    walk = _Walk(MOST_OF_WIDE, wide)
    try:
        noise = jax.ShapeDtypeStruct((wide,), jnp.uint32)
        walk.whole(jax.make_jaxpr(lambda *args: function(*args))(noise, *args))
    except Exception:  # noqa: BLE001 - whatever a user's function raises
        return None
    if any(near <= place < wide - near for place in walk.sliced):
        return None  # to the end, or a share: of any number of words
    places = (place if place < near else place - wide for place in walk.sliced)
    return min((x for x in places if not -width <= x < width), key=abs, default=None)


def makes_its_own(jaxpr: Jaxpr, given: Sequence[bool]) -> bool:
    """Whether a program draws numbers, or asks the host, without what it may use.

    Args:
      jaxpr: the program.
      given: which of its arguments randomness may be made of, such as noise.
    """
    return _fed(jaxpr, given)[1]


def _fed(jaxpr: Jaxpr, given: Sequence[bool]) -> tuple[list[bool], bool]:
    """Which outputs are made of what is given, and whether anything drawn is not."""
    fed = {v for v, may in zip(jaxpr.invars, given, strict=True) if may}
    own = False
    for eqn in jaxpr.eqns:
        inputs = [not isinstance(x, Literal) and x in fed for x in eqn.invars]
        inner, carried = _inner(eqn), _carried(eqn)
        outputs = [any(inputs)] * len(eqn.outvars)
        own_here = not any(inputs) and _draws(eqn)
        while inner:
            found = [_fed(x, _last(inputs, len(x.invars))) for x in inner]
            own_here = any(draws for _, draws in found)
            alike = [x for x, _ in found if len(x) == len(outputs)]
            outputs = [any(each) for each in zip(*alike, strict=True)] or outputs
            turned = [x or y for x, y in zip(inputs[carried], outputs, strict=False)]
            if turned == inputs[carried]:
                break
            inputs[carried] = turned
        own |= own_here
        fed.update(v for v, may in zip(eqn.outvars, outputs, strict=True) if may)
    return [not isinstance(x, Literal) and x in fed for x in jaxpr.outvars], own


def _last(inputs: list[bool], count: int) -> list[bool]:
    """Inputs of an inner program, which stand last among those of its equation."""
    return ([False] * count + inputs)[len(inputs) :]


def _carried(eqn) -> slice:
    """The inputs of an equation that are those of a loop's first turn."""
    if eqn.primitive.name == "while":
        return slice(eqn.params["cond_nconsts"] + eqn.params["body_nconsts"], None)
    if eqn.primitive.name == "scan":
        constants, carried = scan_counts(eqn.params)
        return slice(constants, constants + carried)
    return slice(0)


def _draws(eqn) -> bool:
    by_hand = eqn.primitive.name == "xor" and any(
        isinstance(x, Literal) and np.all(x.val == PARITY) for x in eqn.invars
    )
    return by_hand or eqn.primitive.name in DRAWS


def _inner(eqn) -> list[Jaxpr]:
    """The programs within an equation."""
    values = [
        part
        for value in eqn.params.values()
        for part in (value if isinstance(value, tuple | list) else [value])
    ]
    closed = [x.jaxpr if isinstance(x, ClosedJaxpr) else x for x in values]
    return [x for x in closed if isinstance(x, Jaxpr)]


class _Walk:
    """A walk through a program, and what was found on the way."""

    def __init__(self, most: int, wide: int | None = None) -> None:
        self.found = Faults()
        self.width = 0  # of the noise
        self.sliced: set[int] = set()  # positions, of `wide` words
        self.left, self.wide = most, wide

    def whole(self, program: ClosedJaxpr, values: Sequence[Any] | None = None) -> None:
        """Walk through a program whose first argument is noise; see `faults`."""
        first, *others = program.jaxpr.invars
        self.width = first.aval.size
        given = [_unknown() for _ in others] if values is None else map(_known, values)
        noise = Noise.SOME | Noise.ENTRIES | Noise.WORDS
        self.program(program, [_unknown(noise), *given])

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
            if eqn.params.get("name") == PICK and inputs[0].noise & Noise.ENTRIES:
                self._look(
                    eqn.invars[0].aval.shape[:1], [1], lambda: [inputs[1].value()]
                )
            return self.program(eqn.params[CALLS[name]], inputs)
        if not any(x.noise for x in inputs):
            return _computed(eqn, inputs)
        if name in ("cond", "scan", "while"):
            return getattr(self, f"_{name}")(eqn.params, inputs)
        if inputs[0].noise & Noise.ENTRIES:
            if name in ("dynamic_slice", "gather"):
                self._read(eqn, inputs)
            elif name == "slice" and self.wide in eqn.invars[0].aval.shape:
                self._slice(eqn)
        sizes = [
            v.aval.size for x, v in zip(inputs, eqn.invars, strict=True) if x.noise
        ]
        if name.startswith(("reduce_", "dot_")) and not any(sizes):
            # Of a slice that has nothing in it, as ``noise[1:]`` of one word.
            self.found = self.found._replace(beyond=self.width)
        if name == "convert_element_type" and jnp.issubdtype(
            eqn.params["new_dtype"], jnp.floating
        ):
            words = inputs[0].noise & Noise.WORDS and eqn.invars[0].aval.size
            if words:
                self.found = self.found._replace(as_numbers=True)
        return [_unknown(_made(eqn, inputs, v.aval)) for v in eqn.outvars]

    def _read(self, eqn, inputs):
        """Look at the positions of a read."""
        shape = eqn.invars[0].aval.shape
        sizes = eqn.params["slice_sizes"]
        # A number that somebody fills numbers up with is theirs; NaN or a word is not.
        fills = eqn.params.get("mode") == lax.GatherScatterMode.FILL_OR_DROP
        own = eqn.params.get("fill_value")
        given = own is not None and not math.isnan(own)
        if fills and given and not inputs[0].noise & Noise.WORDS:
            return
        if eqn.primitive.name == "gather":
            axes = eqn.params["dimension_numbers"].start_index_map

            def places():
                return np.moveaxis(np.asarray(inputs[1].value()), -1, 0)
        else:
            axes = range(len(shape))

            def places():
                return [x.value() for x in inputs[1:]]

        self._look([shape[i] for i in axes], [sizes[i] for i in axes], places)

    def _look(self, shape, sizes, places):
        """Look at the positions of a read of so many entries from each, by axis."""
        if self.wide is not None:
            return
        try:
            positions = [np.asarray(x) for x in places()]
        except UNKNOWN:
            self.found = self.found._replace(unsure=True)
            return
        for length, size, position in zip(shape, sizes, positions, strict=True):
            first, last = np.min(position, initial=0), np.max(position, initial=0)
            if first < 0:  # JAX has added the length to it
                self.found = self.found._replace(beyond=int(first) - length)
            elif last > length - size:
                self.found = self.found._replace(beyond=int(last) + size - 1)

    def _slice(self, eqn):
        """Keep the positions of a slice of `wide` words."""
        axis = eqn.invars[0].aval.shape.index(self.wide)
        ends = eqn.params["start_indices"][axis], eqn.params["limit_indices"][axis]
        if ends != (0, self.wide):
            self.sliced.update(range(*ends, (eqn.params["strides"] or {axis: 1})[axis]))

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
    """Whether the entries of an input are those of a result."""
    shape = v.aval.shape
    if shape == () or (v.aval.size == 1 and result.size > 1):  # one word in many places
        return False
    return name in MOVES or (
        len(shape) == len(result.shape)
        and all(x in (1, y) for x, y in zip(shape, result.shape, strict=True))
    )


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
