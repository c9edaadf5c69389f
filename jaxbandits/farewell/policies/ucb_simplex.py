"""UCB-Simplex for one resource.

Flajolet & Jaillet, "Logarithmic Regret Bounds for Bandits with Knapsacks", 2017
(arXiv:1510.01800). The only resource is time, in units of D, the longest wait.

Named choice: `kappa` is an upper bound on the reward per unit of cost, which the
learner must know. The default D always holds (a reward of 1 in one unit of time); D g*
would be oracle knowledge.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import CompensatedSum, first_argmax, row, split_index, with_row
from jaxbandits.checks import NonNegative
from jaxbandits.checks.factory import factory
from jaxbandits.farewell.problem import Action, Problem
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """kappa >= 0 bounds the ratio of expected reward to expected cost."""

    kappa: NonNegative


class State(NamedTuple):
    """Statistics of every pair, and the parts of its index that follow from them."""

    pulls: Int32[Array, " pairs"]
    reward: CompensatedSum  # f32[K D]
    time: Int32[Array, " pairs"]
    ratio: Float[Array, " pairs"]  # +inf before the first pull
    width: Float[Array, " pairs"]  # 1 / (mean cost sqrt(pulls))


@factory(Problem)
def ucb_simplex(problem: Problem) -> Policy[State, Params, Action]:
    """UCB-Simplex plays the first pair with the largest bound.

    The bound is ``(mean reward + (1 + kappa) sqrt(2 log t / n)) / mean cost``, where
    costs are times over D.
    """
    size = problem.num_pairs
    scale = problem.longest

    def init(params):
        zeros, count = jnp.zeros(size, float), jnp.zeros(size, jnp.int32)
        nothing = CompensatedSum.zeros(size, float)
        return State(count, nothing, count, zeros + jnp.inf, zeros)

    def act(noise, view, state, params):
        bonus = (1 + params.kappa) * jnp.sqrt(2 * jnp.log(view.round.astype(float)))
        best = first_argmax(state.ratio + bonus * state.width)
        return Action(*split_index(best, problem.num_arms, problem.num_waits))

    def update(noise, view, state, action, feedback, params):
        pair = action.arm * problem.num_waits + action.wait
        old = row(state, pair)
        pulls, time = old.pulls + 1, old.time + feedback.time
        reward = old.reward.add(feedback.reward)
        per_cost = scale / time.astype(float)
        root = jnp.sqrt(pulls.astype(float))
        new = State(pulls, reward, time, reward.total * per_cost, root * per_cost)
        return with_row(state, pair, new)

    kappa = Params(scale)
    return Policy("UCB-Simplex", init, act, update, kappa)
