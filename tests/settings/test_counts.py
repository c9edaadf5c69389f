"""Sums of counts."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.kernels.counts import total, weighted
from tests.tables import naming


def mapped(function, counts, *weights):
    """Over the first axis, in float64."""
    with jax.enable_x64(True):
        of_all = jax.jit(jax.vmap(function, (0, *[None] * len(weights))))
        found = of_all(jnp.asarray(counts), *map(jnp.asarray, weights))
        return jax.tree.map(np.asarray, found)


def test_against_a_plain_sum(rng):
    for shape in [(4,), (3, 5)]:
        with naming(shape):
            counts = rng.integers(0, 100, (7, *shape)).astype(np.int32)
            weights = rng.random(shape) * (rng.random(shape) < 0.7), rng.random(shape)
            axes = tuple(range(-len(shape), 0))
            for found, each in zip(
                mapped(weighted, counts, *weights), weights, strict=True
            ):
                assert found.shape == (7,) and found.dtype == np.float64
                np.testing.assert_allclose(found, (counts * each).sum(axes), rtol=1e-14)
            assert mapped(total, counts).tolist() == counts.sum(axes).tolist()


def test_digits_do_not_depend_on_the_batch(rng):
    counts, weights = rng.integers(0, 1000, (9, 10, 10)), rng.random((10, 10))
    (whole,) = mapped(weighted, counts, weights)
    for run in range(9):
        assert mapped(weighted, counts[[run]], weights)[0][0] == whole[run]


def test_counts_beyond_single_precision_are_exact():
    counts = np.array([[2**31 - 1, 2**24 + 1]], np.int32)
    (found,) = mapped(weighted, counts, np.ones(2))
    assert found.tolist() == [2**31 + 2**24]
