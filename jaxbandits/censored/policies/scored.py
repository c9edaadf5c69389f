"""Policies that score all pairs and play the best pair or the best super arm."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Num

from jaxbandits.arrays import first_argmax, put, split_index
from jaxbandits.censored.problem import Action, SuperArm
from jaxbandits.protocol import Init, Policy, Update


class Scored(NamedTuple):
    """The part of a policy that gives scores; the choice is added by `plays_pairs`.

    Attributes:
      name, init, update, params, words: as of a `Policy` that plays pairs.
      score: ``(noise, view, state, params) -> f32[K, M]``, scores for the next action.
      answer: ``(state, params) -> [K, M]``, scores for the recommendation.
    """

    name: str
    init: Init
    score: Callable[[Any, Any, Any, Any], Array]
    update: Update
    answer: Callable[[Any, Any], Array]
    params: Any = ()
    words: tuple[int, int] = (0, 0)


def plays_pairs(scored: Scored) -> Policy[Any, Any, Action]:
    """The policy that plays the first pair with the largest score."""
    return _plays(scored, best_pair, scored.update, scored.words)


def plays_super_arms(scored: Scored, size: int) -> Policy[Any, Any, SuperArm]:
    """The policy that plays the super arm with the largest sum of scores.

    The policy learns from the arms one by one, as if each had run in its own round.

    Args:
      scored: scores of the problem's pairs.
      size: m, the number of arms in a round.
    """
    to_act, to_update = scored.words

    def update(noise, view, state, action, feedback, params):
        for place, words in enumerate(noise.reshape(size, to_update)):
            played = action.pair(place), feedback.at(place)
            state = scored.update(words, view, state, *played, params)
        return state

    words = (to_act, size * to_update)
    return _plays(scored, partial(best_super_arm, size=size), update, words)


def _plays(
    scored: Scored, best: Callable[[Array], Any], update: Update, words: tuple[int, int]
) -> Policy[Any, Any, Any]:
    """The policy that plays and recommends the action that `best` picks by scores."""

    def act(noise, view, state, params):
        return best(scored.score(noise, view, state, params))

    def recommend(state, params):
        return best(scored.answer(state, params))

    return Policy(
        scored.name,
        scored.init,
        act,
        update,
        scored.params,
        words,
        recommend=recommend,
    )


def best_pair(scores: Num[Array, "K M"]) -> Action:
    """The first pair with the largest score."""
    return Action(*split_index(first_argmax(scores), *scores.shape))


def best_super_arm(scores: Num[Array, "K M"], size: int) -> SuperArm:
    """The arms whose best limits have the largest scores, best arm first.

    This is the super arm with the largest sum of scores: an arm has one limit in a
    round, and the only constraint is the number of arms.

    Args:
      scores: scores above -inf.
      size: m, at most K.
    """
    exact = jnp.issubdtype(scores.dtype, jnp.integer)
    lowest = jnp.iinfo(scores.dtype).min if exact else -jnp.inf
    chosen = []
    for _ in range(size):
        pair = best_pair(scores)
        chosen.append(pair)
        scores = put(scores, pair.arm, jnp.asarray(lowest, scores.dtype))
    arms, limits = zip(*chosen, strict=True)
    return SuperArm(jnp.stack(arms), jnp.stack(limits))
