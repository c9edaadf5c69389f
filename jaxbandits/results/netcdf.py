"""Datasets on disk, as netCDF-4.

A file that `save` wrote ends with a CRC-32 of everything before it, which HDF5 does not
read. `load` reads files without one, too.
"""

import os
import zlib
from itertools import chain
from pathlib import Path

import numpy as np
import xarray as xr

from jaxbandits import checks
from jaxbandits.results.atomic import replacing
from jaxbandits.results.lookup import check_dataset

_MARK = b"jaxbandits crc32 "


def save(dataset: xr.Dataset, path: str | os.PathLike[str]) -> None:
    """Write a dataset as a netCDF-4 file, whole or not at all.

    Args:
      dataset: as `build_dataset` makes it.
      path: the file, by custom ``*.nc``; an old one is replaced.

    Raises:
      ValueError: if the folder of `path` does not exist.
      TypeError, ValueError: if the dataset has names, values or attributes that netCDF
        has no form for.
      PermissionError: if the folder cannot be written to.
    """
    check_dataset(dataset)
    path = checks.path("path", path)
    # Curves over checkpoints compress well, and cheaply at the lowest level.
    compressed = {name: {"zlib": True, "complevel": 1} for name in dataset.data_vars}
    # Imported here: only programs that write need HDF5.
    from h5netcdf import CompatibilityError

    no_form = TypeError, ValueError, NotImplementedError, CompatibilityError
    with replacing(path) as temporary:
        try:
            attributes = chain.from_iterable(
                x.attrs for x in dataset.variables.values()
            )
            names = *dataset.variables, *dataset.dims, *dataset.attrs, *attributes
            for name in names:
                checks.label("a name", name)
            dataset.to_netcdf(temporary, engine="h5netcdf", encoding=compressed)
        except no_form as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(
                f"dataset has something that netCDF has no form for{_flags(dataset)}: "
                f"{error}"
            ) from error
        checksum = zlib.crc32(np.memmap(temporary, mode="r"))
        with temporary.open("ab") as file:
            file.write(b"%b%08x" % (_MARK, checksum))


def _check_whole(path: Path) -> None:
    """Raise a ValueError if a file is not as `save` wrote it."""
    data = np.memmap(path, mode="r")
    body, mark, digits = np.split(data, [-len(_MARK) - 8, -8])
    if mark.tobytes() == _MARK and digits.tobytes() != b"%08x" % zlib.crc32(body):
        raise ValueError("its checksum is another one")


def _flags(dataset: xr.Dataset) -> str:
    """Names of attributes that are True or False, which netCDF's error does not say."""
    owners = [dataset.attrs, *(each.attrs for each in dataset.variables.values())]
    names = [
        repr(name)
        for attributes in owners
        for name, value in attributes.items()
        if isinstance(value, bool)
    ]
    return f" (attributes that are True or False: {', '.join(names)})" if names else ""


def load(path: str | os.PathLike[str]) -> xr.Dataset:
    """Read all of a dataset that `save` wrote, and close the file.

    Args:
      path: the file.

    Returns:
      The dataset, identical to the one that was saved.

    Raises:
      FileNotFoundError, PermissionError: if there is no such file, or it may not be
        read.
      ValueError: if it is no netCDF-4 file, or damaged.
    """
    path = checks.path("path", path)
    if path.is_dir():
        raise ValueError(f"path must be a file, and {path} is a folder")
    if not path.exists():
        raise FileNotFoundError(f"path: there is no file {path}")
    try:
        _check_whole(path)
        return xr.load_dataset(path, engine="h5netcdf")
    except PermissionError as error:
        raise PermissionError(f"path: {path} cannot be read: {error}") from error
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ValueError(
            f"path: {path} must be a netCDF-4 file, as `save` writes it; it is another "
            f"one, or damaged: {error}"
        ) from error
