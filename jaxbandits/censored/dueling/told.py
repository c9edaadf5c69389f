"""What people may tell a policy of a duel of two pairs."""

from typing import Any

import numpy as np

from jaxbandits.censored import told
from jaxbandits.censored.problem import DuelFeedback, Dueling, Feedback
from jaxbandits.checks import shown
from jaxbandits.checks.entries import of_type, positions, truth


def check_action(problem: Dueling, view: Any, action: Any) -> None:
    """Require two pairs that the problem has."""
    del view
    positions("action.arm", action.arm, problem.num_arms)
    positions("action.limit", action.limit, problem.num_limits)


def feedback_of(
    problem: Dueling, view: Any, action: Any, feedback: Any
) -> DuelFeedback:
    """Which run was preferred, and what the clock said of each, eq. (1)."""
    feedback = of_type("feedback", feedback, DuelFeedback, told.SOURCE)
    preferred = truth("feedback.first_preferred", feedback.first_preferred)
    for name in ("consumption", "censored"):
        column = getattr(feedback, name)
        if not np.iterable(column) or len([*column]) != 2:
            raise ValueError(
                f"feedback.{name} must have 2 entries, one for each run of the duel, "
                f"got {shown(column)}"
            )
    nothing: Any = 0.0  # as good as any reward that nobody tells
    runs = [
        told.feedback_of(
            problem.pairs,
            view,
            action.pair(place),
            Feedback(nothing, *feedback.at(place)),
        )
        for place in range(2)
    ]
    clocks: list[Any] = [
        np.stack([getattr(run, name) for run in runs])
        for name in ("consumption", "censored")
    ]
    return DuelFeedback(preferred, *clocks)
