"""Wait-UCB: an upper confidence bound of the reward per unit of time.

Sharoff, Mehta & Ganti, "A Farewell to Arms: Sequential Reward Maximization on a Budget
with a Giving Up Option", AISTATS 2020, Algorithm 1.

Idea: the estimate of eq. (4) is a ratio of sums. Bernstein's inequality bounds the
error of the mean time, so that the radius grows with the wait.

Named choice: `observe` selects the waits whose statistics an epoch updates. ``pair`` is
the paper: only the wait that was played. ``shorter`` adds all shorter waits, whose
results waiting j also shows; it is unbiased (section 8 of the paper). It begins with
the longest wait of every macro-arm, which informs all waits. For updates of longer
waits see `product_limit`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

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
from jaxbandits.checks import Positive, one_of
from jaxbandits.checks.factory import factory
from jaxbandits.farewell.policies.pairs import longest_first
from jaxbandits.farewell.problem import Action, Problem
from jaxbandits.protocol import Act, Init, Policy

OBSERVE = ("pair", "shorter")


class Params(NamedTuple):
    """scale > 0 of the radius; the paper has 1."""

    scale: Positive = 1.0


class Waits(NamedTuple):
    """The waits and the factors of their radii, section 5; or those of one wait."""

    length: Any  # j, f[D]
    alpha: Any  # 8 (j - 1) / 3
    beta: Any  # sqrt(2) (sqrt(j - 1) + 1)

    @classmethod
    def of(cls, problem: Problem) -> "Waits":
        """All waits of a problem, f64 on the host."""
        longer = problem.lengths - 1.0  # j - 1
        beta = np.sqrt(2) * (np.sqrt(longer) + 1)
        return cls(problem.lengths.astype(float), 8 * longer / 3, beta)


class Radius(NamedTuple):
    """``linear log s + root sqrt(log s)``, section 5: the parts that a pull changes.

    Fields have one entry per pair, in any shape.
    """

    linear: Float[Array, "..."]  # alpha_j / N
    root: Float[Array, "..."]  # beta_j / sqrt(N)

    @classmethod
    def of(cls, count: Array, waits: Waits) -> "Radius":
        """The radius after `count` >= 1 pulls, f32[D] for all waits, f32[] for one."""
        return cls(waits.alpha / count, waits.beta / jnp.sqrt(count))

    def at(self, epoch: Int32[Array, ""], scale: Float[Array, ""]) -> Array:
        """The radius before an epoch, i32[]; ``s = epoch - 1`` epochs are over."""
        log_s = jnp.log(jnp.maximum(epoch - 1, 1).astype(float))
        return scale * (self.linear * log_s + self.root * jnp.sqrt(log_s))


def largest_bound(problem: Problem, shows_shorter: bool) -> Act:
    """An `act` that plays the first pair with the largest rate plus radius.

    If epochs inform shorter waits too, the longest wait of every macro-arm comes first.
    """
    start = longest_first(problem) if shows_shorter else lambda pair, view: pair

    def act(noise, view, state, params):
        best = first_argmax(state.rate + state.radius.at(view.round, params.scale))
        best = start(best, view)
        return Action(*split_index(best, problem.num_arms, problem.num_waits))

    return act


class State(NamedTuple):
    """Statistics of every pair, and the parts of its index that follow from them.

    An epoch updates one row. A row is a pair, shape ``[K D]``; or, if epochs inform
    other waits too, all waits of a macro-arm, shape ``[K, D]``.
    """

    count: Int32[Array, "..."]  # type: ignore[assignment]  # N
    reward: CompensatedSum  # f32
    time: Int32[Array, "..."]  # exact sum of times
    rate: Float[Array, "..."]  # eq. (4); +inf before the first observation
    radius: Radius


@factory(Problem)
def wait_ucb(problem: Problem, observe: str = "pair") -> Policy[State, Params, Action]:
    """Wait-UCB.

    Args:
      problem: number of macro-arms and waits.
      observe: ``pair`` or ``shorter``.

    Raises:
      ValueError: on an unknown `observe`.
    """
    if one_of("observe", observe, OBSERVE) == "shorter":
        return learning_of_waits("Wait-UCB, shorter", problem, _shorter)
    waits = Waits.of(problem)

    def update(noise, view, state, action, feedback, params):
        pair = action.arm * problem.num_waits + action.wait
        wait = row(constant(waits), action.wait)
        new = _after_epoch(problem, row(state, pair), wait, feedback)
        return with_row(state, pair, new)

    act = largest_bound(problem, shows_shorter=False)
    init = _nothing((problem.num_pairs,))
    return Policy("Wait-UCB", init, act, update, Params())


def _shorter(places: Array, action: Action, feedback: Any) -> Array:
    return places <= action.wait


def learning_of_waits(
    name: str, problem: Problem, learns: Callable[[Any, Action, Any], Array]
) -> Policy[State, Params, Action]:
    """Wait-UCB whose epochs update several waits of their macro-arm.

    Args:
      name: name of the policy.
      problem: number of macro-arms and waits.
      learns: ``(places i32[D], action, feedback) -> bool[D]``, the waits that an epoch
        updates.
    """
    waits, places = Waits.of(problem), np.arange(problem.num_waits, dtype=np.int32)

    def update(noise, view, state, action, feedback, params):
        old = row(state, action.arm)
        learning = learns(places, action, feedback)
        own = jax.tree.map(
            lambda new, before: jnp.where(learning, new, before),
            _after_epoch(problem, old, constant(waits), feedback),
            old,
        )
        return with_row(state, action.arm, own)

    act = largest_bound(problem, shows_shorter=True)
    init = _nothing((problem.num_arms, problem.num_waits))
    return Policy(name, init, act, update, Params())


def _nothing(shape: tuple[int, ...]) -> Init:
    """An `init` that returns statistics of the given shape."""

    def init(params):
        zeros, count = jnp.zeros(shape, float), jnp.zeros(shape, jnp.int32)
        nothing = CompensatedSum.zeros(shape, float)
        return State(count, nothing, count, zeros + jnp.inf, Radius(zeros, zeros))

    return init


def _after_epoch(problem: Problem, old: State, waits: Waits, feedback: Any) -> State:
    """A row of the state after one more epoch; `waits` are those of the row."""
    in_time = feedback.delay <= waits.length
    count = old.count + 1
    reward = old.reward.add(jnp.where(in_time, feedback.reward, 0.0))
    time = old.time + problem.time(feedback.delay, waits.length).astype(jnp.int32)
    rate = reward.total / time.astype(float)  # Eq. (4)
    return State(count, reward, time, rate, Radius.of(count.astype(float), waits))
