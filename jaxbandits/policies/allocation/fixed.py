"""Reference points: the uniform split and the clairvoyant."""

import jax.numpy as jnp

from jaxbandits.factory import factory
from jaxbandits.protocol import Policy
from jaxbandits.settings.allocation import Allocation, Order, Plan, Problem

FINE = 10  # units per arm where the budget is not known


@factory(Problem)
def uniform_split(problem: Problem) -> Policy:
    """Every arm gets the same; up to a unit of B / 10 K if budgets are not known."""
    num_arms = problem.num_arms

    def act(noise, view, state, params):
        del noise, state, params
        if problem.known:
            return Allocation(jnp.ones(num_arms, float) * (view.budget / num_arms))
        arms = jnp.arange(num_arms * FINE, dtype=jnp.int32) % num_arms
        return Order(arms, jnp.asarray(problem.budget / arms.shape[0], float))

    return _stateless("uniform", act)


@factory(Problem)
def clairvoyant(problem: Problem) -> Policy:
    """Plays the optimal allocation. Oracle knowledge.

    If budgets are not known it plays a `Plan`, which needs a concave family.
    """

    def act(noise, view, state, params):
        del noise, state, params
        if problem.known:
            return Allocation(view.oracle.allocation)
        return Plan(view.oracle.probability, view.oracle.rate)

    return _stateless("clairvoyant", act)


def _stateless(name, act):
    def init(params):
        del params
        return jnp.zeros((), jnp.int32)

    def update(noise, view, state, action, feedback, params):
        del noise, view, action, feedback, params
        return state

    return Policy(name, init, act, update)
