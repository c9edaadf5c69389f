"""The censored setting with arbitrary limits: any limit in (0, max_limit].

Bengs & Huellermeier (2022), section 4. The game is that of `environment`, but there is
no finite table of pairs. So a round's expected gain is interpolated in a table of the
smooth parts of eq. (2), while the value of a recommended pair is exact. For recorded
runs both are exact (`staircase`).
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Int32

from jaxbandits.arrays import CompensatedSum, tally
from jaxbandits.censored.problem import (
    Action,
    Continuum,
    Problem,
    RealAction,
    censor,
    check_arms,
    penalty_at,
    penalty_in_play,
)
from jaxbandits.censored.staircase import (
    Staircase,
    best_pair,
    on_step,
    staircase,
    value_at,
)
from jaxbandits.checks import Numbers, increasing, kinds, numbers
from jaxbandits.checks.actions import in_range, of_kind, reals
from jaxbandits.checks.instances import knowing
from jaxbandits.kernels.counts import total, weighted
from jaxbandits.laws.law import JointLaw, Moments, well_formed
from jaxbandits.protocol import Actions, Environment, Game

CELLS = 2048  # cells of the table of gains and survival probabilities
TOLERANCE = 1e-5  # largest error of a value from this table


class State(NamedTuple):
    """The totals of a run.

    Attributes:
      pulls: i32[K], how often each arm was chosen.
      censored: i32[], rounds in which the limit was exceeded.
      value: sum of the expected gains of the chosen pairs, f32[].
    """

    pulls: Int32[Array, " K"]
    censored: Int32[Array, ""]
    value: CompensatedSum


class Setup(NamedTuple):
    """The instance, and the table for expected gains.

    Attributes:
      arms: the law's parameters.
      table: g and P(C > tau) at the limits 0, 1/CELLS, ... of max_limit,
        f64[K, CELLS + 1, 2]; for recorded runs, their `Staircase`.
    """

    arms: Any
    table: np.ndarray | Staircase


class Tables(NamedTuple):
    """What the metrics need.

    Attributes:
      value: nu*, f64[].
      best: 1 at the best arm, else 0, f64[K].
    """

    value: Any
    best: Any


class Oracle(NamedTuple):
    """Exact facts about an instance, float64.

    Attributes:
      arm: position of the best arm, eq. (3).
      limit: its best limit, among float32 numbers.
      value: nu*, the optimum over all pairs.
    """

    arm: int
    limit: float
    value: float


def any_limit(
    name: str, problem: Continuum, law: JointLaw, arms: Any
) -> Environment[Any, Any, Action | RealAction]:
    """`make_environment` for a problem without a grid, of arguments that are checked.

    Raises:
      ValueError: if the law's gains are neither smooth enough for the table nor the
        steps of recorded runs.
    """
    if law.steps is None:
        table_of = partial(pair_values, problem, law, arms)
        oracle = _best_pair(problem, table_of)
        table, values = _table(problem, law, arms), partial(_of_pairs, table_of)
    else:
        table = staircase(law, arms, problem.cost)
        oracle = Oracle(*best_pair(problem, table))
        values = partial(value_at, problem, table)
    made = Environment(
        name,
        _game(problem, law),
        setup=Setup(arms, table),
        tables=lambda instance: Tables(
            np.array([oracle.value]), np.eye(problem.num_arms)[None, oracle.arm]
        ),
        judge=partial(_judge, oracle, values),
        problem=problem,
        provenance={
            "setting": "censored",
            "law": law.name,
            "max_limit": problem.max_limit,
            "optimal_pair": [oracle.arm, oracle.limit],
            "optimal_value": oracle.value,
        },
    )
    return knowing(made, oracle)


@kinds
def pair_values(
    problem: Problem | Continuum, law: JointLaw, arms: Any, limits: Numbers
) -> np.ndarray:
    """Penalised expected gains of all arms, eq. (2).

    Args:
      problem: its cost and penalty functions are used.
      law: joint law of reward and consumption.
      arms: the law's parameters.
      limits: f64[n], positive and increasing.

    Returns:
      f64[K, n].

    Raises:
      ValueError, TypeError: if an argument or parameter is out of range.
    """
    check_arms(problem, law, arms)
    increasing(limits=limits)
    limits = numbers("limits", limits, 1)
    moments = well_formed(law).moments(arms, limits, problem.cost)
    return gains(problem, moments, limits)


def gains(
    problem: Problem | Continuum, moments: Moments, limits: np.ndarray
) -> np.ndarray:
    """`pair_values` from the arms' moments up to the limits."""
    survival = np.clip(1 - moments.probability, 0.0, 1.0)
    return moments.reward - moments.cost - penalty_at(problem, limits) * survival


