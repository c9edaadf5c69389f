"""What people may tell a policy of a round of the censored setting."""

from typing import Any

import numpy as np

from jaxbandits.censored.problem import Continuum, Feedback, Problem
from jaxbandits.checks.entries import (
    ROUNDING,
    any_number,
    finite,
    of_type,
    positions,
    real,
    truth,
)
from jaxbandits.laws.law import exceeds

SOURCE = "jaxbandits.censored"


def check_action(problem: Problem | Continuum, view: Any, action: Any) -> None:
    """Require a pair that the problem has."""
    del view
    positions("action.arm", action.arm, problem.num_arms)
    if isinstance(problem, Continuum):
        limit = finite("action.limit", action.limit)
        if not 0 < limit <= problem.max_limit * (1 + ROUNDING):
            raise ValueError(
                f"action.limit must be in (0, {problem.max_limit:g}], got {limit:g}"
            )
    else:
        positions("action.limit", action.limit, problem.num_limits)


def feedback_of(
    problem: Problem | Continuum, view: Any, action: Any, feedback: Any
) -> Feedback:
    """What was told of a pair that was played, eq. (1)."""
    del view
    reward, consumption, censored = of_type("feedback", feedback, Feedback, SOURCE)
    censored = truth("feedback.censored", censored)
    if isinstance(problem, Continuum):
        limit = float(action.limit)
    else:
        limit = problem.limits[int(action.limit)]
    if censored:
        reward = any_number("feedback.reward", reward)
        consumption = any_number("feedback.consumption", consumption)
        if reward != 0 or consumption != np.inf:
            raise ValueError(
                "feedback of a censored round must have reward 0 and consumption inf "
                f"(see {SOURCE}.censor), got {feedback}"
            )
        return Feedback(reward, consumption, censored)
    if problem.sigma:
        reward = finite("feedback.reward", reward)
    else:
        reward = real("feedback.reward", reward, 0, 1)
    consumption = finite("feedback.consumption", consumption)
    if consumption < 0 or exceeds(consumption, limit):
        raise ValueError(
            f"feedback.consumption must be in [0, {limit:g}], the limit, or the round "
            f"censored, got {consumption:g}"
        )
    return Feedback(reward, consumption, censored)
