"""The instances of the censored paper, and its limit grids.

The paper calls its grid "equidistant of size |M|" on (0, 1]. Form ``tabulated`` is
``linspace(0.1, 0.9, |M|)``, from which its tables were made (errata.md). Form
``printed`` is the literal reading {1/|M|, ..., 1}; its largest limit is never exceeded
by consumptions in [0, 1].
"""

from functools import lru_cache
from typing import Any

import jax
import numpy as np

from jaxbandits import checks, laws
from jaxbandits.censored.costs import fast_track, late_fee, scaled
from jaxbandits.censored.environment import make_environment
from jaxbandits.censored.problem import (
    ANY,
    Action,
    Continuum,
    Problem,
    RealAction,
    make_continuum,
    make_problem,
)
from jaxbandits.checks import Numbers
from jaxbandits.laws.law import Cost
from jaxbandits.protocol import Environment

Instance = Environment[Any, Any, Action | RealAction]
Limits = Numbers | str  # a grid of limits, or `ANY`
FORMS = ("tabulated", "printed")
M1 = (0.5, 0.9)  # appendix F.1


def equidistant(
    size: int, max_limit: float = 1.0, form: str = "tabulated"
) -> tuple[float, ...]:
    """The paper's equidistant grid on (0, max_limit].

    Args:
      size: number of limits, at least 1 (`tabulated`: at least 2).
      max_limit: tau_max.
      form: ``tabulated`` (0.1 to 0.9 of tau_max) or ``printed`` (1/size to 1).

    Raises:
      ValueError: on an unknown form, a size that is too small, or a `max_limit` that is
        not positive.
      TypeError: if an argument is not a number.
    """
    checks.one_of("form", form, FORMS)
    size = checks.whole("size", size, 2 if form == "tabulated" else 1, checks.MOST)
    max_limit = checks.number("max_limit", max_limit)
    checks.positive(max_limit=max_limit)
    checks.played(max_limit=max_limit)
    if form == "printed":
        return tuple((max_limit * np.arange(1, size + 1) / size).tolist())
    return tuple((max_limit * np.linspace(0.1, 0.9, size)).tolist())


def running_example(
    num_arms: int, limits: Limits, max_limit: float = 1.0, *, soft: bool = False
) -> Problem | Continuum:
    """Example 2: ``c(x) = x / 10`` and the fast-track penalty.

    Args:
      num_arms: K.
      limits: the limit grid, or `ANY`.
      max_limit: tau_max.
      soft: use the soft promise (L = 5 beyond 0.99) instead of the strict one (L = 10
        beyond 0.5) of sections 5.1 and F.
    """
    checks.flag("soft", soft)
    penalty = fast_track(5.0, 0.99) if soft else fast_track(10.0, 0.5)
    return _problem(num_arms, limits, penalty, max_limit)


def _problem(
    num_arms: int, limits: Limits, penalty: Cost, max_limit: float = 1.0
) -> Problem | Continuum:
    if isinstance(limits, str):
        if limits != ANY:
            raise ValueError(f"limits must be numbers or {ANY!r}, got {limits!r}")
        return make_continuum(num_arms, scaled(0.1), penalty, max_limit)
    return make_problem(num_arms, limits, scaled(0.1), penalty, max_limit)


def gaussian_covariance(x: Numbers, scale: float) -> np.ndarray:
    """Eq. (33): covariance matrices f64[K, 2, 2] with correlation 2 x sqrt(1 - x^2).

    Args:
      x: f64[K] in [-1, 1] (the paper's text says [0, 1], yet NegCorr uses -0.2).
      scale: sigma, a variance.

    Raises:
      ValueError: if an argument is out of its range.
    """
    checks.finite(x=x)
    checks.positive(scale=scale)
    x, scale = checks.numbers("x", x, 1), checks.number("scale", scale)
    if np.any(np.abs(x) > 1):
        raise ValueError(f"x must be in [-1, 1], got {x}")
    off = 2 * x * np.sqrt(1 - x**2)
    one = np.ones_like(x)
    return scale * np.moveaxis(np.array([[one, off], [off, one]]), 2, 0)


def _gaussian(
    name: str,
    problem: Problem | Continuum,
    mean: Numbers,
    x: Numbers,
    scale: float,
) -> Instance:
    pairs = tuple(map(tuple, np.asarray(mean).tolist()))
    return _truncated(name, problem, pairs, tuple(np.asarray(x).tolist()), scale)


@lru_cache(maxsize=64)  # a process fits a law and computes its optimum only once
def _truncated(
    name: str,
    problem: Problem | Continuum,
    mean: tuple[tuple[float, ...], ...],
    x: tuple[float, ...],
    scale: float,
) -> Instance:
    arms = laws.truncated_gaussian_params(mean, gaussian_covariance(x, scale))
    return _read_only(make_environment(name, problem, laws.truncated_gaussian, arms))


def _read_only(environment: Instance) -> Instance:
    """An environment that is given to all who ask: its arrays cannot be written."""
    assert environment.oracle is not None
    for leaf in jax.tree.leaves((environment.setup, environment.oracle())):
        if isinstance(leaf, np.ndarray):
            leaf.setflags(write=False)
    return environment


def poscorr(limits: Limits | None = None, form: str = "tabulated") -> Instance:
    """PosCorr (E.2): ten arms, positively correlated rewards and consumptions."""
    mean = [(0.6, 0.45)] + 9 * [(0.5, 0.5)]
    x = [0.2, 0.3, 0.4, 0.4] + 6 * [0.6]
    problem = running_example(10, _grid(limits, form))
    return _gaussian("PosCorr", problem, mean, x, 0.2)


