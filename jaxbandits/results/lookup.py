"""Checks of datasets, and parameter points by the names of policies."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

import numpy as np
import xarray as xr

from jaxbandits.checks import shown, whole
from jaxbandits.results.names import INSTANCE

_Data = TypeVar("_Data", xr.Dataset, xr.DataArray)


def check_dataset(dataset: xr.Dataset, *dims: str) -> None:
    """Require a dataset with some dimensions, none of them empty.

    No policy and no seed may stand there twice, checkpoints must increase, and runs of
    several environments must have a dimension for these.
    """
    if not isinstance(dataset, xr.Dataset):
        raise TypeError(
            f"dataset must be an xarray.Dataset, as `simulate` returns it, got "
            f"{type(dataset).__name__}"
        )
    _check_dims(dataset, *dims)
    check_once("dataset", dataset, "policy", "seed")
    played = dataset.coords.get("environment", np.zeros(1))
    names = np.unique(played).tolist()
    if "environment" not in dataset.dims and len(names) > 1:
        raise ValueError(
            "dataset must have runs of one environment, or a dimension environment, "
            f"got {shown(names)}, joined along {', '.join(map(str, played.dims))}"
        )
    checkpoints = dataset.coords.get("checkpoint", np.zeros(1))
    # The last checkpoint is taken for the end of the game.
    if checkpoints.dtype.kind in "iuf" and checkpoints.ndim == 1:
        values = np.asarray(checkpoints)
        if not np.all(values[1:] > values[:-1]):
            raise ValueError(
                f"checkpoint must increase, got {shown(values)}: put the dataset in "
                "order, by dataset.sortby('checkpoint')"
            )


def check_once(argument: str, data: xr.Dataset | xr.DataArray, *dims: str) -> None:
    """Require that no label of some dimensions stands there twice."""
    for dim in dims:
        if dim in data.indexes and not data.indexes[dim].is_unique:
            # Each root seed numbers its instances from 0.
            drawn = dim == "seed" and INSTANCE in data.coords
            also = f", and {argument}.assign_coords({INSTANCE}=...)" if drawn else ""
            raise ValueError(
                f"{argument} must have a {dim} only once, but one stands there again "
                "(of datasets that were joined?); give others other names or numbers "
                f"by {argument}.assign_coords({dim}=...){also}"
            )


def check_checkpoints(dataset: xr.Dataset) -> None:
    """Require the coordinate of the checkpoints."""
    if "checkpoint" not in dataset.coords:
        raise ValueError(
            "dataset must have the coordinate checkpoint, rounds or spent budgets; it "
            "was lost: give dataset.assign_coords(checkpoint=...)"
        )


def check_policies(
    dataset: xr.Dataset | xr.DataArray,
    policies: Iterable[str],
    argument: str = "policy",
) -> None:
    """Require that the dataset has all of some policies."""
    if isinstance(policies, str):
        raise TypeError(f"{argument} must be a list of names, got {policies!r}")
    _check_dims(dataset, "policy")
    known = dataset["policy"].values.tolist()
    for policy in policies:
        if np.ndim(policy) or policy not in known:
            names = ", ".join(map(str, known))
            raise ValueError(f"{argument}: {policy!r} is unknown; known are {names}")


def _check_dims(dataset: xr.Dataset | xr.DataArray, *dims: str) -> None:
    """Require dimensions, none of them empty."""
    if missing := [dim for dim in dims if dim not in dataset.dims]:
        raise ValueError(
            f"dataset must have the dimension{'s' * (len(dims) > 1)} {', '.join(dims)},"
            f" as `simulate` returns it; there is no {', '.join(missing)}"
        )
    for dim in dims:
        if not dataset.sizes[dim]:
            raise ValueError(f"dataset: has no {dim}")


def check_checkpoint(dataset: xr.Dataset, checkpoint: int) -> None:
    """Require the number of a checkpoint that there is."""
    _check_dims(dataset, "checkpoint")
    count = dataset.sizes["checkpoint"]
    whole("checkpoint", checkpoint, -count, count - 1)


def at_points(dataset: _Data, params: int | Mapping[str, int]) -> _Data:
    """A `Dataset` or `DataArray` at one parameter point per policy.

    Args:
      dataset: as `jaxbandits.results.build_dataset` makes it.
      params: number of the point, or policy -> number; 0 for policies not named.

    Returns:
      The data without dimension ``params``.

    Raises:
      ValueError: naming `params`, if the dataset lacks the policy or the point.
    """
    if not isinstance(dataset, xr.Dataset | xr.DataArray):
        check_dataset(dataset)
    _check_dims(dataset, "policy", "params")
    last = dataset.sizes["params"] - 1
    if not isinstance(params, Mapping):
        return dataset.isel(params=whole("params", params, 0, last))
    check_policies(dataset, params, "params")
    for point in params.values():
        whole("params", point, 0, last)
    names = dataset["policy"].values.tolist()
    numbers = [params.get(name, 0) for name in names]
    return dataset.isel(params=xr.DataArray(numbers, dims="policy"))
