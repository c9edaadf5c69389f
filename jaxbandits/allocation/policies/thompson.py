"""Thompson sampling for allocation. Our policy.

A rate and a probability of every arm are drawn from its posterior (`posterior`), and
the optimal allocation for the draws is played; all arms are updated in every round.
theory/allocation-thompson.md bounds the Bayesian regret for an exact posterior.

With several `draws`, the mean of their optimal allocations is played. If the family is
concave, the value of a round is concave in the allocation. By Jensen's inequality the
mean allocation is worth at least the average of its parts, for all true parameters. No
arm gets less than ``1 / draws`` of its amount in any draw, so that exploration is kept
(theory/mean-allocation.md). In a cascade, the log probability of no success is convex:
the mean allocation fails at most as often as the geometric mean of its parts.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax

from jaxbandits.allocation import Action, Allocation, Problem
from jaxbandits.allocation.policies.handing_out import default_hand_out
from jaxbandits.allocation.policies.learning import start_allocation, turn
from jaxbandits.allocation.policies.posterior import (
    State,
    after,
    draw,
    feasible_cells,
    prior,
)
from jaxbandits.allocation.solving import is_concave
from jaxbandits.arrays import pick, unit_interval
from jaxbandits.checks import AtLeastOne, flag, whole
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.normal import normal_quantile
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """initial >= 1: rounds of uniform play at the start."""

    initial: AtLeastOne = 1.0


MOST_DRAWS = 1000  # every draw is solved in every round; more would seem to hang


@factory(Problem)
def thompson(
    problem: Problem, draws: int = 1, feasible: bool = False
) -> Policy[State, Params, Action]:
    """Thompson sampling with truncated likelihoods.

    Args:
      problem: what the learner knows about the game. Unknown budgets are handed out as
        described in `handing_out`; uniform play is then only nearly uniform.
      draws: number of draws whose optimal allocations are averaged.
      feasible: whether rate and probability are drawn given that the probability is at
        most 1. Otherwise it is clipped to 1: an arm that gets little may then keep a
        rate too small for its successes and get little for good, so that some runs
        never recover (theory/mean-allocation.md).

    Raises:
      ValueError: if `draws` is not in [1, 1000], or is above 1 for sigmoids, families
        of integers or unknown budgets, where a mean need not be a good allocation.
    """
    flag("feasible", feasible)
    whole("draws", draws, 1, MOST_DRAWS)
    if draws > 1 and not (
        problem.known and is_concave(problem) and not problem.family.integer
    ):
        raise ValueError(
            f"draws must be 1 unless budgets are known and the family is concave, got "
            f"{draws}"
        )
    hand_out, num_arms = default_hand_out(problem), problem.num_arms
    start = "uniform_split"

    def init(params):
        return prior(problem)

    def act(noise, view, state, params):
        z = normal_quantile(unit_interval(noise)).reshape(draws, 2, num_arms)
        now = turn(problem, start, params.initial, view.round)
        alone = start_allocation(problem, start, now, view)
        cells = feasible_cells(problem, state) if feasible else None

        def optimum(scores):
            rate, probability = draw(problem, state, *scores, cells)  # type: ignore[call-arg]
            return hand_out(now.starting, alone, probability, rate, view.budget)

        if draws == 1:
            return optimum(z[0])

        def add(i, amounts):
            return amounts + optimum(pick(z, i)).amounts

        total = lax.fori_loop(0, draws, add, jnp.zeros(num_arms, float))
        return Allocation(total / draws)

    def update(noise, view, state, action, feedback, params):
        return after(problem, state, feedback)

    name = "Thompson" if draws == 1 else f"Thompson, mean of {draws}"
    name += ", feasible" if feasible else ""
    words = (2 * num_arms * draws, 0)
    return Policy(name, init, act, update, Params(), words)
