"""What people may tell a policy of a round in which arms are served in turn."""

from typing import Any

import numpy as np

from jaxbandits.allocation.types import Feedback, Ordered, Turns
from jaxbandits.checks.entries import at_least_zero, of_type, or_never, positions

SOURCE = "jaxbandits.allocation"


def check_action(problem: Ordered, view: Any, action: Any) -> None:
    """Require turns of all arms, of no more units than there may be."""
    del view
    arms, amounts = of_type("action", action, Turns, SOURCE)
    positions("action.arms", arms, problem.num_arms)
    if sorted(np.ravel(arms)) != [*range(problem.num_arms)]:
        raise ValueError(
            f"action.arms must hold all {problem.num_arms} arms, each of them once, "
            f"got {np.asarray(arms)}"
        )
    positions("action.amounts", amounts, problem.units + 1)
    if np.sum(amounts) > problem.units:
        raise ValueError(
            f"action.amounts must be at most {problem.units} in all, got "
            f"{np.asarray(amounts)}"
        )


def feedback_of(problem: Ordered, view: Any, action: Any, feedback: Any) -> Feedback:
    """What was told of units that were handed out in turn, eq. (5)."""
    del view
    threshold, allocation = of_type("feedback", feedback, Feedback, SOURCE)
    shape = (problem.num_arms,)
    units = at_least_zero("feedback.allocation", allocation, shape)
    arms, amounts = (np.asarray(x).astype(np.int64) for x in action)
    before = np.cumsum(amounts) - amounts
    handed_out = np.empty(shape)
    handed_out[arms] = np.clip(np.sum(units) - before, 0, amounts)
    if np.any(units != np.round(units)) or np.any(units != handed_out):
        raise ValueError(
            "feedback.allocation must be whole units, as the action's turns hand them "
            f"out until a budget is used up, got {units}"
        )
    most = "what the arm got"
    return Feedback(
        or_never("feedback.threshold", threshold, 0, units, most, shape), units
    )
