"""Records of results, one per policy, parameter point and environment.

A record is a plain dict, the same in a program and in JSON.
"""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, TypedDict

import numpy as np
import xarray as xr

from jaxbandits import checks
from jaxbandits.results.dataset import DIMS
from jaxbandits.results.lookup import check_checkpoints, check_dataset, check_policies
from jaxbandits.results.names import COUNT
from jaxbandits.results.plain import plain
from jaxbandits.stats.intervals import mean, quiet_sem
from jaxbandits.stats.lookup import check_recorded, one_environment

Published = Mapping[str, Mapping[str, float | Sequence[float | None] | None]]


class Entry(TypedDict):
    """Our result beside the published one; None if a number is not known.

    Attributes:
      mean: our mean.
      sem: standard error of our mean.
      published: number of the source.
    """

    mean: float | None
    sem: float | None
    published: float | None


class Record(TypedDict):
    """The results of a policy.

    Attributes:
      experiment: name of the experiment.
      environment: name of the environment.
      policy: name of the policy, or of what else is compared.
      params: its parameters.
      seeds: number of seeds; 0 only where nothing is played.
      horizon: the last checkpoint, rounds or budget; 0 where nothing is played.
      metrics: entries by the name of the metric.
    """

    experiment: str
    environment: str
    policy: str
    params: dict[str, Any]
    seeds: int
    horizon: float
    metrics: dict[str, Entry]


def entry(
    mean: float | None, sem: float | None = None, published: float | None = None
) -> Entry:
    """An entry of plain numbers; one that is not finite, which JSON lacks, is None.

    Raises:
      TypeError, ValueError: naming the argument that is no number, or `sem` below 0.
    """
    error = _number("sem", sem)
    if error is not None:
        checks.non_negative(sem=error)
    return Entry(
        mean=_number("mean", mean),
        sem=error,
        published=_number("published", published),
    )


def make_record(
    experiment: str,
    environment: str,
    policy: str,
    metrics: Mapping[str, float | Entry],
    *,
    seeds: int,
    horizon: float,
    params: Mapping[str, Any] | None = None,
) -> Record:
    """A record of plain values.

    Args:
      experiment, environment, policy, seeds, horizon: see `Record`.
      metrics: by name an entry, or a number without an error. Of an entry only the
        mean must be there.
      params: parameters; none by default.

    Raises:
      TypeError, ValueError: naming the argument that is of another kind or out of
        range, or the parameter that has no JSON form.
    """
    names = {"experiment": experiment, "environment": environment, "policy": policy}
    for argument, name in names.items():
        checks.text(argument, name)
    checks.non_negative(horizon=checks.number("horizon", horizon))
    # Where nothing is played, as of a bound, there are no seeds either.
    checks.whole("seeds", seeds, 0 if horizon == 0 else 1)
    checks.mapping("metrics", metrics)
    for name in metrics:
        checks.text("metrics: a name", name)
    params = {} if params is None else params
    checks.mapping("params", params)
    return Record(
        experiment=experiment,
        environment=environment,
        policy=policy,
        params=plain(dict(params), "params"),
        seeds=int(seeds),
        horizon=plain(horizon, "horizon"),
        metrics={name: _entry(name, value) for name, value in metrics.items()},
    )


def _entry(name: str, value: Any) -> Entry:
    """What a metric was given as, a number or an entry, as an entry."""
    value = value if isinstance(value, Mapping) else {"mean": value}
    if "mean" not in value or not set(value) <= set(Entry.__annotations__):
        raise ValueError(
            f"metrics[{name!r}] must be a number, or have mean, and perhaps sem and "
            f"published, got {checks.shown(value)}"
        )
    with checks.named(f"metrics[{name!r}]"):
        return entry(**value)


def _number(argument: str, value: float | None) -> float | None:
    result = math.nan if value is None else checks.number(argument, value)
    return result if math.isfinite(result) else None


