"""Classes of allocation problems: how they are drawn and judged, who solves them."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import optax
from scipy import special

from jaxbandits.kernels.allocation import (
    exponential_water_filling,
    integer_greedy,
    integer_programming,
    sigmoid_filling,
    sigmoid_prefix,
    water_filling,
)
from jaxbandits.laws.thresholds import exponential, half_normal, lomax, weibull
from jaxbandits_studies.allocation.solvers import (
    Batch,
    Solver,
    ascent,
    campaigns,
    family_curves,
    filling,
    integers,
    quizzes,
    simulated,
    weibull_curves,
)

TINY = 1e-300
LOMAX_SHAPE = 2.0
WEIBULL_SHAPE = 0.7  # of the concave Weibull problems


class Case(NamedTuple):
    """A class of problems.

    Attributes:
      draw: number of problems -> `Batch`.
      value: ``G(x, rate, shape)`` in NumPy.
      slope: its derivative in x, or None for integers.
      reference: the kernel whose bound, in float64, others are measured by.
      solvers: by name.
    """

    draw: Callable[[int], Batch]
    value: Callable
    slope: Callable | None
    reference: Callable
    solvers: Mapping[str, Solver]


def _weibull_value(x, rate, shape):
    return -np.expm1(-((rate * x) ** shape))


def _weibull_slope(x, rate, shape):
    level = (rate * x) ** shape
    return shape * level / np.maximum(x, TINY) * np.exp(-level)


def _lomax_value(x, rate, shape):
    return 1 - (1 + rate * x) ** -shape


def _lomax_slope(x, rate, shape):
    return shape * rate * (1 + rate * x) ** (-shape - 1)


def _half_normal_value(x, rate, shape):
    del shape
    return special.erf(rate * x / np.sqrt(2))


def _half_normal_slope(x, rate, shape):
    del shape
    return np.sqrt(2 / np.pi) * rate * np.exp(-((rate * x) ** 2) / 2)


def _concave(family, shape, value, slope, bounded=True, **more):
    """A case of a concave family, with the numbers of appendix A.1."""
    build = family_curves(family, shape)
    bisection = filling(water_filling, build, bounded=bounded)
    # Where marginals at 0 are infinite, so are gradients.
    gradient = {"projected gradient": Solver(ascent(build))} if bounded else {}
    return Case(
        partial(simulated, shape=shape or 1.0),
        value,
        slope,
        bisection,
        more | {"bisection": Solver(bisection)} | gradient,
    )


# Among sigmoids the kernel's own steps, a fifth of the budget at first, end in poor
# local optima (6 % below the bound); these lose 0.4 %.
SMALL_STEPS = optax.adam(optax.cosine_decay_schedule(0.01, 400))
EXACT = Solver(lambda w, r, k, budget: exponential_water_filling(w, r, budget))
CASES = {
    "exponential, K = 10": _concave(
        exponential, None, _weibull_value, _weibull_slope, **{"closed form": EXACT}
    ),
    "Lomax, K = 10": _concave(lomax, LOMAX_SHAPE, _lomax_value, _lomax_slope),
    "half-normal, K = 10": _concave(
        half_normal, None, _half_normal_value, _half_normal_slope
    ),
    "Weibull, k < 1, K = 10": _concave(
        weibull, WEIBULL_SHAPE, _weibull_value, _weibull_slope, bounded=False
    ),
    "Weibull, k > 1, K = 20": Case(
        quizzes,
        _weibull_value,
        _weibull_slope,
        filling(sigmoid_prefix, weibull_curves),
        {
            "sigmoid filling": Solver(filling(sigmoid_filling, weibull_curves), 25),
            "sigmoid prefix": Solver(filling(sigmoid_prefix, weibull_curves)),
            "projected gradient": Solver(ascent(weibull_curves, SMALL_STEPS)),
        },
    ),
    "discrete Weibull, K = 15": Case(
        campaigns,
        _weibull_value,
        None,
        integers(integer_programming),
        {
            "dynamic programming": Solver(integers(integer_programming)),
            "greedy": Solver(integers(integer_greedy)),
        },
    ),
}
SLOW_TO_COMPILE = "sigmoid filling"  # some 10 s


def worth(case: Case, batch: Batch, allocation) -> np.ndarray:
    """What allocations f[N, K] are worth, f64[N]; too much is scaled to the budget."""
    x = np.maximum(np.asarray(allocation, np.float64), 0)
    spent = np.sum(x, axis=1)
    x = x * np.minimum(1, batch.budget / np.where(spent > 0, spent, 1))[:, None]
    return np.sum(batch.weight * case.value(x, batch.rate, batch.shape), axis=1)
