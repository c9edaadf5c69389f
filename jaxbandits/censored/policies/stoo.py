"""StoOO, stochastic optimistic optimisation, on the intervals of limits of all arms.

Munos, "From Bandits to Monte-Carlo Tree Search: The Optimistic Principle Applied to
Optimization and Planning", 2014, section 3.4 (StoOO); a baseline of the censored paper
(section 4.2). The value of a pair is estimated only from the rounds of that pair.

Idea: each arm's interval is cut into cells, which are played at their centres. Once the
confidence length of a cell is below the possible variation of the value within the
cell, the cell is cut into m new cells without observations.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits.arrays import pick, row, with_row
from jaxbandits.censored.policies.growing import (
    Best,
    OwnRounds,
    play_best,
    report_points,
)
from jaxbandits.censored.problem import Continuum, RealAction, check_bounded
from jaxbandits.checks import (
    MOST,
    AtLeastOne,
    BetweenZeroAndOne,
    NonNegative,
    Positive,
    whole,
)
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.radii import hoeffding_scale
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """Parameters of StoOO.

    Attributes:
      horizon: T, the number of rounds; by default that of the game.
      delta: in (0, 1), the error probability.
      radius: factor >= 0 of the confidence length.
      smoothness: positive; the largest change of the value per unit of the limit.
    """

    horizon: AtLeastOne = 100_000.0
    delta: BetweenZeroAndOne = 0.05
    radius: NonNegative = 1.0
    smoothness: Positive = 1.0


class Cells(NamedTuple):
    """The cells of all arms ``[K, G]``, or of one arm; unused cells have width 0."""

    left: Float[Array, "*K G"]
    width: Float[Array, "*K G"]
    rounds: OwnRounds

    @property
    def centre(self) -> Array:
        """The limit at which a cell is played."""
        return self.left + self.width / 2

    def cut(self, own: Array, beyond: Array, splits: int) -> "Cells":
        """The cells after a cut: the leftmost part stays, the others are appended.

        Args:
          own: bool[G], true at the cell to cut.
          beyond: i32[G], positions counted from the first unused one.
          splits: m.
        """
        left, width = (jnp.sum(jnp.where(own, x, 0.0)) for x in (self.left, self.width))
        part = width / splits
        step = beyond + 1  # 1, ..., m - 1 at the new cells
        new = (step >= 1) & (step < splits)
        fresh = new | own
        value = jax.tree.map(lambda x: jnp.where(fresh, 0.0, x), self.rounds.value)
        return Cells(
            jnp.where(new, left + step.astype(float) * part, self.left),
            jnp.where(fresh, part, self.width),
            OwnRounds(jnp.where(fresh, 0, self.rounds.pulls), value),
        )


class Answer(NamedTuple):
    """The deepest cell that has been cut; among ties, the one with the largest mean."""

    arm: Int32[Array, ""]
    limit: Float[Array, ""]
    width: Float[Array, ""]
    mean: Float[Array, ""]

    def or_cut(
        self, cells: Cells, own: Array, action: RealAction, is_cut: Array
    ) -> "Answer":
        """The better of this answer and the played cell, if that cell is cut."""
        total, pulls, width = (
            jnp.sum(jnp.where(own, x, 0))
            for x in (cells.rounds.value.total, cells.rounds.pulls, cells.width)
        )
        mean = total / jnp.maximum(pulls, 1).astype(float)
        deeper = width < self.width * (1 - 1e-6)
        alike = width <= self.width * (1 + 1e-6)
        wins = is_cut & (deeper | (alike & (mean > self.mean)))
        result = Answer(action.arm, action.limit, width, mean)
        return jax.tree.map(lambda new, old: jnp.where(wins, new, old), result, self)


class State(NamedTuple):
    """Cells, and the best cell of each arm."""

    cells: Cells
    count: Int32[Array, " K"]  # type: ignore[assignment]  # cells in use
    best: Best
    answer: Answer
    overflow: Bool[Array, ""]


@factory(Continuum)
def stoo(
    problem: Continuum, splits: int = 2, capacity: int = 64
) -> Policy[State, Params, RealAction]:
    """StoOO for a problem with arbitrary limits.

    Plays the centre of the cell with the largest ``mean + length + smoothness width /
    2``. Here ``length = radius (1 + L) sqrt(log(T^2 / delta) / (2 n))``, since values
    of rounds lie in [-L, 1] with ``L = problem.max_charge``. A cell is cut when its
    length is at most ``smoothness width / 2``. The policy recommends the centre of the
    deepest cell that has been cut.

    Args:
      problem: arms, cost and penalty functions, largest limit.
      splits: m >= 2, number of parts into which a cell is cut.
      capacity: G, the largest number of cells of an arm.

    Returns:
      A policy with `Params`; state O(K G). It reports ``points`` (cells of all arms)
      and ``overflow`` (0 or 1).

    Raises:
      ValueError: if `splits` or `capacity` is out of range, or if rewards do not lie in
        [0, 1].
    """
    check_bounded(problem, "stoo")
    whole("splits", splits, 2, MOST)
    if whole("capacity", capacity, 1, MOST) < splits:
        raise ValueError(f"capacity must be at least splits = {splits}, got {capacity}")
    num_arms, shape = problem.num_arms, (problem.num_arms, capacity)
    places = jnp.arange(capacity, dtype=jnp.int32)
    span = 1 + problem.max_charge

    def init(params):
        whole = jnp.where(places == 0, problem.max_limit, 0.0).astype(float)
        middle = jnp.asarray(problem.max_limit / 2, float)
        return State(
            Cells(
                jnp.zeros(shape, float),
                jnp.broadcast_to(whole, shape),
                OwnRounds.none(shape),
            ),
            jnp.ones(num_arms, jnp.int32),
            Best.untried(num_arms, 0, middle),
            Answer(jnp.int32(0), middle, jnp.full((), jnp.inf, float), jnp.zeros(())),
            jnp.zeros((), bool),
        )

    def update(noise, view, state, action, feedback, params):
        cells, count = row((state.cells, state.count), action.arm)
        # Cells are compared by position: a recomputed limit may differ in its last bit.
        own = places == pick(state.best.place, action.arm)
        cells = cells._replace(
            rounds=cells.rounds.after(own, problem, action, feedback)
        )
        ready = own & (_variation(cells, params) >= _lengths(cells, span, params))
        fits = count + (splits - 1) <= capacity
        is_cut = jnp.any(ready) & fits
        answer = state.answer.or_cut(cells, own, action, is_cut)
        after = cells.cut(own, places - count, splits)
        cells = jax.tree.map(lambda new, old: jnp.where(is_cut, new, old), after, cells)
        count = count + jnp.where(is_cut, splits - 1, 0)
        arm = (cells, count, Best.of(_indices(cells, span, params), cells.centre))
        old = (state.cells, state.count, state.best)
        new = with_row(old, action.arm, arm)
        return State(*new, answer, state.overflow | (jnp.any(ready) & ~fits))

    def recommend(state, params):
        return RealAction(state.answer.arm, state.answer.limit)

    return Policy(
        "StoOO",
        init,
        play_best,
        update,
        Params(),
        recommend=recommend,
        report=report_points,
        game_params=("horizon",),
    )


def _lengths(cells: Cells, span: float, params: Params) -> Array:
    """Confidence lengths of values in an interval of size `span`."""
    scale = hoeffding_scale(2 * jnp.log(params.horizon) - jnp.log(params.delta))
    count = jnp.maximum(cells.rounds.pulls, 1).astype(float)
    return params.radius * span * scale / jnp.sqrt(count)


def _variation(cells: Cells, params: Params) -> Array:
    """Largest difference between a value in a cell and the value at its centre."""
    return params.smoothness * cells.width / 2


def _indices(cells: Cells, span: float, params: Params) -> Array:
    """Indices of all cells: +inf for unplayed cells, -inf at unused positions."""
    index = cells.rounds.mean() + _lengths(cells, span, params)
    index = index + _variation(cells, params)
    index = jnp.where(cells.rounds.pulls > 0, index, jnp.inf)
    return jnp.where(cells.width > 0, index, -jnp.inf)
