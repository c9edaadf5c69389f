"""Metrics, policies and parameter points by name, with errors that help."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

import xarray as xr

from jaxbandits.results.checks import check_dataset, check_whole
from jaxbandits.results.names import COUNT, INSTANCE

_KNOWN = "mean, sem, interval (by t), quantiles and summary_records"
_OWN = "mean, sem, interval, quantiles, final, summary_records and fixed_width_interval"

_Data = TypeVar("_Data", xr.Dataset, xr.DataArray)


def metric_values(
    dataset: xr.Dataset,
    metric: str,
    argument: str = "metric",
    *,
    moments: bool = False,
    blocks: bool = False,
    ragged: bool = False,
) -> xr.DataArray:
    """The float64 values of a metric, ``[policy, params, seed, checkpoint]``.

    Args:
      dataset: the dataset.
      metric: name of a metric.
      argument: for errors.
      moments: whether moments will do where no runs are kept.
      blocks: whether it may be a dask array, to be read block by block.
      ragged: whether points may have different numbers of seeds.

    Raises:
      ValueError: naming `argument`, if the dataset has no such metric, nothing or a
        single run of it only, or moments only; if it is of dask and all runs are
        needed; or if points have different numbers of seeds and all must have the same
        ones. Naming ``dataset``, if what is a coordinate is a variable there.
      TypeError: if it is no dataset, or the metric no numbers.
    """
    check_dataset(dataset)
    for name in (INSTANCE, COUNT):
        if name in dataset.data_vars:
            over = "seed" if name == INSTANCE else "policy and params"
            raise ValueError(
                f"dataset: {name} must be a coordinate over {over}, and is a variable; "
                f"make it one by dataset.set_coords({name!r})"
            )
    if not isinstance(metric, str) or metric not in dataset.data_vars:
        known = ", ".join(map(str, dataset.data_vars))
        raise ValueError(f"{argument}: {metric!r} is unknown; known are {known}")
    values = dataset[metric]
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{argument}: {metric!r} must be numbers, got {values.dtype}")
    for dim in ("policy", "params", "checkpoint"):
        if values.sizes.get(dim) == 0:
            raise ValueError(f"dataset: has no {dim}")
    if "moment" in values.dims:
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
    return values.astype("float64")


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
    if isinstance(policies, str | Mapping) or not isinstance(policies, Iterable):
        raise TypeError(
            f"policies must be a list of names, got {policies!r}; known are {known}"
        )
    names = list(policies)
    if not names:
        raise ValueError(f"policies must name at least one; known are {known}")
    check_policies(dataset, names, "policies")
    if len(set(names)) < len(names):
        raise ValueError(f"policies must be different names, got {names}")


def check_policies(
    dataset: xr.Dataset | xr.DataArray,
    policies: Iterable[str],
    argument: str = "policy",
) -> None:
    """Raise a ValueError naming `argument` if the dataset lacks one of `policies`."""
    if isinstance(policies, str):
        raise TypeError(f"{argument} must be a list of names, got {policies!r}")
    _check_dims(dataset, "policy")
    known = dataset["policy"].values.tolist()
    for policy in policies:
        if policy not in known:
            names = ", ".join(map(str, known))
            raise ValueError(f"{argument}: {policy!r} is unknown; known are {names}")


def _check_dims(dataset: xr.Dataset | xr.DataArray, *dims: str) -> None:
    """Raise a ValueError if the dataset lacks one of `dims`."""
    if missing := sorted(set(dims) - set(dataset.dims)):
        raise ValueError(
            f"dataset must have the dimension{'s' * (len(dims) > 1)} "
            f"{' and '.join(dims)}; there is no {', '.join(missing)}"
        )


def _check_params(dataset: xr.Dataset | xr.DataArray, params: int) -> None:
    """Raise a ValueError if the dataset has no parameter point number `params`."""
    check_whole("params", params)
    points = dataset.sizes["params"]
    if not 0 <= params < points:
        raise ValueError(f"params: {params} is not in 0, ..., {points - 1}")


def check_checkpoint(dataset: xr.Dataset, checkpoint: int) -> None:
    """Raise a ValueError if there is no checkpoint number `checkpoint`."""
    check_whole("checkpoint", checkpoint)
    _check_dims(dataset, "checkpoint")
    count = dataset.sizes["checkpoint"]
    if not -count <= checkpoint < count:
        raise ValueError(
            f"checkpoint: {checkpoint} is not in {-count}, ..., {count - 1}"
        )


def at_points(dataset: _Data, params: int | Mapping[str, int]) -> _Data:
    """A `Dataset` or `DataArray` at one parameter point per policy.

    Args:
      dataset: as `jaxbandits.results.build_dataset` makes it.
      params: number of the point, or policy -> number; 0 for policies not named.

    Returns:
      The same without dimension ``params``.

    Raises:
      ValueError: naming `params`, if it names a policy or a point that is not there.
    """
    if not isinstance(dataset, xr.Dataset | xr.DataArray):
        check_dataset(dataset)
    _check_dims(dataset, "policy", "params")
    if not isinstance(params, Mapping):
        _check_params(dataset, params)
        return dataset.isel(params=params)
    check_policies(dataset, params, "params")
    for point in params.values():
        _check_params(dataset, point)
    names = dataset["policy"].values.tolist()
    numbers = [params.get(name, 0) for name in names]
    return dataset.isel(params=xr.DataArray(numbers, dims="policy"))
