"""Likelihood intervals of the rate hold the truth as often as they say.

A sample of studies/allocation_coverage.py, whose table is in errata.md, A1.
"""

import allocation_coverage as study
import numpy as np
import pytest

from tests.heavy import in_short


@pytest.mark.slow
@pytest.mark.parametrize("name", ["half-normal", "Weibull 12", "geometric"])
def test_likelihood_intervals_cover_the_rate(name):
    """2,000 data sets; a standard error, .005, beside the bars of the table."""
    successes = (10, 30, 1_000, 100_000)
    case = study.CASES[name]
    shares = study.coverage(case, 2000, successes, seed=1)
    assert not study.missed(case, shares, successes, slack=0.005)


def test_the_bars_can_be_missed():
    case = study.CASES["exponential"]
    assert len(study.missed(case, [0.9, 0.975, 0.95], (10, 30, 100))) == 2
    assert study.missed(study.CASES["geometric"], [0.925], (100,))


FAMILIES = ["exponential", "gamma 0.5", "beta(2, rate)", "discrete Weibull 1.5"]


@pytest.mark.parametrize("name", in_short(FAMILIES, FAMILIES[1:3]))
def test_cells_are_those_of_the_truncated_law(name):
    """Their mean is the truncated mean of the family."""
    case = study.CASES[name]
    amount = float(case.law(case.truth).ppf(0.8))
    seen, mass = study.cells(case, amount)
    expected = case.family.truncated_mean(amount, case.truth, case.shape)
    np.testing.assert_allclose(seen @ mass, expected, rtol=1e-4)
