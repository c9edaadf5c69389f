"""What people may tell a policy of a round of the allocation setting."""

from typing import Any

import numpy as np

from jaxbandits.settings.allocation.types import (
    Allocation,
    Feedback,
    OracleView,
    Order,
    Plan,
    Problem,
    View,
)
from jaxbandits.settings.entries import finite, of_type, or_never, positions, real

SOURCE = "jaxbandits.settings.allocation"


def view_of(problem: Problem, view: Any) -> View:
    """What was told of the round to come."""
    view = of_type("view", view, View, SOURCE)
    oracle = of_type("view.oracle", view.oracle, OracleView, SOURCE)
    shape = (problem.num_arms,)
    return View(
        view.round,
        real("view.budget", view.budget, 0, problem.budget),
        OracleView(
            *(
                finite(f"view.oracle.{name}", value, shape)
                for name, value in oracle._asdict().items()
            )
        ),
    )


def check_action(problem: Problem, view: Any, action: Any) -> None:
    """Require what a round's budget can be handed out by."""
    del view
    shape = (problem.num_arms,)
    if isinstance(action, Allocation):
        _at_least_zero("action.amounts", action.amounts, shape)
    elif isinstance(action, Plan):
        _at_least_zero("action.weight", action.weight, shape)
        _positive("action.rate", action.rate, shape)
    elif isinstance(action, Order):
        positions("action.arms", action.arms, problem.num_arms)
        _positive("action.step", action.step, ())


def feedback_of(problem: Problem, view: Any, action: Any, feedback: Any) -> Feedback:
    """What was told of resource that was handed out, eq. (5)."""
    del action
    threshold, allocation = of_type("feedback", feedback, Feedback, SOURCE)
    shape = (problem.num_arms,)
    amounts = _at_least_zero("feedback.allocation", allocation, shape)
    # A policy that looks at nothing but the round may be shown nothing else.
    budget = float(getattr(view, "budget", problem.budget))
    if amounts.sum() > budget * (1 + 1e-5):  # every amount has been rounded
        raise ValueError(
            f"feedback.allocation must not be more than the budget, {budget:g}, got "
            f"{amounts.sum():g} in all"
        )
    most = "what the arm got"
    threshold = or_never("feedback.threshold", threshold, 0, amounts, most, shape)
    return Feedback(threshold, amounts)


def _at_least_zero(name: str, value: Any, shape: tuple[int, ...]) -> Any:
    amounts = finite(name, value, shape)
    if np.any(amounts < 0):
        raise ValueError(f"{name} must be at least 0, got {amounts}")
    return amounts


def _positive(name: str, value: Any, shape: tuple[int, ...]) -> None:
    if np.any(finite(name, value, shape) <= 0):
        raise ValueError(f"{name} must be positive, got {np.asarray(value)}")
