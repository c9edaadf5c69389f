"""What people may tell a policy of a round in which several arms run."""

from typing import Any

import numpy as np

from jaxbandits.censored import told
from jaxbandits.censored.problem import Combinatorial, SemiBanditFeedback
from jaxbandits.checks import shown
from jaxbandits.checks.entries import of_type, positions


def check_action(problem: Combinatorial, view: Any, action: Any) -> None:
    """Require a super arm that the problem has."""
    del view
    positions("action.arm", action.arm, problem.num_arms)
    positions("action.limit", action.limit, problem.num_limits)
    if len(np.unique(action.arm)) < problem.size:
        raise ValueError(
            f"action.arm must hold {problem.size} different arms, got "
            f"{shown(action.arm)}"
        )


def feedback_of(
    problem: Combinatorial, view: Any, action: Any, feedback: Any
) -> SemiBanditFeedback:
    """What was told of every arm of a super arm, eq. (1)."""
    feedback = of_type("feedback", feedback, SemiBanditFeedback, told.SOURCE)
    columns: list[Any] = []
    for name, column in feedback._asdict().items():
        entries = [*column] if np.iterable(column) else []
        if len(entries) != problem.size:
            raise ValueError(
                f"feedback.{name} must have size = {problem.size} entries, one for "
                f"each arm of the round, got {shown(column)}"
            )
        columns.append(entries)
    seen = SemiBanditFeedback(*columns)
    rounds = [
        told.feedback_of(problem.pairs, view, action.pair(place), seen.at(place))
        for place in range(problem.size)
    ]
    leaves: list[Any] = [np.stack(leaf) for leaf in zip(*rounds, strict=True)]
    return SemiBanditFeedback(*leaves)
