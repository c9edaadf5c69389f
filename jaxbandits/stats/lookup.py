"""Metrics by name, with helpful errors if a statistic cannot use them."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from jaxbandits.checks import array_of, is_iterable
from jaxbandits.results.dataset import ALL_DIMS, DIMS
from jaxbandits.results.lookup import check_dataset, check_once, check_policies
from jaxbandits.results.moments import NAMES
from jaxbandits.results.names import COUNT, FACT, INSTANCE, PARAMETER
from jaxbandits.stats.soundness import warn

_KNOWN = "mean, sem, interval (by t), quantiles and summary_records"
_OWN = "mean, sem, interval, quantiles, final, summary_records and fixed_width_interval"


def metric_values(
    dataset: xr.Dataset,
    metric: str,
    argument: str = "metric",
    *,
    moments: bool = False,
    blocks: bool = False,
    ragged: bool = False,
    gaps: bool = False,
) -> xr.DataArray:
    """The float64 values of a metric, ``[policy, params, seed, checkpoint]``.

    Args:
      dataset: the dataset.
      metric: name of a metric.
      argument: for errors.
      moments: whether moments will do where no runs are kept.
      blocks: whether it may be a dask array, to be read block by block.
      ragged: whether points may have different numbers of seeds.
      gaps: whether NaN among the seeds needs no warning, as a figure shows a gap.
    """
    check_dataset(dataset)
    _check_coordinates(dataset)
    if not isinstance(metric, str) or metric not in dataset.data_vars:
        known = ", ".join(map(str, dataset.data_vars))
        raise ValueError(f"{argument}: {metric!r} is unknown; known are {known}")
    values = dataset[metric]
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{argument}: {metric!r} must be numbers, got {values.dtype}")
    for dim in ALL_DIMS:
        if values.sizes.get(dim) == 0:
            raise ValueError(f"dataset: has no {dim}")
    if "moment" in values.dims:
        if (size := values.sizes["moment"]) != len(NAMES):
            raise ValueError(
                f"dataset: moment must have all its {len(NAMES)} entries, got {size}"
            )
        if moments:
            return values
        raise ValueError(
            f"{argument}: of {metric!r} the store keeps moments only, and this needs "
            f"runs; {_KNOWN} take moments"
        )
    apart = is_ragged(values)
    if apart and not ragged:
        counts = values[COUNT].values
        least, most = counts[counts > 0].min(), counts.max()
        raise ValueError(
            f"{argument}: points have {least} to {most} seeds (the coordinate seeds), "
            "and this needs the same ones of all: give those, "
            f"dataset.isel(seed=slice({least})); {_OWN} take all that each point has"
        )
    if values.chunks is not None and (apart or not blocks):
        raise ValueError(
            f"{argument}: {metric!r} is an array of dask, and this needs all of it at "
            "once; give what fits into memory, as in dataset.isel(checkpoint=[-1]).load"
            f"(); {_KNOWN} read block by block"
        )
    if "seed" not in values.dims:
        raise ValueError(
            f"{argument}: {metric!r} must have the dimension seed, over which there is "
            f"no mean else; it has {', '.join(map(str, values.dims)) or 'none'}"
        )
    values = values.astype("float64")
    if not gaps:
        warn_of_missing(values, repr(metric))
    return values


def warn_of_missing(values: xr.DataArray, name: str) -> None:
    """Warn of samples with a NaN among their seeds: their statistics are NaN.

    A sample is the values along ``seed``. If a sample has only NaN and others have
    numbers, its policy does not have the metric, and there is no warning. Dask arrays
    are not checked.
    """
    if values.chunks is not None or values.dtype.kind != "f":
        return
    missing = values.isnull()
    if is_ragged(values):
        places = xr.DataArray(np.arange(values.sizes["seed"]), dims="seed")
        missing = missing & (places < values[COUNT])
    if not missing.any():
        return
    spoilt = missing.any("seed")
    if not missing.all():
        spoilt = spoilt & values.notnull().any("seed")
    if (number := int(spoilt.sum())) == 0:
        return
    first = spoilt.where(spoilt, drop=True) if spoilt.dims else spoilt
    first = first.isel({dim: 0 for dim in first.dims})
    where = ", ".join(
        f"{dim} {first[dim].item()!r}" for dim in spoilt.dims if dim in first.coords
    )
    where = f" (the first: {where})" if where else ""
    warn(
        f"{name}: {int((missing & spoilt).sum())} values along the dimension seed are "
        f"NaN, in {number} of {spoilt.size} samples{where}; their statistics are NaN. "
        "No seed is left out: drop those that are NaN, if that is meant",
        UserWarning,
    )


def _check_coordinates(dataset: xr.Dataset) -> None:
    """Raise a ValueError if coordinates do not say which runs are of one kind."""
    for name, over in ((INSTANCE, "seed"), (COUNT, "policy and params")):
        if name in dataset.data_vars:
            raise ValueError(
                f"dataset: {name} must be a coordinate over {over}, and is a variable; "
                f"make it one by dataset.set_coords({name!r})"
            )
    for name, coordinate in dataset.coords.items():
        if not str(name).startswith(PARAMETER) or not coordinate.sizes.get("seed"):
            continue
        values = coordinate.variable
        if not values.broadcast_equals(values.isel(seed=0)):
            raise ValueError(
                f"dataset: {name} differs between seeds (of datasets that were "
                "joined?), and a mean over seeds is of one point; join other points "
                "along params"
            )


def one_environment(dataset: xr.Dataset, dims: Iterable[str] = DIMS) -> xr.Dataset:
    """The dataset of one environment, with other dimensions, without that one."""
    check_dataset(dataset, *dims)
    if "environment" not in dataset.dims:
        return dataset
    check_dataset(dataset, "environment")
    names = dataset["environment"].values.tolist()
    if len(names) > 1:
        known = [str(x)[len(FACT) :] for x in dataset.coords if str(x).startswith(FACT)]
        by = f"; plots.by_value has curves by {', '.join(known)}" if known else ""
        raise ValueError(
            f"dataset: it has {len(names)} environments, {', '.join(map(str, names))}; "
            f"select one, as in dataset.sel(environment={names[0]!r}){by}"
        )
    return dataset.isel(environment=0)


def check_recorded(
    dataset: xr.Dataset, policies: Iterable[str] | None = None, *, last: bool
) -> None:
    """Raise a ValueError naming policies that lack a checkpoint which they went past.

    So it is where policies with other checkpoints were joined: ``rounds``, which every
    run has at its own, is NaN. A policy or point that was not played at all lacks none.
    With `last` the last checkpoint is meant, else those between a policy's own.
    """
    rounds = dataset.get("rounds")
    # As they are played they are integers, and lack nothing; moments are real.
    if rounds is None or rounds.dtype.kind != "f" or "seed" not in rounds.dims:
        return
    if policies is not None:
        rounds = rounds.sel(policy=list(policies))
    there = rounds.notnull().any("seed").transpose("policy", ..., "checkpoint").values
    lacks = np.maximum.accumulate(there, axis=-1) & ~there
    if last:
        lacks[..., :-1] = False
    else:
        lacks &= np.maximum.accumulate(there[..., ::-1], axis=-1)[..., ::-1]
    if not lacks.any():
        return
    *_, checkpoints = np.nonzero(lacks)
    rows = lacks.any(axis=tuple(range(1, lacks.ndim)))
    names = rounds["policy"].values[rows].tolist()
    result = rounds["checkpoint"].values[checkpoints[0]].item()
    which = (
        f"last checkpoint, {result}" if last else f"checkpoint {result} among others"
    )
    raise ValueError(
        f"dataset: {', '.join(map(str, names))} lack{'s' * (len(names) == 1)} the "
        f"{which} (of datasets that were joined?); take checkpoints that all have, by "
        "dataset.sel(checkpoint=...)"
    )


def is_ragged(values: xr.DataArray) -> bool:
    """Whether points have some seeds and not all, by the coordinate ``seeds``."""
    if COUNT not in values.coords or "seed" not in values.dims:
        return False
    counts = values[COUNT].values
    return bool(((counts > 0) & (counts < values.sizes["seed"])).any())


def check_shown(dataset: xr.Dataset, policies: Iterable[str] | None) -> None:
    """Raise an error unless `policies` are different names of a dataset, or None."""
    if policies is None:
        return
    known = ", ".join(map(str, dataset["policy"].values.tolist()))
    # What can be read only once is no list either.
    no_list = isinstance(policies, str | Mapping | Iterator)
    if no_list or not is_iterable(policies):
        raise TypeError(
            f"policies must be a list of names, got {policies!r}; known are {known}"
        )
    names = list(policies)
    if not names:
        raise ValueError(f"policies must name at least one; known are {known}")
    check_policies(dataset, names, "policies")
    if len(set(names)) < len(names):
        raise ValueError(f"policies must be different names, got {names}")


def by_seed(values: xr.DataArray | ArrayLike, argument: str) -> xr.DataArray:
    """Float64 values with a dimension ``seed``: their own, or the last axis."""
    if isinstance(values, xr.Dataset):
        raise TypeError(
            f"{argument} must be an array of numbers, as dataset['regret'], got a "
            "Dataset"
        )
    if not isinstance(values, xr.DataArray):
        values = array_of(argument, values)
        if values.dtype.kind not in "fiub" or values.ndim == 0:
            raise TypeError(f"{argument} must be an array of numbers, got {values!r}")
        dims = [f"dim_{axis}" for axis in range(values.ndim - 1)]
        values = xr.DataArray(values, dims=[*dims, "seed"])
    elif "seed" not in values.dims:
        raise ValueError(f"{argument} must have the dimension seed, got {values.dims}")
    elif values.dtype.kind not in "fiub":
        raise TypeError(f"{argument} must be numbers, got {values.dtype}")
    check_once(argument, values, "seed")
    if not values.sizes["seed"]:
        raise ValueError(f"{argument} must have at least one value, got none")
    return values.astype("float64")
