"""StoOO, stochastic optimistic optimisation, on the intervals of limits of all arms.

Munos, "From Bandits to Monte-Carlo Tree Search: The Optimistic Principle Applied to
Optimization and Planning", 2014, section 3.4 (StoOO), as the censored paper (section
4.2) compares with: every pair is valued by its own rounds only.

Idea: each arm's interval is cut into cells that are played at their centres; once the
confidence length of a cell is below what the function may vary within it, the cell is
cut into m, each of which starts anew.
"""

from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits.arrays import CompensatedSum, first_argmax, pick, row, with_row
from jaxbandits.censored.policies.value import value_of_round
from jaxbandits.censored.problem import (
    Continuum,
    Problem,
    RealAction,
    check_bounded,
    check_continuum,
    penalty_in_play,
)
from jaxbandits.checks import (
    MOST,
    at_least_one,
    between_zero_and_one,
    non_negative,
    positive,
    whole,
)
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.radii import hoeffding_scale
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """What StoOO is told.

    Attributes:
      horizon: T, the number of rounds; the game's own by default.
      delta: in (0, 1), the error probability.
      radius: factor >= 0 of the confidence length.
      smoothness: > 0, how much the value may change per unit of the limit.
    """

    horizon: float = 100_000.0
    delta: float = 0.05
    radius: float = 1.0
    smoothness: float = 1.0


def _check(params: Params) -> None:
    at_least_one(horizon=params.horizon)
    between_zero_and_one(delta=params.delta)
    non_negative(radius=params.radius)
    positive(smoothness=params.smoothness)


class _Cells(NamedTuple):
    """The cells of all arms ``[K, G]``, or of one; unused places have width 0."""

    left: Float[Array, "*arms G"]
    width: Float[Array, "*arms G"]
    pulls: Int32[Array, "*arms G"]
    value: CompensatedSum  # f32[G]

    @property
    def centre(self) -> Array:
        """Where a cell is played."""
        return self.left + self.width / 2


class _Answer(NamedTuple):
    """The deepest cell that has been cut, of several the one with the largest mean."""

    arm: Int32[Array, ""]
    limit: Float[Array, ""]
    width: Float[Array, ""]
    mean: Float[Array, ""]


class State(NamedTuple):
    """Cells, and the best cell of each arm."""

    cells: _Cells
    count: Int32[Array, " K"]  # type: ignore[assignment]  # used places
    index: Float[Array, " K"]  # type: ignore[assignment]
    place: Int32[Array, " K"]
    limit: Float[Array, " K"]
    answer: _Answer
    overflow: Bool[Array, ""]


@factory(Continuum, Problem)
def stoo(
    problem: Continuum, splits: int = 2, capacity: int = 64
) -> Policy[State, Params, RealAction]:
    """StoOO for a problem with arbitrary limits.

    Plays the centre of the cell with the largest ``mean + length + smoothness width /
    2``, where ``length = radius (1 + lambda(tau_max)) sqrt(log(T^2 / delta) / (2 n))``
    (values of rounds lie in an interval of that size), and cuts the cell when its
    length is at most ``smoothness width / 2``. It recommends the centre of the deepest
    cell that it has cut.

    Args:
      problem: arms, cost and penalty functions, largest limit.
      splits: m >= 2, cells into which one cell is cut.
      capacity: largest number of cells of an arm.

    Returns:
      A policy with `Params`; state O(K G). It reports ``points`` (cells of all arms)
      and ``overflow`` (0 or 1).

    Raises:
      ValueError: naming `splits` or `capacity` if out of range, or if rewards do not
        lie in [0, 1].
      TypeError: if the problem has a grid of limits.
    """
    check_continuum(problem, "stoo")
    check_bounded(problem, "stoo")
    whole("splits", splits, 2, MOST)
    if whole("capacity", capacity, 1, MOST) < splits:
        raise ValueError(f"capacity must be at least splits = {splits}, got {capacity}")
    return _stoo(problem, splits, capacity)


