"""Several arms in a round, each with a limit of its own: the paper's future work.

Bengs & Huellermeier (2022), section 7: "a combinatorial bandit setting, in which it is
possible to choose a subset of arms in each round". In the terms of Chen, Wang & Yuan,
"Combinatorial Multi-Armed Bandit: General Framework, Results and Applications", ICML
2013: the arms of a round are a *super arm*, here of a given size m; its value is the
sum of theirs, eq. (2), and the feedback is theirs one by one, eq. (1) (a semi-bandit).
With m = 1 it is the paper's game.
"""

from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits.arrays import tally
from jaxbandits.checks import instance, shown, whole
from jaxbandits.laws.law import Cost
from jaxbandits.protocol import Actions, Environment, Game
from jaxbandits.settings.actions import of_kind, positions_in
from jaxbandits.settings.censored.types import Action, Feedback, Problem
from jaxbandits.settings.counts import total, weighted


class SuperArm(NamedTuple):
    """The arms of a round, with their limits.

    Attributes:
      arm: i32[m], different arms in [0, K).
      limit: i32[m] in [0, M), positions in the problem's limits.
    """

    arm: Int32[Array, " m"]
    limit: Int32[Array, " m"]

    def pair(self, place: int) -> Action:
        """The arm at a place, and its limit."""
        return Action(self.arm[place], self.limit[place])


class SemiBanditFeedback(NamedTuple):
    """Eq. (1) of every arm of a super arm, in its order.

    Attributes:
      reward: f32[m], 0 where censored.
      consumption: f32[m], +inf where censored.
      censored: bool[m].
    """

    reward: Float[Array, " m"]
    consumption: Float[Array, " m"]
    censored: Bool[Array, " m"]

    def at(self, place: int) -> Feedback:
        """That of the arm at a place."""
        return Feedback(*(leaf[place] for leaf in self))


class Combinatorial(NamedTuple):
    """What a learner knows where `size` arms run in a round. Hashable.

    Attributes:
      num_arms, limits, cost, penalty, max_limit, sigma: as of `Problem`.
      size: m, how many arms a round has.
    """

    num_arms: int
    limits: tuple[float, ...]
    cost: Cost
    penalty: Cost
    max_limit: float
    sigma: float
    size: int

    @property
    def pairs(self) -> Problem:
        """The same arms and limits, where one arm runs in a round."""
        return Problem(*self[:-1])


class State(NamedTuple):
    """The books.

    Attributes:
      plays: i32[K, M], how often each pair was part of a super arm.
      censored: i32[], of these plays, those whose limit was exceeded.
      rounds: i32[], rounds with a super arm that the game has.
    """

    plays: Int32[Array, "K M"]
    censored: Int32[Array, ""]
    rounds: Int32[Array, ""]


class Tables(NamedTuple):
    """What the metrics need.

    Attributes:
      short: what a play is worth less than the worse of the arm's best limit and the
        m-th best arm's, f64[K, M].
      left_out: what an arm's best limit is worth more than the m-th best arm's, or 0,
        f64[K].
      optimal: 1 where a pair is part of an optimal super arm, else 0, f64[K, M].
    """

    short: Any
    left_out: Any
    optimal: Any


class Oracle(NamedTuple):
    """Exact facts about an instance, float64.

    Attributes:
      values: nu of every pair, f64[K, M], eq. (2).
      arms, limits: of an optimal super arm, best arm first, i64[m].
      value: the optimum, the sum of their values.
    """

    values: np.ndarray
    arms: np.ndarray
    limits: np.ndarray
    value: float


