"""Algorithm configuration on recorded runs (section 5.2 of the censored paper).

An arm is a configuration of a random forest, a round trains it on a fresh random split
of AmesHousing: the reward is 1 less the normalised error on the test part, the resource
is the training time. The runs were made beforehand with
``scripts/collect_forest_runs.py``; a round replays one of its configuration's.
"""

import json
from functools import partial
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import pandas as pd

from jaxbandits.checks import MOST, instance, played, positive, whole
from jaxbandits.laws import empirical, empirical_params
from jaxbandits.protocol import Environment
from jaxbandits.settings.censored.costs import scaled
from jaxbandits.settings.censored.environment import censored
from jaxbandits.settings.censored.types import make_problem
from jaxbandits.settings.tables import read_csv

REWARD, SECONDS, RUN = "reward", "seconds", "run"
SHIPPED = "forest_runs.csv"  # beside it a JSON file: machine, versions, data


class Runs(NamedTuple):
    """Recorded runs of K configurations, n of each.

    Attributes:
      configurations: K mappings from a parameter's name to its value.
      reward: f64[K, n] in [0, 1].
      seconds: f64[K, n] >= 0; run j of an arm is the pair (reward[j], seconds[j]).
      about: where they come from.
    """

    configurations: tuple[dict, ...]
    reward: np.ndarray
    seconds: np.ndarray
    about: dict


def load_runs(path=None) -> Runs:
    """Read recorded runs.

    Args:
      path: a CSV file with the columns ``reward`` and ``seconds``, one row per run; a
        column ``run`` (number of the run) orders the runs of a configuration, and all
        other columns are the configuration. By default the runs that are shipped with
        the package: 672 forests, our own measurements (`Runs.about` tells how).

    Returns:
      The runs, configurations in the order of their values. Where some configurations
      have more runs than others, the surplus ones are left out (`about` tells how many
      rows).

    Raises:
      ValueError: naming `path`, if columns are missing, an entry is not a number, a
        reward lies outside [0, 1], a time is negative, or no configuration is told.
      FileNotFoundError: if there is no such file.
    """
    about = {"file": str(path)}
    if path is None:
        folder = files("jaxbandits.settings.censored") / "data"
        about = json.loads((folder / SHIPPED).with_suffix(".json").read_text())
        path = folder / SHIPPED
    table = read_csv(path)
    missing = [c for c in (REWARD, SECONDS) if c not in table]
    if missing:
        raise ValueError(f"path: {path} has no column {', '.join(missing)}")
    names = [c for c in table if c not in (REWARD, SECONDS, RUN)]
    if not names or table.empty:
        raise ValueError(f"path: {path} has no configurations or no rows")
    numbers = table.apply(pd.to_numeric, errors="coerce")
    bad = [c for c in table if not np.isfinite(numbers[c]).all()]
    if bad:
        raise ValueError(f"path: {path} has entries that are no numbers in {bad}")
    if not numbers[REWARD].between(0, 1).all():
        raise ValueError(f"path: {path} has rewards outside [0, 1]")
    if (numbers[SECONDS] < 0).any():
        raise ValueError(f"path: {path} has negative seconds")
    if RUN in numbers:
        numbers = numbers.sort_values(RUN, kind="stable")
    groups = dict(list(numbers.groupby(names, sort=True)))
    least = min(map(len, groups.values()))
    reward, seconds = (
        np.array([g[c].to_numpy()[:least] for g in groups.values()])
        for c in (REWARD, SECONDS)
    )
    left_out = len(numbers) - reward.size
    configurations = tuple(dict(zip(names, key, strict=True)) for key in groups)
    about |= {"runs_of_each": least, "rows_left_out": left_out}
    return Runs(configurations, reward, seconds, about)


def forest(
    runs: Runs | None = None, num_limits: int = 10, unit: float | None = None
) -> Environment:
    """The algorithm-configuration problem: ``c(x) = x``, ``lambda(x) = 10 x`` (PAR10).

    The limits are equidistant on the interquartile range of the training times of the
    first run of each configuration.

    Args:
      runs: recorded runs; those of the package by default.
      num_limits: M.
      unit: seconds per unit of cost; by default the longest run, so that costs lie in
        [0, 1] as rewards do (the paper does not say how it scales time).

    Returns:
      An environment as `censored`, with two more metrics: ``reward``, the sum of the
      expected rewards within the limits, and ``gain``, that of the penalised expected
      gains, eq. (2), both exact from counts.

    Raises:
      TypeError: if an argument is of another kind.
      ValueError: if `num_limits` < 2, `unit` is not positive, or the interquartile
        range is empty.
    """
    whole("num_limits", num_limits, 2, MOST)
    runs = load_runs() if runs is None else instance("runs", runs, Runs, "of load_runs")
    unit = float(runs.seconds.max()) if unit is None else unit
    positive(unit=unit)
    played(unit=unit)
    times = runs.seconds / unit
    low, high = np.quantile(times[:, 0], [0.25, 0.75])
    if not 0 < low < high:
        raise ValueError(f"runs: the quartiles of the times are {low} and {high}")
    limits = np.linspace(low, high, num_limits)
    problem = make_problem(len(times), limits, scaled(1.0), scaled(10.0), high)
    arms = empirical_params(runs.reward, times)
    environment = censored("AmesHousing forests", problem, empirical, arms)
    reward = empirical.moments(arms, limits, problem.cost).reward
    oracle = environment.oracle(None, None)
    return environment._replace(
        metrics=partial(_metrics, environment.metrics, reward, oracle.values),
        provenance=environment.provenance
        | {"seconds_per_unit": unit, "runs": runs.about},
    )


def _metrics(base, reward, values, setup, instance, record):
    pulls = np.asarray(record.pulls, np.float64)
    sums = {
        name: np.sum(pulls * table, axis=(-2, -1))
        for name, table in (("reward", reward), ("gain", values))
    }
    return base(setup, instance, record) | sums
