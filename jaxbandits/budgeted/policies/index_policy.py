"""The form of most policies here: pull every arm once, then maximise an index.

Ties, also between infinite indices, are broken uniformly at random, as in the published
code of Heyden et al. (2024).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32, UInt32

from jaxbandits.arrays import constant, random_argmax, row, with_row
from jaxbandits.budgeted.policies.statistics import MEANS, Statistics
from jaxbandits.budgeted.problem import Problem, View
from jaxbandits.checks import instance, kinds
from jaxbandits.checks.factory import check_problem
from jaxbandits.protocol import Noise, Policy, Update


def after_start(arm: Int32[Array, ""], view: View) -> Int32[Array, ""]:
    """`arm`, after all existing arms have been pulled once in order of position."""
    return jnp.where(view.round <= view.num_arms, view.round - 1, arm)


def update_arm(statistics: Statistics) -> Update:
    """The `update` that changes only the statistics of the pulled arm."""

    def update(noise, view, state, action, feedback, params):
        old, constants = row((state, constant(statistics.constants)), action)
        new = statistics.observe(old, constants, feedback.reward, feedback.cost)
        return with_row(state, action, new)

    return update


class Learning(NamedTuple):
    """Which statistics a pull updates, and which arms are therefore pulled first.

    Attributes:
      updater: makes `update` from the statistics.
      start: ``(arm, view) -> i32[]``, the arm to pull where the index chooses `arm`:
        another arm as long as some statistics have no observation.
    """

    updater: Callable[[Statistics], Update]
    start: Callable[[Int32[Array, ""], View], Int32[Array, ""]]


ONE_ARM = Learning(update_arm, after_start)


@kinds
def index_policy(
    name: str,
    problem: Problem,
    index: Callable[[View, Any, Any], Float[Array, " K"]],
    *,
    params: Any = (),
    check: Callable[[Any], None] | None = None,
    statistics: Statistics = MEANS,
    learning: Learning = ONE_ARM,
    explore: Callable[[Noise, View, Any], tuple[Array, Array]] | None = None,
    exploring_words: int = 0,
) -> Policy:
    """A policy that maximises an index of the arms' statistics.

    Args:
      name: name of the policy.
      problem: what the learner knows.
      index: ``(view, statistics, params) -> f32[K]``, used once all arms have been
        pulled; may be +inf but not NaN.
      params: default parameters.
      check: check of the parameters.
      statistics: statistics to keep of every arm, by default its means.
      learning: which statistics a pull updates, by default those of its own arm.
      explore: ``(noise, view, params) -> (bool[], i32[])``: whether to explore instead,
        and with which arm. By default never.
      exploring_words: how many words `explore` consumes.

    Raises:
      TypeError: if `problem` is not of this setting, `index` is not a function, or
        `learning` is not a `Learning`; during play, if the index is not f[K].
    """
    check_problem("index_policy", problem, Problem)
    instance("learning", learning, Learning, "of jaxbandits.budgeted")

    def init(params):
        return statistics.zeros(problem.num_arms)

    def act(noise, view, state, params):
        result = index(view, state, params)
        _check_index(result, problem.num_arms)
        arm = best_arm(result, view, noise[0])
        if explore is not None:
            flag, other = explore(noise[1:], view, params)
            arm = jnp.where(flag, other, arm)
        return learning.start(arm, view)

    return Policy(
        name,
        init,
        act,
        learning.updater(statistics),
        params,
        words=(1 + exploring_words, 0),
        check=check,
        problem=problem,
    )


def _check_index(result: Any, num_arms: int) -> None:
    """Require an index with one float per arm."""
    shape, dtype = jnp.shape(result), jnp.result_type(result)
    if shape != (num_arms,) or not jnp.issubdtype(dtype, jnp.floating):
        wanted = f"{jnp.zeros(()).dtype}[{num_arms}], a number per arm"
        raise TypeError(f"index must give {wanted}, got {dtype}{list(shape)}")


def best_arm(
    index: Float[Array, " K"], view: View, word: UInt32[Array, ""]
) -> Int32[Array, ""]:
    """Arm with the largest index among the arms that exist; ties at random."""
    exists = jnp.arange(index.shape[0], dtype=jnp.int32) < view.num_arms
    return random_argmax(jnp.where(exists, index, -jnp.inf), word)
