"""Several arms in a round, each with its own limit: the paper's future work.

Bengs & Huellermeier (2022), section 7: "a combinatorial bandit setting, in which it is
possible to choose a subset of arms in each round". In the terms of Chen, Wang & Yuan,
"Combinatorial Multi-Armed Bandit: General Framework, Results and Applications", ICML
2013: the arms of a round are a *super arm*, here of a given size m. Its value is the
sum of its pairs' values, eq. (2). The feedback is eq. (1) for every arm (a
semi-bandit). With m = 1 this is the paper's game.
"""

from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Int32

from jaxbandits.arrays import tally
from jaxbandits.censored.environment import ROUNDING, without_rounding
from jaxbandits.censored.problem import Combinatorial, Problem, SuperArm
from jaxbandits.censored.several_runs import known_pairs, problem_of, run_all
from jaxbandits.checks import whole
from jaxbandits.checks.actions import of_kind
from jaxbandits.checks.instances import knowing
from jaxbandits.kernels.counts import weighted
from jaxbandits.protocol import Actions, Environment, Game


class State(NamedTuple):
    """The totals of a run.

    Attributes:
      plays: i32[K, M], how often each pair was part of a super arm.
      censored: i32[m], rounds in which the arm at each place of the super arm exceeded
        its limit.
      rounds: i32[], rounds with a valid super arm.
    """

    plays: Int32[Array, "K M"]
    censored: Int32[Array, " m"]
    rounds: Int32[Array, ""]


class Tables(NamedTuple):
    """What the metrics need.

    Let the value of an arm be that of its best limit.

    Attributes:
      short: loss by playing a pair, f64[K, M]: the larger of the arm's value and the
        m-th largest arm value, minus the value of the pair.
      left_out: loss by not playing an arm, f64[K]: its value minus the m-th largest
        arm value, at least 0.
      optimal: 1 where a pair is part of some optimal super arm, else 0, f64[K, M].
    """

    short: Any
    left_out: Any
    optimal: Any


class SuperArmOracle(NamedTuple):
    """Exact facts about an instance, float64.

    Attributes:
      values: nu of every pair, f64[K, M], eq. (2).
      arms, limits: an optimal super arm, best arm first, i64[m].
      value: the optimum, the sum of the values of its pairs.
    """

    values: np.ndarray
    arms: np.ndarray
    limits: np.ndarray
    value: float


def combinatorial(
    environment: Environment, size: int
) -> Environment[Any, State, SuperArm]:
    """An environment of the censored setting in which several arms run in a round.

    The arms of a round run independently. Programs and their compile time grow with
    `size`.

    Args:
      environment: made by `make_environment`, `recorded` or an instance, with a grid of
        limits. Its additional metrics (those of `recorded`) are dropped.
      size: m, the number of arms in a round, in [1, K].

    Returns:
      An environment with `SuperArm`s, `SemiBanditFeedback` and the metrics

      * ``regret``: cumulative pseudo-regret against the best super arm, from counts;
      * ``censored``: share of plays of an arm whose limit was exceeded;
      * ``optimal``: share of plays of pairs in some optimal super arm (if arms tie for
        its last place, there are several, and regret may be positive at a share of 1);
      * ``simple_regret``: gap of the super arm that the policy recommends, if any.

    Raises:
      ValueError: if `size` is out of range.
      TypeError: if an argument has the wrong type, or if the environment has no grid,
        instances that are drawn, a view of more than the round, a budget or no oracle.
    """
    pairs, inner = problem_of(environment), environment.game
    size = whole("size", size, 1, pairs.num_arms)
    oracle = _oracle(environment.oracle().values, size)  # type: ignore[misc]
    tables = jax.tree.map(lambda leaf: leaf[None], _tables(oracle))
    facts = dict(environment.provenance or {})
    facts.pop("optimal_pair", None)
    made = Environment(
        f"{environment.name}, {size} arms a round",
        _game(inner, pairs, size),
        setup=environment.setup,
        tables=lambda instance: tables,
        judge=partial(_judge, oracle),
        problem=Combinatorial(*pairs, size),
        provenance=facts
        | {
            "size": size,
            "optimal_super_arm": [oracle.arms.tolist(), oracle.limits.tolist()],
            "optimal_value": oracle.value,
        },
    )
    return knowing(made, oracle)


def _oracle(values: np.ndarray, size: int) -> SuperArmOracle:
    """The oracle: arms whose best limits have the largest values; ties by position."""
    best = values.max(axis=1)
    arms = np.argsort(-np.round(best / ROUNDING), kind="stable")[:size]
    limits = np.argmax(without_rounding(best[:, None] - values) == 0, axis=1)[arms]
    return SuperArmOracle(values, arms, limits, float(best[arms].sum()))


def _tables(oracle: SuperArmOracle) -> Tables:
    best = oracle.values.max(axis=1)
    last = best[oracle.arms].min()
    # All terms are at least 0: a small regret loses no digits by cancellation.
    short = without_rounding(np.maximum(best, last)[:, None] - oracle.values)
    chosen = np.isin(np.arange(len(best)), oracle.arms)
    left_out = np.where(chosen, without_rounding(best - last), 0.0)
    return Tables(short, left_out, (short == 0).astype(np.float64))


@cache
def _game(inner: Game, pairs: Problem, size: int) -> Game:
    """The game; instances that differ only in numbers share it."""

    def init(instance):
        shape = (pairs.num_arms, pairs.num_limits)
        return State(
            jnp.zeros(shape, jnp.int32),
            jnp.zeros(size, jnp.int32),
            jnp.zeros((), jnp.int32),
        )

    def step(noise, instance, state, action):
        feedback = run_all(inner, instance, noise, action, size)
        plays = state.plays
        for place in range(size):
            plays = tally(plays, *action.pair(place))
        censored = state.censored + feedback.censored.astype(jnp.int32)
        played = allowed(instance, action).astype(jnp.int32)
        return State(plays, censored, state.rounds + played), feedback

    def allowed(instance, action):
        known = known_pairs(of_kind(action, SuperArm), pairs, size)
        arm = action.arm
        for place in range(1, size):
            known &= jnp.all(arm[place] != arm[:place])
        return known

    actions = Actions(
        f"a SuperArm of {size} different arms in [0, {pairs.num_arms}), and as many "
        f"limits' positions in [0, {pairs.num_limits})",
        allowed,
        lambda instance, record: record.rounds,
    )
    return Game(init, step, metrics, inner.words * size, actions=actions)


def metrics(tables: Tables, instance: Any, record: State) -> dict[str, jax.Array]:
    """See `combinatorial`."""
    size = record.censored.shape[0]
    ones = jnp.ones(size, tables.left_out.dtype)
    short, best = weighted(record.plays, tables.short, tables.optimal)
    rested = record.rounds - jnp.sum(record.plays, axis=1)
    (left_out,) = weighted(rested, tables.left_out)
    (censored,) = weighted(record.censored, ones)
    # The number of plays may exceed int32.
    plays = size * jnp.maximum(record.rounds, 1).astype(ones.dtype)
    return {
        "regret": short + left_out,
        "censored": censored / plays,
        "optimal": best / plays,
    }


def _judge(
    oracle: SuperArmOracle, instance: Any, action: SuperArm
) -> dict[str, np.ndarray]:
    """The gap of the recommended super arm, f64[S, C]."""
    values = oracle.values[action.arm, action.limit].sum(axis=-1)
    return {"simple_regret": without_rounding(oracle.value - values)}
