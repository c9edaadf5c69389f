"""A policy for a grid of limits, lifted to games where any limit may be chosen."""

from collections.abc import Callable
from functools import cache
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxbandits.arrays import first_true, pick
from jaxbandits.censored.problem import (
    Action,
    Continuum,
    Problem,
    RealAction,
    make_problem,
)
from jaxbandits.checks import MOST, function, numbers, whole
from jaxbandits.checks.factory import built_for, check_problem
from jaxbandits.protocol import P, Policy, S


def on_grid(
    problem: Continuum, limits: Any, make: Callable[[Problem], Policy[S, P, Action]]
) -> Policy[S, P, RealAction]:
    """Let a policy choose from a fixed grid of limits.

    Args:
      problem: arms, cost and penalty functions, largest limit.
      limits: the grid, increasing, in (0, max_limit]; or a whole number M for the
        equidistant ``max_limit / M, ..., max_limit``.
      make: factory of the policy, called with the problem on the grid.

    Returns:
      The policy with `RealAction`s; parameters, noise, state and report are unchanged.

    Raises:
      ValueError: as `make_problem`, or if `make` makes a policy for another problem.
      TypeError: if the problem already has a grid, or `make` does not return a policy.
    """
    check_problem("on_grid", problem, Continuum)
    function("make", make)
    if isinstance(limits, int | np.integer):
        whole("limits", limits, 1, MOST)
        # The last share is exactly 1, so the last limit is exactly the largest.
        share = np.arange(1, limits + 1) / limits
        limits = problem.max_limit * share
    grid = numbers("limits", limits, ndim=1)
    return _on_grid(problem, tuple(grid.tolist()), make)


@cache
def _on_grid(
    problem: Continuum, grid: tuple[float, ...], make: Callable[[Problem], Policy]
) -> Policy:
    n, cost, penalty, largest, sigma = problem
    mine = make_problem(n, grid, cost, penalty, largest, sigma=sigma)
    source = "made from the problem that it is called with"
    inner = built_for("make(problem)", make(mine), mine, source)

    def to_real(action):
        return RealAction(action.arm, pick(jnp.asarray(grid, float), action.limit))

    def act(noise, view, state, params):
        return to_real(inner.act(noise, view, state, params))

    def update(noise, view, state, action, feedback, params):
        place = first_true(jnp.asarray(grid, float) == action.limit)
        pair = Action(action.arm, place)
        return inner.update(noise, view, state, pair, feedback, params)

    def recommend(state, params):
        return to_real(inner.recommend(state, params))  # type: ignore[misc]

    return inner._replace(
        act=act,
        update=update,
        recommend=recommend if inner.recommend else None,
        problem=problem,
    )
