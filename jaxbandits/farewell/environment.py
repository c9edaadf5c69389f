"""The farewell setting: choose an arm and when to give up waiting for its reward.

Sharoff, Mehta & Ganti (2020), section 2.1. An epoch with macro-arm k and wait j draws a
potential reward V and a delay tau, gives ``V 1{tau <= j}`` and lasts ``min(tau, j)``.
Delays and waits are 1, 2, ... or, as in footnote 3, any whole numbers.

The end of the clock, eq. (6): with T units of time the game has ``L = max{n : S_n <=
T}`` epochs; an epoch that would last beyond T is not counted. Time and counts are int32
and exact up to 2**31 - 1; a game with a number of epochs may last longer (`Elapsed`).
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits import checks
from jaxbandits.arrays import Bound, CompensatedSum, below, pick, tally
from jaxbandits.arrays.words import cumulative_bounds
from jaxbandits.checks import Numbers
from jaxbandits.checks.actions import in_range, of_kind
from jaxbandits.checks.instances import knowing
from jaxbandits.farewell.problem import (
    FAILURES,
    Action,
    Feedback,
    Problem,
    View,
    whole_times,
)
from jaxbandits.kernels.counts import total, weighted
from jaxbandits.laws.law import Law, check_params, exact_params, of_arm
from jaxbandits.laws.univariate import Bernoulli, bernoulli
from jaxbandits.protocol import Actions, Environment, Game

LATEST = 2**31 - 1
LAP = 2**30


class Arms(NamedTuple):
    """The laws of the macro-arms.

    Attributes:
      delay: f64[K, N], probabilities of the delays; a delay above all waits never
        brings a reward.
      reward: parameters of the reward's law given the delay, leaves ``[K, N, ...]``.
      delays: the N delays, increasing; empty for 1, ..., N.
    """

    delay: Any
    reward: Any
    delays: tuple[int, ...] = ()


class Instance(NamedTuple):
    """The numbers that a draw needs.

    Attributes:
      cumulative: bounds of the delays' cumulative probabilities, [K, N].
      reward: parameters of the rewards' law, leaves ``[K, N, ...]``.
    """

    cumulative: Bound
    reward: Any


class Epoch(NamedTuple):
    """The last epoch, which may end after a checkpoint."""

    action: Action
    reward: Float[Array, ""]


class Elapsed(NamedTuple):
    """An exact time of any size: ``laps * LAP + rest``."""

    laps: Int32[Array, ""]
    rest: Int32[Array, ""]

    def later(self, time: Int32[Array, ""]) -> "Elapsed":
        """The time after `time` more units, i32[] below `LAP`."""
        rest = self.rest + time
        full = rest >= LAP
        return Elapsed(
            self.laps + full.astype(jnp.int32), jnp.where(full, rest - LAP, rest)
        )

    def clock(self) -> Int32[Array, ""]:
        """The time as i32[], at most `LATEST`; no budget reaches `LATEST`."""
        return jnp.where(self.laps < 2, self.laps * LAP + self.rest, LATEST)

    def units(self) -> Float[Array, ""]:
        """The time as a float, exact in float64."""
        return self.laps.astype(float) * LAP + self.rest.astype(float)


class State(NamedTuple):
    """The totals of a run over all epochs.

    Attributes:
      pulls: i32[K, D], epochs of every pair.
      elapsed: total time of the epochs.
      reward: f32[], sum of rewards.
      last: the last epoch.
    """

    pulls: Int32[Array, "K D"]
    elapsed: Elapsed
    reward: CompensatedSum
    last: Epoch


class Record(NamedTuple):
    """The totals of the epochs that ended before a checkpoint.

    Attributes:
      pulls: i32[K, D], epochs of every pair.
      reward: f32[], sum of rewards.
      time: time of the checkpoint (total time of the epochs, if the game is played for
        a number of epochs).
      begun: i32[], all epochs with a valid action, the last one included.
    """

    pulls: Int32[Array, "K D"]
    reward: CompensatedSum
    time: Elapsed
    begun: Int32[Array, ""]


class Tables(NamedTuple):
    """What the metrics need.

    Attributes:
      loss: expected regret of an epoch, mu_c Delta, f64[K, D].
      optimal: 1 where a pair is optimal, else 0, f64[K, D].
      rate: g*, f64[].
    """

    loss: Any
    optimal: Any
    rate: Any


class Oracle(NamedTuple):
    """Exact facts about an instance, float64.

    Attributes:
      mean_reward, mean_time: means of an epoch, f64[K, D].
      rates: g, reward per unit of time, eq. (2), f64[K, D].
      gaps: Delta, f64[K, D].
      arm, wait: position of the (first) optimal pair.
      rate: g*, the optimum.
    """

    mean_reward: np.ndarray
    mean_time: np.ndarray
    rates: np.ndarray
    gaps: np.ndarray
    arm: int
    wait: int
    rate: float


@checks.kinds
def make_environment(
    name: str,
    delay: Numbers,
    reward: Any,
    *,
    num_waits: int | None = None,
    delays: Numbers | None = None,
    waits: Numbers | None = None,
    reward_law: Law = bernoulli,
    failure: str = "wait",
    provenance: dict[str, Any] | None = None,
) -> Environment[Any, Any, Action]:
    """An environment of the farewell setting.

    Args:
      name: name of the instance.
      delay: f64[K, N], probabilities of the delays of every macro-arm.
      reward: parameters of `reward_law` given the delay, leaves ``[K, N, ...]``; for
        the Bernoulli law, an array of probabilities is enough. Leaves ``[K, 1, ...]``
        are rewards that do not depend on the delay.
      num_waits: D, at most N (by default N): the first D delays are the waits. Longer
        delays never bring a reward.
      delays: the N delays, increasing whole numbers; by default 1, ..., N. Choose the
        unit of time so that the least delay is small: policies assume that an epoch may
        last one unit.
      waits: increasing whole numbers, the waits if they are not the first D delays.
      reward_law: law on [0, 1].
      failure: ``wait`` or ``unit``, see `Problem`.
      provenance: further facts for the results.

    Returns:
      An environment with a budget of time, whose record is a `Record` and whose metrics
      are

      * ``regret``: pseudo-regret ``sum n mu_c Delta``, exact from counts;
      * ``realised_regret``: ``t g* - sum r``, what the paper plots (section 7);
      * ``optimal``: share of epochs with an optimal pair;
      * ``reward``: realised rewards;
      * ``epochs``: number of epochs that ended in time.

    Raises:
      ValueError: if probabilities are negative or do not sum to 1, a reward's parameter
        is out of range, `num_waits` is not in 1..N, `num_waits` and `waits` are both
        given, or delays or waits do not increase within [1, 2**24].
      TypeError: if an argument has the wrong type.
    """
    checks.text("name", name)
    checks.instance("reward_law", reward_law, Law, "of jaxbandits.laws, as bernoulli")
    checks.one_of("failure", failure, FAILURES)
    checks.facts("provenance", provenance)
    delay = _delay_table(delay)
    delays, waits = _grids(delay.shape[1], num_waits, delays, waits)
    problem = Problem(len(delay), len(waits), failure, _own(waits))
    arms = Arms(delay, _reward_params(reward, reward_law, delay.shape), _own(delays))
    oracle = exact_oracle(problem, reward_law, arms)
    loss, optimal = oracle.mean_time * oracle.gaps, oracle.gaps == 0
    tables = Tables(loss[None], optimal[None], np.array([oracle.rate]))
    made = Environment(
        name,
        _game(problem, reward_law, arms.delays),
        setup=_drawn(reward_law, arms),
        tables=lambda instance: tables,
        problem=problem,
        provenance={
            "setting": "farewell",
            "reward_law": reward_law.name,
            "delay": delay.tolist(),
            "num_waits": problem.num_waits,
            **({"delays": [*arms.delays]} if arms.delays else {}),
            **({"waits": [*problem.waits]} if problem.waits else {}),
            "failure": failure,
            "optimal_pair": [oracle.arm, oracle.wait],
            "optimal_rate": oracle.rate,
        }
        | (provenance or {}),
    )
    return knowing(made, oracle)


def _delay_table(delay: Numbers) -> np.ndarray:
    """Probabilities of the delays, f64[K, N], checked."""
    table = checks.numbers("delay", delay, 2)
    if 0 in table.shape:
        raise ValueError(f"delay must be a table [K, N], got shape {table.shape}")
    checks.in_unit_interval(delay=table)
    sums = table.sum(axis=1)
    if not np.allclose(sums, 1, rtol=0, atol=1e-9):
        raise ValueError(f"delay must have rows that sum to 1, got {sums.tolist()}")
    return table


def _grids(
    columns: int,
    num_waits: int | None,
    delays: Numbers | None,
    waits: Numbers | None,
) -> tuple[Sequence[int], Sequence[int]]:
    """Delays, one for each column of the table, and waits."""
    times = range(1, columns + 1) if delays is None else whole_times("delays", delays)
    if len(times) != columns:
        raise ValueError(
            f"delays must be one for each of the {columns} columns of delay, got "
            f"{len(times)}"
        )
    if waits is not None:
        if num_waits is not None:
            raise ValueError("num_waits and waits: give one of them")
        return times, whole_times("waits", waits)
    count = checks.whole("num_waits", columns if num_waits is None else num_waits, 1)
    if count > columns:
        raise ValueError(f"num_waits must be in 1..{columns}, got {count}")
    return times, times[:count]


def _own(times: Sequence[int]) -> tuple[int, ...]:
    """Times in their stored form: empty for 1, 2, ..., so that equal games compare
    equal."""
    return () if list(times) == [*range(1, len(times) + 1)] else tuple(times)


def _reward_params(reward: Any, law: Law, shape: tuple[int, int]) -> Any:
    """Parameters with leaves ``[K, N, ...]``, checked."""
    if law is bernoulli and not isinstance(reward, Bernoulli):
        reward = Bernoulli(reward)
    leaves, structure = jax.tree.flatten(
        reward, is_leaf=lambda x: isinstance(x, list | tuple) and x is not reward
    )
    full = []
    for leaf in leaves:
        leaf = checks.numbers("reward", leaf)
        if leaf.shape[:2] not in (shape, (shape[0], 1)):
            raise ValueError(
                f"reward must have leaves [K, N, ...] or [K, 1, ...] with K, N = "
                f"{shape}, got {leaf.shape}"
            )
        full.append(np.broadcast_to(leaf, (*shape, *leaf.shape[2:])))
    params = jax.tree.unflatten(structure, full)
    # Laws check rows of arms; here every pair of an arm and a delay is a row.
    rows = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), params)
    with checks.named("reward"):
        check_params(law, rows)
    lowest, highest = law.support(rows)
    if np.any(lowest < 0) or np.any(highest > 1):
        raise ValueError("reward: the law must have its support in [0, 1]")
    return params


def _drawn(reward_law: Law, arms: Arms) -> Instance:
    """The numbers for draws, from float64 on the host: rare delays keep digits."""
    rows = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), arms.reward)
    reward = jax.tree.map(
        lambda x: x.reshape(*arms.delay.shape, *x.shape[1:]),
        exact_params(reward_law, rows),
    )
    return Instance(cumulative_bounds(arms.delay), reward)


@checks.kinds
def exact_oracle(problem: Problem, reward_law: Law, arms: Arms) -> Oracle:
    """The oracle: the table of eq. (2), gaps and optimum.

    Raises:
      ValueError: if `arms` and `problem` differ in the number of arms, or a number is
        out of its range, as in `make_environment`.
      TypeError: if an argument has the wrong type.
    """
    checks.instance("problem", problem, Problem, "of farewell")
    problem.check()
    checks.instance("reward_law", reward_law, Law, "of jaxbandits.laws, as bernoulli")
    checks.instance("arms", arms, Arms, "of farewell")
    delay = _delay_table(arms.delay)
    if arms.delays:
        _grids(delay.shape[1], None, arms.delays, [1])
    reward = _reward_params(arms.reward, reward_law, delay.shape)
    arms = arms._replace(delay=delay, reward=reward)
    columns = len(arms.delays) or "N"
    checks.shaped(f"{problem.num_arms} {columns}", **{"arms.delay": arms.delay})
    delays = np.array(arms.delays or range(1, arms.delay.shape[1] + 1))
    waits = problem.lengths
    seen = delays <= waits[:, None]  # [D, N]
    given_up = waits if problem.failure == "wait" else np.ones_like(waits)
    reward = arms.delay * reward_law.mean(arms.reward)
    mean_reward = reward @ seen.T
    mean_time = (arms.delay * delays) @ seen.T + (arms.delay @ ~seen.T) * given_up
    rates = mean_reward / mean_time  # Eq. (2)
    best = rates.max()
    # Pairs that differ only by rounding errors are equally optimal.
    gaps = np.where(best - rates < 1e-12, 0.0, best - rates)
    arm, wait = np.unravel_index(np.argmax(gaps == 0), rates.shape)
    return Oracle(mean_reward, mean_time, rates, gaps, int(arm), int(wait), float(best))


@cache
def _game(problem: Problem, reward_law: Law, delays: tuple[int, ...]) -> Game:
    """The game; instances that differ only in numbers share it."""
    shape = (problem.num_arms, problem.num_waits)

    def length(position, lengths):
        """Length of the delay or wait with a position, i32[]."""
        if not lengths:
            return position + 1
        return pick(jnp.asarray(lengths, jnp.int32), position)

    def init(instance):
        zero, start = jnp.zeros((), float), jnp.zeros((), jnp.int32)
        return State(
            jnp.zeros(shape, jnp.int32),
            Elapsed(start, start),
            CompensatedSum.zeros((), float),
            Epoch(Action(start, start), zero),
        )

    def step(noise, instance, state, action):
        shorter = ~below(noise[0], noise[1], of_arm(instance.cumulative, action.arm))
        position = jnp.sum(shorter, dtype=jnp.int32)
        # At the longest delay all words are below the bound.
        given_arm = of_arm(instance.reward, action.arm)
        potential = reward_law.sample(noise[2:], of_arm(given_arm, position))
        delay = length(position, delays)
        wait = length(action.wait, problem.waits)
        seen = delay <= wait
        time = problem.time(delay, wait)
        reward = jnp.where(seen, potential, 0.0).astype(float)
        state = State(
            tally(state.pulls, *action),
            state.elapsed.later(time),
            state.reward.add(reward),
            Epoch(action, reward),
        )
        return state, Feedback(
            reward, time, jnp.where(seen, delay.astype(float), jnp.inf)
        )

    def record(instance, state, budget):
        """The record, without the last epoch if it ended after the budget."""
        beyond = state.elapsed.clock() > budget
        last = state.last
        without = tally(-state.pulls, *last.action)
        pulls = jnp.where(beyond, -without, state.pulls)
        reward = state.reward.add(jnp.where(beyond, -last.reward, 0.0))
        begun = jnp.sum(state.pulls, dtype=jnp.int32)
        whole = Elapsed(jnp.int32(0), jnp.asarray(budget, jnp.int32))
        time = jax.tree.map(lambda *x: jnp.where(beyond, *x), whole, state.elapsed)
        return Record(pulls, reward, time, begun)

    def allowed(instance, action):
        arm, wait = of_kind(action, Action)
        known = in_range("wait", wait, problem.num_waits)
        return in_range("arm", arm, problem.num_arms) & known

    return Game(
        init,
        step,
        _metrics,
        2 + reward_law.words,
        view=lambda round_, instance, state: View(round_, state.elapsed.clock()),
        record=record,
        spent=lambda instance, state: state.elapsed.clock(),
        by_the_clock=True,
        actions=Actions(
            f"an Action of an arm in [0, {problem.num_arms}) and a wait's position "
            f"in [0, {problem.num_waits})",
            allowed,
            lambda instance, record: record.begun,
        ),
    )


def _metrics(tables: Tables, instance: Any, record: Record) -> dict[str, jax.Array]:
    reward, epochs = record.reward.exact(), total(record.pulls).astype(float)
    loss, best = weighted(record.pulls, tables.loss, tables.optimal)
    return {
        "regret": loss,
        "realised_regret": record.time.units() * tables.rate - reward,
        "optimal": best / jnp.maximum(epochs, 1.0),
        "reward": reward,
        "epochs": epochs,
    }
