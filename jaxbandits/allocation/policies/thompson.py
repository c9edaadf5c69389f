"""Thompson sampling for allocation: a challenger of our own.

A rate and a probability are drawn for every arm from its posterior (`posterior`), and
the optimum for these is played; all arms learn in every round. What is lost on average
over a prior, if the posterior is exact: theory/allocation-thompson.md.

With several `draws` the mean of their optima is played. Where the families are concave
so is what a round is worth, and by Jensen's inequality the mean is worth at least as
much as its parts are on average, whatever the true parameters are; and no arm gets less
than ``1 / draws`` of what a single draw would give it, so that what one draw explores
many do as well (theory/mean-allocation.md). In a cascade it is the logarithm of
the chance to have no success that is convex: a mean fails at most as often as its parts
do in the geometric mean.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax

from jaxbandits.allocation import Action, Allocation, Problem
from jaxbandits.allocation.policies.handing_out import best_way
from jaxbandits.allocation.policies.learning import start_allocation, turn
from jaxbandits.allocation.policies.posterior import State, after, draw, prior
from jaxbandits.allocation.solving import is_concave
from jaxbandits.arrays import pick, unit_interval
from jaxbandits.checks import AtLeastOne, flag, whole
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.normal import normal_quantile
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """initial >= 1: rounds of uniform play before."""

    initial: AtLeastOne = 1.0


MOST_DRAWS = 1000  # each is solved in every round: more would seem to hang


@factory(Problem)
def thompson(
    problem: Problem, draws: int = 1, feasible: bool = False
) -> Policy[State, Params, Action]:
    """Thompson sampling with truncated likelihoods.

    Args:
      problem: what is known of the game. Budgets that are not known in advance are
        handed out as `handing_out` says; rounds of uniform play are then nearly so.
      draws: how many draws' optima are averaged; an optimum is solved for each.
      feasible: whether rate and probability are drawn given that the probability is at
        most 1. Without, it is cut off there, and an arm that gets little may keep a
        rate too small for its successes, and get little for ever: lost runs
        (theory/mean-allocation.md).

    Raises:
      ValueError: if `draws` is not in [1, 1000], or above 1 where an average is no
        allocation or may be worse: for sigmoids, whole units and budgets that are not
        known.
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
    hand_out, num_arms = best_way(problem), problem.num_arms
    start = "uniform_split"

    def init(params):
        return prior(problem)

    def act(noise, view, state, params):
        z = normal_quantile(unit_interval(noise)).reshape(draws, 2, num_arms)
        now = turn(problem, start, params.initial, view.round)
        alone = start_allocation(problem, start, now, view)

        def optimum(scores):
            rate, probability = draw(problem, state, *scores, feasible)  # type: ignore[call-arg]
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
