"""MG-UCB and MG-UCB-Delta: RA-UCB for budgets that are not known in advance.

Montanari, Fiegel, Pla, Saha & Perchet, "Learning to Allocate Resources with Censored
Feedback", section 5, Algorithms 3 and 4. Estimates and boosts are RA-UCB's, with the
same named choices; the resource of a round is handed out until it is gone.
"""

import math
from functools import cache

import jax.numpy as jnp

from jaxbandits.checks import MOST, one_of, whole
from jaxbandits.factory import factory
from jaxbandits.kernels.allocation import marginal_greedy
from jaxbandits.kernels.constant import constant
from jaxbandits.policies.allocation.boosting import Options, boosting
from jaxbandits.protocol import Policy
from jaxbandits.settings.allocation import Order, Plan, Problem
from jaxbandits.settings.allocation.oracle import is_concave, shape_array

GREEDY = ("derivative", "difference")
LEAST = 1e-12  # an allocation of 0, where the derivative is a limit


@factory(Problem)
def mg_ucb(problem: Problem, **options) -> Policy:
    """MG-UCB (Algorithm 3): resource flows to the largest marginal value until it ends.

    Args:
      problem: what is known of the game.
      **options: as for `ra_ucb`.

    Raises:
      ValueError: as `ra_ucb`, and unless the family is concave: elsewhere the flow is
        no optimum; on a uniform start with unequal shapes, which no flow gives.
    """
    uniform = options.get("start") == "uniform_split"
    if uniform and problem.shape and len(set(problem.shape)) > 1:
        raise ValueError("start must be 'one_arm' if the arms' shapes differ")
    return boosting("MG-UCB", problem, _flow(problem), Options(**options))


@factory(Problem)
def mg_ucb_delta(
    problem: Problem, steps: int = 100, greedy: str = "derivative", **options
) -> Policy:
    """MG-UCB-Delta (Algorithm 4): resource is handed out in units.

    Args:
      problem: what is known of the game.
      steps: units in the largest budget; Delta is the budget over this, rounded up to
        a whole number for a family of integers.
      greedy: a unit goes to the largest ``derivative`` (the algorithm) or to the
        largest ``difference`` that a unit makes (its proof). Where G starts flat, as
        Weibull laws with k > 1 do, all derivatives are 0 at first.
      **options: as for `ra_ucb`.

    Raises:
      ValueError: as `ra_ucb`; if `steps` is less than 1; on another `greedy`, or on
        derivatives of a family of integers.
    """
    whole("steps", steps, 1, MOST)
    one_of("greedy", greedy, GREEDY)
    if problem.family.integer and greedy == "derivative":
        raise ValueError("greedy must be 'difference' for a family of integers")
    units = _units(problem, steps, greedy)
    return boosting("MG-UCB-Delta", problem, units, Options(**options))


@cache
def _flow(problem: Problem):
    if problem.family.integer or not is_concave(problem):
        raise ValueError(
            f"problem must have a concave family, got {problem.family.name}"
        )

    middle = (problem.lowest * problem.highest) ** 0.5

    def hand_out(starting, alone, weight, rate, budget):
        # Resource flows to one arm if no other is worth anything, and equally to equal
        # arms.
        weight = jnp.where(starting, alone / budget, weight)
        return Plan(weight, jnp.where(starting, middle, rate))

    return hand_out


@cache
def _units(problem: Problem, steps: int, greedy: str):
    family = problem.family
    step = problem.budget / steps
    if family.integer:  # part of a unit makes no difference
        step = float(math.ceil(step))
        steps = math.ceil(problem.budget / step)

    def hand_out(starting, alone, weight, rate, budget):
        del budget
        shape = constant(shape_array(problem))

        def gain(x):
            if greedy == "difference":
                more = family.cdf(x + step, rate, shape)
                value = more - family.cdf(x, rate, shape)
            else:
                value = jnp.exp(family.log_pdf(jnp.maximum(x, LEAST), rate, shape))
            # In the start to one arm, or to all in turn, the larger shares first.
            return jnp.where(starting, alone / (1 + x), weight * value)

        arms = marginal_greedy(gain, problem.num_arms, step, steps)
        return Order(arms, jnp.asarray(step, float))

    return hand_out