def summary_records(
    dataset: xr.Dataset,
    experiment: str,
    *,
    environment: str | None = None,
    params: Mapping[str, Any] | None = None,
    metrics: Sequence[str] | None = None,
    published: Published | None = None,
) -> list[Record]:
    """One record per policy and parameter point, at the last checkpoint.

    Points that a policy has not, because it has fewer than another, have none.

    Args:
      dataset: as `build_dataset` makes it.
      experiment: name of the experiment.
      environment: name of the environment; by default as the dataset says.
      params: further entries for every record's ``params`` (the size of the
        environment, say). A policy's own parameters win.
      metrics: names of metrics; by default all that are single numbers, but not
        ``rounds``.
      published: policy -> metric -> the source's number, or None. A sweep needs a
        sequence with one entry per parameter point.

    Returns:
      Records, see `Record`. All values are plain Python; a number that is not finite
      is None (null in JSON).

    Raises:
      ValueError: naming `metric`, if one is unknown, `published`, if it has an unknown
        policy, a metric that is not in the records or the wrong number of entries, or
        `dataset`, if it has several environments, does not say what its checkpoints
        are, or a policy was played and not to the last one.
    """
    check_dataset(dataset)
    moments = "moment" in dataset.dims
    dims = ("policy", "params", "checkpoint") if moments else DIMS
    dataset = one_environment(dataset, dims)
    check_checkpoints(dataset)
    if "rounds" not in dataset.data_vars:
        raise ValueError("dataset must have rounds, which say what points there are")
    check_recorded(dataset, last=True)
    # Means are read by position: what was joined or transposed may have another order.
    dataset = dataset.transpose(*dims, ...)
    published = {} if published is None else published
    checks.mapping("published", published)
    params = {} if params is None else params
    checks.mapping("params", params)
    if isinstance(metrics, str) or not (metrics is None or checks.is_iterable(metrics)):
        raise TypeError(f"metrics must be a list of names, got {metrics!r}")
    numbers = [
        str(name)
        for name, values in dataset.data_vars.items()
        if ("moment" in values.dims if moments else values.ndim == 4)
    ]
    names = [name for name in numbers if name != "rounds"]
    if metrics is not None:
        names = [checks.text("metrics: a name", name) for name in metrics]
    for name in names:
        if name in dataset.data_vars and name not in numbers:
            raise ValueError(
                f"metric: {name!r} must be a number per run and checkpoint, but has "
                f"the dimensions {', '.join(map(str, dataset[name].dims))}"
            )
    _check_published(dataset, names, published)
    last = dataset.isel(checkpoint=[-1])
    table = {
        name: (mean(last, name).values[..., 0], quiet_sem(last, name).values[..., 0])
        for name in names
    }
    if environment is None:
        environment = _environment(dataset)
    horizon = last["checkpoint"].values[0].item()
    rounds = last["rounds"]
    rounds = rounds.sel(moment="max") if moments else rounds
    played = np.asarray((rounds > 0).any(["part" if moments else "seed", "checkpoint"]))
    seeds = np.full(played.shape, dataset.sizes["seed"])
    if COUNT in dataset.coords:
        seeds = np.minimum(seeds, dataset[COUNT].transpose("policy", "params").values)
    records = []
    for row, policy in enumerate(dataset["policy"].values.tolist()):
        for point in range(dataset.sizes["params"]):
            if not played[row, point]:
                continue
            entries = {
                name: entry(
                    means[row, point],
                    errors[row, point],
                    _at(published.get(policy, {}).get(name), point),
                )
                for name, (means, errors) in table.items()
            }
            records.append(
                make_record(
                    experiment,
                    environment,
                    policy,
                    entries,
                    seeds=int(seeds[row, point]),
                    horizon=horizon,
                    params=dict(params) | _parameters(dataset, row, point),
                )
            )
    return records


def _environment(dataset: xr.Dataset) -> str:
    name = dataset.coords.get("environment")
    if name is None or name.ndim:
        raise ValueError(
            "environment must be given: the dataset has no single one for a coordinate"
        )
    return str(name.values)


def _parameters(dataset: xr.Dataset, row: int, point: int) -> dict[str, Any]:
    """The parameters that a policy has; a NaN coordinate says that it has none."""
    return {
        str(name).removeprefix("param_"): plain(float(coordinate.values[row, point]))
        for name, coordinate in dataset.coords.items()
        if str(name).startswith("param_")
        and not np.isnan(coordinate.values[row, point])
    }


def _check_published(
    dataset: xr.Dataset, names: Sequence[str], published: Published
) -> None:
    check_policies(dataset, published, "published")
    points = dataset.sizes["params"]
    for policy, entries in published.items():
        checks.mapping(f"published[{policy!r}]", entries)
        for name, number in entries.items():
            wrong = np.asarray(number, object).ravel().tolist()
            if not all(isinstance(x, Real | None) for x in wrong):
                raise TypeError(
                    f"published[{policy!r}][{name!r}] must be numbers or None, "
                    f"got {number!r}"
                )
            if name not in names:
                raise ValueError(
                    f"published[{policy!r}]: {name!r} is not among the metrics "
                    f"{', '.join(names)}"
                )
            # One number cannot be what a source reports for every point of a sweep.
            if number is not None and np.size(number) != points:
                raise ValueError(
                    f"published[{policy!r}][{name!r}]: {np.size(number)} entries, "
                    f"expected {points}, one per parameter point"
                )


def _at(number: Any, point: int) -> float | None:
    return number if number is None or np.ndim(number) == 0 else number[point]
