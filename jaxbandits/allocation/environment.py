"""Environments of the allocation setting, with fixed arms or arms drawn per seed."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from jaxbandits.allocation.game import Arms, Setup, Users, make_game
from jaxbandits.allocation.problem import (
    check_budgets,
    check_options,
    check_users,
    check_whole,
)
from jaxbandits.allocation.solving import (
    best_allocations,
    check_range,
    to_float32,
    values,
)
from jaxbandits.allocation.types import Action, Problem
from jaxbandits.arrays import bound
from jaxbandits.checks import (
    Numbers,
    check_setup,
    function,
    in_unit_interval,
    instance,
    kinds,
    numbers,
    shaped,
    text,
)
from jaxbandits.checks.instances import check_draw, knowing, of_draw
from jaxbandits.protocol import Environment


class Oracle(NamedTuple):
    """Exact facts, float64.

    Attributes:
      allocation: an optimal allocation of every budget, f64[N, K].
      value: expected successes with it, f64[N].
    """

    allocation: np.ndarray
    value: np.ndarray


@kinds
def make_environment(
    name: str,
    problem: Problem,
    probability: Numbers,
    rate: Numbers,
    budgets: Numbers | None = None,
    *,
    order: str = "cycle",
    stop_on_success: bool = False,
    users: Users | None = None,
) -> Environment[Any, Any, Action]:
    """An environment with fixed arms.

    Args:
      name: name of the instance.
      problem: made by `make_problem`.
      probability: f64[K] in [0, 1], probability that an arm is active.
      rate: f64[K] in the problem's [lowest, highest].
      budgets: f64[N] > 0, whose largest is the problem's budget. Round t has budget
        number ``(t - 1) mod N``, unless `order` says otherwise. By default all rounds
        have the problem's budget.
      order: ``cycle`` takes budgets (and users) in turn; ``shuffle`` does so in a
        random order of every seed; ``draw`` draws a budget for every round,
        independently and uniformly: the stochastic budgets of section 5. For a
        continuous law, give its quantiles at ``(i + 1/2) / N``.
      stop_on_success: whether an arm returns the resource that it no longer needs after
        its success. The paper's benchmark does not do so; the regret may be negative.
        The feedback then shows the amount offered; an arm that succeeded kept less of
        it. Needs a concave family, rounds that pay for every success, and policies
        that play a `Plan`.
      users: recorded rounds to be replayed: one per budget, or one budget for all. The
        expected regret is then that of the model.

    Returns:
      An environment whose metrics are

      * ``regret``: expected regret, eqs. (3) and (4), against the optimum for each
        round's budget;
      * ``realised_regret``: eq. (2), on the learner's own draws;
      * ``reward``: number of successes; in a cascade, of rounds with a success;
      * ``spent``: mean share of the budget that was spent.

    Raises:
      ValueError: if probabilities are outside [0, 1], rates are outside [lowest,
        highest], budgets are not positive (or not whole, for integers), the largest
        budget is not the problem's, or the tables' shapes disagree.
      TypeError: if an argument has the wrong type.
    """
    text("name", name)
    budgets = _check_game(problem, budgets, order, stop_on_success)
    probability = np.atleast_1d(numbers("probability", probability))
    rate = np.atleast_1d(numbers("rate", rate))
    if users is not None:
        check_users(users, problem.num_arms, len(budgets))
        users = Users(*users)  # of a pair, too
    best = best_allocations(problem, probability, rate, budgets)
    value = values(problem, probability, rate, best)
    arms = Arms(probability, rate)
    setup = Setup(arms, budgets, to_float32(best), users, bound(probability))
    made = described(
        _environment(name, problem, None, setup, order, stop_on_success),
        family=problem.family.name,
        probability=probability.tolist(),
        rate=rate.tolist(),
        optimal_value=float(value.mean()),
    )
    return knowing(made, Oracle(best, value))


def random_environment(
    name: str,
    problem: Problem,
    draw: Callable[[Any, Any], Arms],
    setup: Any,
    *,
    budgets: Numbers | None = None,
    order: str = "cycle",
    stop_on_success: bool = False,
) -> Environment[Any, Any, Action]:
    """An environment whose arms are drawn for every seed.

    Args:
      name: name of the family of instances.
      problem: made by `make_problem`.
      draw: ``(key, setup) -> Arms`` with rates in [lowest, highest], traced. Use one
        function per family of instances: compiled programs are cached by it.
      setup: pytree of numbers or truth values for `draw`.
      budgets: as for `make_environment`. Every seed first solves its N problems.
      order: as for `make_environment`.
      stop_on_success: as for `make_environment`.

    Returns:
      An environment with the metrics of `make_environment`.

    Raises:
      ValueError, TypeError: as `make_environment`.
    """
    text("name", name)
    budgets = _check_game(problem, budgets, order, stop_on_success)
    function("draw", draw)
    check_setup("setup", setup)
    arms = check_draw(name, draw, setup, Arms)
    with of_draw(name):
        shaped(f"{problem.num_arms}", **arms._asdict())
    drawn = Setup(setup, budgets)
    made = _environment(name, problem, draw, drawn, order, stop_on_success)
    return made._replace(tables=partial(_check_drawn, name, problem))


def _check_drawn(name: str, problem: Problem, instance: Any) -> tuple[()]:
    """`Environment.tables` that only checks the drawn arms; no tables are needed."""
    with of_draw(name):
        probability, rate = instance.arms
        in_unit_interval(probability=probability)
        check_range(problem, rate)
    return ()


def _check_game(
    problem: Problem, budgets: Numbers | None, order: str, stop: bool
) -> np.ndarray:
    """Check the arguments of a game and return its budgets, f64[N]."""
    instance("problem", problem, Problem, "of allocation.make_problem")
    check_options(problem, order, stop)
    budgets = check_budgets(problem.budget if budgets is None else budgets)
    check_whole(problem.family, budgets)
    if np.max(budgets) != problem.budget:
        raise ValueError(
            f"budgets must have the problem's, {problem.budget}, for their largest, "
            f"got {np.max(budgets)}"
        )
    return budgets


def described(
    environment: Environment[Any, Any, Action], **facts: Any
) -> Environment[Any, Any, Action]:
    """The environment with further facts (JSON values) for the results."""
    return environment._replace(provenance=environment.provenance | facts)


def _environment(
    name: str,
    problem: Problem,
    draw: Callable[[Any, Any], Arms] | None,
    setup: Setup,
    order: str,
    stop: bool,
) -> Environment[Any, Any, Action]:
    length = len(setup.budgets if setup.users is None else setup.users.threshold)
    return Environment(
        name,
        make_game(problem, draw, length, order, bool(stop)),
        setup=setup,
        problem=problem,
        provenance={
            "setting": "allocation",
            "budget": [float(np.min(setup.budgets)), float(np.max(setup.budgets))],
            "known_budget": problem.known,
            "cascade": problem.cascade,
            "order": order,
            "stop_on_success": bool(stop),
        },
    )
