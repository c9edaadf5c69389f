"""Thompson sampling on pairs, with an update that also informs smaller limits.

Bengs & Huellermeier (2022), E.1, eq. (32): Beta-Bernoulli Thompson sampling (Agrawal &
Goyal 2012) on the rescaled reward of eq. (7). A round with limit tau updates all pairs
of the arm with a limit of at most tau.

The paper's "conduct a Bernoulli trial for every tau <= tau_t" has several readings,
whose regret differs by a factor of three (errata.md); `update` selects one.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits.arrays import (
    first_argmax,
    occurs,
    pick,
    put,
    split_index,
    stored,
    unit_interval,
)
from jaxbandits.censored.policies.observed import gain_of
from jaxbandits.censored.policies.survival import named
from jaxbandits.censored.problem import Action, Problem, check_bounded
from jaxbandits.checks import AtLeastOne, one_of
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.gamma import beta_from_uniforms
from jaxbandits.protocol import Policy

UPDATES = ("independent", "shared")


class Params(NamedTuple):
    """Prior Beta(prior_success, prior_failure) of every pair; both are at least 1."""

    prior_success: AtLeastOne = 1.0
    prior_failure: AtLeastOne = 1.0


class State(NamedTuple):
    """Posterior counts."""

    success: Int32[Array, "K M"]  # S
    failure: Int32[Array, "K M"]  # F


def success_probability(problem: Problem, feedback: Any) -> Float[Array, " M"]:
    """The success probability of eq. (32) at every limit."""
    largest = problem.max_charge
    gain = gain_of(problem, feedback)
    exceeds = feedback.consumption > jnp.asarray(problem.limits)
    value = jnp.where(exceeds, -jnp.asarray(problem.penalties()), gain)
    return (value + largest) / (1 + largest)


def counted(
    state: State,
    action: Action,
    informed: Bool[Array, " M"],
    outcome: Bool[Array, "#M"],
) -> State:
    """The counts after the trials of the `informed` limits of an arm."""
    success, failure = (pick(x, action.arm) for x in state)
    return State(
        put(
            state.success,
            action.arm,
            success + (informed & outcome).astype(jnp.int32),
        ),
        put(
            state.failure,
            action.arm,
            failure + (informed & ~outcome).astype(jnp.int32),
        ),
    )


@factory(Problem)
def thompson(
    problem: Problem, update: str = "independent"
) -> Policy[State, Params, Action]:
    """Thompson sampling for a problem of the censored setting.

    Plays every pair once in order, then the first pair with the largest posterior draw.

    Args:
      problem: arms, limits, cost and penalty functions.
      update: the Bernoulli trials of a round for the limits up to the one played:
        ``independent`` trials, or ``shared``, where all trials use one uniform.

    Returns:
      A policy with `Params`; consumes 2 K M words to act and 2 M to update.

    Raises:
      ValueError: on an unknown `update`, or if rewards do not lie in [0, 1].
    """
    check_bounded(problem, "thompson")
    one_of("update", update, UPDATES)
    shape = (problem.num_arms, problem.num_limits)

    def init(params):
        return State(jnp.zeros(shape, jnp.int32), jnp.zeros(shape, jnp.int32))

    def act(noise, view, state, params):
        first, second = unit_interval(noise.reshape(2, *shape))
        theta = beta_from_uniforms(
            first,
            second,
            params.prior_success + state.success.astype(float),
            params.prior_failure + state.failure.astype(float),
        )
        sampled = first_argmax(stored(theta))
        # The first K M rounds visit every pair.
        pair = jnp.where(view.round <= problem.num_pairs, view.round - 1, sampled)
        return Action(*split_index(pair, *shape))

    def learn(noise, view, state, action, feedback, params):
        probability = success_probability(problem, feedback)
        first, second = noise[::2], noise[1::2]
        informed = jnp.arange(shape[1], dtype=jnp.int32) <= action.limit
        if update == "independent":
            outcome = occurs(first, second, probability)
        else:
            outcome = occurs(first[0], second[0], probability)
        return counted(state, action, informed, outcome)

    def recommend(state, params):
        """The first pair with the largest posterior mean."""
        success, failure = (x.astype(float) for x in state)
        success = params.prior_success + success
        mean = success / (success + params.prior_failure + failure)
        return Action(*split_index(first_argmax(mean), *shape))

    name = named("TS", "" if update == "independent" else update)
    words = (2 * problem.num_pairs, 2 * problem.num_limits)
    return Policy(name, init, act, learn, Params(), words, recommend=recommend)
