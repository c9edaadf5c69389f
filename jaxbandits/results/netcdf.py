"""Datasets on disk, as netCDF-4."""

import os
from pathlib import Path

import xarray as xr

from jaxbandits.results.atomic import replacing
from jaxbandits.results.checks import check_dataset


def save(dataset: xr.Dataset, path: str | os.PathLike) -> None:
    """Write a dataset as a netCDF-4 file, whole or not at all.

    Args:
      dataset: as `build_dataset` makes it.
      path: the file, by custom ``*.nc``; an old one is replaced.

    Raises:
      ValueError: if the folder of `path` does not exist.
      PermissionError: if the folder cannot be written to.
    """
    check_dataset(dataset)
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path: must be a file, got {path!r}")
    # Curves over checkpoints compress well, and cheaply at the lowest level.
    compressed = {name: {"zlib": True, "complevel": 1} for name in dataset.data_vars}
    with replacing(path) as temporary:
        dataset.to_netcdf(temporary, engine="h5netcdf", encoding=compressed)


def load(path: str | os.PathLike) -> xr.Dataset:
    """Read a dataset that `save` wrote, all of it, and close the file.

    Args:
      path: the file.

    Returns:
      The dataset, identical to the one that was saved.

    Raises:
      FileNotFoundError: if there is no such file.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path: must be a file, got {path!r}")
    if "://" in str(path):
        raise ValueError(f"path: must be a local file, got the URL {path}")
    if Path(path).is_dir():
        raise ValueError(f"path: must be a file, and {path} is a folder")
    return xr.load_dataset(path, engine="h5netcdf")
