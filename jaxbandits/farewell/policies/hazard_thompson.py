"""Thompson sampling on hazards: one draw of what every unit of waiting brings. Ours.

Idea: the waits cut time into units, and an epoch says of every unit that it has entered
whether it ended there, after how long and with which reward. None of this is censored.
One draw for every unit is one draw of the rates of *all* waits of a macro-arm:

    g_j = R_j / C_j,    R_j = sum_{d <= j} S_{d-1} h_d v_d,
    C_j = sum_{d <= j} S_{d-1} h_d c_d + S_j e_j,    S_d = prod_{i <= d} (1 - h_i),

which is eq. (2) of Sharoff, Mehta & Ganti (2020): h_d is the chance to end in a unit
that was entered (the hazard, whose estimate by Kaplan & Meier is the mean of the
posterior but for the prior), v_d the mean reward of those that end there, c_d when they
end, and e_j what giving up costs. The largest g_j is what stopping optimally is worth.

The posterior of h_d is a Beta law. Those of v_d and of c_d, as a share of its unit,
have mean and variance of a Dirichlet process's (plain/gains.py); in a unit of length
1 there is only one c_d. No start, no radius, no horizon.

Named choice: `joint`, whether in a longer unit, where waits leave a gap, reward and
time are drawn together. Apart, they have to be lucky twice to make up for one stroke of
bad luck, if what comes late pays less. At the price p that the largest rate by
posterior means puts on time an epoch that ends there is worth one number, its reward
less p times its time. A draw of the mean worth, x_d, is put down to the reward: v_d =
x_d + p c_d, c_d being its posterior mean. What is proved of either:
theory/hazard-thompson.md.
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
from jaxbandits.plain.gains import WORDS, Gains, Sums, lacks
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """Beta prior of every hazard, both parameters at least 1.

    One that expects epochs to go on (`prior_passed` large) tries long waits less, and
    takes long to find that a unit which it believes to be empty is not.
    """

    prior_ended: AtLeastOne = 1.0
    prior_passed: AtLeastOne = 1.0


class State(NamedTuple):
    """What the epochs of every macro-arm said of every unit."""

    entered: Int32[Array, "K D"]  # epochs that entered it, with a wait that covers it
    ended: Int32[Array, "K D"]  # of these, epochs that ended in it
    rewards: Sums  # f32[K, D]  and their rewards
    late: Sums | tuple[()]  # f32[K, D]  and shares of the unit that had gone by, if any
    products: CompensatedSum | tuple[()]  # f32[K, D]  of both, where they are joint


@factory(Problem)
def hazard_thompson(
    problem: Problem, joint: bool = False
) -> Policy[State, Params, Action]:
    """Thompson sampling on hazards.

    Args:
      problem: number of macro-arms and waits; rewards lie in [0, 1].
      joint: whether reward and time of an epoch that ends in a unit longer than 1 are
        drawn together; where there is none, it changes nothing.

    Returns:
      A policy with `Params`; state O(K D); consumes 5 K D words to act, or 8 K D where
      a unit is longer than 1 and `joint` is not set.
    """
    shape, waits = (problem.num_arms, problem.num_waits), problem.lengths
    starts = np.append(0, waits[:-1])
    length = waits - starts - 1.0  # from the first moment of a unit to the last one
    given_up = waits.astype(float) if problem.failure == "wait" else np.ones(shape[1])
    longer = bool(length.any())  # whether it matters when in its unit an epoch ends
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
        numbers = (starts + 1.0, length, given_up)
        first, last, lost = (x[None, :] for x in constant(numbers))
        rewards, words = Gains.of(state.ended, state.rewards), u[2 : 2 + WORDS]
        time = jnp.broadcast_to(first, shape)
        if together:
            gone = last * Gains.of(state.ended, state.late).expected()
            time, likely = time + gone, ended / (ended + passed)
            price = jnp.max(_rates(likely, rewards.expected(), time, lost))
            # An epoch is worth 1 - price first but for what it lacks, up to `scale`.
            scale = 1 + price * last
            lack = lacks(*state[1:], price * last / scale).drawn_cost(words)  # type: ignore[call-arg]
            value = 1 - scale * lack + price * gone
        else:
            value = rewards.drawn(words)
            if longer:
                late = Gains.of(state.ended, state.late)
                time = time + last * late.drawn_cost(u[2 + WORDS :])
        best = first_argmax(_rates(hazard, value, time, lost))
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


def _rates(hazard: Array, value: Array, time: Array, lost: Array) -> Array:
    """Reward over time of all pairs, eq. (2).

    Args:
      hazard, value, time: of the units, f32[K, D]: the chance to end there, and then
        the mean reward and the mean time.
      lost: f32[1, D], what giving up costs.
    """
    hazard, value, time = stored((hazard, value, time))
    survival = jnp.cumprod(1 - hazard, axis=1)
    entering = jnp.pad(survival[:, :-1], ((0, 0), (1, 0)), constant_values=1.0)
    ending = entering * hazard
    reward_of_wait = jnp.cumsum(ending * value, axis=1)
    time_of_wait = jnp.cumsum(ending * time, axis=1) + survival * lost
    return stored(reward_of_wait / time_of_wait)
