"""Thompson sampling on the cells between limits. Not of the paper.

Idea: the limits cut an arm's consumption into cells (tau_{j-1}, tau_j]. A round says of
every cell that it has entered whether it ended there, and with which gain: nothing is
censored any more. One draw of all cells is one draw of the values of *all* limits,

    nu_m = sum_{j <= m} S_{j-1} h_j mu_j - lambda(tau_m) S_m,
    S_j = prod_{k <= j} (1 - h_k),

which is eq. (2) with h_j the chance to end in a cell that was entered, and mu_j the
mean gain of the rounds that end in it. The posterior of h_j is a Beta law (its mean is
the Kaplan-Meier estimate but for the prior), that of mu_j has mean and variance of a
Dirichlet process's, whose prior observations are the smallest and the largest possible
gain (plain/gains.py). No radius, no horizon, no scale of penalties.

What is proved of it: theory/cell-thompson.md.
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
    """What is believed before the first round.

    Attributes:
      prior_ended, prior_passed: Beta prior of a cell's hazard, both at least 1. A prior
        that expects rounds to pass (`prior_passed` near M) explores large limits less,
        and may never find that one of them is best.
      gain_spread: factor >= 0 of a draw's distance from the mean of gains.
    """

    prior_ended: AtLeastOne = 1.0
    prior_passed: AtLeastOne = 1.0
    gain_spread: NonNegative = 1.0


class State(NamedTuple):
    """What the rounds of every arm said of every cell."""

    entered: Int32[Array, "K M"]  # rounds that entered the cell, with a limit beyond
    ended: Int32[Array, "K M"]  # of these, rounds that ended in it
    gains: Sums  # f32[K, M]  and what these gained, R - c(C)


def gains_of(problem: Problem, state: State) -> Gains:
    """What the rounds of all cells gained."""
    return Gains.of(state.ended, state.gains, -problem.max_cost)


@factory(Problem)
def cell_thompson(problem: Problem) -> Policy[State, Params, Action]:
    """Thompson sampling on the cells between limits.

    It recommends the best pair at the posterior means.

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
    """Draws of all values, and the values at the posterior means; see there."""
    shape = (problem.num_arms, problem.num_limits)
    least = -problem.max_cost  # of all gains; the largest is 1

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
