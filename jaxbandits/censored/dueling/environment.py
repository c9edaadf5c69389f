"""Preferences in place of rewards: two pairs in a round, and which run is preferred.

Bengs & Huellermeier (2022), section 7: "the very idea of incorporating resource
constraints for the feedback generation process ... could also be of interest for ...
the preference-based multi-armed bandit problem". Here a round is a duel of two pairs
(arm, limit), which run independently, each under its limit. The game differs from the
paper's in one point: the reward R of eq. (1), 0 if censored, is not observed. Instead a
Bernoulli variable shows which run is preferred, with the linear link of Ailon, Karnin &
Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014, for utilities in
[0, 1]:

    P(the first is preferred | R_1, R_2) = (1 + R_1 - R_2) / 2.

A censored run has reward 0. It loses more often against larger rewards, and has
probability 1/2 against another censored run. This makes the optimum learnable.
Comparisons of finished runs alone would show how much better one run is than another,
but not whether it is worth its penalty. Consumption is observed as in eq. (1).

Preferences compare rewards, not the values of eq. (7), for two reasons. The learner
knows costs and penalties, but a judge of results need not. And with a penalty of 10,
the link for values in [-10, 1] would hardly depend on rewards. The preference Y in
{-1, 1} (1 if the first run is preferred) and the charges ``L = c(C) 1{C <= tau} +
lambda(tau) 1{C > tau}`` of the runs still give the values of eq. (2):

    E[Y - L_1 + L_2] = nu_1 - nu_2;

see `censored.duels_as_arms`. So the pair that is preferred on average, charges
included, is the best pair. The regret of a round is ``(Delta_1 + Delta_2) / 2``, with
the gaps of eq. (5).
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
    """The totals of a run.

    Attributes:
      first, second: i32[K, M], how often each pair was the first or second of a duel.
      censored: i32[2], rounds in which the limit of the first or second was exceeded.
      rounds: i32[], rounds with a valid duel.
    """

    first: Int32[Array, "K M"]
    second: Int32[Array, "K M"]
    censored: Int32[Array, "2"]
    rounds: Int32[Array, ""]


def duels(environment: Environment) -> Environment[Any, State, Duel]:
    """An environment of the censored setting whose rounds are duels of two pairs.

    Args:
      environment: made by `make_environment`, `recorded` or an instance, with a grid of
        limits and rewards in [0, 1]. Its additional metrics (those of `recorded`) are
        dropped.

    Returns:
      An environment with `Duel`s, `DuelFeedback`, the oracle of `environment` and the
      metrics

      * ``regret``: cumulative pseudo-regret against the best pair, the mean of both
        places, from counts;
      * ``censored``: share of runs whose limit was exceeded;
      * ``optimal``: share of runs of an optimal pair;
      * ``simple_regret``: mean gap of the duel that the policy recommends, if any.

    Raises:
      ValueError: if rewards do not lie in [0, 1].
      TypeError: if `environment` is not an environment of the setting with a grid and a
        fixed instance; see `combinatorial`.
    """
    pairs = problem_of(environment)
    if pairs.sigma > 0:
        raise ValueError(
            "environment must have rewards in [0, 1], since their difference gives a "
            f"probability, but those of {environment.name!r} have noise with sigma = "
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
    """The game; instances that differ only in numbers share it."""

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
