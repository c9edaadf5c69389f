"""Shared part of RA-UCB and its variants: arms are boosted in turn (section 4.3)."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.allocation import Action, Problem
from jaxbandits.allocation.policies.estimates import Estimator
from jaxbandits.allocation.policies.handing_out import HandOut
from jaxbandits.allocation.policies.learning import (
    STARTS,
    UPDATES,
    Learner,
    learn,
    start_allocation,
    turn,
)
from jaxbandits.allocation.policies.radii import (
    RADII,
    Bounds,
    Radius,
    Scales,
    bounds,
    no_bounds,
)
from jaxbandits.allocation.solving import shape_array
from jaxbandits.arrays import constant, one_hot, pick
from jaxbandits.checks import MOST_ROUNDS, NonNegative, Positive, one_of
from jaxbandits.checks.rounds import within
from jaxbandits.protocol import Policy

OTHERS = ("pessimistic", "point")


class Params(NamedTuple):
    """scale > 0 of the radii; initial >= 0 rounds of start, floor(log T) in the paper.

    `initial` is rounded, and counts rounds per arm, or of uniform play. ratio > 0: the
    radius of p has `ratio` times the scale of the rate's radius.
    """

    scale: Positive = 1.0
    initial: NonNegative = 9.0
    ratio: Positive = 1.0


class Options(NamedTuple):
    """The named choices of `allocation.ra_ucb`."""

    radii: str = "profile"
    update: str = "boosted"
    others: str = "pessimistic"
    start: str = "one_arm"


CHOICES = {
    "radii": RADII,
    "update": UPDATES,
    "others": OTHERS,
    "start": STARTS,
}


def boosting(
    name: str,
    problem: Problem,
    hand_out: HandOut,
    options: Options,
    estimator: Estimator | None = None,
    radius: Radius | None = None,
) -> Policy[Learner, Params, Action]:
    """A policy that solves P~ for its boosted arm.

    Args:
      name: name of the policy.
      problem: what the learner knows about the game.
      hand_out: makes the action from weights and rates; see `handing_out`.
      options: the named choices.
      estimator: estimator of the arms, by default that of the truncated likelihood.
      radius: confidence radius, by default the one that `options` name.

    Raises:
      ValueError: on an unknown choice.
    """
    for key, allowed in CHOICES.items():
        one_of(key, getattr(options, key), allowed)
    start, shape = options.start, shape_array(problem)
    estimator = estimator or Estimator(problem, variances=options.radii == "delta")
    radius = radius or RADII[options.radii]
    points = radius is None or options.others == "point"

    arms = problem.num_arms if start == "one_arm" else 1

    def check(params):
        most = MOST_ROUNDS // arms  # a game counts rounds in 32 bits
        within("initial", params.initial, 0, most, f"{most}, the most rounds of a game")

    def init(params):
        result = no_bounds(problem, points)
        worst = None if points else result.probability_low
        return Learner(estimator.zeros(), result, worst)

    def act(noise, view, state, params):
        now = turn(problem, start, params.initial, view.round)
        alone = start_allocation(problem, start, now, view)
        known = constant(shape)
        weight, rate = _surrogate_problem(problem, options, known, state, now.arm)
        return hand_out(now.starting, alone, weight, rate, view.budget)

    def update(noise, view, state, action, feedback, params):
        now = turn(problem, start, params.initial, view.round)
        scales = Scales(params.scale, params.scale * params.ratio)

        def renew(statistics, shape, arm):
            t = view.round.astype(float)
            result = bounds(
                estimator, radius, statistics, t, scales, shape, arm, points
            )
            if points:
                return result, None
            scale = problem.family.scale(result.rate_high, result.rate_low, shape)
            return result, result.probability_low * scale

        choices = start, options.update
        return learn(estimator, state, feedback, now, renew, *choices)

    return Policy(name, init, act, update, Params(), check=check)


def _surrogate_problem(
    problem: Problem,
    options: Options,
    shape: Float[Array, " K"] | None,
    learner: Learner,
    arm: Int32[Array, ""],
) -> tuple[Float[Array, " K"], Float[Array, " K"]]:
    """Weights and rates of eq. (13), lines 8 and 9 of Algorithm 1.

    Without radii no arm is boosted, and the result is the point estimates.

    Args:
      problem: what the learner knows about the game.
      options: the named choices.
      shape: f[K] or None, shapes of the threshold laws.
      learner: statistics and bounds of all arms.
      arm: i32[], the boosted arm.

    Returns:
      ``(weight f[K], rate f[K])``: up to a constant, ``p G~(x, rate, rate')`` is
      ``p s(rate, rate') G(x, rate)``.
    """
    result = learner.bounds
    if options.radii == "none":
        return _points(result)
    scale = problem.family.scale
    high, low, other = (
        pick(x, arm)
        for x in (result.probability_high, result.rate_low, result.rate_high)
    )
    best = high * scale(low, other, None if shape is None else pick(shape, arm))
    if options.others == "point":
        weight, rate = _points(result)
    else:
        assert learner.worst is not None
        weight, rate = learner.worst, result.rate_high
    boosted = one_hot(arm, problem.num_arms)
    return jnp.where(boosted, best, weight), jnp.where(boosted, low, rate)


def _points(result: Bounds) -> tuple[Float[Array, " K"], Float[Array, " K"]]:
    """The point estimates; they are kept only if a choice uses them."""
    assert result.probability is not None and result.rate is not None
    return result.probability, result.rate
