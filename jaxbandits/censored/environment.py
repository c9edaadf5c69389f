"""The censored setting: choose an arm and a resource limit.

Bengs & Huellermeier (2022), section 2: a round yields its reward only if the
consumption stays within the limit, eq. (1). The value of a pair is its penalised
expected gain, eq. (2). Regret is measured against the best pair, eq. (4).
"""

from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Int32

from jaxbandits.arrays import pick, tally
from jaxbandits.censored.continuum import any_limit, gains
from jaxbandits.censored.problem import (
    Action,
    Continuum,
    Problem,
    RealAction,
    censor,
    check_arms,
)
from jaxbandits.checks import instance, kinds, text
from jaxbandits.checks.actions import in_range, of_kind
from jaxbandits.checks.instances import knowing
from jaxbandits.kernels.counts import total, weighted
from jaxbandits.laws.law import JointLaw, exact_params, well_formed
from jaxbandits.protocol import Actions, Environment, Game

ROUNDING = 1e-9  # values that differ by less are equal


class State(NamedTuple):
    """The totals of a run.

    Attributes:
      pulls: i32[K, M], how often each pair was chosen.
      censored: i32[], rounds in which the limit was exceeded.
    """

    pulls: Int32[Array, "K M"]
    censored: Int32[Array, ""]


class Tables(NamedTuple):
    """What the metrics need.

    Attributes:
      gaps: Delta, f64[K, M], eq. (5).
      optimal: 1 where a pair is optimal, else 0, f64[K, M].
    """

    gaps: Any
    optimal: Any


class Oracle(NamedTuple):
    """Exact facts about an instance, float64, by quadrature.

    Attributes:
      values: nu, f64[K, M], eq. (2).
      gaps: Delta, f64[K, M], eq. (5).
      censoring: ``1 - P(C <= tau)``, f64[K, M].
      arm, limit: position of the (first) optimal pair, eq. (3).
      value: nu*, the optimum.
    """

    values: np.ndarray
    gaps: np.ndarray
    censoring: np.ndarray
    arm: int
    limit: int
    value: float


@kinds
def make_environment(
    name: str, problem: Problem | Continuum, law: JointLaw, arms: Any
) -> Environment[Any, Any, Action | RealAction]:
    """An environment of the censored setting.

    Args:
      name: name of the instance.
      problem: arms, limits, cost and penalty functions (what the learner knows). With a
        `Continuum` any limit up to the largest may be chosen, by a `RealAction`.
      law: joint law of reward and consumption.
      arms: the law's parameters, leaves ``[K, ...]`` (what the learner does not know).

    Returns:
      An environment whose record is its `State` and whose metrics are

      * ``regret``: cumulative pseudo-regret, eq. (6), exact from counts;
      * ``censored``: share of rounds whose limit was exceeded;
      * ``optimal``: share of rounds in which an optimal pair was chosen;
      * ``simple_regret``: gap of the pair that the policy recommends, if any.

      With a `Continuum`, ``optimal`` is the share of rounds with the best arm, and the
      error of a round's regret is at most 1e-5; for recorded runs it is 0.

    Raises:
      TypeError: if `problem` or `law` has the wrong type.
      ValueError: if a leaf of `arms` has not `problem.num_arms` rows, a parameter is
        out of the law's range, rewards have more noise than the problem's sigma, the
        law has no exact moments, the exact values are not finite, or, with a
        `Continuum`, the law's gains vary too fast and are no steps of recorded runs.
    """
    text("name", name)
    instance("problem", problem, (Problem, Continuum), "of censored")
    instance("law", law, JointLaw, "of jaxbandits.laws, as product(beta, exponential)")
    if law.moments is None:
        raise ValueError(f"law: {law.name} has no exact moments, which regret needs")
    check_arms(problem, law, arms)
    noise = 0.0 if law.sigma is None else float(np.max(law.sigma(arms)))
    if noise > problem.sigma:
        raise ValueError(
            f"problem: sigma must be at least that of the rewards of {law.name}, "
            f"{noise:g}, got {problem.sigma:g}: build it with sigma={noise:g}"
        )
    arms = exact_params(law, arms)
    if isinstance(problem, Continuum):
        return any_limit(name, problem, law, arms)
    oracle = exact_oracle(problem, law, arms)
    made = Environment(
        name,
        _game(problem, law),
        setup=arms,
        tables=lambda instance: Tables(oracle.gaps[None], (oracle.gaps == 0)[None]),
        judge=partial(_judge, oracle),
        problem=problem,
        provenance={
            "setting": "censored",
            "law": law.name,
            "limits": list(problem.limits),
            "optimal_pair": [oracle.arm, oracle.limit],
            "optimal_value": oracle.value,
        },
    )
    return knowing(made, oracle)


@kinds
def exact_oracle(problem: Problem, law: JointLaw, arms: Any) -> Oracle:
    """The oracle: the table of eq. (2), gaps and optimum.

    Arguments as in `make_environment`.
    """
    check_arms(problem, law, arms)
    limits = np.asarray(problem.limits, np.float64)
    moments = well_formed(law).moments(arms, limits, problem.cost)
    censoring = np.clip(1 - moments.probability, 0.0, 1.0)
    values = gains(problem, moments, limits)  # Eq. (2)
    if not np.all(np.isfinite(values)):
        raise ValueError("arms give penalised expected gains that are not finite")
    best = values.max()
    gaps = without_rounding(best - values)  # Eq. (5)
    arm, limit = np.unravel_index(np.argmax(gaps == 0), values.shape)
    return Oracle(values, gaps, censoring, int(arm), int(limit), float(best))


def without_rounding(gaps: np.ndarray) -> np.ndarray:
    """Gaps >= 0, f64; gaps below `ROUNDING`, the quadrature's rounding error, become 0.

    So pairs that differ only by rounding errors are equally optimal.
    """
    return np.where(gaps < ROUNDING, 0.0, gaps)


@cache
def _game(problem: Problem, law: JointLaw) -> Game:
    """The game; instances that differ only in numbers share it."""

    def init(instance):
        shape = (problem.num_arms, problem.num_limits)
        return State(jnp.zeros(shape, jnp.int32), jnp.zeros((), jnp.int32))

    def step(noise, instance, state, action):
        reward, consumption = law.sample(noise, instance, action.arm)
        limits = jnp.asarray(problem.limits)
        feedback = censor(reward, consumption, pick(limits, action.limit))
        pulls = tally(state.pulls, *action)
        return State(
            pulls, state.censored + feedback.censored.astype(jnp.int32)
        ), feedback

    def allowed(instance, action):
        arm, limit = of_kind(action, Action)
        known = in_range("limit", limit, problem.num_limits)
        return in_range("arm", arm, problem.num_arms) & known

    actions = Actions(
        f"an Action of an arm in [0, {problem.num_arms}) and a limit's position in "
        f"[0, {problem.num_limits})",
        allowed,
        lambda instance, record: total(record.pulls),
    )
    return Game(init, step, metrics, law.words, actions=actions)


def metrics(tables: Tables, instance: Any, record: State) -> dict[str, jax.Array]:
    """See `make_environment`."""
    regret, best = weighted(record.pulls, tables.gaps, tables.optimal)  # Eq. (6)
    played = jnp.maximum(total(record.pulls), 1).astype(float)
    return {
        "regret": regret,
        "censored": record.censored.astype(float) / played,
        "optimal": best / played,
    }


def _judge(oracle: Oracle, instance: Any, action: Action) -> dict[str, np.ndarray]:
    """Simple regret of section 4.2: the gap of the recommended pair."""
    return {"simple_regret": oracle.gaps[action.arm, action.limit]}
