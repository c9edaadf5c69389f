"""What people may tell a policy of a round of the budgeted setting."""

from typing import Any

from jaxbandits.budgeted.problem import Feedback, OracleView, Problem, View
from jaxbandits.checks.entries import (
    at_least_zero,
    count,
    of_type,
    positions,
    positive,
    real,
)

SOURCE = "jaxbandits.budgeted"


def view_of(problem: Problem, view: Any) -> View:
    """What was told of the round to come."""
    view = of_type("view", view, View, SOURCE)
    num_arms = count("view.num_arms", view.num_arms, 1, problem.num_arms)
    oracle: Any = view.oracle
    if oracle is not None:  # as people have none
        cheapest, best = of_type("view.oracle", oracle, OracleView, SOURCE)
        oracle = OracleView(
            at_least_zero("view.oracle.cheapest", cheapest),
            count("view.oracle.best", best, 0, int(num_arms) - 1),
        )
    spent = at_least_zero("view.spent", view.spent)
    unit = positive("view.unit", view.unit)
    return View(view.round, num_arms, spent, unit, oracle)


def check_action(problem: Problem, view: Any, action: Any) -> None:
    """Require an arm that there is."""
    # A policy that looks at nothing but the round may be shown nothing else.
    positions("action", action, int(getattr(view, "num_arms", problem.num_arms)))


def feedback_of(problem: Problem, view: View, action: Any, feedback: Any) -> Feedback:
    """What was told of an arm that was played."""
    del view
    reward, cost = of_type("feedback", feedback, Feedback, SOURCE)
    arm = int(action)
    rewards = problem.lowest_reward[arm], problem.highest_reward[arm]
    costs = problem.lowest_cost[arm], problem.highest_cost[arm]
    return Feedback(
        real("feedback.reward", reward, *rewards), real("feedback.cost", cost, *costs)
    )
