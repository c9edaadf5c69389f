"""From weights and rates to an action, with or without knowledge of the budget.

All learners end with an objective ``sum weight_i G(x_i, rate_i)``. If the round's
budget is known, its optimum is played (eqs. 12 and 13). Otherwise resource is handed
out until it is used up (section 5): by the flow of MG-UCB for concave families, in
units for the others. For sigmoids, units are ordered by concave envelopes (ours): the
envelope is a tangent through the origin up to the point where it touches G. Hence, for
any budget, at most one arm ends strictly between 0 and its touching point.

A `HandOut` is a function ``(starting bool[], alone f[K], weight f[K], rate f[K], budget
f[]) -> action``: the amounts `alone` in the start, then the action for the objective.
"""

import math
from collections.abc import Callable

import jax.numpy as jnp
from jax import Array

from jaxbandits.allocation import Allocation, Order, Plan, Problem, solve
from jaxbandits.allocation.solving import is_concave, shape_array
from jaxbandits.allocation.types import Action
from jaxbandits.arrays import constant
from jaxbandits.kernels.allocation import marginal_greedy
from jaxbandits.laws.thresholds import touch_point

LEAST = 1e-12  # stands for an allocation of 0, where the derivative is a limit
STEPS = 100  # units in the largest budget
# ``(starting, alone, weight, rate, budget) -> action``: `alone` is played in the start.
HandOut = Callable[[Array, Array, Array, Array, Array], Action]


def default_hand_out(problem: Problem) -> HandOut:
    """The optimum if budgets are known, else the best `HandOut` for the family."""
    if problem.known:
        return optimum(problem)
    if problem.family.integer:
        return units(problem, round(problem.budget), "difference")
    return flow(problem) if is_concave(problem) else units(problem, STEPS, "envelope")


def require_additive(problem: Problem) -> Problem:
    """The problem, if a round pays for every success.

    Raises:
      ValueError: in a cascade, whose objective is not a weighted sum over arms.
    """
    if problem.cascade:
        raise ValueError(
            "problem must pay for every success, as P~ is a sum over arms; for a "
            "cascade use thompson, no_ucb, ra_etc or uniform"
        )
    return problem


def optimum(problem: Problem) -> HandOut:
    """The solution of P~ as an action.

    Raises:
      ValueError: if budgets are not known in advance.
    """
    if not problem.known:
        raise ValueError(
            "problem must have budgets known in advance; mg_ucb needs no budget"
        )

    def hand_out(starting, alone, weight, rate, budget):
        solution = solve(problem, weight, rate, budget)
        return Allocation(jnp.where(starting, alone, solution.allocation))

    return hand_out


def flow(problem: Problem) -> HandOut:
    """Resource flows to the arm with the largest marginal value (Algorithm 3).

    Raises:
      ValueError: if the family is not concave.
    """
    if problem.family.integer or not is_concave(problem):
        raise ValueError(
            f"problem must have a concave family, got {problem.family.name}"
        )

    middle = (problem.lowest * problem.highest) ** 0.5

    def hand_out(starting, alone, weight, rate, budget):
        # Resource flows to one arm if all others have weight 0, and evenly to equal
        # arms.
        weight = jnp.where(starting, alone / budget, weight)
        return Plan(weight, jnp.where(starting, middle, rate))

    return hand_out


def units(problem: Problem, steps: int, greedy: str) -> HandOut:
    """Units of size Delta go to the arm with the largest gain (Algorithm 4).

    Args:
      problem: what the learner knows about the game.
      steps: units in the largest budget.
      greedy: ``derivative``, ``difference`` or ``envelope``.

    Raises:
      ValueError: in a cascade.
    """
    require_additive(problem)
    family = problem.family
    step = problem.budget / steps
    if family.integer:  # a part of a unit has no effect
        step = float(math.ceil(step))
        steps = math.ceil(problem.budget / step)

    def hand_out(starting, alone, weight, rate, budget):
        shape = constant(shape_array(problem))

        def slope(x):
            return jnp.exp(family.log_pdf(jnp.maximum(x, LEAST), rate, shape))

        if greedy == "envelope":
            # Up to the touching point, the envelope has the slope of that point.
            touch = touch_point(family, rate, shape_array(problem))

        def gain(x):
            if greedy == "difference":
                more = family.cdf(x + step, rate, shape)
                value = more - family.cdf(x, rate, shape)
            else:
                value = slope(jnp.maximum(x, touch) if greedy == "envelope" else x)
            # In the start, one arm gets all units, or all arms in turn get units.
            return jnp.where(starting, alone / (1 + x), weight * value)

        arms = marginal_greedy(gain, problem.num_arms, step, steps)
        return Order(arms, jnp.asarray(step, float))

    return hand_out
