"""What a program does with its noise: reads beyond the end, or takes words for numbers.

For an index out of bounds JAX returns another entry. A random number would so be used
twice, and no result would show it. While JAX traces, it refuses an index like ``u[1]``
that is beyond its array (see `round`), and `jaxbandits.testing` checks the indices that
only play computes. This module finds other mistakes:

* Python shortens a slice before JAX gets it: of one word, ``u[:2]`` is ``u``. So a
  function is traced with many more words than it has, and its slices show their ends.
* A sum over an empty slice is 0, and not random.
* Words are not uniform numbers: numbers must be made of the 32 random bits.
* Random numbers that are made of no noise would be the same for every seed.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from jaxbandits.engine.jaxprs import SAME, scan_counts

# Primitives that move words or choose among them.
MOVES = SAME.union(
    "broadcast_in_dim concatenate dynamic_slice gather reshape rev slice squeeze "
    "transpose".split()
)
KEEPS = frozenset(
    "convert_element_type cummax cummin reduce_max reduce_min sort".split()
)
# Primitives that draw random bits from a key, or call the host.
DRAWS = frozenset(
    "random_bits random_gamma threefry2x32 rng_bit_generator rng_uniform "
    "io_callback".split()
)
# Threefry's constant, by which an implementation by hand is recognised.
PARITY = 0x1BD11BDA
LONGEST_BEYOND = 40  # words beyond the noise up to which a slice is followed


def read_beyond(
    function: Callable, program: ClosedJaxpr, width: int, *args: Any
) -> int | None:
    """An index beyond the noise at which a function slices it.

    Args:
      function: of noise, u32[width], and other arguments.
      program: of the function, traced with `width` words.
      width: the number of words of its noise.
      *args: its other arguments, arrays or their shapes.

    Returns:
      The index, below 0 if it counts from the end, or None. No slice is found in a
      function that takes no other number of words.
    """
    used = [x for eqn in program.jaxpr.eqns for x in eqn.invars]
    if not any(x is program.jaxpr.invars[0] for x in used + program.jaxpr.outvars):
        return None
    if _flow(program.jaxpr, _first(program), _always, _of_nothing)[1]:
        return width
    near = (
        width + LONGEST_BEYOND
    )  # An index within this of an end counts from that end.
    shapes = [v.aval.shape for eqn in _equations(program.jaxpr) for v in eqn.invars]
    lengths = {length for shape in shapes for length in shape}
    wide = next(n for n in range(2 * near + 4, 2**31) if n not in lengths)
    noise = jax.ShapeDtypeStruct((wide,), jnp.uint32)
    try:
        longer = jax.make_jaxpr(lambda *args: function(*args))(noise, *args)
    except Exception:  # noqa: BLE001 - a user's function may raise anything
        return None
    sliced = {
        place
        for eqn in _equations(longer.jaxpr)
        if eqn.invars and wide in eqn.invars[0].aval.shape
        for place in _sliced(eqn, eqn.invars[0].aval.shape.index(wide), wide)
    }
    if any(near <= place < wide - near for place in sliced):
        return None  # slices up to the end, or a share: right for any number of words
    places = (place if place < near else place - wide for place in sliced)
    return min((x for x in places if not -width <= x < width), key=abs, default=None)


def takes_words_for_numbers(program: ClosedJaxpr) -> bool:
    """Whether words of a program's first argument are converted to floats."""
    return _flow(program.jaxpr, _first(program), _stay_words, _become_floats)[1]


def makes_its_own(jaxpr: Jaxpr, given: Sequence[bool]) -> bool:
    """Whether a program draws numbers, or calls the host, without its noise.

    `given` says of which arguments random numbers may be made.
    """
    return _flow(jaxpr, given, _always, _draws_its_own)[1]


def _first(program: ClosedJaxpr) -> list[bool]:
    return [number == 0 for number in range(len(program.jaxpr.invars))]


