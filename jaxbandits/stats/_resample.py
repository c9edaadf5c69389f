"""Curves over another axis, for example over rounds in a game with a budget.

Games with a budget stop at different rounds, so "the mean at round t" needs a
convention: a run that has stopped keeps its last value.
"""

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from jaxbandits import checks
from jaxbandits.results.dataset import CHECKPOINT_KINDS, DIMS
from jaxbandits.results.lookup import check_checkpoints, check_dataset
from jaxbandits.stats.lookup import metric_values

_RUNS = ("environment", *DIMS)


def resample(
    dataset: xr.Dataset, along: str, grid: ArrayLike, kind: str | None = None
) -> xr.Dataset:
    """Metrics at given values of another metric, run by run.

    Values are interpolated linearly between checkpoints, and from the origin (0, 0) to
    the first one. Beyond the end of a run they are its last value.

    Args:
      dataset: as `build_dataset` makes it.
      along: name of a metric that does not decrease in the checkpoint (``rounds``,
        ``expected_spent``, ...).
      grid: f64[G], increasing values >= 0 of that metric.
      kind: the new kind of checkpoint; by default ``round`` for ``rounds`` (the grid
        must then be integers), else ``spent``.

    Returns:
      A dataset of the same policies, points and seeds with the grid as checkpoints;
      variables without checkpoints are unchanged.

    Raises:
      ValueError: if `along` is unknown, decreases or is no number per run, `grid` does
        not increase, or `kind` is none or does not go with the grid.
      TypeError: if `grid` holds no numbers.
    """
    check_dataset(dataset, *DIMS)
    axis = metric_values(dataset, along, "along")
    if "checkpoint" not in axis.dims or not set(axis.dims) <= set(_RUNS):
        raise ValueError(
            f"along: {along!r} must be a number per run and checkpoint, but has the "
            f"dimensions {', '.join(map(str, axis.dims))}"
        )
    rounds = checks.numbers("grid", grid, 1)
    whole = np.asarray(grid).dtype.kind in "iu"
    grid = rounds.astype(np.int64 if whole else np.float64)
    if kind is None:
        kind = "round" if along == "rounds" else "spent"
    checks.one_of("kind", kind, CHECKPOINT_KINDS)
    increasing = grid.size and np.all(grid[1:] > grid[:-1])
    if not increasing or not np.all(np.isfinite(grid)) or grid[0] < 0:
        raise ValueError("grid must hold increasing numbers >= 0")
    if kind == "round" and along != "rounds":
        raise ValueError(f"kind {kind!r} is not that of a grid of {along!r}")
    if kind == "round" and np.any(grid % 1):
        raise ValueError("grid must hold integers for checkpoints of rounds")
    if (axis.diff("checkpoint") < 0).any():
        raise ValueError(f"along: {along!r} decreases somewhere, it cannot be an axis")

    def over_grid(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.interp(grid, np.append(0.0, x), np.append(0.0, y))

    variables = {}
    for name, given in dataset.data_vars.items():
        if "checkpoint" in given.dims:  # else of whole runs, as `session` of a store
            values = metric_values(dataset, str(name))
            given = xr.apply_ufunc(
                over_grid,
                axis.drop_vars(axis.coords),
                values.drop_vars(values.coords),
                input_core_dims=[["checkpoint"]] * 2,
                output_core_dims=[["checkpoint"]],
                exclude_dims={"checkpoint"},
                vectorize=True,
            ).transpose(*values.dims, ...)
        variables[str(name)] = given.variable
    coords = {k: v for k, v in dataset.coords.items() if "checkpoint" not in v.dims}
    return xr.Dataset(
        variables,
        coords=coords | {"checkpoint": grid},
        attrs=dataset.attrs | {"checkpoint_kind": kind},
    )


def as_share(dataset: xr.Dataset) -> xr.Dataset:
    """The same curves over the share of the last checkpoint, (0, 1].

    Raises:
      TypeError, ValueError: naming ``dataset``, if it is none or has no checkpoints, or
        ``checkpoint``, if these are not numbers >= 0 that increase.
    """
    check_dataset(dataset, "checkpoint")
    check_checkpoints(dataset)
    checkpoints = dataset["checkpoint"].values
    checks.non_negative(checkpoint=checkpoints)
    if checkpoints[-1] == 0:
        raise ValueError(
            f"checkpoint must end above 0, got {checks.shown(checkpoints)}"
        )
    shares = dataset.assign_coords(checkpoint=checkpoints / checkpoints[-1])
    if (kind := dataset.attrs.get("checkpoint_kind")) in ("round", "spent"):
        shares = shares.assign_attrs(share_of=kind)
    return shares.assign_attrs(checkpoint_kind="share")
