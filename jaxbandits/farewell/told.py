"""What people may tell a policy of an epoch of the farewell setting."""

from typing import Any

from jaxbandits.checks.entries import count, of_type, or_never, positions, real
from jaxbandits.farewell.problem import Feedback, Problem, View

SOURCE = "jaxbandits.farewell"


def view_of(problem: Problem, view: Any) -> View:
    """What was told of the epoch to come."""
    del problem
    view = of_type("view", view, View, SOURCE)
    return View(view.round, count("view.clock", view.clock, 0))


def check_action(problem: Problem, view: Any, action: Any) -> None:
    """Require a pair that the problem has."""
    del view
    positions("action.arm", action.arm, problem.num_arms)
    positions("action.wait", action.wait, problem.num_waits)


def feedback_of(problem: Problem, view: Any, action: Any, feedback: Any) -> Feedback:
    """What was told of a pair that was played, section 2.1."""
    del view
    reward, time, delay = of_type("feedback", feedback, Feedback, SOURCE)
    wait = int(problem.lengths[int(action.wait)])
    reward = real("feedback.reward", reward, 0, 1)
    time = count("feedback.time", time, 1, wait)
    delay = or_never("feedback.delay", delay, 1, wait, f"{wait}, the wait")
    came = delay <= wait
    if came:
        delay = count("feedback.delay", delay, 1, wait).astype(float)
    elif reward:
        raise ValueError(
            f"feedback.reward must be 0 where nothing came (delay inf), got {reward:g}"
        )
    lasts = delay if came else wait if problem.failure == "wait" else 1
    if time != lasts:
        raise ValueError(
            f"feedback.time must be {lasts:g}, with failure={problem.failure!r} and a "
            f"delay of {delay:g}, got {time}"
        )
    return Feedback(reward, time, delay)