def _flow(
    jaxpr: Jaxpr,
    given: Sequence[bool],
    passes: Callable[[Any, Any], bool],
    wrong: Callable[[Any, list[bool]], bool],
) -> tuple[list[bool], bool]:
    """Follow arguments of a program through its equations, inner programs and loops.

    Args:
      jaxpr: the program.
      given: which arguments are followed.
      passes: ``(equation, output) -> bool``, whether an output is followed if an input
        of its equation is.
      wrong: ``(equation, which inputs are followed) -> bool``, whether it is a mistake.

    Returns:
      Which outputs are followed, and whether an equation was a mistake.
    """
    followed = {v for v, is_one in zip(jaxpr.invars, given, strict=True) if is_one}
    fault = False
    for eqn in jaxpr.eqns:
        inputs = [not isinstance(x, Literal) and x in followed for x in eqn.invars]
        inner, carried = _inner(eqn), _carried(eqn)
        outputs = [any(inputs) and passes(eqn, v) for v in eqn.outvars]
        here = wrong(eqn, inputs)
        while inner:
            results = [_flow(x, _last(inputs, x), passes, wrong) for x in inner]
            here |= any(fault for _, fault in results)
            alike = [x for x, _ in results if len(x) == len(outputs)]
            outputs = [any(each) for each in zip(*alike, strict=True)] or outputs
            turned = [x or y for x, y in zip(inputs[carried], outputs, strict=False)]
            if turned == inputs[carried]:
                break
            inputs[carried] = turned
        fault |= here
        followed.update(
            v for v, is_one in zip(eqn.outvars, outputs, strict=True) if is_one
        )
    return [not isinstance(x, Literal) and x in followed for x in jaxpr.outvars], fault


def _always(eqn, output) -> bool:
    return True


def _stay_words(eqn, output) -> bool:
    name, integers = eqn.primitive.name, jnp.issubdtype(output.aval.dtype, jnp.integer)
    return name in MOVES or (name in KEEPS and integers)


def _become_floats(eqn, inputs) -> bool:
    return (
        eqn.primitive.name == "convert_element_type"
        and inputs[0]
        and eqn.invars[0].aval.size > 0
        and jnp.issubdtype(eqn.params["new_dtype"], jnp.floating)
    )


def _of_nothing(eqn, inputs) -> bool:
    sizes = [
        v.aval.size for v, is_one in zip(eqn.invars, inputs, strict=True) if is_one
    ]
    return eqn.primitive.name.startswith(("reduce_", "dot_")) and 0 in sizes


def _draws_its_own(eqn, inputs) -> bool:
    by_hand = eqn.primitive.name == "xor" and any(
        isinstance(x, Literal) and np.all(x.val == PARITY) for x in eqn.invars
    )
    return not any(inputs) and (by_hand or eqn.primitive.name in DRAWS)


def _sliced(eqn, axis: int, wide: int) -> range:
    """The positions along an axis that an equation slices, if they are constants."""
    params, start = eqn.params, range(wide)
    if eqn.primitive.name == "slice":
        step = params["strides"][axis] if params["strides"] else 1
        start = range(
            params["start_indices"][axis], params["limit_indices"][axis], step
        )
    elif eqn.primitive.name == "dynamic_slice":
        index = eqn.invars[1 + axis]
        if isinstance(index, Literal):
            start = range(int(index.val), int(index.val) + params["slice_sizes"][axis])
    return start if len(start) < wide else range(0)


def _equations(jaxpr: Jaxpr) -> Iterator[Any]:
    """All equations of a program and its inner programs."""
    for eqn in jaxpr.eqns:
        yield eqn
        for inner in _inner(eqn):
            yield from _equations(inner)


def _last(inputs: list[bool], program: Jaxpr) -> list[bool]:
    """Inputs of an inner program: the last inputs of its equation."""
    return ([False] * len(program.invars) + inputs)[len(inputs) :]


def _carried(eqn) -> slice:
    """The inputs of an equation that start the carry of a loop."""
    if eqn.primitive.name == "while":
        return slice(eqn.params["cond_nconsts"] + eqn.params["body_nconsts"], None)
    if eqn.primitive.name == "scan":
        constants, carried = scan_counts(eqn.params)
        return slice(constants, constants + carried)
    return slice(0)


def _inner(eqn) -> list[Jaxpr]:
    """The inner programs of an equation."""
    values = [
        part
        for value in eqn.params.values()
        for part in (value if isinstance(value, tuple | list) else [value])
    ]
    programs = [x.jaxpr if isinstance(x, ClosedJaxpr) else x for x in values]
    return [x for x in programs if isinstance(x, Jaxpr)]
