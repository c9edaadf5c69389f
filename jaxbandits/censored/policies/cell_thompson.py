"""Thompson sampling on the cells between limits. Our policy.

Idea: the limits cut an arm's consumption into cells (tau_{j-1}, tau_j]. A round shows,
for every cell that it entered, whether it ended there and with which gain. These data
are not censored. One draw for all cells is one draw of the values of *all* limits,

    nu_m = sum_{j <= m} S_{j-1} h_j mu_j - lambda(tau_m) S_m,
    S_j = prod_{k <= j} (1 - h_k),

by eq. (2). The hazard h_j is the probability that a round which enters cell j ends in
it, and mu_j is the mean gain of rounds that end in it. The posterior of h_j is a Beta
law; apart from the prior, its mean is the Kaplan-Meier estimate. The posterior of mu_j
has the mean and variance of a Dirichlet process whose prior observations are the least
and the largest possible gain (plain/gains.py). No radius, no horizon, no penalty scale.

Proofs: theory/cell-thompson.md.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Int32

from jaxbandits.arrays import row, stored, unit_interval, with_row
from jaxbandits.censored.policies.cells import (
    drawn_hazards,
    expected_hazards,
    values_of_pairs,
)
from jaxbandits.censored.policies.observed import cells_of, gain_of
from jaxbandits.censored.policies.scored import Scored, plays_pairs
from jaxbandits.censored.problem import Action, Problem, check_bounded
from jaxbandits.checks import AtLeastOne, NonNegative
from jaxbandits.checks.factory import factory
from jaxbandits.plain.gains import WORDS, Gains, Sums
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """Parameters of the prior and of the draws.

    Attributes:
      prior_ended, prior_passed: Beta prior of a cell's hazard, both at least 1. A prior
        that expects rounds to pass (`prior_passed` near M) explores large limits less,
        and may never discover that one of them is best.
      gain_spread: factor >= 0 of the distance of a drawn mean gain from its mean.
    """

    prior_ended: AtLeastOne = 1.0
    prior_passed: AtLeastOne = 1.0
    gain_spread: NonNegative = 1.0


class State(NamedTuple):
    """Statistics of every arm's rounds in every cell."""

    entered: Int32[Array, "K M"]  # rounds that entered the cell, with a limit beyond
    ended: Int32[Array, "K M"]  # of these, rounds that ended in it
    gains: Sums  # f32[K, M]  gains R - c(C) of the rounds that ended in it


def gains_of(problem: Problem, state: State) -> Gains:
    """Statistics of the gains in all cells."""
    return Gains.of(state.ended, state.gains, -problem.max_cost)


@factory(Problem)
def cell_thompson(problem: Problem) -> Policy[State, Params, Action]:
    """Thompson sampling on the cells between limits.

    The policy recommends the best pair at the posterior means.

    Args:
      problem: arms, limits, cost and penalty functions; rewards lie in [0, 1].

    Returns:
      A policy with `Params`; state O(K M); consumes 5 K M words to act.

    Raises:
      ValueError: if the problem's rewards do not lie in [0, 1].
    """
    check_bounded(problem, "cell_thompson")
    return plays_pairs(scored_cell_thompson(problem))


def scored_cell_thompson(problem: Problem) -> Scored:
    """Draws of all values, and values at posterior means; see `cell_thompson`."""
    shape = (problem.num_arms, problem.num_limits)
    least = -problem.max_cost  # the least gain; the largest is 1

    def init(params):
        zeros = jnp.zeros(shape, jnp.int32)
        return State(zeros, zeros, Sums.zeros(shape))

    def drawn(noise, view, state, params):
        uniforms = unit_interval(noise).reshape(2 + WORDS, *shape)
        hazard = drawn_hazards(*uniforms[:2], state, params)  # type: ignore[call-arg]
        seen = gains_of(problem, state)
        mean, gain = seen.expected(), seen.drawn(uniforms[2:])
        gain = jnp.clip(mean + params.gain_spread * (gain - mean), least, 1.0)
        return stored(values_of_pairs(problem, *stored((hazard, gain))))

    def update(noise, view, state, action, feedback, params):
        limits = jnp.asarray(problem.limits, float)
        entered, ended = cells_of(limits, action.limit, feedback)
        gain = gain_of(problem, feedback)
        old = row(state, action.arm)
        new = State(
            old.entered + entered.astype(jnp.int32),
            old.ended + ended.astype(jnp.int32),
            old.gains.add(gain, ended),
        )
        return with_row(state, action.arm, new)

    def expected(state, params):
        hazard = expected_hazards(state, params)
        return values_of_pairs(problem, hazard, gains_of(problem, state).expected())

    words = ((2 + WORDS) * problem.num_pairs, 0)
    return Scored("cell TS", init, drawn, update, expected, Params(), words)
