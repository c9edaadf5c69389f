"""Argmax with a stated tie rule, without ``jnp.argmax`` (slow on CPUs)."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Int32, Num, UInt32

from jaxbandits.arrays._values import stored
from jaxbandits.arrays.named import named
from jaxbandits.arrays.words import position
from jaxbandits.checks import kinds, shaped


@kinds
def first_true(mask: Bool[Array, "..."]) -> Int32[Array, ""]:
    """Row-major position of the first true entry.

    Args:
      mask: bool array of any shape.

    Returns:
      i32[]; the size of `mask` if no entry is true.
    """
    positions = jnp.arange(mask.size, dtype=jnp.int32).reshape(mask.shape)
    return jnp.min(jnp.where(mask, positions, jnp.int32(mask.size)))


@named
def first_argmax(x: Num[Array, "..."]) -> Int32[Array, ""]:
    """Row-major position of the largest entry; the first one if several are equal.

    The engine recognises this kernel by name and replaces it by a single-pass form.

    Args:
      x: real array of any shape, infinities allowed, NaN not.

    Returns:
      i32[] in [0, x.size); x.size, which is out of range, where an entry is NaN.
    """
    if x.size == 0:
        raise ValueError("x must have at least one entry, got none")
    x = stored(x)  # else XLA may round it differently for `==`: no entry would be equal
    return first_true(x == jnp.max(x))


@named
def random_argmax(x: Num[Array, " n"], word: UInt32[Array, ""]) -> Int32[Array, ""]:
    """Index of the largest entry; ties are broken uniformly at random.

    The engine recognises this kernel by name, as it does `first_argmax`.

    Args:
      x: real array ``[n]``, infinities allowed, NaN not.
      word: u32[], random bits; decides among the ties.

    Returns:
      i32[] in [0, n) if no entry is NaN.
    """
    shaped("n", x=x)
    shaped("", word=word)
    x = stored(x)  # as in `first_argmax`
    tied = x == jnp.max(x)
    rank = jnp.cumsum(tied, dtype=jnp.int32)  # 1, 2, ... at the tied entries
    return jnp.sum(rank <= position(word, rank[-1]), dtype=jnp.int32)
