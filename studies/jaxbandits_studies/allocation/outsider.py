"""A solver that is not ours: SciPy's sequential quadratic programming."""

import time

import numpy as np
from scipy import optimize

from jaxbandits_studies.allocation.cases import Case
from jaxbandits_studies.allocation.problems import Batch

OUTSIDER = "SciPy SLSQP"


def slsqp(case: Case, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """SciPy's sequential quadratic programming from the even split.

    With exact gradients and SciPy's own tolerances. Marginals may be infinite at 0, so
    that arms get at least a billionth of the budget.

    Returns:
      ``(allocations f64[N, K], seconds f64[N])``.
    """
    allocations, times = [], [time.perf_counter()]
    for row in zip(*batch, strict=True):
        allocations.append(_slsqp_one(case, *row))
        times.append(time.perf_counter())
    return np.array(allocations), np.diff(times)


def _slsqp_one(case, weight, rate, shape, budget):
    spent = {"type": "eq", "fun": lambda x: np.sum(x) - budget}
    spent["jac"] = lambda x: np.ones_like(x)
    return optimize.minimize(
        lambda x: -np.sum(weight * case.value(x, rate, shape)),
        np.full(weight.size, budget / weight.size),
        jac=lambda x: -weight * case.slope(x, rate, shape),
        method="SLSQP",
        bounds=[(1e-9 * budget, budget)] * weight.size,
        constraints=[spent],
    ).x
