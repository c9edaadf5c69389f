"""Thompson sampling on hazards: one posterior draw per unit of waiting. Our policy.

Idea: the waits cut time into units. An epoch shows, for every unit that it entered,
whether it ended there, at what time and with which reward. These data are not censored.
One draw for every unit is one draw of the rates of *all* waits of a macro-arm:

    g_j = R_j / C_j,    R_j = sum_{d <= j} S_{d-1} h_d v_d,
    C_j = sum_{d <= j} S_{d-1} h_d c_d + S_j e_j,    S_d = prod_{i <= d} (1 - h_i),

by eq. (2) of Sharoff, Mehta & Ganti (2020). The hazard h_d is the probability that an
epoch which enters unit d ends in it. Epochs that end there have mean reward v_d and
mean time c_d; e_j is the time that giving up costs. The largest g_j is the value of
optimal stopping.

The posterior of h_d is a Beta law; apart from the prior, its mean is the Kaplan-Meier
estimate. The posteriors of v_d and of c_d (as a share of its unit) have the mean and
variance of a Dirichlet process (plain/gains.py). In a unit of length 1, c_d is known.
No initial round-robin, no radius, no horizon.

Named choice: `joint` draws reward and time together in units longer than 1, that is,
where waits leave gaps. If late rewards are smaller, two independent draws must both be
lucky to make up for one unlucky epoch. Let the price p of time be the largest rate at
posterior means. The worth of an epoch that ends in the unit is its reward minus p times
its time. From a draw x_d of the mean worth follows v_d = x_d + p c_d, where c_d is the
posterior mean. Proofs for both choices: theory/hazard-thompson.md.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Int32

from jaxbandits.arrays import (
    CompensatedSum,
    constant,
    first_argmax,
    row,
    split_index,
    stored,
    unit_interval,
    with_row,
)
from jaxbandits.checks import AtLeastOne, flag
from jaxbandits.checks.factory import factory
from jaxbandits.farewell.policies.product_limit import Units
from jaxbandits.farewell.problem import Action, Problem
from jaxbandits.kernels.gamma import beta_from_uniforms
from jaxbandits.plain.gains import WORDS, Gains, Sums, shortfalls
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """Beta prior of every hazard; both parameters are at least 1.

    A prior that expects epochs to go on (`prior_passed` large) tries long waits less,
    and takes long to discover rewards in a unit where it expects none.
    """

    prior_ended: AtLeastOne = 1.0
    prior_passed: AtLeastOne = 1.0


class State(NamedTuple):
    """Statistics of every macro-arm's epochs in every unit."""

    entered: Int32[Array, "K D"]  # epochs that entered it, with a wait that covers it
    ended: Int32[Array, "K D"]  # of these, epochs that ended in it
    rewards: Sums  # f32[K, D]  rewards of the epochs that ended in it
    late: Sums | tuple[()]  # f32[K, D]  their times, as shares of a unit longer than 1
    products: CompensatedSum | tuple[()]  # f32[K, D]  reward times share, if joint


@factory(Problem)
def hazard_thompson(
    problem: Problem, joint: bool = False
) -> Policy[State, Params, Action]:
    """Thompson sampling on hazards.

    Args:
      problem: number of macro-arms and waits; rewards lie in [0, 1].
      joint: whether reward and time of epochs that end in a unit longer than 1 are
        drawn together; without such units it has no effect.

    Returns:
      A policy with `Params`; state O(K D); consumes 5 K D words to act, or 8 K D if a
      unit is longer than 1 and `joint` is false.
    """
    shape, waits = (problem.num_arms, problem.num_waits), problem.lengths
    starts = np.append(0, waits[:-1])
    length = waits - starts - 1.0  # time between first and last possible end of a unit
    waited = waits.astype(float) if problem.failure == "wait" else np.ones(shape[1])
    longer = bool(length.any())  # whether the time of an end within its unit can vary
    together = flag("joint", joint) and longer
    draws = 2 + WORDS * (1 + (longer and not together))

    def init(params):
        zeros = jnp.zeros(shape, jnp.int32)
        none = Sums.zeros(shape)
        late, products = none if longer else (), none.gain if together else ()
        return State(zeros, zeros, none, late, products)

    def act(noise, view, state, params):
        u = unit_interval(noise).reshape(draws, *shape)
        ended = params.prior_ended + state.ended.astype(float)
        passed = params.prior_passed + (state.entered - state.ended).astype(float)
        hazard = beta_from_uniforms(u[0], u[1], ended, passed)
        numbers = (starts + 1.0, length, waited)
        first, last, given_up = (x[None, :] for x in constant(numbers))
        rewards, words = Gains.of(state.ended, state.rewards), u[2 : 2 + WORDS]
        time = jnp.broadcast_to(first, shape)
        if together:
            elapsed = last * Gains.of(state.ended, state.late).expected()
            time, expected = time + elapsed, ended / (ended + passed)
            price = jnp.max(_rates(expected, rewards.expected(), time, given_up))
            # An epoch is worth 1 - price first, less `scale` times a shortfall.
            scale = 1 + price * last
            shortfall = shortfalls(*state[1:], price * last / scale).drawn_cost(words)  # type: ignore[call-arg]
            value = 1 - scale * shortfall + price * elapsed
        else:
            value = rewards.drawn(words)
            if longer:
                late = Gains.of(state.ended, state.late)
                time = time + last * late.drawn_cost(u[2 + WORDS :])
        best = first_argmax(_rates(hazard, value, time, given_up))
        return Action(*split_index(best, *shape))

    def update(noise, view, state, action, feedback, params):
        epoch = Units.of(waits, action.wait, feedback)
        old = row(state, action.arm)
        late, products = old.late, old.products
        if longer:
            begin, most = constant((starts + 1.0, np.maximum(length, 1.0)))
            share = (feedback.time.astype(float) - begin) / most
            late = late.add(share, epoch.ended)
            if together:
                products = products.add(
                    jnp.where(epoch.ended, share * feedback.reward, 0.0)
                )
        new = State(
            old.entered + epoch.entered.astype(jnp.int32),
            old.ended + epoch.ended.astype(jnp.int32),
            old.rewards.add(feedback.reward, epoch.ended),
            late,
            products,
        )
        return with_row(state, action.arm, new)

    words = (draws * problem.num_pairs, 0)
    name = "hazard TS, joint" if joint else "hazard TS"
    return Policy(name, init, act, update, Params(), words)


def _rates(hazard: Array, value: Array, time: Array, given_up: Array) -> Array:
    """Reward over time of all pairs, eq. (2).

    Args:
      hazard, value, time: of the units, f32[K, D]: the chance to end there, and then
        the mean reward and the mean time.
      given_up: f32[1, D], what giving up costs.
    """
    hazard, value, time = stored((hazard, value, time))
    survival = jnp.cumprod(1 - hazard, axis=1)
    entering = jnp.pad(survival[:, :-1], ((0, 0), (1, 0)), constant_values=1.0)
    ending = entering * hazard
    reward_of_wait = jnp.cumsum(ending * value, axis=1)
    time_of_wait = jnp.cumsum(ending * time, axis=1) + survival * given_up
    return stored(reward_of_wait / time_of_wait)
