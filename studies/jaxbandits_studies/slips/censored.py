"""Readings of Thompson sampling's update that lose more (errata.md, C6)."""

import jax.numpy as jnp
from jax import Array

from jaxbandits import censored
from jaxbandits.arrays import occurs, one_hot, pick
from jaxbandits.censored import Action, Problem
from jaxbandits.censored.policies.thompson import (
    Params,
    State,
    counted,
    success_probability,
)
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy


def _one_trial(name: str, problem: Problem, informed) -> Policy[State, Params, Action]:
    """Thompson sampling with one Bernoulli trial a round: that of the chosen pair.

    Args:
      name: of the policy.
      problem: arms, limits, cost and penalty functions.
      informed: ``limit i32[] -> bool[M]``, the limits that get its outcome.
    """

    def update(noise, view, state, action, feedback, params):
        del view, params
        probability = success_probability(problem, feedback)
        first, second = noise[::2], noise[1::2]
        seen = informed(action.limit)
        outcome = occurs(first[0], second[0], pick(probability, action.limit))
        return counted(state, action, seen, outcome)

    return censored.thompson(problem)._replace(name=name, update=update)


@factory(Problem)
def thompson_copied(problem: Problem) -> Policy[State, Params, Action]:
    """Every smaller limit gets the outcome of the chosen pair."""

    def smaller(limit: Array) -> Array:
        return jnp.arange(problem.num_limits, dtype=jnp.int32) <= limit

    return _one_trial("TS, copied", problem, smaller)


@factory(Problem)
def thompson_strict(problem: Problem) -> Policy[State, Params, Action]:
    """Only the chosen pair is updated."""
    return _one_trial(
        "TS, strict", problem, lambda limit: one_hot(limit, problem.num_limits)
    )
