"""Reads of noise that is not there, wherever in a program they are."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from jaxbandits.arrays import position, unit_interval
from jaxbandits.reads import AS_NUMBERS, BEYOND, UNSURE, faults

WORDS = 3


def found(function, *others, values=None):
    noise = jax.ShapeDtypeStruct((WORDS,), jnp.uint32)
    return faults(jax.make_jaxpr(function)(noise, *others), values)


# Functions of noise and of how many words they read.
READERS = {
    "an index": lambda n, k: n[k - 1],
    "a list of indices": lambda n, k: n[jnp.arange(k)],
    "take": lambda n, k: jnp.take(n, k - 1),
    "at": lambda n, k: n.at[k - 1].get(mode="fill", fill_value=0),
    "in a function that is compiled": lambda n, k: jax.jit(lambda n: n[k - 1])(n),
    "in a branch": lambda n, k: lax.cond(
        n[0] > 9, lambda n: n[k - 1], lambda n: n[0], n
    ),
    "mapped": lambda n, k: jax.vmap(lambda i: n[i])(jnp.arange(k)),
    "in a loop": lambda n, k: lax.fori_loop(0, k, lambda i, s: s + n[i], n[0]),
    "until": lambda n, k: lax.while_loop(
        lambda c: c[0] < k, lambda c: (c[0] + 1, c[1] + n[c[0]]), (0, n[0])
    )[1],
    "along rows": lambda n, k: lax.scan(
        lambda s, i: (s + n[i], n[i]), n[0], jnp.arange(k), reverse=True
    )[1],
    "of numbers made of it": lambda n, k: unit_interval(n)[k - 1],
}


@pytest.mark.parametrize("name", READERS)
def test_reads_that_are_not_there(name):
    read = READERS[name]
    assert found(lambda noise: read(noise, WORDS)) == set()
    assert found(lambda noise: read(noise, WORDS + 1)) == {BEYOND}


def test_from_the_end():
    assert found(lambda noise: noise[-WORDS]) == set()
    assert found(lambda noise: noise[-WORDS - 1]) == {BEYOND}


def test_words_for_numbers():
    assert found(jax.jit(lambda noise: noise[1:].astype(float))) == {AS_NUMBERS}
    assert found(lambda noise: jax.vmap(lambda x: x * 0.5)(noise)) == {AS_NUMBERS}
    assert found(lambda noise: unit_interval(noise) + position(noise, 3)) == set()
    for pick in (jnp.max, jnp.sort, lambda n: n.astype(int)):
        assert found(lambda n, pick=pick: pick(n).astype(float)) == {AS_NUMBERS}
    assert found(lambda noise: noise[:0].astype(float)) == set()


def test_positions_that_only_play_knows():
    def read(noise, round_):
        return noise[round_ % 4]

    round_ = jnp.int32(0)
    assert found(read, round_) == {UNSURE}
    assert found(read, round_, values=[jnp.int32(2)]) == set()
    assert found(read, round_, values=[jnp.int32(3)]) == {BEYOND}


@pytest.mark.parametrize("size", [WORDS - 1, WORDS, WORDS + 4])
def test_what_is_read_of_other_arrays_is_their_affair(size):
    own = jnp.arange(float(size))
    beyond = jnp.arange(1, size + 1)
    assert found(lambda noise: own.at[99].get(mode="clip") + noise[0] // 2) == set()
    spread = lambda u: own + jnp.broadcast_to(u, own.shape)  # noqa: E731
    for make in (lambda u: jnp.where(u > 0.5, own, 0), spread):
        assert found(lambda n, make=make: make(unit_interval(n[0]))[beyond]) == set()


def test_what_fills_up_numbers_is_its_authors_affair():
    def shifted(noise):
        u = unit_interval(noise)
        return u.at[jnp.arange(1, WORDS + 1)].get(mode="fill", fill_value=0.0)

    assert found(shifted) == set()


def test_an_endless_loop_is_left():
    def turns(noise):
        return lax.fori_loop(0, 10**9, lambda i, s: s + noise[0], noise[0])

    assert found(turns) == set()
