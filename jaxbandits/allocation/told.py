"""What people may tell a policy of a round of the allocation setting."""

from typing import Any

import numpy as np

from jaxbandits.allocation.types import (
    Allocation,
    Feedback,
    OracleView,
    Order,
    Plan,
    Problem,
    View,
)
from jaxbandits.checks.entries import (
    ROUNDING,
    at_least_zero,
    finite,
    of_type,
    or_never,
    positions,
    positive,
    real,
)

SOURCE = "jaxbandits.allocation"


def view_of(problem: Problem, view: Any) -> View:
    """What was told of the round to come."""
    view = of_type("view", view, View, SOURCE)
    oracle: Any = view.oracle
    if oracle is not None:  # as people have none
        fields = of_type("view.oracle", oracle, OracleView, SOURCE)._asdict()
        shape = (problem.num_arms,)
        oracle = OracleView(
            **{x: finite(f"view.oracle.{x}", fields[x], shape) for x in fields}
        )
    budget = real("view.budget", view.budget, 0, problem.budget)
    return View(view.round, budget, oracle)


def check_action(problem: Problem, view: Any, action: Any) -> None:
    """Require what a round's budget can be handed out by."""
    del view
    shape = (problem.num_arms,)
    if isinstance(action, Allocation):
        at_least_zero("action.amounts", action.amounts, shape)
    elif isinstance(action, Plan):
        at_least_zero("action.weight", action.weight, shape)
        positive("action.rate", action.rate, shape)
    elif isinstance(action, Order):
        positions("action.arms", action.arms, problem.num_arms)
        positive("action.step", action.step, ())


def feedback_of(problem: Problem, view: Any, action: Any, feedback: Any) -> Feedback:
    """What was told of resource that was handed out, eq. (5)."""
    threshold, allocation = of_type("feedback", feedback, Feedback, SOURCE)
    shape = (problem.num_arms,)
    amounts = at_least_zero("feedback.allocation", allocation, shape)
    # A policy that looks at nothing but the round may be shown nothing else.
    budget = float(getattr(view, "budget", problem.budget))
    # A Plan's arms may give back what they were offered: then it is more in all.
    split = isinstance(action, Allocation | Order)
    most = np.sum(amounts) if split else np.max(amounts)
    if most > budget * (1 + ROUNDING):
        raise ValueError(
            "feedback.allocation must not give an arm more than the budget, "
            f"{budget:g}{', nor all arms together' if split else ''}, got {amounts}"
        )
    what = "what the arm got"
    threshold = or_never("feedback.threshold", threshold, 0, amounts, what, shape)
    return Feedback(threshold, amounts)
