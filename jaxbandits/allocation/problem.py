"""Build and check a `Problem`, and check the other arguments of a game.

All checks run on the host, before compilation.
"""

from typing import Any

import numpy as np

from jaxbandits.allocation.solving import is_concave
from jaxbandits.allocation.types import Problem
from jaxbandits.checks import (
    MOST,
    Numbers,
    flag,
    instance,
    number,
    numbers,
    one_of,
    played,
    positive,
    shown,
    whole,
)
from jaxbandits.laws.thresholds import Threshold, check_family

LEAST_PRODUCT = 1e-12  # least rate times budget; below, no arm ever succeeds
BUDGET_ORDERS = ("cycle", "shuffle", "draw")


def make_problem(
    family: Threshold,
    num_arms: int,
    budgets: Numbers,
    *,
    shape: Numbers | None = None,
    lowest: float,
    highest: float,
    known: bool = True,
    cascade: bool = False,
) -> Problem:
    """Check and build a `Problem`.

    Args:
      family: law of the thresholds.
      num_arms: K.
      budgets: a number > 0, or all budgets that a round may have; the largest one is
        stored.
      shape: known shapes, a number or f64[K], for families that have one.
      lowest: least rate that a learner considers, m / B. There is no default: a default
        from the true rates would reveal to every learner what it has to learn.
      highest: largest rate that a learner considers, M / B.
      known: whether a round's budget is known before acting.
      cascade: whether a round pays once: 1 if at least one arm succeeds, else 0. This
        is the "cascading-style reward" of the paper's section 7; every arm's success is
        still observed. A unit of resource is worth less if another arm is likely to
        succeed, by the same factor for all other arms. The optimum maximises the sum of
        the concave functions ``-log(1 - p G(x, rate))``
        (`laws.thresholds.cascade_curves`). The family needs a falling or constant
        hazard rate: exponential, Lomax, Weibull and gamma with shapes up to 1.

    Raises:
      ValueError: if a number is not positive, ``lowest >= highest``, budgets are not
        whole numbers for a family of integers, or the family does not allow these
        shapes or rates, or has not the hazard rate that a cascade needs.
      TypeError: if an argument has the wrong type.
    """
    instance("family", family, Threshold, "of jaxbandits.laws.thresholds")
    num_arms = whole("num_arms", num_arms, 1, MOST)
    largest = float(np.max(check_budgets(budgets)))
    positive(lowest=lowest, highest=highest)
    lowest, highest = number("lowest", lowest), number("highest", highest)
    # A rate matters only relative to the largest budget.
    for name, rate in (("lowest", lowest), ("highest", highest)):
        played(**{name: rate})
        if not LEAST_PRODUCT <= rate * largest <= 1 / LEAST_PRODUCT:
            raise ValueError(
                f"{name}: rate times the largest budget, {largest}, must be in "
                f"[{LEAST_PRODUCT}, {1 / LEAST_PRODUCT}], got the rate {rate}"
            )
    flag("known", known)
    if lowest >= highest:
        raise ValueError(
            f"lowest must be less than highest (m < M), got {lowest} and {highest}"
        )
    check_family(family, lowest, shape)
    check_whole(family, budgets)
    shapes = None
    if family.shaped:
        shapes = numbers("shape", shape)
        if shapes.shape not in ((), (1,), (num_arms,)):
            raise ValueError(
                f"shape must be a number or one per arm ({num_arms}), got shape "
                f"{list(shapes.shape)}"
            )
        shapes = tuple(np.broadcast_to(shapes, num_arms).tolist())
    elif shape is not None:
        raise ValueError(
            f"shape must be None for the {family.name} family, which has none, got "
            f"{shown(shape)}"
        )
    if flag("cascade", cascade):
        given = None if shapes is None else np.asarray(shapes)
        if not np.all(family.falling_hazard(given)):
            raise ValueError(
                "cascade needs a family whose hazard rate falls (exponential, Lomax, "
                "Weibull and gamma with shapes up to 1), got "
                f"{family.name}{'' if given is None else f' of shape {shape}'}"
            )
    return Problem(num_arms, family, shapes, lowest, highest, largest, known, cascade)


def check_budgets(budgets: Numbers) -> np.ndarray:
    """Budgets as f64[N], from a number or a list."""
    positive(budgets=budgets)
    played(budgets=budgets)
    budgets = np.atleast_1d(numbers("budgets", budgets))
    if budgets.ndim != 1 or budgets.size == 0:
        raise ValueError(
            f"budgets must be a number or a list of them, got shape {budgets.shape}"
        )
    return budgets


def check_whole(family: Threshold, budgets: Numbers) -> None:
    """Require whole budgets for a family of integers."""
    if family.integer and np.any(np.asarray(budgets) % 1 != 0):
        raise ValueError(
            f"budgets must be whole numbers for the {family.name} family, got {budgets}"
        )


def check_options(problem: Problem, order: str, stop: bool) -> None:
    """Require a valid order, and a concave family if arms stop on success."""
    one_of("order", order, BUDGET_ORDERS)
    if flag("stop_on_success", stop) and problem.cascade:
        raise ValueError("stop_on_success is for rounds that pay for every success")
    if stop and (problem.family.integer or not is_concave(problem)):
        raise ValueError(
            f"stop_on_success needs a concave family, got {problem.family.name}"
        )


def check_users(users: Any, num_arms: int, num_budgets: int) -> None:
    """Require tables of equal shape, with a column per arm and a row per budget."""
    try:
        threshold, active = users
    except (TypeError, ValueError):
        raise TypeError(
            f"users must be Users(threshold, active), got {shown(users)}"
        ) from None
    threshold, active = numbers("users.threshold", threshold), np.asarray(active)
    if active.dtype != bool:
        raise TypeError(f"users.active must be bools, got {active.dtype}")
    if threshold.shape != active.shape or threshold.shape[1:] != (num_arms,):
        raise ValueError(
            f"users must be tables [N, {num_arms}], got shapes {threshold.shape} and "
            f"{active.shape}"
        )
    if num_budgets not in (1, len(threshold)):
        raise ValueError(
            f"budgets must be one or {len(threshold)} (one per user), got {num_budgets}"
        )
    if not len(threshold):
        raise ValueError("users must have at least one row, a user, got none")
    if not np.all(threshold > 0):
        raise ValueError("users must have positive thresholds")
