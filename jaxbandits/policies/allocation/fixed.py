"""Reference points: the uniform split and the clairvoyant."""

from typing import Any

import jax.numpy as jnp

from jaxbandits.factory import factory
from jaxbandits.policies.allocation.learning import even_split
from jaxbandits.protocol import Act, Policy
from jaxbandits.settings.allocation import Action, Allocation, Order, Plan, Problem

FINE = 10  # units per arm where the budget is not known


@factory(Problem)
def uniform_split(problem: Problem) -> Policy[Any, tuple[()], Action]:
    """Every arm gets the same; up to a unit of B / 10 K if budgets are not known.

    In whole units for a family of integers, dealt from another arm on in every round.
    """
    num_arms = problem.num_arms

    def act(noise, view, state, params):
        del noise, state, params
        if problem.known:
            return Allocation(even_split(problem, view.budget, view.round))
        if problem.family.integer:
            units = jnp.arange(round(problem.budget), dtype=jnp.int32)
            return Order((units + view.round - 1) % num_arms, jnp.ones((), float))
        arms = jnp.arange(num_arms * FINE, dtype=jnp.int32) % num_arms
        return Order(arms, jnp.asarray(problem.budget / arms.shape[0], float))

    return _stateless("uniform", act)


@factory(Problem)
def clairvoyant(problem: Problem) -> Policy[Any, tuple[()], Action]:
    """Plays the optimal allocation. Oracle knowledge.

    If budgets are not known it plays a `Plan`, which needs a concave family.
    """

    def act(noise, view, state, params):
        del noise, state, params
        if problem.known:
            return Allocation(view.oracle.allocation)
        return Plan(view.oracle.probability, view.oracle.rate)

    return _stateless("clairvoyant", act)


def _stateless(name: str, act: Act) -> Policy[Any, Any, Any]:
    def init(params):
        del params
        return jnp.zeros((), jnp.int32)

    def update(noise, view, state, action, feedback, params):
        del noise, view, action, feedback, params
        return state

    return Policy(name, init, act, update)
