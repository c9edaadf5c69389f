"""Reads of noise that is not there, wherever in a program they are."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from jaxbandits.arrays import pick, position, unit_interval
from jaxbandits.simulation.reads import Faults, faults, sliced_beyond

WORDS = 3


def found(function, *others, values=None, words=WORDS):
    noise = jax.ShapeDtypeStruct((words,), jnp.uint32)
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
    assert found(lambda noise: read(noise, WORDS)) == Faults()
    assert found(lambda noise: read(noise, WORDS + 1)) == Faults(beyond=WORDS)


# Functions of numbers made of one word, and of the index that they read.
OF_ONE_WORD = {
    "an index": lambda u, i: u[i],
    "an index of two": lambda u, i: (u[:, None] * jnp.ones((1, 3)))[i, 0],
    "take": lambda u, i: jnp.take(u, i),
    "clipped": lambda u, i: u.at[i].get(mode="clip"),
    "filled with NaN": lambda u, i: u.at[i].get(mode="fill"),
    "a dynamic slice": lambda u, i: lax.dynamic_slice(u, (i,), (1,)).sum(),
    "a slice": lambda u, i: u[: i + 1].sum() if i >= 0 else u[i:].sum(),
    "a slice that is compiled": lambda u, i: jax.jit(lambda u: u[i : i + 1 or None])(u),
    "along an axis": lambda u, i: jnp.take_along_axis(u, jnp.array([i]), 0),
    "reversed": lambda u, i: jnp.flip(u)[i],
    "doubled": lambda u, i: (2.0 * u)[i],
    "in a branch": lambda u, i: lax.cond(u[0] > 0.5, lambda: u[i], lambda: 0.0),
    "in a loop": lambda u, i: lax.fori_loop(i, i + 1, lambda k, s: s + u[k], 0.0),
    "mapped": lambda u, i: jax.vmap(lambda k: u[k])(jnp.array([i])),
}


@pytest.mark.parametrize("name", OF_ONE_WORD)
def test_one_word_has_no_second_index(name):
    read = OF_ONE_WORD[name]

    def step(noise, index):
        return read(unit_interval(noise), index)

    def index_found(index):
        function = lambda noise: step(noise, index)  # noqa: E731
        at_once = found(function, words=1).beyond
        return sliced_beyond(function, 1) if at_once is None else at_once

    assert [index_found(index) for index in (0, -1)] == [None, None]
    assert index_found(1) == 1
    assert index_found(-2) in (-2, 1)  # A mirror counts from the other end.


@pytest.mark.parametrize("index", [0, 1])
def test_what_is_picked_is_read(index):
    beyond = None if index == 0 else index
    picked = found(lambda noise: pick(unit_interval(noise), jnp.int32(index)), words=1)
    assert picked == Faults(beyond=beyond)


@pytest.mark.parametrize(
    "read",
    [
        lambda u: u[1:].sum(),
        lambda u: u[1:].mean(),
        lambda u: jnp.split(u, [1, 2])[1].max(initial=0),
        lambda u: u[0:2][1:3] @ jnp.zeros(0),
    ],
    ids=["sum", "mean", "largest of a part", "product of a slice of a slice"],
)
def test_a_sum_over_no_words_is_no_draw(read):
    assert found(lambda noise: read(unit_interval(noise)), words=1).beyond == 1


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
def test_what_is_there_may_be_read(name, words):
    read = OF_ANY_LENGTH[name]
    function = lambda noise: read(unit_interval(noise))  # noqa: E731
    assert found(function, words=words) == Faults()
    assert sliced_beyond(function, words) is None


@pytest.mark.parametrize("words", [0, 1, 2, 30])
def test_slices_end_within_the_words(words):
    assert sliced_beyond(lambda noise: noise[:words], words) is None
    assert sliced_beyond(lambda noise: noise[words : words + 1], words) == words
    assert sliced_beyond(lambda noise: noise[-words - 1 :], words) == -words - 1


def test_from_the_end():
    assert found(lambda noise: noise[-WORDS]) == Faults()
    assert found(lambda noise: noise[-WORDS - 1]) == Faults(beyond=-WORDS - 1)


def test_words_for_numbers():
    assert found(jax.jit(lambda noise: noise[1:].astype(float))).as_numbers
    assert found(lambda noise: jax.vmap(lambda x: x * 0.5)(noise)).as_numbers
    assert found(lambda noise: unit_interval(noise) + position(noise, 3)) == Faults()
    for some in (jnp.max, jnp.sort, lambda n: n.astype(int)):
        assert found(lambda n, some=some: some(n).astype(float)).as_numbers
    assert found(lambda noise: noise[:0].astype(float)) == Faults()


def test_positions_that_only_play_knows():
    def read(noise, round_):
        return noise[round_ % 4]

    round_ = jnp.int32(0)
    assert found(read, round_) == Faults(unsure=True)
    assert found(read, round_, values=[jnp.int32(2)]) == Faults()
    assert found(read, round_, values=[jnp.int32(3)]) == Faults(beyond=WORDS)


@pytest.mark.parametrize("size", [WORDS - 1, WORDS, WORDS + 4])
def test_what_is_read_of_other_arrays_is_their_affair(size):
    own = jnp.arange(float(size))
    beyond = jnp.arange(1, size + 1)
    assert found(lambda noise: own.at[99].get(mode="clip") + noise[0] // 2) == Faults()
    spread = lambda u: own + jnp.broadcast_to(u, own.shape)  # noqa: E731
    for make in (lambda u: jnp.where(u > 0.5, own, 0), spread):
        assert found(lambda n, make=make: make(unit_interval(n[0]))[beyond]) == Faults()


def test_what_fills_up_numbers_is_its_authors_affair():
    def shifted(noise):
        u = unit_interval(noise)
        return u.at[jnp.arange(1, WORDS + 1)].get(mode="fill", fill_value=0.0)

    assert found(shifted) == Faults()


def test_an_endless_loop_is_left():
    def turns(noise):
        return lax.fori_loop(0, 10**9, lambda i, s: s + noise[0], noise[0])

    assert found(turns) == Faults()