def negcorr(limits: Limits | None = None, form: str = "tabulated") -> Instance:
    """NegCorr (E.2): ten arms, negatively correlated rewards and consumptions."""
    mean = [(0.9, 0.8)] + 9 * [(0.8, 0.8)]
    problem = running_example(10, _grid(limits, form))
    return _gaussian("NegCorr", problem, mean, 10 * [-0.2], 0.2)


def indep(limits: Limits | None = None, form: str = "tabulated") -> Instance:
    """Indep (E.2): ten arms, Beta rewards independent of exponential consumptions."""
    problem = running_example(10, _grid(limits, form))
    return _indep("Indep", problem)


def overtime(
    limits: Limits = ANY,
    promise: float = 0.382,
    fee: float = 3.0,
    num_arms: int = 10,
) -> Instance:
    """Indep's laws with a fee for overtime instead of the fast-track promise.

    This instance is ours. The best limit is the promise; its default, 2 minus the
    golden ratio, is far from the points of all small grids. With the default fee, eq.
    (22), which Theorem 2 needs, holds on both sides of the promise. It does not hold
    with the paper's promises, at which the penalty jumps.

    Args:
      limits: a limit grid, or `ANY`.
      promise: the promised time, beyond which the fee is due.
      fee: fee per unit of resource, see `late_fee`.
      num_arms: K.

    Raises:
      ValueError: if an argument is out of its range, or the promise is above the
        largest limit, 1.
    """
    if checks.number("promise", promise) > 1:
        raise ValueError(f"promise must be at most the largest limit, 1, got {promise}")
    problem = _problem(num_arms, limits, late_fee(fee, promise))
    return _indep("overtime", problem)


def trap(*, steep: bool = False) -> Instance:
    """One arm and two limits, where the estimate of eq. (9) does not recover.

    This instance is ours. Rewards are 1. The consumption is 0.3, or 0.8 in a fifth of
    the rounds. The limits 0.2 and 0.5 have penalties 0.05 and 2. The larger limit has
    value 0.4, the smaller one -0.05. At the smaller limit no round finishes. By eq. (9)
    each of these rounds also counts as exceeding the larger limit, whose estimated risk
    therefore tends to 1.

    Args:
      steep: use the penalty 9 at 0.5, due in a fiftieth of the rounds. The larger limit
        then has value 0.8, and one unlucky round lowers its estimate to -9.
    """
    risk, compensation = (50, 18.0) if checks.flag("steep", steep) else (5, 4.0)
    consumption = [[0.3] * (risk - 1) + [0.8]]
    arms = laws.empirical_params(np.ones((1, risk)), consumption)
    penalty = fast_track(compensation, 0.25, 0.25)
    problem = make_problem(1, (0.2, 0.5), scaled(0.0), penalty)
    return make_environment(
        "steep trap" if steep else "trap", problem, laws.empirical, arms
    )


@lru_cache(maxsize=64)
def _indep(name: str, problem: Problem | Continuum) -> Instance:
    n = problem.num_arms
    a, b = np.full(n, 0.8), np.array([0.2] + (n - 1) * [0.3])
    arms = laws.Product(laws.Beta(a, b), laws.Exponential(a / (a + b) + 1))
    law = laws.product(laws.beta, laws.exponential)
    return _read_only(make_environment(name, problem, law, arms))


def many_arms(num_arms: int, form: str = "tabulated") -> Instance:
    """F.2: PosCorr with n arms with a range of means, and a grid of 5 limits.

    Raises:
      ValueError, TypeError: unless `num_arms` is an integer >= 1.
    """
    checks.whole("num_arms", num_arms, 1, checks.MOST)
    position = np.arange(num_arms) / num_arms
    mean = np.stack([(1 - position) * 0.9, 0.3 + 0.7 * position], axis=1)
    problem = running_example(num_arms, equidistant(5, form=form))
    return _gaussian(f"F.2, n = {num_arms}", problem, mean, np.full(num_arms, 0.2), 0.2)


def low_censoring(num_arms: int = 5, form: str = "tabulated") -> Instance:
    """F.3: consumption close to 0 and ten limits on (0, 0.6].

    Form ``tabulated`` is ``linspace(0.1, 0.6, 10)``, for which the optimal pair's
    censoring probability is 0.0753; the paper says "about 0.075".

    Raises:
      ValueError, TypeError: unless `num_arms` is an integer >= 1.
    """
    checks.whole("num_arms", num_arms, 1, checks.MOST)
    checks.one_of("form", form, FORMS)
    mean = np.stack([(1 - np.arange(num_arms) / num_arms) * 0.9, np.zeros(num_arms)], 1)
    printed = form == "printed"
    limits = equidistant(10, 0.6, form) if printed else np.linspace(0.1, 0.6, 10)
    problem = running_example(num_arms, limits, 0.6)
    return _gaussian(f"F.3, n = {num_arms}", problem, mean, np.full(num_arms, 0.2), 0.1)


def example1(limits: Limits | None = None, *, soft: bool = False) -> Instance:
    """Example 1 (Figures 1 and 2): a complex, a medium and a simple model.

    *Reconstructed*: the paper shows the three laws only as pictures. These means and
    eq. (33) with x = 0.3 and sigma = 0.02 agree with its text: which model is best at
    which limit, under the strict and the soft promise.

    Args:
      limits: the limit grid; 50 limits up to 1 by default.
      soft: the soft promise of Example 2 instead of the strict one.
    """
    mean = [(0.8, 0.7), (0.6, 0.42), (0.35, 0.25)]
    grid = equidistant(50, form="printed") if limits is None else limits
    problem = running_example(3, grid, soft=soft)
    return _gaussian("Example 1", problem, mean, np.full(3, 0.3), 0.02)


def _grid(limits: Limits | None, form: str) -> Limits:
    checks.one_of("form", form, FORMS)
    return equidistant(10, form=form) if limits is None else limits
