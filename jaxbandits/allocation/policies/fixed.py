"""Reference policies: the uniform split, the clairvoyant, and fixed turns."""

import jax.numpy as jnp

from jaxbandits.allocation import (
    Action,
    Allocation,
    Order,
    Ordered,
    Plan,
    Problem,
    Turns,
)
from jaxbandits.allocation.policies.learning import even_split
from jaxbandits.allocation.serving.turns import in_order_of
from jaxbandits.arrays import unit_interval
from jaxbandits.checks import shown
from jaxbandits.checks.factory import check_positions, factory
from jaxbandits.protocol import Policy, no_state, no_update

FINE = 10  # units per arm if the budget is not known


@factory(Problem)
def uniform(problem: Problem) -> Policy[tuple[()], tuple[()], Action]:
    """Every arm gets the same amount, up to a unit of B / 10 K for unknown budgets.

    For a family of integers, amounts are whole units; a different arm comes first in
    every round.
    """
    num_arms = problem.num_arms

    def act(noise, view, state, params):
        if problem.known:
            return Allocation(even_split(problem, view.budget, view.round))
        if problem.family.integer:
            units = jnp.arange(round(problem.budget), dtype=jnp.int32)
            return Order((units + view.round - 1) % num_arms, jnp.ones((), float))
        arms = jnp.arange(num_arms * FINE, dtype=jnp.int32) % num_arms
        return Order(arms, jnp.asarray(problem.budget / arms.shape[0], float))

    return Policy("uniform", no_state, act, no_update)


@factory(Problem)
def clairvoyant(problem: Problem) -> Policy[tuple[()], tuple[()], Action]:
    """Plays the optimal allocation, which only the oracle knows.

    If budgets are not known, it plays a `Plan`, which needs a concave family.
    """

    def act(noise, view, state, params):
        if problem.known:
            return Allocation(view.oracle.allocation)
        return Plan(view.oracle.probability, view.oracle.rate)

    return Policy("clairvoyant", no_state, act, no_update)


@factory(Ordered)
def uniform_turns(problem: Ordered) -> Policy[tuple[()], tuple[()], Turns]:
    """All units split evenly over the arms, in random order; consumes K words to act.

    The remaining units go to the first arms in that order.
    """
    num_arms = problem.num_arms

    def act(noise, view, state, params):
        even, odd = divmod(problem.units, num_arms)
        turns = in_order_of(unit_interval(noise), jnp.zeros(num_arms, jnp.int32))
        first = jnp.arange(num_arms, dtype=jnp.int32) < odd
        return turns._replace(amounts=even + first.astype(jnp.int32))

    return Policy("uniform", no_state, act, no_update, words=(num_arms, 0))


@factory(Ordered)
def fixed_turns(
    problem: Ordered, arms: tuple[int, ...], amounts: tuple[int, ...]
) -> Policy[tuple[()], tuple[()], Turns]:
    """Play the same turns in every round; with the oracle's turns, the clairvoyant.

    Args:
      problem: problem of an `allocation.ordered` environment.
      arms: all arms, in the order of their turns.
      amounts: units >= 0 for the arm at the same position; their sum is at most the
        problem's units.

    Raises:
      ValueError: on a wrong number of entries, on arms that are equal or out of range,
        or on too many units.
      TypeError: if `arms` or `amounts` is not a tuple of integers.
    """
    size = problem.num_arms
    check_positions("arms", arms, size, size - 1)
    check_positions("amounts", amounts, size, problem.units)
    if len(set(arms)) < size:
        raise ValueError(f"arms must be different, got {shown(arms)}")
    if sum(amounts) > problem.units:
        raise ValueError(
            f"amounts must be at most {problem.units} in all, got {shown(amounts)}"
        )

    def act(noise, view, state, params):
        return Turns(jnp.array(arms, jnp.int32), jnp.array(amounts, jnp.int32))

    return Policy("fixed", no_state, act, no_update)
