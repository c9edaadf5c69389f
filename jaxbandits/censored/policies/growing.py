"""Shared parts of policies whose arms have growing sets of limits."""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits.arrays import CompensatedSum, first_argmax, pick
from jaxbandits.censored.policies.observed import value_of_round
from jaxbandits.censored.problem import Continuum, Feedback, RealAction, penalty_in_play
from jaxbandits.protocol import Noise


class Best(NamedTuple):
    """The limit with the largest index, of each arm ``[K]`` or of one arm."""

    index: Float[Array, " *K"]  # type: ignore[assignment]
    place: Int32[Array, " *K"]
    limit: Float[Array, " *K"]

    @classmethod
    def untried(cls, num_arms: int, place: int, limit: float | Array) -> "Best":
        """The best limits of arms that have a single limit and no rounds."""
        return cls(
            jnp.full(num_arms, jnp.inf, float),
            jnp.full(num_arms, place, jnp.int32),
            jnp.full(num_arms, limit, float),
        )

    @classmethod
    def of(cls, index: Float[Array, " G"], limit: Float[Array, " G"]) -> "Best":
        """The first limit with the largest index, of one arm."""
        best = first_argmax(index)
        return cls(pick(index, best), best, pick(limit, best))


def play_best(noise: Noise, view: Any, state: Any, params: Any) -> RealAction:
    """`Policy.act` that plays the best limit of the first arm with the best index."""
    arm = first_argmax(state.best.index)
    return RealAction(arm, pick(state.best.limit, arm))


def report_points(state: Any, params: Any) -> dict[str, Array]:
    """`Policy.report`: number of limits of all arms, and whether an arm's were full."""
    return {
        "points": jnp.sum(state.count),
        "overflow": state.overflow.astype(jnp.int32),
    }


class OwnRounds(NamedTuple):
    """Number and summed values, eq. (7), of the rounds at each limit of the arms."""

    pulls: Int32[Array, "*K G"]
    value: CompensatedSum  # f32[K, G]

    @classmethod
    def none(cls, shape: tuple[int, int]) -> "OwnRounds":
        """No rounds yet."""
        return cls(jnp.zeros(shape, jnp.int32), CompensatedSum.zeros(shape, float))

    def after(
        self,
        own: Bool[Array, " G"],
        problem: Continuum,
        action: RealAction,
        feedback: Feedback,
    ) -> "OwnRounds":
        """An arm's rounds after one more, which had the limit where `own` is true."""
        penalty = penalty_in_play(problem, action.limit)
        value = value_of_round(problem, penalty, feedback)
        pulls = self.pulls + own.astype(jnp.int32)
        return OwnRounds(pulls, self.value.add(jnp.where(own, value, 0.0)))

    def mean(self) -> Float[Array, "*K G"]:
        """Mean value of the rounds at each limit; 0 before the first round."""
        return self.value.total / jnp.maximum(self.pulls, 1).astype(float)
