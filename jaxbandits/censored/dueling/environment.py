"""Preferences in place of rewards: two pairs in a round, and which run is preferred.

Bengs & Huellermeier (2022), section 7: "the very idea of incorporating resource
constraints for the feedback generation process ... could also be of interest for ...
the preference-based multi-armed bandit problem". Here a round is a duel of two pairs
(arm, limit), which run independently, each under its limit. All is as in the paper but
for the reward R of eq. (1), 0 if censored: nobody tells it. Instead a coin says which
run is preferred, with the linear link of Ailon, Karnin & Joachims, "Reducing Dueling
Bandits to Cardinal Bandits", ICML 2014, for utilities in [0, 1]:

    P(the first is preferred | R_1, R_2) = (1 + R_1 - R_2) / 2.

So a run that was stopped has brought nothing, it loses the more often the more the
other one brought, and nothing against nothing is a fair coin. That is what makes the
optimum learnable: comparisons of finished runs alone would say how much better one is
than another, and not whether it is worth its penalty. Consumption is shown as in
eq. (1): who sets a limit holds the clock.

Why the coin compares rewards and not the values of eq. (7): costs and penalties are
known to the learner anyhow, and whoever judges results need not know them; and with a
penalty of 10, in a link for values in [-10, 1], rewards would hardly show. A duel of
pairs, a coin Y in {-1, 1} (1 if the first is preferred) and the charges
``L = c(C) 1{C <= tau} + lambda(tau) 1{C > tau}`` still give

    E[Y - L_1 + L_2] = nu_1 - nu_2,

the values of eq. (2): see `censored.duels_as_arms`. So the pair that is
preferred on average, charges included, is the best pair, and regret is measured
against it: ``(Delta_1 + Delta_2) / 2`` in a round, with the gaps of eq. (5).
"""

from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Int32

from jaxbandits.arrays import occurs, tally
from jaxbandits.censored.environment import Oracle, Tables
from jaxbandits.censored.problem import Duel, DuelFeedback, Dueling, Problem
from jaxbandits.censored.several_runs import known_pairs, problem_of, run_all
from jaxbandits.checks.actions import of_kind
from jaxbandits.checks.instances import knowing
from jaxbandits.kernels.counts import weighted
from jaxbandits.protocol import Actions, Environment, Game


class State(NamedTuple):
    """The accounts.

    Attributes:
      first, second: i32[K, M], how often each pair ran at that place of a duel.
      censored: i32[2], rounds in which the limit at that place was exceeded.
      rounds: i32[], rounds with a duel that the game has.
    """

    first: Int32[Array, "K M"]
    second: Int32[Array, "K M"]
    censored: Int32[Array, "2"]
    rounds: Int32[Array, ""]


def duels(environment: Environment) -> Environment[Any, State, Duel]:
    """An environment of the censored setting whose rounds are duels of two pairs.

    Args:
      environment: with a grid of limits and rewards in [0, 1], of `censored`,
        `recorded` or an instance; of metrics that it has of its own (`recorded`'s) none
        are left.

    Returns:
      An environment with `Duel`s, `DuelFeedback`, the oracle of `environment` and the
      metrics

      * ``regret``: cumulative pseudo-regret against the best pair, the mean of both
        places, from counts;
      * ``censored``: share of runs whose limit was exceeded;
      * ``optimal``: share of runs of an optimal pair;
      * ``simple_regret``: mean gap of the duel that the policy recommends, if it does.

    Raises:
      ValueError: if rewards do not lie in [0, 1].
      TypeError: if it is of another kind, has no grid, or its rounds are not those of
        the setting; see `combinatorial`.
    """
    pairs = problem_of(environment)
    if pairs.sigma > 0:
        raise ValueError(
            "environment must have rewards in [0, 1], whose difference makes a "
            f"probability, and those of {environment.name!r} have noise with sigma = "
            f"{pairs.sigma:g}"
        )
    oracle = environment.oracle()  # type: ignore[misc]
    gaps = oracle.gaps
    tables = Tables(gaps[None], (gaps == 0).astype(np.float64)[None])
    made = Environment(
        f"{environment.name}, duels",
        _game(environment.game, pairs),
        setup=environment.setup,
        tables=lambda instance: tables,
        judge=partial(_judge, oracle),
        problem=Dueling(*pairs),
        provenance=environment.provenance,
    )
    return knowing(made, oracle)


@cache
def _game(inner: Game, pairs: Problem) -> Game:
    """Instances that differ in numbers only are one game."""

    def init(instance):
        none = jnp.zeros((pairs.num_arms, pairs.num_limits), jnp.int32)
        return State(none, none, jnp.zeros(2, jnp.int32), jnp.zeros((), jnp.int32))

    def step(noise, instance, state, action):
        seen = run_all(inner, instance, noise[2:], action, 2)
        probability = (1 + seen.reward[0] - seen.reward[1]) / 2
        preferred = occurs(noise[0], noise[1], probability)
        played = known_pairs(action, pairs, 2).astype(jnp.int32)
        new = State(
            tally(state.first, *action.pair(0)),
            tally(state.second, *action.pair(1)),
            state.censored + seen.censored.astype(jnp.int32),
            state.rounds + played,
        )
        return new, DuelFeedback(preferred, seen.consumption, seen.censored)

    def allowed(instance, action):
        return known_pairs(of_kind(action, Duel), pairs, 2)

    actions = Actions(
        f"a Duel of two arms in [0, {pairs.num_arms}) and two limits' positions in "
        f"[0, {pairs.num_limits})",
        allowed,
        lambda instance, record: record.rounds,
    )
    return Game(init, step, metrics, 2 + 2 * inner.words, actions=actions)


def metrics(tables: Tables, instance: Any, record: State) -> dict[str, jax.Array]:
    """See `duels`."""
    first, best = weighted(record.first, tables.gaps, tables.optimal)
    second, also = weighted(record.second, tables.gaps, tables.optimal)
    (censored,) = weighted(record.censored, jnp.ones(2, tables.gaps.dtype))
    runs = 2 * jnp.maximum(record.rounds, 1).astype(tables.gaps.dtype)
    return {
        "regret": (first + second) / 2,
        "censored": censored / runs,
        "optimal": (best + also) / runs,
    }


def _judge(oracle: Oracle, instance: Any, action: Duel) -> dict[str, np.ndarray]:
    """The mean gap of the recommended pairs, f64[S, C]."""
    return {"simple_regret": oracle.gaps[action.arm, action.limit].mean(axis=-1)}
