"""Sums of counts."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.kernels.counts import weighted


def mapped(function, counts, *weights):
    """Over the first axis, in float64."""
    with jax.enable_x64(True):
        of_all = jax.jit(jax.vmap(function, (0, *[None] * len(weights))))
        found = of_all(jnp.asarray(counts), *map(jnp.asarray, weights))
        return jax.tree.map(np.asarray, found)


def test_digits_do_not_depend_on_the_batch(rng):
    counts, weights = rng.integers(0, 1000, (9, 10, 10)), rng.random((10, 10))
    (whole,) = mapped(weighted, counts, weights)
    for run in range(9):
        assert mapped(weighted, counts[[run]], weights)[0][0] == whole[run]


def test_counts_beyond_single_precision_are_exact():
    counts = np.array([[2**31 - 1, 2**24 + 3]], np.int32)
    (found,) = mapped(weighted, counts, np.ones(2))
    assert found.tolist() == [2**31 + 2**24 + 2]
