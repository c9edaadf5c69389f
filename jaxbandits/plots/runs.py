"""Which runs a figure shows: of one environment, at one point per policy, whole seeds.

A sweep may be half finished, and its policies may have different numbers of parameter
points. Metrics are NaN where nothing was played, so a figure asks here before it
averages, and its note tells how many seeds it used.
"""

import operator
from collections.abc import Sequence
from functools import reduce

import numpy as np
import xarray as xr

from jaxbandits.results.dataset import DIMS
from jaxbandits.stats.lookup import check_shown, metric_values


def environments(dataset: xr.Dataset) -> dict[str, xr.Dataset]:
    """The dataset of each environment, by its name. Needs the dimension."""
    names = dataset["environment"].values.tolist()
    return {str(name): dataset.isel(environment=i) for i, name in enumerate(names)}


def played(dataset: xr.Dataset) -> xr.DataArray:
    """Whether a run was played, bool over the dataset's dimensions up to ``seed``.

    The variable ``session`` of a sweep's store shows it (0: not yet). Without it, a run
    counts as not played if all metrics are NaN at all checkpoints. A single metric may
    be NaN because it is undefined, or because the policy does not have it.
    """
    dims = [dim for dim in ("environment", *DIMS) if dim in dataset.dims]
    kept = dims[: dims.index("seed") + 1]
    if "session" in dataset and set(dataset["session"].dims) == set(kept):
        return dataset["session"].transpose(*kept) > 0
    metrics = [
        values
        for values in dataset.data_vars.values()
        if values.dtype.kind == "f" and set(dims) <= set(values.dims)
    ]
    if not metrics:
        shape = [dataset.sizes[dim] for dim in kept]
        return xr.DataArray(np.ones(shape, bool), dims=kept)
    there = [
        values.notnull().any([dim for dim in values.dims if dim not in kept])
        for values in metrics
    ]
    return reduce(operator.or_, there).transpose(*kept)


def number_per_run(dataset: xr.Dataset, metric: str) -> xr.DataArray:
    """`metric_values` of a metric that is one number per run and checkpoint."""
    values = metric_values(dataset, metric, gaps=True)
    known = ("environment", *DIMS)
    if further := [str(dim) for dim in values.dims if dim not in known]:
        raise ValueError(
            f"metric: {metric!r} must be a number per run and checkpoint, but has "
            f"further dimensions, {', '.join(further)}"
        )
    return values


def whole_seeds(
    dataset: xr.Dataset, metric: str, policies: Sequence[str] | None
) -> xr.Dataset:
    """The dataset with the seeds that all shown policies have played.

    Shown are all of `policies` that have the metric; a policy without runs is ignored.
    So all curves of a figure use the same seeds. The dataset is of one environment, at
    one point per policy.
    """
    check_shown(dataset, policies)
    values = number_per_run(dataset, metric)
    ran = played(dataset)
    if policies is not None:
        values, ran = (x.sel(policy=list(policies)) for x in (values, ran))
    shown = (values.notnull().any("checkpoint") & ran).any("seed").values
    if not shown.any():
        return dataset  # Whoever draws it says that there is nothing to draw.
    whole = ran.isel(policy=shown).all("policy").values
    if not whole.any():
        names = ", ".join(values["policy"].values[shown].tolist())
        raise ValueError(
            f"policies: no seed has been played by all of {names} yet; name fewer"
        )
    return dataset if whole.all() else dataset.isel(seed=whole)
