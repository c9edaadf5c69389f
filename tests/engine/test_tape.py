"""The tape's words: uniform, and independent of one another in every direction."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.random import threefry_2x32

from jaxbandits.engine.tape import (
    Stream,
    draw_words,
    instance_key,
    read,
    root_key,
    stream_key,
)
from tests.kernels.checks import assert_independent, assert_uniform

ROUNDS, WIDTH = 60_000, 5


@pytest.fixture(scope="module")
def block():
    return numbers(11, 3, Stream.ENVIRONMENT, ROUNDS, WIDTH)


def numbers(*args):
    """The numbers that words spell; all of their bits count."""
    words = read(*args)
    assert words.dtype == np.uint32
    return (words + 0.5) / 2**32


def test_numbers_of_the_tape_are_uniform(block):
    assert block.shape == (ROUNDS, WIDTH)
    assert_uniform(block.ravel())
    for column in block.T:
        assert_uniform(column)
    for row in numbers(11, 3, Stream.ENVIRONMENT, 4, 20_001):
        assert_uniform(row)


def test_columns_are_independent(block):
    for i in range(WIDTH):
        for j in range(i):
            assert_independent(block[:, i], block[:, j])


@pytest.mark.parametrize("lag", [1, 2, 64])
def test_rounds_are_independent(block, lag):
    assert_independent(block[lag:, 0], block[:-lag, 0])
    assert_independent(block[lag:, 0], block[:-lag, 1])


def test_streams_seeds_and_roots_are_independent(block):
    env = Stream.ENVIRONMENT
    others = [numbers(11, 3, s, ROUNDS, WIDTH) for s in Stream if s != env]
    others += [numbers(11, s, env, ROUNDS, WIDTH) for s in (0, 2, 4)]
    others += [numbers(r, 3, env, ROUNDS, WIDTH) for r in (10, 12, 2**40)]
    for i, x in enumerate(others):
        for y in [block, *others[:i]]:
            assert_independent(x[:, 0], y[:, 0])


def test_neighbouring_seeds_in_one_round():
    seeds = jnp.arange(100_000, dtype=jnp.uint32)
    keys = stream_key(root_key(0), seeds, Stream.ACT)
    first = np.asarray(jax.vmap(lambda key: draw_words(key, 1, 1))(keys))[:, 0]
    assert first[7] == read(0, 7, Stream.ACT, 1, 1)
    first = (first + 0.5) / 2**32
    assert_uniform(first)
    assert_independent(first[1:], first[:-1])


def test_a_longer_tape_starts_with_the_shorter_one(block):
    short = numbers(11, 3, Stream.ENVIRONMENT, 10, WIDTH)
    np.testing.assert_array_equal(short, block[:10])


def cipher(key, first, second):
    words = threefry_2x32(jnp.array(key, "u4"), jnp.array([*first, *second], "u4"))
    return np.asarray(words)


NUMBERS = {"INSTANCE": 0, "ENVIRONMENT": 1, "ACT": 2, "UPDATE": 3}


@pytest.mark.parametrize("stream", NUMBERS)
def test_words_by_the_cipher(stream):
    """With other counters every run there is would be another."""
    key = cipher((1, 2), [7], [NUMBERS[stream]])
    for width, half in ((1, 1), (4, 2), (5, 3)):
        found = read(2**32 + 2, 7, Stream[stream], 3, width)[2]
        expected = cipher(key, [3] * half, range(half))[:width]
        np.testing.assert_array_equal(found, expected)


def test_an_instance_has_a_stream_of_its_own():
    key = instance_key(root_key(2**32 + 2), jnp.uint32(7))
    np.testing.assert_array_equal(jax.random.key_data(key), cipher((1, 2), [7], [0]))


def test_every_bit_of_a_root_seed_counts():
    keys = {tuple(map(int, root_key(2**bit))) for bit in range(64)}
    assert len(keys) == 64
    assert tuple(map(int, root_key(2**64 - 1))) == (2**32 - 1, 2**32 - 1)
