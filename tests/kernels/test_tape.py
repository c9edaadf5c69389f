"""The tape's uniforms: uniform, and independent of one another in every direction."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.engine.tape import Stream, read, root_key, stream_key, uniforms
from tests.kernels.checks import assert_independent, assert_uniform

ROUNDS, WIDTH = 60_000, 5


@pytest.fixture(scope="module")
def block():
    return read(11, 3, Stream.ENVIRONMENT, ROUNDS, WIDTH)


def test_uniform(block):
    assert block.shape == (ROUNDS, WIDTH) and block.dtype == np.float64
    assert_uniform(block.ravel())
    for column in block.T:
        assert_uniform(column)
    for row in read(11, 3, Stream.ENVIRONMENT, 4, 20_001):
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
    others = [read(11, 3, s, ROUNDS, WIDTH) for s in Stream if s != Stream.ENVIRONMENT]
    others += [read(11, s, Stream.ENVIRONMENT, ROUNDS, WIDTH) for s in (0, 2, 4)]
    others += [read(r, 3, Stream.ENVIRONMENT, ROUNDS, WIDTH) for r in (10, 12, 2**40)]
    for i, x in enumerate(others):
        for y in [block, *others[:i]]:
            assert_independent(x[:, 0], y[:, 0])


def test_neighbouring_seeds_in_one_round():
    seeds = jnp.arange(100_000, dtype=jnp.uint32)
    keys = stream_key(root_key(0), seeds, Stream.ACT)
    first = np.asarray(jax.vmap(lambda key: uniforms(key, 1, 1))(keys))[:, 0]
    assert first[7] == read(0, 7, Stream.ACT, 1, 1)
    assert_uniform(first)
    assert_independent(first[1:], first[:-1])


def test_a_longer_tape_starts_with_the_shorter_one(block):
    short = read(11, 3, Stream.ENVIRONMENT, 10, WIDTH)
    np.testing.assert_array_equal(short, block[:10])
    assert np.all((block > 0) & (block < 1))
    np.testing.assert_array_equal(block.astype(np.float32), block)
