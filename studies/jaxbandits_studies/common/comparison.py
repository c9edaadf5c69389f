"""Several policies on several environments: what most experiments do."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from jaxbandits import stats
from jaxbandits.protocol import Environment, Policy
from jaxbandits_studies.common.experiment import ROOT_SEED, Options
from jaxbandits_studies.common.playing import end_of, play


class Contestant(NamedTuple):
    """A policy of a comparison.

    Attributes:
      factory: makes it from what the learner knows.
      params: parameters that are not default, by leaf: a number, an array of points, or
        a function of the options (for what depends on the horizon).
    """

    factory: Callable[[Any], Policy]
    params: Mapping[str, Any] = {}


def run_contestants(
    environment: Environment,
    contestants: Mapping[str, Contestant],
    options: Options,
    *,
    checkpoints: str | Sequence[int] = "linear",
    seeds: np.ndarray | None = None,
    root_seed: int = ROOT_SEED,
) -> xr.Dataset:
    """Run all contestants.

    Args:
      environment: the environment.
      contestants: by the name that results show.
      options: seeds, and the number of rounds or, of a game that has one, the budget.
      checkpoints: as for `simulate`.
      seeds: which ones, in place of the options' number of them.
      root_seed: of all runs.
    """
    return play(
        {
            label: c.factory(environment.problem).over(
                **{k: v(options) if callable(v) else v for k, v in c.params.items()}
            )
            for label, c in contestants.items()
        },
        environment,
        options,
        root_seed=root_seed,
        seeds=seeds,
        checkpoints=checkpoints,
        **end_of(environment, options.horizon),
    )


class Played(NamedTuple):
    """What came of several games.

    Attributes:
      datasets: by title.
      records: of all of them.
    """

    datasets: dict[str, xr.Dataset]
    records: list[stats.Record]

    def final(self, title: str, metric: str = "regret") -> xr.DataArray:
        """A metric at the end of a game, by policy and seed, at the first point."""
        return stats.final(self.datasets[title], metric).isel(params=0)


def play_games(
    name: str,
    games: Mapping[str, Environment],
    cast: Mapping[str, Contestant] | Mapping[str, Mapping[str, Contestant]],
    options: Options,
    *,
    metrics: Sequence[str] | None = None,
    spread: str | None = None,
    worst: bool = False,
    runs: Mapping[str, Callable[..., xr.Dataset]] = {},  # noqa: B006
    **others: Any,
) -> Played:
    """Play games one after the other; a record per policy (and point) and game.

    Args:
      name: of the experiment.
      games: by title.
      cast: of all games, or one by title.
      options: seeds, and the horizon or the budget.
      metrics: of the records; all if None.
      spread: the baseline of what `add_spread` adds; nothing is added if None.
      worst: whether records have the regret of the worst run.
      runs: by title, what plays it in place of `run_contestants`.
      **others: as for `run_contestants`.
    """
    played = Played({}, [])
    for title, environment in games.items():
        run = runs.get(title, run_contestants)
        dataset = run(environment, cast.get(title, cast), options, **others)
        records = stats.summary_records(
            dataset, name, environment=title, metrics=metrics
        )
        if spread is not None:
            add_spread(records, dataset, "regret", spread)
        played.datasets[title] = dataset
        played.records.extend(records)
        if worst:
            add_worst(records, dataset)
    return played


def add_worst(records: Sequence[stats.Record], dataset: xr.Dataset) -> None:
    """Add the regret of the worst run to the records of a dataset."""
    most = stats.final(dataset, "regret").isel(params=0).max("seed")
    for record in records:
        value = most.sel(policy=record["policy"])
        record["metrics"]["regret_worst"] = stats.entry(value.item())


def name_points(records: Sequence[stats.Record], leaf: str) -> None:
    """Add a parameter's value to the policy's name, where it is what varies."""
    for record in records:
        record["policy"] += f", {leaf} {record['params'][leaf]:g}"


def add_spread(
    records: list[stats.Record], dataset: xr.Dataset, metric: str, baseline: str
) -> None:
    """Add what means of heavy-tailed runs do not tell to the records of a dataset.

    Median and 90 % quantile of the metric over seeds, and the paired mean difference to
    a baseline on the same seeds. The error of the median is that of the normal
    approximation to its order statistics.

    Args:
      records: of `summary_records`, one parameter point per policy; changed in place.
      dataset: where they come from.
      metric: name of the metric.
      baseline: name of the policy to compare with.
    """
    at_end = dataset.isel(checkpoint=[-1], params=[0])
    result = stats.quantiles(at_end, metric, [0.5, 0.9]).isel(params=0, checkpoint=0)
    values = stats.final(at_end, metric).isel(params=0)
    seeds = dataset.sizes["seed"]
    of_baseline = at_end[metric].sel(policy=baseline).reset_coords(drop=True)
    behind = at_end.assign({metric: at_end[metric] - of_baseline})
    paired = stats.mean(behind, metric), stats.sem(behind, metric)
    # Half the distance of the order statistics one standard error off the middle.
    offset = min(0.5 / np.sqrt(seeds), 0.5)
    sides = values.quantile([0.5 - offset, 0.5 + offset], "seed")
    for record in records:
        here = {"policy": record["policy"]}
        middle, high = result.sel(here).values.tolist()
        error = float(np.ptp(sides.sel(here).values)) / 2
        entries = {
            f"{metric}_median": (middle, error if seeds > 1 else None),
            f"{metric}_q90": (high, None),
        }
        if record["policy"] != baseline and seeds > 1:
            its_own = tuple(x.sel(here).item() for x in paired)
            entries[f"{metric}_minus_baseline"] = its_own
        for name, (value, its_error) in entries.items():
            record["metrics"][name] = stats.entry(value, its_error)
