"""Metrics, policies and parameter points by name, with errors that help."""

from collections.abc import Iterable

import xarray as xr


def metric_values(dataset: xr.Dataset, metric: str) -> xr.DataArray:
    """The float64 values of a metric, ``[policy, params, seed, checkpoint]``.

    Raises:
      ValueError: if the dataset has no such metric.
    """
    if metric not in dataset.data_vars:
        known = ", ".join(map(str, dataset.data_vars))
        raise ValueError(f"metric: {metric!r} is unknown; known are {known}")
    return dataset[metric].astype("float64")


def check_policies(
    dataset: xr.Dataset, policies: Iterable[str], argument: str = "policy"
) -> None:
    """Raise a ValueError naming `argument` if the dataset lacks one of `policies`."""
    known = dataset["policy"].values.tolist()
    for policy in policies:
        if policy not in known:
            raise ValueError(
                f"{argument}: {policy!r} is unknown; known are {', '.join(known)}"
            )


def check_params(dataset: xr.Dataset, params: int) -> None:
    """Raise a ValueError if the dataset has no parameter point number `params`."""
    points = dataset.sizes["params"]
    if not 0 <= params < points:
        raise ValueError(f"params: {params} is not in 0, ..., {points - 1}")
