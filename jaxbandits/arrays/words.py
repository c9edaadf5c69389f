"""Random 32-bit words as numbers, events, positions and tail probabilities.

A float32 in (0, 1) has about 2**23 evenly spaced values. With these, an event of
probability 1e-7 would occur 19 % too often, one of 5e-8 never, and tails would end at
6e-8. So the noise consists of words, and every draw chooses a conversion.
`unit_interval` is for draws that need 23 bits. `occurs` and `below`, exact to 2**-61,
compare with a probability. `smaller_side` is for inverse distribution functions, whose
tails then reach 2**-32 per word.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float, Int, Int32, UInt32

from jaxbandits.arrays.real import integer, real
from jaxbandits.checks import kinds, whole

# Two words are compared as 31 and 30 bits, which int32 holds with room for a carry.
HIGH_BITS, LOW_BITS = 31, 30
CERTAIN = 2**HIGH_BITS - 1, 2**LOW_BITS


class Bound(NamedTuple):
    """A probability as a whole number of units of 2**-61.

    Attributes:
      high: i32 array in [0, 2**31), the first 31 bits.
      low: i32 array in [0, 2**30], the rest; 2**30, all ones included, for 1.
    """

    high: Int32[Array, "..."]
    low: Int32[Array, "..."]


def unit_interval(word: UInt32[Array, "..."]) -> Float[Array, "..."]:
    """Map 32 random bits to a uniform number strictly between 0 and 1.

    The result lies on the grid ``(k + 1/2) / 2**23``, which float32 represents exactly:
    neither end is ever hit, ``u`` and ``1 - u`` have the same law, and the numbers are
    the same in float32 and float64 programs.

    Args:
      word: u32 array.

    Returns:
      f32 array of the same shape, in [2**-24, 1 - 2**-24].

    Raises:
      TypeError: if `word` is not an integer array.
    """
    high = (_u32("word", word) >> jnp.uint32(9)).astype(jnp.float32)
    return (high + jnp.float32(0.5)) * jnp.float32(2.0**-23)


def bound(probability: Any) -> Bound:
    """The bound with which `below` compares words; exact for float32 probabilities.

    Args:
      probability: real array; values outside [0, 1] count as the nearest end. NumPy
        arrays are converted in float64, to 2**-61 or 53 bits; traced arrays in their
        own precision.
    """
    host = isinstance(probability, np.ndarray | np.generic | float | int)
    xp = np if host else jnp
    p = np.asarray(probability, np.float64) if host else real(probability=probability)
    inside = xp.clip(p, 0.0, 1.0)
    scaled = xp.where(inside < 1, inside, 0.0) * 2.0**HIGH_BITS
    high = xp.floor(scaled)
    # A float's remainder is exact, and so is its product with a power of two.
    low = xp.floor((scaled - high) * 2.0**LOW_BITS)
    return Bound(
        *(
            xp.where(inside < 1, part.astype(xp.int32), xp.int32(all_of_it))
            for part, all_of_it in zip((high, low), CERTAIN, strict=True)
        )
    )


def cumulative_bounds(probabilities: Any) -> Bound:
    """Bounds of the cumulative probabilities of tables, on the host, in float64.

    Args:
      probabilities: f64[..., n] >= 0 with rows that sum to 1.

    Returns:
      Arrays ``[..., n]``. From the last possible position on, bounds are those of 1, so
      that rounding leaves no gap.
    """
    p = np.asarray(probabilities, np.float64)
    cumulative = np.minimum(np.cumsum(p, axis=-1), 1.0)
    later = np.cumsum(p[..., ::-1], axis=-1)[..., ::-1] - p  # 0 after the last
    return bound(np.where(later > 0, cumulative, 1.0))


def below(
    first: UInt32[Array, "..."], second: UInt32[Array, "..."], limit: Bound
) -> Bool[Array, "..."]:
    """Whether the number with the digits of two words lies below a bound.

    Args:
      first: u32 array, the leading bits.
      second: u32 array, used where the leading bits equal those of the bound.
      limit: from `bound`; all three broadcast together.

    Returns:
      Boolean array, true with exactly the probability of `limit`; it is true for all
      numbers below the bound and false for all others.

    Raises:
      TypeError: if a word is not an integer array.
    """
    first, second = _u32("first", first), _u32("second", second)
    leading = (first >> jnp.uint32(1)).astype(jnp.int32)
    last = (first & jnp.uint32(1)) << jnp.uint32(LOW_BITS - 1)
    rest = (last | (second >> jnp.uint32(33 - LOW_BITS))).astype(jnp.int32)
    high, low = (jnp.asarray(part, jnp.int32) for part in limit)
    return (leading < high) | ((leading == high) & (rest < low))


def words_at(limit: Bound) -> tuple[UInt32[Array, "..."], UInt32[Array, "..."]]:
    """The smallest two words, u32 arrays, that are not below a bound less than 1."""
    high, low = (jnp.asarray(part).astype(jnp.uint32) for part in limit)
    first = (high << jnp.uint32(1)) | (low >> jnp.uint32(LOW_BITS - 1))
    return first, low << jnp.uint32(33 - LOW_BITS)


def occurs(
    first: UInt32[Array, "..."], second: UInt32[Array, "..."], probability: Any
) -> Bool[Array, "..."]:
    """Whether an event occurs: `below` the bound of its probability.

    Args:
      first: u32 array.
      second: u32 array.
      probability: real array; all three broadcast together.
    """
    return below(first, second, bound(probability))


@kinds
def position(
    word: UInt32[Array, "..."], size: int | Int[Array, "..."]
) -> Int32[Array, "..."]:
    """A position in [0, size), each with probability ``1 / size`` to ``size / 2**32``.

    Args:
      word: u32 array.
      size: int, or i32 array that broadcasts; in 1..2**31 - 1.

    Returns:
      i32 array: ``floor(word size / 2**32)``, computed in halves of words, since 64-bit
      integers may be disabled.
    """
    if not isinstance(size, jax.Array):
        size = whole("size", size, 1, 2**31 - 1)
    word, size = _u32("word", word), jnp.asarray(size).astype(jnp.uint32)
    half, mask = jnp.uint32(16), jnp.uint32(0xFFFF)
    upper, lower = word >> half, word & mask
    times, rest = size >> half, size & mask
    low = lower * rest
    middle = upper * rest + (low >> half)  # below 2**32, as each factor is below 2**16
    crossed = lower * times + (middle & mask)
    high = upper * times + (middle >> half) + (crossed >> half)
    return high.astype(jnp.int32)


def smaller_side(
    *words: UInt32[Array, "..."],
) -> tuple[Float[Array, "..."], Bool[Array, "..."]]:
    """The distance of a uniform number u to the nearer end of (0, 1), and that end.

    Args:
      *words: u32 arrays, the digits of ``u = 0.w1 w2 ...`` in base 2**32.

    Returns:
      ``(distance, upper)``: `upper` is a boolean array, true if 1 is nearer. `distance`
      is 1 - u there, else u: a float array in (0, 1/2], in JAX's precision, which keeps
      all digits of small numbers.

    Raises:
      TypeError: if a word is not an integer array.
    """
    words = [_u32("words", word) for word in words]
    upper = words[0] >> jnp.uint32(31) == 1
    distance = jnp.full((), 0.5)  # the middle of the last word's cell
    for word in reversed(words):
        digit = jnp.where(upper, ~word, word)
        distance = (distance + digit.astype(distance.dtype)) * 2.0**-32
    least = jnp.finfo(distance.dtype).tiny  # type: ignore[no-untyped-call]
    return jnp.maximum(distance, least), upper


def log_survival(*words: UInt32[Array, "..."]) -> Float[Array, "..."]:
    """``log(1 - u)`` of the uniform number u; arguments as for `smaller_side`.

    Returns:
      Negative float array with a small relative error near 0 and in the tail.
    """
    distance, upper = smaller_side(*words)
    return jnp.where(upper, jnp.log(distance), jnp.log1p(-distance))


def _u32(name: str, word: Any) -> UInt32[Array, "..."]:
    return jnp.asarray(integer(name, word), jnp.uint32)
