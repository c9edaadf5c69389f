"""What a learner knows, built and checked; and checks of the rest of a game.

All on the host, before anything is compiled.
"""

import numpy as np

from jaxbandits.checks import positive, whole
from jaxbandits.laws.thresholds import Threshold, check_family
from jaxbandits.settings.allocation.oracle import is_concave
from jaxbandits.settings.allocation.types import Problem

BUDGET_ORDERS = ("cycle", "shuffle")


def make_problem(
    family: Threshold,
    num_arms: int,
    budgets,
    *,
    shape=None,
    lowest: float,
    highest: float,
    known: bool = True,
) -> Problem:
    """Check and build a `Problem`; arguments and errors as for `allocation`."""
    num_arms = whole("num_arms", num_arms, 1)
    positive(budgets=budgets)
    positive(lowest=lowest, highest=highest)
    if lowest >= highest:
        raise ValueError(
            f"lowest must be less than highest (m < M), got {lowest} and {highest}"
        )
    check_family(family, lowest, shape)
    if family.integer and np.any(np.asarray(budgets) != np.round(budgets)):
        raise ValueError(
            f"budgets must be whole numbers for the {family.name} family, got {budgets}"
        )
    shapes = None
    if family.shaped:
        shapes = np.broadcast_to(np.asarray(shape, np.float64), num_arms)
        shapes = tuple(shapes.tolist())
    largest = float(np.max(budgets))
    return Problem(
        num_arms, family, shapes, float(lowest), float(highest), largest, bool(known)
    )


def check_arms(family: Threshold, probability, rate, shape) -> None:
    """Require one probability and one possible rate per arm, f64[K] each."""
    if probability.ndim != 1 or probability.shape != rate.shape:
        raise ValueError(
            "probability and rate must be vectors of one length, got shapes "
            f"{probability.shape} and {rate.shape}"
        )
    if not np.all((probability >= 0) & (probability <= 1)):
        raise ValueError(f"probability must lie in [0, 1], got {probability}")
    check_family(family, rate, shape)


def check_range(problem: Problem, rate) -> None:
    """Require the rates to be among those that a learner reckons with."""
    if rate.min() < problem.lowest or rate.max() > problem.highest:
        raise ValueError(
            "rate must lie in [lowest, highest] = "
            f"[{problem.lowest}, {problem.highest}], got {rate}"
        )


def check_options(problem: Problem, order: str, stop: bool) -> None:
    """Require an order that exists, and a concave family to stop on success."""
    if order not in BUDGET_ORDERS:
        raise ValueError(f"order must be one of {BUDGET_ORDERS}, got {order!r}")
    if stop and (problem.family.integer or not is_concave(problem)):
        raise ValueError(
            f"stop_on_success needs a concave family, got {problem.family.name}"
        )


def check_users(users, num_arms: int, num_budgets: int) -> None:
    """Require tables of one shape, with a column per arm and a row per budget."""
    threshold, active = (np.asarray(x) for x in users)
    if threshold.shape != active.shape or threshold.shape[1:] != (num_arms,):
        raise ValueError(
            f"users must be tables [N, {num_arms}], got shapes {threshold.shape} and "
            f"{active.shape}"
        )
    if num_budgets not in (1, len(threshold)):
        raise ValueError(
            f"budgets must be one or {len(threshold)} (one per user), got {num_budgets}"
        )
    if not np.all(threshold > 0):
        raise ValueError("users must have positive thresholds")
