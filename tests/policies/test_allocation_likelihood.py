"""Likelihoods on a grid of rates against exact ones of SciPy, for many successes.

The data are quantiles of a truncated law, each counted as often as it takes: estimates
and ends of intervals are compared in standard errors.
"""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import optimize

from jaxbandits.allocation import make_problem
from jaxbandits.allocation.policies.estimates import (
    Estimator,
    Statistics,
    likelihood,
)
from jaxbandits.arrays import CompensatedSum
from jaxbandits.laws.thresholds import FAMILIES
from tests.laws.test_thresholds import law_of

Z_SQUARED = 3.84
LEVELS = (0.3, 0.6, 1.0)  # allocations, in budgets


def likelihoods(name, shape, truth, amounts, each, problem):
    """``(thresholds with their allocations, exact log likelihood of a log rate)``."""
    true = law_of(name, truth, shape)
    p = (np.arange(each) + 0.5) / each
    seen = [true.ppf(p * true.cdf(x)) for x in amounts]

    def exact(log_rate):
        model = law_of(name, np.exp(log_rate), shape)
        return sum(
            np.sum(model.logpdf(f)) - each * model.logcdf(x)
            for f, x in zip(seen, amounts, strict=True)
        )

    return seen, exact


# Few of each kind of family: others lie between them in shape, or are alike.
CASES = {
    "EdNet's": ("Weibull", 2.35, 0.27, (0.05, 2.0)),
    "Weibull 12": ("Weibull", 12.0, 0.7, (0.01, 10.0)),
    "Weibull 12, wide": ("Weibull", 12.0, 0.1, (0.05, 100.0)),
    "gamma 12": ("gamma", 12.0, 2.3, (0.1, 20.0)),
    "Maxwell": ("Maxwell", None, 0.31, (0.05, 2.0)),
    "Lomax 2": ("Lomax", 2.0, 0.31, (0.01, 10.0)),
    "exponential": ("exponential", None, 0.31, (0.05, 2.0)),
    "beta(12, rate)": ("beta", 12.0, 4.3, (1.0, 20.0)),
    "discrete Weibull 2.5": ("discrete Weibull", 2.5, 0.11, (0.01, 1.0)),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_errors_are_a_small_share_of_a_standard_error(case):
    for successes in (1e3, 1e6):
        assert_errors_are_small(*CASES[case], successes)


def assert_errors_are_small(name, shape, truth, rates, successes):
    lowest, highest = rates
    family = FAMILIES[name]
    budget, each = float(law_of(name, truth, shape).ppf(0.9)), 300
    problem = make_problem(
        family, 1, budget, shape=shape, lowest=lowest, highest=highest
    )
    amounts = [level * budget for level in LEVELS]
    seen, exact = likelihoods(name, shape, truth, amounts, each, problem)
    share = successes / (each * len(LEVELS))

    estimator = Estimator(problem)
    nodes = np.asarray(estimator.grid.nodes(), np.float32)[:, None]
    own = None if shape is None else np.float32(shape)

    def log_density(seen):
        pairs = np.broadcast_arrays(seen.astype(np.float32), nodes)
        return np.asarray(family.log_pdf(*pairs, own), float)

    table = sum(
        log_density(f).sum(1)
        - each * np.asarray(family.log_cdf(np.float32(x), nodes, own), float)[:, 0]
        for f, x in zip(seen, amounts, strict=True)
    )
    assert np.all(np.isfinite(table))
    total = np.float32(share * table)
    sums = CompensatedSum(
        jnp.asarray(total), jnp.asarray(np.float32(share * table - total))
    )
    one = CompensatedSum.zeros(len(nodes), float)
    statistics = Statistics(jnp.int32(successes), sums, one, jnp.zeros((), float))
    found = estimator.estimate(statistics, own)
    sides = estimator.rate_bounds(likelihood(statistics), found, Z_SQUARED)
    ends = [float(estimator.grid.rate(side)) for side in sides]

    centre = np.log(truth)
    best = optimize.minimize_scalar(
        lambda r: -exact(r),
        bounds=(centre - 0.1, centre + 0.1),
        method="bounded",
        options={"xatol": 1e-10},
    ).x
    step = 1e-3 / float(family.sharpness(own) if own is not None else 2)
    curvature = (2 * exact(best) - exact(best - step) - exact(best + step)) / step**2
    error = 1 / np.sqrt(share * curvature)

    def beyond(r):
        return 2 * share * (exact(best) - exact(r)) - Z_SQUARED

    exact_ends = [
        optimize.brentq(beyond, *sorted((best, best + side * 6 * error)), xtol=1e-13)
        for side in (-1, 1)
    ]
    assert abs(np.log(float(found.rate)) - best) < 0.05 * error
    np.testing.assert_allclose(np.log(ends), exact_ends, rtol=0, atol=0.05 * error)
