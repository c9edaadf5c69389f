"""Checks of the arguments that the statistics share: the type before the range."""

import math
from collections.abc import Mapping
from numbers import Real

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from jaxbandits.checks import MOST, numbers, shown, whole
from jaxbandits.results.names import INSTANCE


def check_dataset(dataset: xr.Dataset, *dims: str) -> None:
    """Raise an error if `dataset` is none, or lacks or has nothing along a dimension.

    So it does if policies or seeds stand there twice, or checkpoints do not increase.

    Args:
      dataset: what was given.
      *dims: the dimensions that it must have.
    """
    if not isinstance(dataset, xr.Dataset):
        raise TypeError(
            f"dataset must be an xarray.Dataset, as `simulate` returns it, got "
            f" {type(dataset).__name__}"
        )
    if missing := [dim for dim in dims if dim not in dataset.dims]:
        raise ValueError(
            f"dataset must have the dimensions {', '.join(dims)}, as `simulate` "
            f"returns it; there is no {', '.join(missing)}"
        )
    for dim in dims:
        if not dataset.sizes[dim]:
            raise ValueError(f"dataset: has no {dim}")
    check_once("dataset", dataset, "policy", "seed")
    checkpoints = dataset.coords.get("checkpoint", np.zeros(1))
    # The last one is taken for the end of the game.
    if checkpoints.dtype.kind in "iuf" and checkpoints.ndim == 1:
        values = np.asarray(checkpoints)
        if not np.all(values[1:] > values[:-1]):
            raise ValueError(
                f"checkpoint must increase, got {shown(values)}: put the dataset in "
                "order, by dataset.sortby('checkpoint')"
            )


def check_once(argument: str, data: xr.Dataset | xr.DataArray, *dims: str) -> None:
    """Raise a ValueError naming `argument` if a label of `dims` stands there twice."""
    for dim in dims:
        if dim in data.indexes and not data.indexes[dim].is_unique:
            # Another root seed numbers its instances from 0 too.
            drawn = dim == "seed" and INSTANCE in data.coords
            also = f", and {argument}.assign_coords({INSTANCE}=...)" if drawn else ""
            raise ValueError(
                f"{argument} must have a {dim} only once, but one stands there again "
                "(of datasets that were joined?); give others other names or numbers "
                f"by {argument}.assign_coords({dim}=...){also}"
            )


def check_checkpoints(dataset: xr.Dataset) -> None:
    """Raise a ValueError if the dataset does not say what its checkpoints are."""
    if "checkpoint" not in dataset.coords:
        raise ValueError(
            "dataset must have the coordinate checkpoint, rounds or spent budgets; it "
            "was lost: give dataset.assign_coords(checkpoint=...)"
        )


def check_number(argument: str, value: float) -> None:
    """Raise a TypeError naming `argument` if `value` is no real number."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{argument} must be a number, got {value!r}")


def check_level(level: float) -> None:
    """Raise an error if `level` is no number in (0, 1)."""
    check_number("level", level)
    if not 0 < level < 1:
        raise ValueError(f"level must be in (0, 1), got {level}")


def check_whole(argument: str, value: int) -> None:
    """Raise a TypeError naming `argument` if `value` is no integer."""
    # A time is an integer to NumPy.
    if isinstance(value, bool | np.bool_ | np.timedelta64) or not isinstance(
        value, int | np.integer
    ):
        raise TypeError(f"{argument} must be an integer, got {value!r}")


def check_mapping(argument: str, value: object) -> None:
    """Raise a TypeError naming `argument` if `value` is no mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{argument} must be a mapping, got {value!r}")


def check_bootstrap(resamples: int, seed: int, level: float) -> None:
    """Raise an error if `seed` is none, or `resamples` are too few or too many.

    A tail must hold at least one of them.
    """
    whole("seed", seed, 0)
    whole("resamples", resamples, math.ceil(2 / (1 - level)), MOST)


def check_seeds(values: xr.DataArray) -> None:
    """Raise a ValueError if there is no seed."""
    if values.sizes["seed"] == 0:
        raise ValueError("dataset: has no seed")


def check_probabilities(q: ArrayLike, inside: bool) -> np.ndarray:
    """`q` as f64; `inside` leaves out 0 and 1. Raises an error that names ``q``."""
    result = numbers("q", q)
    if result.ndim > 1:
        raise TypeError(f"q must be a number or a list of numbers, got {shown(q)}")
    if not result.size:
        raise ValueError("q must name at least one probability, got none")
    proper = (result > 0) & (result < 1) if inside else (result >= 0) & (result <= 1)
    if not proper.all():
        raise ValueError(
            f"q must be in {'(0, 1)' if inside else '[0, 1]'}, got {result.tolist()}"
        )
    return result


def check_bounds(
    bounds: tuple[float, float], values: np.ndarray
) -> tuple[float, float]:
    """Two increasing numbers that hold all `values` but NaN; names ``bounds``."""
    ends = numbers("bounds", bounds)
    if ends.shape != (2,):
        raise TypeError(
            f"bounds must be two numbers, the least and the largest value that a run "
            f"can have, got {shown(bounds)}"
        )
    low, high = ends.tolist()
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(f"bounds must be finite and increase, got {bounds}")
    if (outside := (values < low) | (values > high)).any():
        raise ValueError(
            f"bounds: {values[outside].flat[0]:g} is not in [{low:g}, {high:g}]"
        )
    return low, high
