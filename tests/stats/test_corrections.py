"""Corrections for several tests, by hand and by what they are defined by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from jaxbandits.stats.corrections import CORRECTIONS, corrected

BY_HAND = {
    # Of 4 tests, the smallest counts 4 times, the next 3 times ...; never falling.
    "bonferroni": [0.16, 0.04, 0.08, 1.0],
    "holm": [0.08, 0.04, 0.06, 0.5],
    "holm-sidak": [1 - 0.96**2, 1 - 0.99**4, 1 - 0.98**3, 0.5],
    # 4 p / rank, no larger than that of any larger p.
    "fdr_bh": [0.16 / 3, 0.04, 0.04, 0.5],
}


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_four_tests_by_hand(correction):
    found = corrected(np.array([0.04, 0.01, 0.02, 0.5]), correction)
    np.testing.assert_allclose(found, BY_HAND[correction], rtol=1e-12)


@pytest.mark.parametrize("correction", CORRECTIONS)
@given(p=arrays(float, st.integers(1, 8), elements=st.floats(0, 1)))
def test_adjusted_values_keep_the_order_and_are_no_smaller(correction, p):
    found = corrected(p, correction)
    # Sidak's loses a digit of 1 - p.
    assert (found >= p - 1e-15).all() and (found <= 1).all()
    order = np.argsort(p)
    assert (np.diff(found[order]) >= -1e-15).all()
    # One test is not corrected; equal ones are corrected alike.
    np.testing.assert_allclose(corrected(p[:1], correction), p[:1], atol=1e-15)
