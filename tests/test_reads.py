"""Reads of noise that is not there, wherever in a program they are.

What a function's own text fixes is refused before anything is compiled, as it is
traced; what a round computes is found by `jaxbandits.testing`, which plays it.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jaxbandits.arrays import pick, position, unit_interval
from jaxbandits.contract.reads import read_beyond, takes_words_for_numbers
from jaxbandits.contract.round import static_indices
from jaxbandits.testing._clauses import check_entries, indexing
from tests.tables import each_row

WORDS = 3
GENERATOR = np.random.default_rng(0)


def traced(function, words):
    with static_indices():
        return jax.make_jaxpr(function)(jax.ShapeDtypeStruct((words,), jnp.uint32))


def finds_beyond(function, words):
    """What finds a read beyond the words: "tracing", "playing" or nothing."""
    try:
        program = traced(function, words)
    except (IndexError, ValueError):
        return "tracing"
    if read_beyond(function, program, words) is not None:
        return "tracing"
    noise = GENERATOR.integers(2**32, size=words, dtype=np.uint32)
    try:
        check_entries("act", indexing(function, noise), [(noise,)])
    except AssertionError as error:
        assert "out of bounds" in str(error) or "out-of-bounds" in str(error)
        return "playing"
    return None


# Functions of noise and of how many words they read.
READERS = {
    "an index": lambda n, k: n[k - 1],
    "a dynamic slice": lambda n, k: lax.dynamic_slice(n, (k - 1,), (1,)),
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


TRACED = {"an index", "a dynamic slice", "in a function that is compiled"}
TRACED |= {"in a branch", "of numbers made of it"}


@pytest.mark.parametrize("name", READERS)
def test_reads_of_more_words_than_there_are_are_found(name):
    read = READERS[name]
    assert finds_beyond(lambda noise: read(noise, WORDS), WORDS) is None
    found = finds_beyond(lambda noise: read(noise, WORDS + 1), WORDS)
    assert found == ("tracing" if name in TRACED else "playing")


# Functions of numbers made of one word, and of the index that they read.
OF_ONE_WORD = {
    "an index": lambda u, i: u[i],
    "an index of two": lambda u, i: (u[:, None] * jnp.ones((1, 3)))[i, 0],
    "clipped": lambda u, i: u.at[i].get(mode="clip"),
    "filled with NaN": lambda u, i: u.at[i].get(mode="fill"),
    "picked": lambda u, i: pick(u, 0 if i == -1 else i),
    "a slice": lambda u, i: u[: i + 1].sum() if i >= 0 else u[i:].sum(),
    "a slice that is compiled": lambda u, i: jax.jit(lambda u: u[i : i + 1 or None])(u),
    "along an axis": lambda u, i: jnp.take_along_axis(u, jnp.array([i]), 0),
    "reversed": lambda u, i: jnp.flip(u)[i],
    "doubled": lambda u, i: (2.0 * u)[i],
}


ONLY_PLAYED = {"filled with NaN", "along an axis"}


@pytest.mark.parametrize("name", OF_ONE_WORD)
def test_one_word_has_no_second_draw(name):
    def finds(index):
        return finds_beyond(lambda noise: read(unit_interval(noise), index), 1)

    read = OF_ONE_WORD[name]
    expected = "playing" if name in ONLY_PLAYED else "tracing"
    assert [finds(index) for index in (0, -1)] == [None, None]
    assert [finds(index) for index in (1, -2)] == [expected] * 2


OF_NO_WORDS = [
    lambda u: u[1:].sum(),
    lambda u: u[1:].mean(),
    lambda u: jnp.split(u, [1, 2])[1].max(initial=0),
    lambda u: u[0:2][1:3] @ jnp.zeros(0),
]


@each_row("read", OF_NO_WORDS)
def test_a_sum_over_no_words_is_no_draw(read):
    assert finds_beyond(lambda noise: read(unit_interval(noise)), 1) == "tracing"


OF_ANY_LENGTH = {
    "all": lambda u: u.sum(),
    "the first": lambda u: u.reshape(-1)[0],
    "the only": lambda u: u.squeeze() if u.size == 1 else u[0],
    "the last": lambda u: u[-1:],
    "the rest": lambda u: jnp.append(u[1:], u[0]),
    "half": lambda u: u[: max(1, u.size // 2)],
    "for all arms": lambda u: (u[0] * jnp.ones(3))[2] + jnp.tile(u, 3)[2],
    "each": lambda u: sum(u[i] for i in range(u.size)),
    "each in turn": lambda u: lax.scan(lambda s, x: (s + x, None), 0.0, u)[0],
}


@pytest.mark.parametrize("name", OF_ANY_LENGTH)
@pytest.mark.parametrize("words", [1, 2, 3])
def test_words_that_are_there_may_be_read(name, words):
    read = OF_ANY_LENGTH[name]
    assert finds_beyond(lambda noise: read(unit_interval(noise)), words) is None


@pytest.mark.parametrize("words", [0, 1, 2, 30])
def test_slices_end_within_the_words(words):
    def index_beyond(function):
        return read_beyond(function, traced(function, words), words)

    assert index_beyond(lambda noise: noise[:words]) is None
    assert index_beyond(lambda noise: noise[words : words + 1]) == words
    assert index_beyond(lambda noise: noise[-words - 1 :]) == -words - 1


def test_slices_of_other_arrays_are_not_those_of_the_noise():
    """Whatever their lengths: that of the longer noise is none of the program's."""
    for length in range(80, 100):
        own = jnp.arange(float(length))
        assert finds_beyond(lambda n, own=own: own[:5].sum() + n[0] // 2, 1) is None


def test_words_for_numbers():
    def taken(function):
        return takes_words_for_numbers(traced(function, WORDS))

    assert taken(jax.jit(lambda noise: noise[1:].astype(float)))
    assert taken(lambda noise: jax.vmap(lambda x: x * 0.5)(noise))
    assert not taken(lambda noise: unit_interval(noise) + position(noise, 3))
    for some in (jnp.max, jnp.sort, lambda n: n.astype(int)):
        assert taken(lambda n, some=some: some(n).astype(float))
    assert taken(lambda n: lax.fori_loop(0, 3, lambda i, s: s + n[i] * 0.5, 0.0))
    assert not taken(lambda noise: noise[:0].astype(float))
