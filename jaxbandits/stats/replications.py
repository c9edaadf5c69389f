"""Independent replications: seeds, or the drawn instances that seeds share.

With ``runs_per_instance > 1`` several seeds play in one drawn instance, whose number is
in the coordinate ``instance``. These seeds are not independent: an interval that treats
them so covers 0.44 instead of 0.95 if instances differ more than runs. Their mean is
one replication. `two_level` also gives the components of the variance.
"""

from typing import NamedTuple

import numpy as np
import xarray as xr

from jaxbandits.results.names import INSTANCE


class _Groups(NamedTuple):
    """Runs by instance.

    Attributes:
      order: int[N], the runs, those of one instance side by side.
      starts: int[I], where each instance begins in `order`.
      sizes: int[I], its number of runs.
    """

    order: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray

    def means(self, values: np.ndarray) -> np.ndarray:
        """f64[..., I], the instances' means of ``values [..., N]``."""
        ordered = values[..., self.order]
        return np.add.reduceat(ordered, self.starts, axis=-1) / self.sizes


def group(numbers: np.ndarray) -> _Groups:
    """The groups of equal numbers in ``numbers [N]``, in the order of their firsts."""
    _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    places = np.argsort(np.argsort(first))[place.ravel()]
    sizes = np.bincount(places)
    return _Groups(np.argsort(places, kind="stable"), np.cumsum(sizes) - sizes, sizes)


def shared_instances(dataset: xr.Dataset | xr.DataArray) -> np.ndarray | None:
    """[S], the drawn instance of every seed; None if no two seeds share one."""
    if INSTANCE not in dataset.coords or "seed" not in dataset[INSTANCE].dims:
        return None
    drawn = dataset[INSTANCE]
    if others := [f"{dim}=0" for dim in drawn.dims if dim != "seed"]:
        raise ValueError(
            f"instance must be over seed alone, got {', '.join(map(str, drawn.dims))}; "
            f"select one of the others, as in dataset.isel({', '.join(others)})"
        )
    if drawn.isnull().any():
        raise ValueError(
            "instance must be a number for every seed, and some have none (of datasets "
            "that were joined?); give them by "
            'dataset.assign_coords(instance=("seed", ...))'
        )
    numbers: np.ndarray = drawn.values
    if len(np.unique(numbers)) == len(numbers):
        return None
    if "seed" in dataset.coords and dataset["seed"].dtype.kind in "iu":
        _check_blocks(numbers, dataset["seed"].values)
    return numbers


def _check_blocks(numbers: np.ndarray, seeds: np.ndarray) -> None:
    """Require that the seeds of an instance are neighbours, in any order.

    In played datasets they are. Joined datasets of several root seeds have different
    instances with the same numbers, which would count as one.
    """
    order = np.argsort(seeds)
    ordered = numbers[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    result, times = np.unique(ordered[begins], return_counts=True)
    if (times == 1).all():
        return
    again = result[times > 1][0]
    first, second = seeds[order][begins[ordered[begins] == again]][:2]
    raise ValueError(
        f"instance: seeds {first} and {second} both have {again}, and seeds between "
        "them have others (of several root seeds that were joined?); give what was "
        "drawn apart other numbers by dataset.assign_coords(instance=...)"
    )


def replications(values: xr.DataArray) -> xr.DataArray:
    """Independent replications along ``seed``.

    The same values, or the mean of every drawn instance (the coordinate ``instance``),
    in the order of their first seeds. The unweighted mean of these is the mean over
    instances whatever their numbers of runs are.
    """
    numbers = shared_instances(values)
    if numbers is None:
        return values
    means = group(numbers).means(values.transpose(..., "seed").values)
    rest = values.isel(seed=0, drop=True)
    coords = {name: rest.coords[name] for name in rest.coords if name != INSTANCE}
    result = xr.DataArray(means, dims=(*rest.dims, "seed"), coords=coords)
    return result.transpose(*values.dims).rename(values.name)
