"""Policies for plain or budgeted arms, played on pairs of a macro-arm and a wait.

A pair is an arm with a reward in [0, 1]. Its cost is the time of an epoch, between 1
and its wait.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from jaxbandits import budgeted
from jaxbandits.arrays import constant, row, split_index, with_row
from jaxbandits.checks import instance, number, positive
from jaxbandits.checks.factory import built_for, made_by
from jaxbandits.farewell.problem import Action, Feedback, Problem, View
from jaxbandits.protocol import P, Policy, S


class _NoOracle:
    """Placeholder for the oracle's view; any access is an error."""

    def __getattr__(self, name: str) -> Any:
        raise ValueError(
            f"view.oracle.{name} does not exist on pairs: a policy that uses an oracle "
            "cannot play them; farewell.fixed plays the pair of environment.oracle()"
        )


class PairFeedback(NamedTuple):
    """Feedback of the budgeted setting, and the delay. f32[] each."""

    reward: Float[Array, ""]
    cost: Float[Array, ""]
    delay: Float[Array, ""]


def as_arms(problem: Problem, scale: float = 1.0) -> budgeted.Problem:
    """The pairs as arms of the budgeted setting, row-major.

    Args:
      problem: macro-arms and waits.
      scale: the time that counts as a cost of 1.

    Raises:
      TypeError: if `problem` is of another setting.
      ValueError: if `scale` is not finite and positive.
    """
    instance("problem", problem, Problem, "of farewell")
    problem.check()
    positive(scale=number("scale", scale))
    waits = np.tile(problem.lengths.astype(float), problem.num_arms)
    return budgeted.make_problem(problem.num_pairs, 1 / scale, waits / scale)


def on_pairs(
    problem: Problem, policy: Policy[S, P, Array], scale: float = 1.0
) -> Policy[S, P, Action]:
    """Lift a policy of the budgeted setting, built for `as_arms`, to pairs.

    Arguments as for `as_arms`. The view has no oracle: a policy that reads it is
    refused before compilation.

    Raises:
      TypeError: if `problem` is of another setting, or `policy` is not a policy.
      ValueError: if `policy` was built for other arms than ``as_arms(problem, scale)``.
    """
    arms = as_arms(problem, scale)
    source = f"built for as_arms(problem, {scale:g}), the {problem.num_pairs} pairs"
    policy = built_for("policy", policy, arms, source)

    def view_of(view):
        nothing: Any = _NoOracle()
        spent = view.clock.astype(float) / scale
        unit = jnp.asarray(1 / scale, float)  # `simulate`'s budget is of time
        return budgeted.View(
            view.round, jnp.int32(problem.num_pairs), spent, unit, nothing
        )

    def feedback_of(feedback):
        cost = feedback.time.astype(float) / scale
        return PairFeedback(feedback.reward, cost, feedback.delay)

    return _lifted(problem, policy, view_of, feedback_of)


def on_rewards(
    problem: Problem, plain: Callable[[int], Policy[S, P, Array]]
) -> Policy[S, P, Action]:
    """Lift a plain policy to pairs; it sees an epoch's reward but not its time.

    Args:
      problem: macro-arms and waits.
      plain: factory of a plain policy, as `jaxbandits.plain.ucb`, called with the
        number of pairs.

    Raises:
      TypeError: if `problem` is of another setting, or `plain` is not a function or
        makes no policy.
      ValueError: if `plain` makes a policy for a problem.
    """
    instance("problem", problem, Problem, "of farewell")
    policy = made_by(plain, problem.num_pairs)
    return _lifted(problem, policy, lambda view: view, lambda feedback: feedback.reward)


def _lifted(
    problem: Problem,
    policy: Policy[Any, Any, Array],
    view_of: Callable[[View], Any],
    feedback_of: Callable[[Feedback], Any],
) -> Policy[Any, Any, Action]:
    def to_pair(arm):
        return Action(*split_index(arm, problem.num_arms, problem.num_waits))

    def act(noise, view, state, params):
        return to_pair(policy.act(noise, view_of(view), state, params))

    def update(noise, view, state, action, feedback, params):
        pair = action.arm * problem.num_waits + action.wait
        return policy.update(
            noise, view_of(view), state, pair, feedback_of(feedback), params
        )

    def recommend(state, params):
        return to_pair(policy.recommend(state, params))  # type: ignore[misc]

    return policy._replace(  # type: ignore[return-value]
        act=act,
        update=update,
        recommend=recommend if policy.recommend else None,
        problem=problem,
    )


def longest_first(problem: Problem) -> Callable[[Array, Any], Array]:
    """``start(pair, view)`` if an epoch also informs all shorter waits.

    Every macro-arm is played once with the longest wait; this informs all pairs.
    """

    def start(pair, view):
        longest = view.round * problem.num_waits - 1
        return jnp.where(view.round <= problem.num_arms, longest, pair)

    return start


def update_shorter_waits(
    problem: Problem, scale: float | None = None
) -> budgeted.Learning:
    """Side observations, for `budgeted.index_policy`.

    Waiting j shows the result that every shorter wait of the macro-arm would have had.
    So the statistics of these pairs are updated as well.

    Args:
      problem: macro-arms and waits.
      scale: the time that the policy sees as a cost of 1; by default the longest wait,
        as in the factories of `budgeted`.
    """
    scale = problem.longest if scale is None else scale
    shape = (problem.num_arms, problem.num_waits)
    waits, places = problem.lengths, np.arange(problem.num_waits, dtype=np.int32)

    def updater(statistics):
        def update(noise, view, state, action, feedback, params):
            arm, wait = split_index(action, *shape)
            tables, constants = jax.tree.map(
                lambda x: x.reshape(shape), (state, constant(statistics.constants))
            )
            old, constants = row((tables, constants), arm)
            in_time = feedback.delay <= jnp.asarray(waits, feedback.delay.dtype)
            reward = jnp.where(in_time, feedback.reward, 0.0)
            cost = problem.time(feedback.delay, waits.astype(float)) / scale
            new = statistics.observe(old, constants, reward, cost)
            own = jax.tree.map(
                lambda after, before: jnp.where(places <= wait, after, before),
                new,
                old,
            )
            tables = with_row(tables, arm, own)
            return jax.tree.map(lambda x, new: new.reshape(x.shape), state, tables)

        return update

    return budgeted.Learning(updater, longest_first(problem))