def combinatorial(
    environment: Environment, size: int
) -> Environment[Any, State, SuperArm]:
    """An environment of the censored setting in which several arms run in a round.

    They are drawn independently: the instance's arms are marginals.

    Args:
      environment: with a grid of limits, of `censored`, `recorded` or an instance.
      size: m, how many arms a round has, in [1, K].

    Returns:
      An environment with `SuperArm`s, `SemiBanditFeedback` and the metrics

      * ``regret``: cumulative pseudo-regret against the best super arm, from counts;
      * ``censored``: share of plays of an arm whose limit was exceeded;
      * ``optimal``: share of plays that are part of an optimal super arm;
      * ``simple_regret``: gap of the super arm that the policy recommends, if it does.

    Raises:
      ValueError: if `size` is out of range.
      TypeError: if an argument is of another kind, or the environment has no grid.
    """
    instance("environment", environment, Environment, "of settings.censored")
    pairs = environment.problem
    if not isinstance(pairs, Problem):
        raise TypeError(
            "environment must be of settings.censored, with a grid of limits, got "
            f"{environment.name!r}, whose problem is {shown(pairs)}"
        )
    size = whole("size", size, 1, pairs.num_arms)
    oracle = _oracle(environment.oracle().values, size)  # type: ignore[misc]
    tables = _tables(oracle, size)
    name = f"{environment.name}, {size} arms a round"
    return Environment(
        name,
        _game(environment.game, pairs, size),
        setup=environment.setup,
        tables=lambda instance: jax.tree.map(lambda leaf: leaf[None], tables),
        oracle=lambda instance=None: oracle,
        judge=partial(_judge, oracle),
        problem=Combinatorial(*pairs, size),
        provenance=environment.provenance
        | {
            "size": size,
            "optimal_super_arm": [oracle.arms.tolist(), oracle.limits.tolist()],
            "optimal_value": oracle.value,
        },
    )


def _oracle(values: np.ndarray, size: int) -> Oracle:
    """The arms whose best limits are worth most."""
    best = values.max(axis=1)
    arms = np.argsort(-best, kind="stable")[:size]
    return Oracle(values, arms, values[arms].argmax(axis=1), float(best[arms].sum()))


def _tables(oracle: Oracle, size: int) -> Tables:
    best = oracle.values.max(axis=1)
    last = best[oracle.arms[-1]]
    # All terms are at least 0, so that nothing cancels in a small regret.
    short = (best[:, None] - oracle.values) + np.maximum(last - best, 0.0)[:, None]
    short = np.where(short < 1e-9, 0.0, short)  # the quadrature's rounding
    left_out = np.where(np.isin(np.arange(len(best)), oracle.arms), best - last, 0.0)
    return Tables(short, left_out, (short == 0).astype(np.float64))


@cache
def _game(inner: Game, pairs: Problem, size: int) -> Game:
    """Instances that differ in numbers only are one game."""

    def init(instance):
        del instance
        shape = (pairs.num_arms, pairs.num_limits)
        zero = jnp.zeros((), jnp.int32)
        return State(jnp.zeros(shape, jnp.int32), zero, zero)

    def step(noise, instance, state, action):
        drawn = []
        for place, words in enumerate(noise.reshape(size, inner.words)):
            start = inner.init(instance)  # whose books are not kept
            drawn.append(inner.step(words, instance, start, action.pair(place))[1])
        feedback = SemiBanditFeedback(*map(jnp.stack, zip(*drawn, strict=True)))
        plays = state.plays
        for place in range(size):
            plays = tally(plays, *action.pair(place))
        censored = jnp.sum(feedback.censored, dtype=jnp.int32)
        played = allowed(instance, action).astype(jnp.int32)
        return State(plays, state.censored + censored, state.rounds + played), feedback

    def allowed(instance, action):
        del instance
        arm, limit = of_kind(action, SuperArm)
        known = positions_in("arm", arm, pairs.num_arms, size)
        known &= positions_in("limit", limit, pairs.num_limits, size)
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
    del instance
    short, best = weighted(record.plays, tables.short, tables.optimal)
    rested = record.rounds - jnp.sum(record.plays, axis=1)
    (left_out,) = weighted(rested, tables.left_out)
    played = jnp.maximum(total(record.plays), 1).astype(float)
    return {
        "regret": short + left_out,
        "censored": record.censored.astype(float) / played,
        "optimal": best / played,
    }


def _judge(oracle: Oracle, instance: Any, action: SuperArm) -> dict[str, np.ndarray]:
    """The gap of the recommended super arm, f64[S, C]."""
    del instance
    values = oracle.values[action.arm, action.limit].sum(axis=-1)
    return {"simple_regret": np.maximum(oracle.value - values, 0.0)}
