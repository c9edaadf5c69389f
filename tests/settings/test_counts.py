"""Weighted sums of counts."""

import numpy as np
import pytest

from jaxbandits.settings.counts import weighted


@pytest.mark.parametrize("shape", [(4,), (3, 5)], ids=str)
@pytest.mark.parametrize("lead", [(), (7, 1)], ids=["shared", "by run"])
def test_against_a_plain_sum(rng, shape, lead):
    counts = np.moveaxis(rng.integers(0, 100, (6, *shape, 7)).astype(np.int32), -1, 0)
    weights = rng.random((*lead, *shape)) * (rng.random(shape) < 0.7)
    found = weighted(counts, weights, len(shape))
    wanted = (counts * weights).sum(tuple(range(-len(shape), 0)))
    assert found.shape == (7, 6) and found.dtype == np.float64
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


def test_digits_do_not_depend_on_the_batch(rng):
    counts, weights = rng.integers(0, 1000, (9, 8, 10, 10)), rng.random((10, 10))
    whole = weighted(counts, weights, 2)
    for run in range(9):
        np.testing.assert_array_equal(
            weighted(counts[[run]], weights, 2)[0], whole[run]
        )


def test_counts_beyond_single_precision_are_exact():
    counts = np.array([[2**31 - 1, 2**24 + 1]], np.int32)
    assert weighted(counts, np.ones(2), 1).tolist() == [2**31 + 2**24]
