"""Games in which a round consists of several runs of a censored environment."""

from typing import Any

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool

from jaxbandits.censored.problem import Duel, Problem, SemiBanditFeedback, SuperArm
from jaxbandits.checks import instance, shown
from jaxbandits.checks.actions import positions_in
from jaxbandits.protocol import Environment, Game, Noise, as_given, round_only


def problem_of(environment: Environment) -> Problem:
    """The problem of an environment, if its rounds can be runs of another game.

    Raises:
      TypeError: if the environment has no grid of limits, has instances that are drawn,
        a view of more than the round or a budget, or has no oracle.
    """
    instance("environment", environment, Environment, "of censored")
    pairs, game = environment.problem, environment.game
    if not isinstance(pairs, Problem):
        raise TypeError(
            "environment must be of censored, with a grid of limits, got "
            f"{environment.name!r}, whose problem is {shown(pairs)}"
        )
    plain = game.sample is as_given and game.view is round_only
    if not plain or game.spent is not None or environment.oracle is None:
        raise TypeError(
            "environment must have a fixed instance, a view of the round alone, no "
            f"budget and an oracle, unlike {environment.name!r}"
        )
    return pairs


def run_all(
    game: Game, instance: Any, noise: Noise, action: SuperArm | Duel, size: int
) -> SemiBanditFeedback:
    """Run the pairs of a round independently, each from the game's initial state.

    Args:
      game: game of the runs.
      instance: instance of the game.
      noise: u32[size * game.words].
      action: the pairs.
      size: number of pairs.
    """
    drawn = []
    for place, words in enumerate(noise.reshape(size, game.words)):
        start = game.init(instance)
        drawn.append(game.step(words, instance, start, action.pair(place))[1])
    return SemiBanditFeedback(*map(jnp.stack, zip(*drawn, strict=True)))


def known_pairs(
    action: SuperArm | Duel, problem: Problem, size: int
) -> Bool[Array, ""]:
    """Whether the pairs of a round exist in the problem.

    Raises:
      TypeError: if arms or limits are not `size` integers.
    """
    known = positions_in("arm", action.arm, problem.num_arms, size)
    return known & positions_in("limit", action.limit, problem.num_limits, size)
