"""Metrics, policies and parameter points by name, with errors that help."""

from collections.abc import Iterable, Mapping

import xarray as xr

from jaxbandits.results.checks import check_dataset, check_whole


def metric_values(dataset: xr.Dataset, metric: str) -> xr.DataArray:
    """The float64 values of a metric, ``[policy, params, seed, checkpoint]``.

    Raises:
      ValueError: if the dataset has no such metric.
      TypeError: if it is no dataset.
    """
    check_dataset(dataset)
    if not isinstance(metric, str) or metric not in dataset.data_vars:
        known = ", ".join(map(str, dataset.data_vars))
        raise ValueError(f"metric: {metric!r} is unknown; known are {known}")
    return dataset[metric].astype("float64")


def check_policies(
    dataset: xr.Dataset, policies: Iterable[str], argument: str = "policy"
) -> None:
    """Raise a ValueError naming `argument` if the dataset lacks one of `policies`."""
    if isinstance(policies, str):
        raise TypeError(f"{argument}: must be a list of names, got {policies!r}")
    known = dataset["policy"].values.tolist()
    for policy in policies:
        if policy not in known:
            raise ValueError(
                f"{argument}: {policy!r} is unknown; known are {', '.join(known)}"
            )


def check_params(dataset: xr.Dataset, params: int) -> None:
    """Raise a ValueError if the dataset has no parameter point number `params`."""
    check_whole("params", params)
    points = dataset.sizes["params"]
    if not 0 <= params < points:
        raise ValueError(f"params: {params} is not in 0, ..., {points - 1}")


def check_checkpoint(dataset, checkpoint: int) -> None:
    """Raise a ValueError if there is no checkpoint number `checkpoint`."""
    check_whole("checkpoint", checkpoint)
    count = dataset.sizes["checkpoint"]
    if not -count <= checkpoint < count:
        raise ValueError(
            f"checkpoint: {checkpoint} is not in {-count}, ..., {count - 1}"
        )


def at_points(dataset, params: int | Mapping[str, int]):
    """A `Dataset` or `DataArray` at one parameter point per policy.

    Args:
      dataset: as `jaxbandits.results.build_dataset` makes it.
      params: number of the point, or policy -> number; 0 for policies not named.

    Returns:
      The same without dimension ``params``.

    Raises:
      ValueError: naming `params`, if it names a policy or a point that is not there.
    """
    if not isinstance(params, Mapping):
        check_params(dataset, params)
        return dataset.isel(params=params)
    check_policies(dataset, params, "params")
    for point in params.values():
        check_params(dataset, point)
    names = dataset["policy"].values.tolist()
    numbers = [params.get(name, 0) for name in names]
    return dataset.isel(params=xr.DataArray(numbers, dims="policy"))
