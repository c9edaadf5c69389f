"""Exact tables against independent quadrature, and the facts known about instances."""

import numpy as np
import pytest

from jaxbandits import censored
from tests.censored.twins import cost, penalty
from tests.heavy import in_short
from tests.reference import exact
from tests.tables import naming

# mean, x of eq. (33), sigma; appendix E.2.
GAUSSIAN = {
    "PosCorr": ([(0.6, 0.45)] + 9 * [(0.5, 0.5)], [0.2, 0.3, 0.4, 0.4] + 6 * [0.6]),
    "NegCorr": ([(0.9, 0.8)] + 9 * [(0.8, 0.8)], 10 * [-0.2]),
}
MAKE = {
    "PosCorr": censored.poscorr,
    "NegCorr": censored.negcorr,
    "Indep": censored.indep,
}
GRIDS = {
    "section 5.1": censored.equidistant(10),
    "printed": censored.equidistant(10, form="printed"),
}


def independent_arms(name):
    if name == "Indep":
        shapes = [(0.8, 0.2)] + 9 * [(0.8, 0.3)]
        return [exact.BetaTimesExponential(a, b, a / (a + b) + 1) for a, b in shapes]
    means, xs = GAUSSIAN[name]
    arms = []
    for mean, x in zip(means, xs, strict=True):
        off = 2 * x * np.sqrt(1 - x**2)
        covariance = 0.2 * np.array([[1, off], [off, 1]])
        arms.append(exact.TruncatedGaussianPair(mean, covariance, (0, 0), (1, 1)))
    return arms


@pytest.mark.parametrize("name", in_short(MAKE, {"PosCorr"}))
@pytest.mark.parametrize("grid", in_short(GRIDS, {"printed"}))
def test_table_equals_independent_quadrature(name, grid):
    limits = GRIDS[grid]
    arms = independent_arms(name)
    # Equal arms are integrated once: arms 1, 2 and the last stand for all.
    some = [0, 1, 2, 9]
    oracle = MAKE[name](limits).oracle()
    picked = [arms[i] for i in some]
    values = exact.nu_table(picked, limits, cost, penalty)
    np.testing.assert_allclose(oracle.values[some], values, rtol=0, atol=1e-12)
    within = exact.within_table(picked, limits)
    np.testing.assert_allclose(oracle.censoring[some], 1 - within, rtol=0, atol=1e-12)


# An independent float64 computation of the optimal pairs: arm (from 1), limit, nu*,
# 1 - P(tau*); to the digits given.
KNOWN = {
    "PosCorr": (1, 0.45556, 0.21434, 0.5087),
    "NegCorr": (2, 0.45556, 0.12013, 0.7637),
    "Indep": (1, 0.45556, 0.41657, 0.4404),
}


def test_instances_have_the_optimal_pairs_that_are_known():
    for name, (arm, limit, value, censoring) in KNOWN.items():
        with naming(name):
            game = MAKE[name]()
            oracle = game.oracle()
            assert oracle.arm == arm - 1
            assert abs(game.problem.limits[oracle.limit] - limit) < 5e-6
            assert abs(oracle.value - value) < 5e-6
            found = oracle.censoring[oracle.arm, oracle.limit]
            assert abs(found - censoring) < 5e-5


def test_negcorr_has_nine_optimal_arms():
    gaps = censored.negcorr().oracle().gaps
    assert np.sum(gaps == 0) == 9
    assert gaps[0].min() == pytest.approx(0.12013 - 0.1175, abs=1e-4)


def test_literal_grid_makes_the_correlated_instances_trivial():
    for make in (censored.poscorr, censored.negcorr):
        oracle = make(form="printed").oracle()
        assert oracle.limit == 9 and oracle.censoring[oracle.arm, 9] == 0


def test_low_censoring_instance():
    oracle = censored.low_censoring().oracle()
    # The paper: "about 0.075".
    assert oracle.censoring[oracle.arm, oracle.limit] == pytest.approx(0.0753, abs=5e-5)


def test_many_arms_have_five_limits():
    for form, limits in (
        ("tabulated", [0.1, 0.3, 0.5, 0.7, 0.9]),
        ("printed", [0.2, 0.4, 0.6, 0.8, 1.0]),
    ):
        problem = censored.many_arms(3, form).problem
        assert problem.num_arms == 3
        np.testing.assert_allclose(problem.limits, limits, rtol=1e-12)


def test_the_models_of_example_1_are_best_where_the_paper_says():
    """Section 2, up to 0.5: the simple model, but near 0.5 the medium one; with the
    soft promise the complex one, at a large limit."""
    strict, soft = (censored.example1(soft=soft) for soft in (False, True))
    limits = np.asarray(strict.problem.limits)
    best = strict.oracle().values[:, limits <= 0.5].argmax(axis=0)
    changes = np.flatnonzero(np.diff(best))
    assert best[0] == 2 and best[-1] == 1 and changes.size == 1
    assert 0.4 < limits[changes[0]] < 0.5
    oracle = soft.oracle()
    assert oracle.arm == 0 and limits[oracle.limit] > 0.9
