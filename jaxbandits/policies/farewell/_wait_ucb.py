"""Wait-UCB: an upper confidence bound of the reward per unit of time.

Sharoff, Mehta & Ganti, "A Farewell to Arms: Sequential Reward Maximization on a Budget
with a Giving Up Option", AISTATS 2020, Algorithm 1.

Idea: the estimate of eq. (4) is a ratio of sums; Bernstein's inequality bounds how far
the mean time can be off, so that the radius grows with the wait.

Named choice: `observe`, what an epoch teaches about the other waits of its macro-arm.
``pair`` is the paper. ``shorter`` adds what waiting j shows of every shorter wait, and
is unbiased (its section 8). ``naive`` also credits longer waits when the delay was
seen: *biased*, because only short delays are, and kept to show it
(`jaxbandits reproduce farewell-side`). Both begin with the longest wait of every
macro-arm, which shows all waits. For longer waits see `product_limit`.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import (
    CompensatedSum,
    constant,
    first_argmax,
    row,
    split_index,
    with_row,
)
from jaxbandits.checks import one_of, positive
from jaxbandits.factory import factory
from jaxbandits.policies.farewell.pairs import longest_first
from jaxbandits.protocol import Act, Policy
from jaxbandits.settings.farewell.types import Action, Problem

OBSERVE = ("pair", "shorter", "naive")


class Params(NamedTuple):
    """scale > 0 of the radius; 1 is the paper."""

    scale: float = 1.0


def check(params: Params) -> None:
    """The parameters' range."""
    positive(scale=params.scale)


class Radius(NamedTuple):
    """``linear log s + root sqrt(log s)``, section 5: the parts that a pull fixes."""

    linear: Float[Array, "K D"]  # alpha_j / N
    root: Float[Array, "K D"]  # beta_j / sqrt(N)

    @classmethod
    def of(cls, count: Array, waits: np.ndarray) -> "Radius":
        """After `count` >= 1 pulls of every wait, f32[D]."""
        longer = waits - 1.0  # j - 1
        alpha = constant(8 * longer / 3)
        beta = constant(np.sqrt(2) * (np.sqrt(longer) + 1))
        return cls(alpha / count, beta / jnp.sqrt(count))

    def at(self, epoch: Int32[Array, ""], scale: Float[Array, ""]) -> Array:
        """The radius before an epoch, i32[]; ``s = epoch - 1`` are done."""
        log_s = jnp.log(jnp.maximum(epoch - 1, 1).astype(float))
        return scale * (self.linear * log_s + self.root * jnp.sqrt(log_s))


def largest_bound(problem: Problem, shows_shorter: bool) -> Act:
    """`act`: the first pair (arm, then wait) of the largest rate plus radius.

    Where a pull shows shorter waits too, the longest wait of every macro-arm first.
    """
    start = longest_first(problem) if shows_shorter else lambda pair, view: pair

    def act(noise, view, state, params):
        del noise
        best = first_argmax(state.rate + state.radius.at(view.round, params.scale))
        best = start(best, view)
        return Action(*split_index(best, problem.num_arms, problem.num_waits))

    return act


class State(NamedTuple):
    """Statistics of every pair, and the parts of its index that they determine."""

    count: Int32[Array, "K D"]  # type: ignore[assignment]  # N
    reward: CompensatedSum  # f32[K, D]
    time: Int32[Array, "K D"]  # sum of times: exact
    rate: Float[Array, "K D"]  # eq. (4); +inf before the first observation
    radius: Radius


@factory(Problem)
def wait_ucb(problem: Problem, observe: str = "pair") -> Policy[State, Params, Action]:
    """Wait-UCB.

    Args:
      problem: number of macro-arms and waits.
      observe: ``pair``, ``shorter`` or ``naive``.

    Raises:
      ValueError: on an unknown `observe`.
    """
    one_of("observe", observe, OBSERVE)
    shape = (problem.num_arms, problem.num_waits)
    waits, places = problem.lengths, np.arange(problem.num_waits, dtype=np.int32)

    def init(params):
        del params
        zeros, count = jnp.zeros(shape, float), jnp.zeros(shape, jnp.int32)
        nothing = CompensatedSum.zeros(shape, float)
        return State(count, nothing, count, zeros + jnp.inf, Radius(zeros, zeros))

    def credited(place, delay):
        """Waits that learn from an epoch, bool[D]."""
        if observe == "pair":
            return places == place
        shorter = places <= place
        return shorter if observe == "shorter" else shorter | jnp.isfinite(delay)

    def update(noise, view, state, action, feedback, params):
        del noise, view, params
        old = row(state, action.arm)
        in_time = feedback.delay <= jnp.asarray(waits, feedback.delay.dtype)
        count = old.count + 1
        reward = old.reward.add(jnp.where(in_time, feedback.reward, 0.0))
        lasted = problem.time(feedback.delay, waits.astype(float))
        time = old.time + lasted.astype(jnp.int32)
        rate = reward.total / time.astype(float)  # Eq. (4)
        radius = Radius.of(count.astype(float), waits)
        learns = credited(action.wait, feedback.delay)
        own = jax.tree.map(
            lambda new, before: jnp.where(learns, new, before),
            State(count, reward, time, rate, radius),
            old,
        )
        return with_row(state, action.arm, own)

    act = largest_bound(problem, shows_shorter=observe != "pair")
    name = "Wait-UCB" if observe == "pair" else f"Wait-UCB, {observe}"
    return Policy(name, init, act, update, Params(), check=check)
