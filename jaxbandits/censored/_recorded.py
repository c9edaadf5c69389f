"""Algorithm configuration on recorded runs: a round replays a run of its arm.

An arm is a configuration (of a solver, say); a run has a reward and takes time. Time
beyond the limit does not matter. So runs that were stopped at a timeout when they were
recorded can also be replayed, with limits up to that timeout.
"""

from typing import Any, NamedTuple

import jax
import numpy as np

from jaxbandits import checks
from jaxbandits.censored.costs import scaled
from jaxbandits.censored.environment import State, make_environment, metrics
from jaxbandits.censored.problem import (
    ANY,
    Action,
    Continuum,
    Problem,
    RealAction,
    make_continuum,
    make_problem,
)
from jaxbandits.checks import Numbers, instance, number, played, positive
from jaxbandits.kernels.counts import weighted
from jaxbandits.laws import empirical, empirical_params
from jaxbandits.laws.law import Cost
from jaxbandits.protocol import Environment

COST, PENALTY = scaled(1.0), scaled(10.0)  # PAR10, section 2


class Runs(NamedTuple):
    """Recorded runs of K configurations, R in all.

    Attributes:
      configurations: K mappings from a parameter's name to its value.
      pairs: f64[R, 2], the reward in [0, 1] and the seconds >= 0 of every run, sorted
        by configuration; 0 and +inf for a run that did not finish.
      counts: i64[K], number of runs of every configuration.
      about: origin of the runs.
      timeout: largest limit, in seconds, that can be played: the earliest time at which
        a run was stopped, and at most the recording's timeout. None if no run was
        stopped, or its time is unknown.
    """

    configurations: tuple[dict[str, Any], ...]
    pairs: np.ndarray
    counts: np.ndarray
    about: dict[str, Any]
    timeout: float | None = None

    @property
    def reward(self) -> np.ndarray:
        """Rewards of the runs, f64[K, n], a copy; NaN where an arm has fewer runs."""
        return self._table(0)

    @property
    def seconds(self) -> np.ndarray:
        """Seconds of the runs, f64[K, n], a copy; NaN where an arm has fewer runs."""
        return self._table(1)

    def _table(self, column: int) -> np.ndarray:
        table = np.full((len(self.counts), self.counts.max()), np.nan)
        table[np.arange(table.shape[1]) < self.counts[:, None]] = self.pairs[:, column]
        return table

    @property
    def finished(self) -> np.ndarray:
        """Seconds of the runs that finished, f64[...]."""
        return self.pairs[np.isfinite(self.pairs[:, 1]), 1]


def recorded(
    name: str,
    runs: Runs,
    limits: Numbers | str,
    *,
    cost: Cost = COST,
    penalty: Cost = PENALTY,
    unit: float | None = None,
) -> Environment[Any, Any, Action | RealAction]:
    """A game on recorded runs, of your own solver, say.

    Args:
      name: name of the game.
      runs: `load_runs` of `jaxbandits_studies.datasets` reads them from a log.
      limits: the grid, increasing, in seconds; or `ANY`, every limit up to the timeout
        (without one: to the longest run).
      cost, penalty: c and lambda, functions of time in units. By default PAR10: a unit
        of time costs a reward of 1, a censored round costs ten times its limit.
      unit: seconds per unit of time; by default those of the longest finished run.

    Returns:
      An environment as of `make_environment`. Its problem, oracle and feedback count
      time in units: multiply by ``provenance["seconds_per_unit"]`` for seconds. On a
      grid it has two more metrics: ``reward``, the sum of the expected rewards within
      the limits, and ``gain``, the sum of the penalised expected gains, eq. (2); both
      are exact from counts.

    Raises:
      TypeError: if an argument has the wrong type.
      ValueError: as `make_problem` and `make_continuum`; if no run finished, limits are
        not above 0 and increasing, or limits exceed the timeout, beyond which there are
        no records.
    """
    instance("runs", runs, Runs, "of recorded runs")
    unit = unit_of(runs, unit)
    if isinstance(limits, str):
        if limits != ANY:
            raise ValueError(f"limits must be numbers or {ANY!r}, got {limits!r}")
        longest = _longest_run(runs) if runs.timeout is None else runs.timeout
        problem = make_continuum(len(runs.counts), cost, penalty, longest / unit)
        return replay(name, runs, problem, unit)
    grid = checks.numbers("limits", limits, 1)
    if not (np.all(np.diff(grid, prepend=0.0) > 0) and np.isfinite(grid).all()):
        raise ValueError(
            "limits must be above 0, finite and strictly increasing, got "
            f"{grid.tolist()}"
        )
    if runs.timeout is not None and np.any(grid > runs.timeout):
        raise ValueError(
            f"limits must be at most the timeout of the runs, {runs.timeout} (or the "
            "smallest cutoff of a stopped run, as there are no records of later "
            f"times), got {grid.max()}"
        )
    grid = grid / unit
    largest = float(np.max(grid, initial=0.0))
    problem = make_problem(len(runs.counts), grid, cost, penalty, largest or 1.0)
    return replay(name, runs, problem, unit)


def _longest_run(runs: Runs) -> float:
    """Seconds of the longest run that finished.

    Raises:
      ValueError: if no run finished after a positive time.
    """
    longest = float(np.max(runs.finished, initial=0.0))
    if longest <= 0:
        raise ValueError("runs: none of them finished after a positive time")
    return longest


def unit_of(runs: Runs, unit: float | None) -> float:
    """Seconds per unit of time, checked; default: those of the longest finished run."""
    unit = _longest_run(runs) if unit is None else number("unit", unit)
    positive(unit=unit)
    played(unit=unit)
    return unit


def replay(
    name: str, runs: Runs, problem: Problem | Continuum, unit: float
) -> Environment[Any, Any, Action | RealAction]:
    """The game on recorded runs, for a problem with limits in units; see `recorded`."""
    reward, consumption = runs.pairs.T / [[1.0], [unit]]
    arms = empirical_params(reward, consumption, runs.counts)
    if len(set(runs.counts.tolist())) == 1:
        shape = len(runs.counts), -1
        arms = empirical_params(reward.reshape(shape), consumption.reshape(shape))
    environment = make_environment(name, problem, empirical, arms)
    if isinstance(problem, Problem):
        limits = np.asarray(problem.limits)
        reward = empirical.moments(arms, limits, problem.cost).reward  # type: ignore[misc]
        values = environment.oracle().values  # type: ignore[misc]
        own = Tables(environment.tables(None), reward[None], values[None])
        game = environment.game._replace(metrics=_metrics)
        environment = environment._replace(game=game, tables=lambda instance: own)
    return environment._replace(
        provenance=environment.provenance
        | {"seconds_per_unit": unit, "runs": runs.about},
    )


class Tables(NamedTuple):
    """What the metrics need.

    Attributes:
      pairs: the tables of `make_environment`.
      reward: expected rewards within the limits, f64[K, M].
      gain: penalised expected gains, eq. (2), f64[K, M].
    """

    pairs: Any
    reward: Any
    gain: Any


def _metrics(tables: Tables, instance: Any, record: State) -> dict[str, jax.Array]:
    reward, gain = weighted(record.pulls, tables.reward, tables.gain)
    sums = {"reward": reward, "gain": gain}
    return metrics(tables.pairs, instance, record) | sums
