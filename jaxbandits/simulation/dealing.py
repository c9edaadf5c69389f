"""Games whose arms are shuffled for every seed, so that no policy gains by an order.

A policy that plays the arms in turn may have no budget left for the last one. Where
arms have names, as ads have, the alphabet would decide which arm that is.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Int32

from jaxbandits import budgeted, censored
from jaxbandits.arrays import first_true, pick
from jaxbandits.checks import instance
from jaxbandits.protocol import Environment, Game

_SHUFFLE = 1  # folded into the key of the instance, it makes the key of the order


class Dealt(NamedTuple):
    """An instance of a game, and the arm at each position."""

    instance: Any
    order: Int32[Array, " K"]  # Positions without an arm stay.


def dealt(environment: Environment) -> Environment:
    """An environment whose arms are shuffled for every seed, for all policies alike.

    Records (``pulls``, say) and the oracle keep the order of the environment; actions
    and recommendations are positions in the order of the seed (`Dealt.order`).

    Raises:
      TypeError: unless the environment is of the budgeted setting, or of the censored
        setting with a grid of limits.
    """
    instance("environment", environment, Environment, "of budgeted, say")
    problem = instance(
        "environment.problem",
        environment.problem,
        (budgeted.Problem, censored.Problem),
        "of budgeted, or of censored with a grid of limits",
    )
    judge = environment.judge

    def its_judge(drawn: Dealt, action: Any) -> dict[str, Any]:
        order, place = np.asarray(drawn.order), np.asarray(action.arm)
        arm = np.take_along_axis(order, place, axis=-1)
        return judge(drawn.instance, action._replace(arm=arm))  # type: ignore[misc]

    return environment._replace(
        game=_game(environment.game, problem),
        tables=_inside(environment.tables),
        oracle=environment.oracle and _inside(environment.oracle),
        judge=judge and its_judge,
    )


def _inside(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the game itself, made to take dealt instances."""

    def called(*given: Any) -> Any:
        return function(*(x.instance if isinstance(x, Dealt) else x for x in given))

    return called


@cache
def _game(game: Game, problem: budgeted.Problem | censored.Problem) -> Game:
    by_arm = isinstance(problem, budgeted.Problem)
    positions = np.arange(problem.num_arms, dtype=np.int32)

    def sample(key: Array, setup: Any) -> Dealt:
        inner = game.sample(key, setup)
        arms = problem.num_arms
        if by_arm:
            arms = game.view(jnp.int32(1), inner, game.init(inner)).num_arms
        shuffle = jax.random.fold_in(key, _SHUFFLE)
        words = jax.random.bits(shuffle, positions.shape, jnp.uint32) >> 1
        words = jnp.where(positions < arms, words, jnp.uint32(2**32 - 1))
        return Dealt(inner, jnp.argsort(words, stable=True).astype(jnp.int32))

    def own(drawn: Dealt, action: Any) -> Any:
        """The action in the game itself, of a position in the order of a seed."""
        arm = action if by_arm else action.arm
        known = (arm >= 0) & (arm < problem.num_arms)
        arm = jnp.where(known, pick(drawn.order, arm), jnp.int32(-1))
        return arm if by_arm else action._replace(arm=arm)

    def step(noise: Array, drawn: Dealt, state: Any, action: Any) -> Any:
        return game.step(noise, drawn.instance, state, own(drawn, action))

    def view(round_: Array, drawn: Dealt, state: Any) -> Any:
        seen = game.view(round_, drawn.instance, state)
        if not by_arm:
            return seen
        best = first_true(drawn.order == seen.oracle.best)
        return seen._replace(oracle=seen.oracle._replace(best=best))

    actions = game.actions and game.actions._replace(
        allowed=_inside(game.actions.allowed), counted=_inside(game.actions.counted)
    )
    return game._replace(
        sample=sample,
        init=_inside(game.init),
        view=view,
        step=step,
        record=_inside(game.record),
        metrics=_inside(game.metrics),
        spent=game.spent and _inside(game.spent),
        actions=actions,
    )