def _best_pair(
    problem: Continuum, values: Callable[[np.ndarray], np.ndarray]
) -> Oracle:
    """The optimum: the best of a grid, refined around the best limit of every arm."""
    grid = problem.max_limit * np.arange(1, CELLS + 1) / CELLS
    table = values(grid)
    if not np.all(np.isfinite(table)):
        raise ValueError("arms give penalised expected gains that are not finite")
    arms = np.arange(problem.num_arms)
    limit, step = grid[np.argmax(table, axis=1)], grid[0]
    # Each pass refines the step 32 times, for all arms at once. A jump of the penalty
    # is approached from the left, where the paper's penalties are continuous.
    for _ in range(6):
        near = limit[:, None] + step * np.linspace(-1, 1, 65)
        near = np.clip(near, step * 1e-9, problem.max_limit)
        # Actions hold limits in float32, which decides whether a promise is kept.
        near = near.astype(np.float32).astype(np.float64)
        points, position = np.unique(near, return_inverse=True)
        result = values(points)[arms[:, None], position.reshape(near.shape)]
        limit, step = near[arms, np.argmax(result, axis=1)], step / 32
    value = result.max(axis=1)
    # The first of the arms that differ only by rounding errors.
    arm = int(np.argmax(value >= value.max() - 1e-12))
    return Oracle(arm, float(limit[arm]), float(value[arm]))


def _table(problem: Continuum, law: JointLaw, arms: Any) -> np.ndarray:
    """`Setup.table`, checked between its points."""
    limits = problem.max_limit * np.arange(1, 2 * CELLS + 1) / (2 * CELLS)
    moments = well_formed(law).moments(arms, limits, problem.cost)
    smooth = np.stack([moments.reward - moments.cost, 1 - moments.probability], -1)
    start = np.broadcast_to([0.0, 1.0], (len(smooth), 1, 2))
    table = np.concatenate([start, smooth[:, 1::2]], axis=1)
    between = (table[:, :-1] + table[:, 1:]) / 2
    weights = np.stack([np.ones(CELLS), penalty_at(problem, limits[::2])], -1)
    # The first cell is not checked: the law may have an atom at 0, below all limits.
    error = np.abs((between - smooth[:, ::2]) * weights).sum(-1)[:, 1:].max()
    if error > TOLERANCE:
        raise ValueError(
            f"law: the gains of {law.name} vary too fast for the table of arbitrary "
            f"limits (error {error:.2g}, at most {TOLERANCE}); use a grid of limits"
        )
    return table


@cache
def _game(problem: Continuum, law: JointLaw) -> Game:
    """The game; instances that differ only in numbers share it."""

    def init(instance):
        zero = jnp.zeros((), jnp.int32)
        pulls = jnp.zeros(problem.num_arms, jnp.int32)
        return State(pulls, zero, CompensatedSum.zeros((), float))

    def step(noise, instance, state, action):
        reward, consumption = law.sample(noise, instance.arms, action.arm)
        feedback = censor(reward, consumption, action.limit)
        # An invalid action does not count as a pull of any arm.
        arm = jnp.where(allowed(instance, action), action.arm, -1)
        pulls = tally(state.pulls, arm)
        value = state.value.add(_expected(instance.table, action))
        return State(
            pulls, state.censored + feedback.censored.astype(jnp.int32), value
        ), feedback

    def _expected(table, action):
        """Value of a pair, eq. (2); the penalty may jump and is not interpolated."""
        gain, survival = read(table, action)
        return gain - penalty_in_play(problem, action.limit) * survival

    def read(table, action):
        if law.steps is not None:
            return on_step(table, *action)
        place = jnp.clip(action.limit * (CELLS / problem.max_limit), 0.0, CELLS)
        cell = jnp.minimum(place.astype(jnp.int32), CELLS - 1)
        low, high = table[action.arm, cell], table[action.arm, cell + 1]
        return low + (place - cell.astype(place.dtype)) * (high - low)

    def allowed(instance, action):
        arm, limit = of_kind(action, RealAction)
        known = (reals("limit", limit, ()) > 0) & (limit <= problem.max_limit)
        return in_range("arm", arm, problem.num_arms) & known

    actions = Actions(
        f"a RealAction of an arm in [0, {problem.num_arms}) and a limit in "
        f"(0, {problem.max_limit}]",
        allowed,
        lambda instance, record: total(record.pulls),
    )
    return Game(init, step, _metrics, law.words, actions=actions)


def _metrics(tables: Tables, instance: Any, record: State) -> dict[str, jax.Array]:
    rounds = total(record.pulls).astype(float)
    (best,) = weighted(record.pulls, tables.best)
    played = jnp.maximum(rounds, 1.0)
    return {
        "regret": rounds * tables.value - record.value.exact(),  # Eq. (4)
        "censored": record.censored.astype(float) / played,
        "optimal": best / played,
    }


def _of_pairs(
    table_of: Callable[[np.ndarray], np.ndarray], arm: np.ndarray, limit: np.ndarray
) -> np.ndarray:
    """Values of pairs, f64[...], from a function of sorted limits for all arms."""
    limits, position = np.unique(np.float64(limit), return_inverse=True)
    return table_of(limits)[arm, position.reshape(limit.shape)]


def _judge(
    oracle: Oracle,
    values: Callable[..., np.ndarray],
    instance: Any,
    action: RealAction,
) -> dict[str, np.ndarray]:
    """Simple regret of section 4.2: ``nu* - nu`` of the recommended pair."""
    return {"simple_regret": np.maximum(oracle.value - values(*action), 0.0)}
