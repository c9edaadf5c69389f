"""Algorithm configuration on recorded runs: a round replays a run of its arm.

An arm is a configuration (of a solver, say), a run has a reward and takes time. What
time it took beyond the limit does not matter, so that runs which were stopped at a
timeout when they were recorded can be replayed, too: with limits up to that timeout.
"""

import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from os import PathLike
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxbandits import checks
from jaxbandits.checks import Numbers, instance, number, played, positive, text
from jaxbandits.laws import empirical, empirical_params
from jaxbandits.laws.law import Cost
from jaxbandits.protocol import Environment
from jaxbandits.settings.censored.costs import scaled
from jaxbandits.settings.censored.environment import State, censored, metrics
from jaxbandits.settings.censored.types import (
    ANY,
    Action,
    Continuum,
    Problem,
    RealAction,
    make_continuum,
    make_problem,
)
from jaxbandits.settings.counts import weighted
from jaxbandits.settings.tables import check_columns, numbers, read_csv

RUN = "run"
COST, PENALTY = scaled(1.0), scaled(10.0)  # PAR10, section 2


class Runs(NamedTuple):
    """Recorded runs of K configurations, at most n of each.

    Attributes:
      configurations: K mappings from a parameter's name to its value.
      reward: f64[K, n] in [0, 1]; run j of an arm is the pair (reward[j], seconds[j]).
        0 of a run that had timed out, NaN where an arm has no more runs.
      seconds: f64[K, n] >= 0; +inf of a run that had timed out, NaN where an arm has no
        more runs.
      about: where they come from.
      timeout: seconds after which runs were stopped; None if it is not known.
    """

    configurations: tuple[dict[str, Any], ...]
    reward: np.ndarray
    seconds: np.ndarray
    about: dict[str, Any]
    timeout: float | None = None


def load_runs(
    path: str | PathLike[str],
    *,
    reward: str = "reward",
    seconds: str = "seconds",
    configuration: Sequence[str] | None = None,
    timeout: float | None = None,
) -> Runs:
    """Read recorded runs.

    Args:
      path: a CSV file, one row per run. A column ``run`` (a number), if there is one,
        orders the runs of a configuration.
      reward, seconds: the columns of these; any resource will do for seconds. They are
        ``inf`` for a run that had timed out, whose reward is not looked at.
      configuration: the columns that make the configuration, numbers or words (NA and
        None are such); by default all others.
      timeout: the time after which runs were stopped: those with as many seconds, or
        more, had timed out.

    Returns:
      The runs, configurations in the order of their values.

    Raises:
      ValueError: naming `path`, if columns are missing, an entry is empty or not a
        number, a reward lies outside [0, 1], a time is negative, or no configuration is
        told; naming `timeout` if it is not positive; naming `reward`, `seconds` or
        `configuration` if one has a column of another.
      TypeError: naming the argument, if it is no name, or no list of them.
      FileNotFoundError: if there is no such file.
    """
    for argument, column in (("reward", reward), ("seconds", seconds)):
        text(argument, column)
    if isinstance(configuration, str) or not isinstance(configuration, Iterable | None):
        raise TypeError(
            "configuration must be a list of columns' names, got "
            f"{checks.shown(configuration)}"
        )
    told = [text("configuration: a name", c) for c in configuration or ()]
    different = (reward, seconds, RUN, *told)
    if len(set(different)) < len(different):
        raise ValueError(
            f"reward, seconds, configuration and {RUN!r} must be different columns, "
            f"got {', '.join(map(repr, (reward, seconds, *told)))}"
        )
    # A word may be "NA" or "None"; only empty cells are missing.
    table = read_csv(path, keep_default_na=False, na_values=[""])
    known = [c for c in (reward, seconds, RUN) if c in table]
    others = [c for c in table if c not in known]
    names = others if configuration is None else told
    # Pandas writes its row numbers so, and each would be a configuration of its own.
    if any(c.startswith("Unnamed: ") for c in names):
        raise ValueError(
            f"path: {path} has a column without a name, which configuration must leave "
            f"out; others are {others}"
        )
    check_columns(path, table, (reward, seconds, *names))
    if not names or table.empty:
        raise ValueError(f"path: {path} has no configurations or no rows")
    for column in set(known) - {reward}:
        table[column] = numbers(path, table[column], infinite=True)
    if timeout is not None:
        timeout = number("timeout", timeout)
        positive(timeout=timeout)
        table.loc[table[seconds] >= timeout, seconds] = np.inf
    # Of a run that had timed out, the reward may be anything.
    finished = table[seconds] < np.inf
    rewards = table[reward].astype(object).where(finished, 0.0)
    table[reward] = numbers(path, rewards, infinite=True)
    bad = [c for c in names if table[c].isna().any()]
    if bad:
        raise ValueError(f"path: {path} has missing entries in {bad}")
    if not table[reward].between(0, 1).all():
        raise ValueError(f"path: {path} has rewards outside [0, 1]")
    if (table[seconds] < 0).any():
        raise ValueError(f"path: {path} has negative seconds")
    if RUN in known:
        table = table.sort_values(RUN, kind="stable")
    groups = dict(list(table.groupby(names, sort=True)))
    sizes = [len(group) for group in groups.values()]
    columns = np.full((2, len(groups), max(sizes)), np.nan)
    for place, group in enumerate(groups.values()):
        columns[:, place, : len(group)] = group[[reward, seconds]].to_numpy().T
    about = {"file": str(path), "runs_of_each": [min(sizes), max(sizes)]}
    configurations = tuple(dict(zip(names, key, strict=True)) for key in groups)
    return Runs(configurations, columns[0], columns[1], about, timeout)