@cache
def _stoo(
    problem: Continuum, splits: int, capacity: int
) -> Policy[State, Params, RealAction]:
    num_arms, shape = problem.num_arms, (problem.num_arms, capacity)
    places = jnp.arange(capacity, dtype=jnp.int32)
    span = 1 + problem.max_charge

    def init(params):
        del params
        whole = jnp.where(places == 0, problem.max_limit, 0.0).astype(float)
        middle = jnp.asarray(problem.max_limit / 2, float)
        return State(
            _Cells(
                jnp.zeros(shape, float),
                jnp.broadcast_to(whole, shape),
                jnp.zeros(shape, jnp.int32),
                CompensatedSum.zeros(shape, float),
            ),
            jnp.ones(num_arms, jnp.int32),
            jnp.full(num_arms, jnp.inf, float),
            jnp.zeros(num_arms, jnp.int32),
            jnp.full(num_arms, middle),
            _Answer(jnp.int32(0), middle, jnp.full((), jnp.inf, float), jnp.zeros(())),
            jnp.zeros((), bool),
        )

    def act(noise, view, state, params):
        del noise, view, params
        arm = first_argmax(state.index)
        return RealAction(arm, pick(state.limit, arm))

    def lengths(cells, params):
        scale = hoeffding_scale(2 * jnp.log(params.horizon) - jnp.log(params.delta))
        count = jnp.maximum(cells.pulls, 1).astype(float)
        return params.radius * span * scale / jnp.sqrt(count)

    def cut(cells, count, own):
        """The cell becomes its leftmost part; the others follow at the end."""
        left, width = (
            jnp.sum(jnp.where(own, x, 0.0)) for x in (cells.left, cells.width)
        )
        part = width / splits
        step = places - count + 1  # 1, ..., m - 1 at the new cells
        new = (step >= 1) & (step < splits)
        fresh = new | own
        value = jax.tree.map(lambda x: jnp.where(fresh, 0.0, x), cells.value)
        return _Cells(
            jnp.where(new, left + step.astype(float) * part, cells.left),
            jnp.where(fresh, part, cells.width),
            jnp.where(fresh, 0, cells.pulls),
            value,
        )

    def update(noise, view, state, action, feedback, params):
        del noise, view
        rows = (state.cells, state.count)
        cells, count = row(rows, action.arm)
        # Known by its place: a limit that is computed twice may differ in its last bit.
        own = places == pick(state.place, action.arm)
        value = value_of_round(
            problem, penalty_in_play(problem, action.limit), feedback
        )
        cells = cells._replace(
            pulls=cells.pulls + own.astype(jnp.int32),
            value=cells.value.add(jnp.where(own, value, 0.0)),
        )
        variation = params.smoothness * cells.width / 2
        ready = own & (variation >= lengths(cells, params))
        fits = count + (splits - 1) <= capacity
        expand = jnp.any(ready) & fits
        answer = better(state.answer, cells, own, action, expand)
        after = cut(cells, count, own)
        cells = jax.tree.map(lambda new, old: jnp.where(expand, new, old), after, cells)
        count = count + jnp.where(expand, splits - 1, 0)
        mean = cells.value.total / jnp.maximum(cells.pulls, 1).astype(float)
        index = mean + lengths(cells, params) + params.smoothness * cells.width / 2
        index = jnp.where(cells.pulls > 0, index, jnp.inf)
        index = jnp.where(cells.width > 0, index, -jnp.inf)
        best = first_argmax(index)
        old = (state.cells, state.count, state.index, state.place, state.limit)
        rows = (cells, count, pick(index, best), best, pick(cells.centre, best))
        new = with_row(old, action.arm, rows)
        return State(*new, answer, state.overflow | (jnp.any(ready) & ~fits))

    def better(answer, cells, own, action, expand):
        total, pulls, width = (
            jnp.sum(jnp.where(own, x, 0))
            for x in (cells.value.total, cells.pulls, cells.width)
        )
        mean = total / jnp.maximum(pulls, 1).astype(float)
        result = _Answer(action.arm, action.limit, width, mean)
        deeper = width < answer.width * (1 - 1e-6)
        alike = width <= answer.width * (1 + 1e-6)
        wins = expand & (deeper | (alike & (mean > answer.mean)))
        return jax.tree.map(lambda new, old: jnp.where(wins, new, old), result, answer)

    def recommend(state, params):
        del params
        return RealAction(state.answer.arm, state.answer.limit)

    def report(state, params):
        del params
        return {
            "points": jnp.sum(state.count),
            "overflow": state.overflow.astype(jnp.int32),
        }

    return Policy(
        "StoOO",
        init,
        act,
        update,
        Params(),
        check=_check,
        recommend=recommend,
        report=report,
        game_params=("horizon",),
    )
