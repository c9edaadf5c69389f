"""Weighted sums and shares of counts."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.settings.counts import share, weighted


def mapped(function, counts, weights):
    """Over the first axis, in float64."""
    with jax.enable_x64(True):
        of_all = jax.jit(jax.vmap(function, (0, None)))
        return np.asarray(of_all(jnp.asarray(counts), jnp.asarray(weights)))


@pytest.mark.parametrize("shape", [(4,), (3, 5)], ids=str)
def test_against_a_plain_sum(rng, shape):
    counts = rng.integers(0, 100, (7, *shape)).astype(np.int32)
    weights = rng.random(shape) * (rng.random(shape) < 0.7)
    found = mapped(weighted, counts, weights)
    assert found.shape == (7,) and found.dtype == np.float64
    wanted = (counts * weights).sum(tuple(range(-len(shape), 0)))
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_digits_do_not_depend_on_the_batch(rng):
    counts, weights = rng.integers(0, 1000, (9, 10, 10)), rng.random((10, 10))
    whole = mapped(weighted, counts, weights)
    for run in range(9):
        assert mapped(weighted, counts[[run]], weights)[0] == whole[run]


def test_counts_beyond_single_precision_are_exact():
    counts = np.array([[2**31 - 1, 2**24 + 1]], np.int32)
    assert mapped(weighted, counts, np.ones(2)).tolist() == [2**31 + 2**24]
    chosen = np.array([True, False])
    wanted = (2**31 - 1) / (2**31 + 2**24)
    assert mapped(share, counts, chosen).tolist() == [wanted]
    assert mapped(share, 0 * counts, chosen).tolist() == [0]