def shipped_runs(name: str, **columns: Any) -> Runs:
    """Recorded runs of the package.

    Args:
      name: of the CSV file in the data folder, without its ending; beside it lies a
        JSON file that becomes `Runs.about`, with the timeout if there was one.
      **columns: as for `load_runs`.
    """
    folder = files("jaxbandits.settings.censored") / "data"
    about = json.loads((folder / f"{name}.json").read_text())
    timeout = about.get("timeout")
    runs = load_runs(str(folder / f"{name}.csv"), **columns, timeout=timeout)
    return runs._replace(about=runs.about | about)


def recorded(
    name: str,
    runs: Runs,
    limits: Numbers | str,
    *,
    cost: Cost = COST,
    penalty: Cost = PENALTY,
    unit: float | None = None,
) -> Environment[Any, Any, Action | RealAction]:
    """A game on recorded runs, of one's own solver, say.

    Args:
      name: of the game.
      runs: of `load_runs`.
      limits: the grid, increasing, in seconds; or `ANY`, every limit up to the timeout
        (without one: to the longest run).
      cost, penalty: c and lambda, functions of time in units. By default PAR10: a unit
        of time costs a reward of 1, a round in vain ten times its limit.
      unit: seconds per unit of time; by default the longest run that finished.

    Returns:
      An environment as `censored`. On a grid it has two more metrics: ``reward``, the
      sum of the expected rewards within the limits, and ``gain``, that of the penalised
      expected gains, eq. (2), both exact from counts.

    Raises:
      TypeError: if an argument is of another kind.
      ValueError: as `make_problem` and `make_continuum`; if no run finished, or limits
        lie beyond the timeout: what would have happened there is not on record.
    """
    instance("runs", runs, Runs, "of load_runs")
    unit = unit_of(runs, unit)
    if isinstance(limits, str):
        if limits != ANY:
            raise ValueError(f"limits must be numbers or {ANY!r}, got {limits!r}")
        longest = _longest_run(runs) if runs.timeout is None else runs.timeout
        problem = make_continuum(len(runs.reward), cost, penalty, longest / unit)
        return replay(name, runs, problem, unit)
    grid = checks.numbers("limits", limits, 1)
    if runs.timeout is not None and np.any(grid > runs.timeout):
        raise ValueError(
            f"limits must be at most the timeout of the runs, {runs.timeout}, got "
            f"{grid.max()}"
        )
    grid = grid / unit
    largest = float(np.max(grid, initial=0.0))
    problem = make_problem(len(runs.reward), grid, cost, penalty, largest or 1.0)
    return replay(name, runs, problem, unit)


def _longest_run(runs: Runs) -> float:
    """Seconds of the longest run that finished.

    Raises:
      ValueError: if none did, or none took any time.
    """
    finished = runs.seconds[np.isfinite(runs.seconds)]
    longest = float(np.max(finished, initial=0.0))
    if longest <= 0:
        raise ValueError("runs: none of them finished after a positive time")
    return longest


def unit_of(runs: Runs, unit: float | None) -> float:
    """Seconds per unit of time, checked; by default those of the longest run."""
    unit = _longest_run(runs) if unit is None else number("unit", unit)
    positive(unit=unit)
    played(unit=unit)
    return unit


def replay(
    name: str, runs: Runs, problem: Problem | Continuum, unit: float
) -> Environment[Any, Any, Action | RealAction]:
    """The game on runs of a problem whose limits are in units; see `recorded`."""
    rows = zip(runs.reward, runs.seconds / unit, strict=True)
    own = [(r[~np.isnan(r)], c[~np.isnan(r)]) for r, c in rows]
    arms = empirical_params(*map(list, zip(*own, strict=True)))
    environment = censored(name, problem, empirical, arms)
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
      pairs: as in every game of the setting.
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
