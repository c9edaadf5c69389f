"""What a learner knows, built and checked; and checks of the rest of a game.

All on the host, before anything is compiled.
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

LEAST_PRODUCT = 1e-12  # of a rate and a budget: below, no arm ever activates
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
      family: of the thresholds.
      num_arms: K.
      budgets: a number > 0, or all that a round may have: the largest one counts.
      shape: known shapes, a number or f64[K], for families that have one.
      lowest: least rate that a learner reckons with, m / B. No default: one taken from
        the true rates would tell every learner what it has to find out.
      highest: largest one, M / B.
      known: whether a round's budget is known before acting.
      cascade: whether a round pays once, 1 if at least one arm succeeds and 0 if none:
        the "cascading-style reward" of the paper's section 7. Every arm's success is
        seen all the same. To be sure of one success is another aim than to have many: a
        unit of resource is worth less where another arm is likely to succeed, by the
        same factor for all but the arm itself. The optimum is that of the concave
        functions ``-log(1 - p G(x, rate))`` (`laws.thresholds.cascade_curves`). Needs a
        family whose hazard rate falls or is constant: exponential, Lomax, Weibull and
        gamma with shapes up to 1.

    Raises:
      ValueError: naming the argument, if a number is not positive, ``lowest >=
        highest``, budgets are not whole numbers for a family of integers, or the family
        has not these shapes, these rates or such a hazard rate.
      TypeError: if an argument is of another kind.
    """
    instance("family", family, Threshold, "of jaxbandits.laws.thresholds")
    num_arms = whole("num_arms", num_arms, 1, MOST)
    largest = float(np.max(check_budgets(budgets)))
    positive(lowest=lowest, highest=highest)
    lowest, highest = number("lowest", lowest), number("highest", highest)
    # What a rate is compared with: resource, of which there is at most the budget.
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
    """f64[N] from a budget, or several in turn."""
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
    """Require an order that exists, and a concave family to stop on success."""
    one_of("order", order, BUDGET_ORDERS)
    if flag("stop_on_success", stop) and problem.cascade:
        raise ValueError("stop_on_success is for rounds that pay for every success")
    if stop and (problem.family.integer or not is_concave(problem)):
        raise ValueError(
            f"stop_on_success needs a concave family, got {problem.family.name}"
        )


def check_users(users: Any, num_arms: int, num_budgets: int) -> None:
    """Require tables of one shape, with a column per arm and a row per budget."""
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
    if not np.all(threshold > 0):
        raise ValueError("users must have positive thresholds")
