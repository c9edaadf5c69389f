"""Environments of the allocation setting: arms that are given, or drawn per seed."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jaxbandits.allocation.game import Arms, Setup, Users, make_game
from jaxbandits.allocation.problem import (
    check_arms,
    check_budgets,
    check_options,
    check_users,
    make_problem,
)
from jaxbandits.allocation.solving import (
    best_allocations,
    check_range,
    to_float32,
    values,
)
from jaxbandits.allocation.types import Action, Problem
from jaxbandits.arrays import bound
from jaxbandits.checks import Numbers, check_setup, function, instance, numbers, text
from jaxbandits.laws.thresholds import Threshold
from jaxbandits.protocol import Environment


class Oracle(NamedTuple):
    """Exact facts, float64.

    Attributes:
      allocation: an optimal allocation of every budget, f64[N, K].
      value: expected successes with it, f64[N].
    """

    allocation: np.ndarray
    value: np.ndarray


def make_environment(
    name: str,
    family: Threshold,
    probability: Numbers,
    rate: Numbers,
    budgets: Numbers,
    *,
    shape: Numbers | None = None,
    lowest: float,
    highest: float,
    known: bool = True,
    order: str = "cycle",
    stop_on_success: bool = False,
    users: Users | None = None,
) -> Environment[Any, Any, Action]:
    """An environment with fixed arms.

    Args:
      name: of the instance.
      family: of the thresholds.
      probability: f64[K] in [0, 1], that an arm is active.
      rate: f64[K] > 0.
      budgets: a number, or f64[N] > 0: round t has budget number ``(t - 1) mod N``,
        unless `order` says otherwise.
      shape: known shapes, a number or f64[K], for families that have one.
      lowest: least rate that a learner reckons with, m / B. No default: one taken from
        the true rates would tell every learner what it has to find out.
      highest: largest one, M / B.
      known: whether a round's budget is known before acting.
      order: ``cycle`` to take budgets (and users) in turn, ``shuffle`` to put them into
        an order of every seed's own first, ``draw`` to draw one for every round,
        independently, each as likely as the others: stochastic budgets, as section 5
        allows. Of a continuous law give the quantiles at ``(i + 1/2) / N``.
      stop_on_success: whether an arm gives back what it does not need any more once it
        has succeeded. Outside the paper, whose benchmark does not do so: the regret may
        be negative. The feedback then shows what was offered, which is more than what
        was kept where an arm succeeded. Needs a concave family and policies that play
        a `Plan`.
      users: recorded rounds to be replayed, as many as budgets; or one budget for all.
        The expected regret is then that of the model.

    Returns:
      An environment whose metrics are

      * ``regret``: expected regret, eqs. (3) and (4), against the optimum of the budget
        that each round has;
      * ``realised_regret``: eq. (2), on the draws that the learner meets;
      * ``reward``: successes;
      * ``spent``: mean share of the budget that was spent.

    Raises:
      ValueError: naming the argument, if probabilities are outside [0, 1], rates or
        shapes are not positive, rates lie outside [lowest, highest], ``lowest >=
        highest``, a budget is not positive (or not whole, for integers), or tables do
        not fit together.
      TypeError: if an argument is of another kind.
    """
    return _fixed(
        name,
        family,
        probability,
        rate,
        budgets,
        order,
        stop_on_success,
        users,
        shape,
        lowest=lowest,
        highest=highest,
        known=known,
    )


def cascade(
    name: str,
    family: Threshold,
    probability: Numbers,
    rate: Numbers,
    budgets: Numbers,
    *,
    shape: Numbers | None = None,
    lowest: float,
    highest: float,
    known: bool = True,
    order: str = "cycle",
    users: Users | None = None,
) -> Environment[Any, Any, Action]:
    """An environment whose rounds pay once: 1 if at least one arm succeeds, 0 if none.

    The "cascading-style reward" of the paper's section 7. Every arm's success is seen,
    as in `make_environment`. To be sure of one success is another aim than to have
    many: a unit of resource is worth less where another arm is likely to succeed, by
    the same factor for all but the arm itself. The optimum is that of the concave
    functions
    ``-log(1 - p G(x, rate))`` (`laws.thresholds.cascade_curves`).

    Args:
      name, probability, rate, budgets, lowest, highest, known, order, users: as for
        `make_environment`.
      family: of the thresholds, with a hazard rate that falls or is constant:
        exponential, Lomax, Weibull and gamma with shapes up to 1.
      shape: as for `make_environment`.

    Returns:
      An environment with the metrics of `make_environment`, of rounds that pay 0 or 1.

    Raises:
      ValueError, TypeError: as `make_environment`; if the family's hazard rate grows.
    """
    return _fixed(
        name,
        family,
        probability,
        rate,
        budgets,
        order,
        False,
        users,
        shape,
        lowest=lowest,
        highest=highest,
        known=known,
        cascade=True,
    )


def _fixed(
    name: str,
    family: Threshold,
    probability: Numbers,
    rate: Numbers,
    budgets: Numbers,
    order: str,
    stop_on_success: bool,
    users: Users | None,
    shape: Numbers | None,
    **known: Any,
) -> Environment[Any, Any, Action]:
    """The game of given arms; the rest is for `make_problem`."""
    text("name", name)
    probability = np.atleast_1d(numbers("probability", probability))
    rate = np.atleast_1d(numbers("rate", rate))
    check_arms(family, probability, rate, shape)
    problem = make_problem(family, len(rate), budgets, shape=shape, **known)
    check_range(problem, rate)
    budgets = check_budgets(budgets)
    check_options(problem, order, stop_on_success)
    if users is not None:
        check_users(users, len(rate), len(budgets))
    best = best_allocations(problem, probability, rate, budgets)
    value = values(problem, probability, rate, best)
    arms = Arms(probability, rate)
    setup = Setup(arms, budgets, to_float32(best), users, bound(probability))
    return _environment(
        name,
        problem,
        None,
        setup,
        order,
        stop_on_success,
        {
            "family": family.name,
            "probability": probability.tolist(),
            "rate": rate.tolist(),
            "optimal_value": float(value.mean()),
        },
    )._replace(oracle=lambda instance=None: Oracle(best, value))


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
      name: of the family of instances.
      problem: of `make_problem`.
      draw: ``(key, setup) -> Arms`` with rates in [lowest, highest], traced; one
        function per family of instances, as programs are kept by it.
      setup: pytree of numbers for `draw`.
      budgets: f64[N], as for `make_environment`, the problem's the largest; by default
        it is the same in all rounds. Every seed solves its N problems first.
      order: as for `make_environment`.
      stop_on_success: as for `make_environment`.

    Returns:
      An environment with the metrics of `make_environment`.
    """
    text("name", name)
    instance("problem", problem, Problem, "of allocation.make_problem")
    function("draw", draw)
    check_setup("setup", setup)
    check_options(problem, order, stop_on_success)
    budgets = check_budgets(problem.budget if budgets is None else budgets)
    if problem.family.integer and np.any(budgets != np.round(budgets)):
        raise ValueError(
            f"budgets must be whole numbers for the {problem.family.name} family"
        )
    if np.max(budgets) != problem.budget:
        raise ValueError(
            f"budgets must have the problem's, {problem.budget}, for their largest, "
            f"got {np.max(budgets)}"
        )
    return _environment(
        name,
        problem,
        draw,
        Setup(setup, budgets),
        order,
        stop_on_success,
        {},
    )


def described(
    environment: Environment[Any, Any, Action], **facts: Any
) -> Environment[Any, Any, Action]:
    """The environment, with further facts for the results (JSON-able)."""
    return environment._replace(provenance=environment.provenance | facts)


def _environment(
    name: str,
    problem: Problem,
    draw: Callable[[Any, Any], Arms] | None,
    setup: Setup,
    order: str,
    stop: bool,
    provenance: dict[str, Any],
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
        }
        | provenance,
    )
