"""Reference policies: uniform play, and one fixed action (the clairvoyant's, say)."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array

from jaxbandits.arrays import position, split_index
from jaxbandits.censored.problem import Action, Combinatorial, Duel, Dueling, Problem
from jaxbandits.checks.factory import check_positions, factory
from jaxbandits.plain.pairs import same_pair, uniform_pairs
from jaxbandits.protocol import Policy, no_state, no_update


@factory(Problem)
def uniform(problem: Problem) -> Policy[tuple[()], tuple[()], Action]:
    """Play every pair with the same probability in every round."""
    return uniform_pairs((problem.num_arms, problem.num_limits), Action)


@factory(Problem)
def fixed(
    problem: Problem, arm: int, limit: int
) -> Policy[tuple[()], tuple[()], Action]:
    """Play the same pair in every round.

    With the pair of ``environment.oracle()`` this is the clairvoyant; its regret is 0.

    Args:
      problem: arms, limits, cost and penalty functions.
      arm: in [0, K).
      limit: position in the problem's limits, in [0, M).

    Raises:
      ValueError: if `arm` or `limit` is out of range.
    """
    shape = (problem.num_arms, problem.num_limits)
    return same_pair(shape, Action, ("arm", "limit"), (arm, limit))


@factory(Dueling)
def uniform_duels(problem: Dueling) -> Policy[tuple[()], tuple[()], Duel]:
    """Play two independent, uniformly drawn pairs in every round."""
    shape = (problem.num_arms, problem.num_limits)

    def act(noise, view, state, params):
        drawn = [position(word, shape[0] * shape[1]) for word in noise]
        pairs = zip(*(split_index(pair, *shape) for pair in drawn), strict=True)
        return Duel(*map(jnp.stack, pairs))

    return Policy("uniform", no_state, act, no_update, words=(2, 0))


@factory(Dueling)
def fixed_duel(
    problem: Dueling, arms: tuple[int, int], limits: tuple[int, int]
) -> Policy[tuple[()], tuple[()], Duel]:
    """Play the same duel in every round.

    Args:
      problem: problem of a `duels` environment.
      arms: two arms in [0, K).
      limits: two positions in the problem's limits, in [0, M).

    Raises:
      ValueError: if there are not two arms and two limits, or one is out of range.
      TypeError: if `arms` or `limits` is not a tuple of integers.
    """
    return fixed_pairs(problem, arms, limits, 2, Duel)


def fixed_pairs(
    problem: Combinatorial | Dueling,
    arms: tuple[int, ...],
    limits: tuple[int, ...],
    size: int,
    action: Callable[[Array, Array], Any],
) -> Policy:
    """Play the same `size` pairs in every round.

    Raises:
      ValueError, TypeError: if `arms` or `limits` does not hold `size` valid positions.
    """
    check_positions("arms", arms, size, problem.num_arms - 1)
    check_positions("limits", limits, size, problem.num_limits - 1)

    def act(noise, view, state, params):
        return action(jnp.array(arms, jnp.int32), jnp.array(limits, jnp.int32))

    pairs = (f"({i}, {j})" for i, j in zip(arms, limits, strict=True))
    return Policy(f"fixed {', '.join(pairs)}", no_state, act, no_update)
