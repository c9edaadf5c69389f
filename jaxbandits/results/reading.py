"""A sweep's store as a dataset, whose values are read when they are needed."""

import os
from collections.abc import Mapping
from itertools import product
from typing import Any, NoReturn

import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from jaxbandits.results.dataset import without_environments
from jaxbandits.results.home import Home, home_of
from jaxbandits.results.layout import (
    DIMS,
    PLAYED,
    ROUNDS,
    RUN_DIMS,
    Layout,
    Place,
    key_of,
    layout_of,
    pieces_of,
    results_of,
    written,
)
from jaxbandits.results.mending import damaged_coordinates, missing_shards
from jaxbandits.results.root import CHECKSUM, RESULTS, read_root
from jaxbandits.results.shards import shard_is_whole

_DTYPES: dict[str, np.dtype] = {PLAYED: np.dtype("i4"), ROUNDS: np.dtype("i8")}


def open_store(
    path: str | os.PathLike, chunks: Mapping[str, int] | None = None
) -> xr.Dataset:
    """Open a sweep's store; values are read when they are needed.

    Args:
      path: the store; it may be being written.
      chunks: what is computed at a time, by dimension, for a dataset of dask arrays,
        which needs not fit into memory; ``{}`` for the blocks of the store. By default
        NumPy arrays.

    Returns:
      Dims ``environment, policy, params, seed, checkpoint``, metrics (NaN where nothing
      is played yet), ``rounds`` (0 there) and ``session`` (0 there; else the entry,
      from 1, of the attribute ``sessions``); ``param_<leaf>`` without environments
      unless they have different values.

    Raises:
      FileNotFoundError: if there is no store at `path`.
      ValueError: if it is not a sweep's store, one of another format, or if a file is
        damaged or missing, naming it; for values when they are read.
      ImportError: if `chunks` are given and dask is not installed.
    """
    home = home_of(path)
    read_root(home)
    for key in damaged_coordinates(home):
        _refuse(home, key, "damaged or missing")
    for numbers in missing_shards(home):
        _refuse(home, key_of(*numbers), "missing")
    array = results_of(home)
    layout = layout_of(array)
    dataset = xr.open_zarr(home.reading, chunks=None, consolidated=True)
    dataset = dataset.drop_vars([RESULTS, "variable"])
    del dataset.attrs[CHECKSUM]
    dataset.attrs.pop("complete", None)
    # NumPy strings, as `simulate` has them.
    names = {dim: np.array(dataset[dim].values.tolist()) for dim in DIMS[:2]}
    # What `session` says is there is there, as it is loaded first.
    dataset = dataset.assign(
        {name: _variable(home, array, layout, name) for name in layout.variables}
    )
    dataset = without_environments(dataset.assign_coords(names))
    if chunks is None:
        return dataset
    return dataset.chunk(_blocks(layout) | dict(chunks))


def read_block(path: Any, place: tuple) -> dict[str, np.ndarray]:
    """Everything that a store holds of a block, by name."""
    home = home_of(path)
    array = results_of(home)
    layout = layout_of(array)
    return {
        name: _Values(home, array, layout, name)[place] for name in layout.variables
    }


class Sessions:
    """Who played what, i32[environment, policy, params, seed]; 0 for nobody yet.

    Read where it is indexed, by a `Place` or like an array. Which blocks are there at
    all is asked once.

    Attributes:
      shape: of the runs.
      chunks: of a block.
    """

    def __init__(self, home: Home):
        array = results_of(home)
        self._values = _Values(home, array, layout_of(array), PLAYED)
        self._there = {numbers[:4] for numbers in written(home)}
        self.shape, self.chunks = array.shape[:4], array.shards[:4]

    def __getitem__(self, place: Any) -> np.ndarray:
        """i32, of the shape that an array would give."""
        if isinstance(place, Place) and not self._begun(place):
            sizes = [part.stop - part.start for part in place[2:]]
            return np.broadcast_to(np.int32(0), sizes)
        return self._values[place if isinstance(place, tuple) else (place,)]

    def _begun(self, place: Place) -> bool:
        """Whether a block is there that has a part in a place."""
        blocks = (
            range(part.start // size, -(-part.stop // size))
            for part, size in zip(place[2:], self.chunks[2:], strict=True)
        )
        return any((*place[:2], *block) in self._there for block in product(*blocks))


def _blocks(layout: Layout) -> dict[str, int]:
    """Lengths of a block."""
    return dict(zip(RUN_DIMS, (1, 1, *layout.block), strict=True))


def _variable(home: Home, array, layout: Layout, name: str) -> xr.Variable:
    rest = layout.variables[name]
    dims = (*DIMS, *(f"{name}_{axis}" for axis in range(len(rest))))
    values = _Values(home, array, layout, name)
    return xr.Variable(dims[: values.ndim], indexing.LazilyIndexedArray(_Lazy(values)))


class _Lazy(BackendArray):
    """What xarray asks of a source of values."""

    def __init__(self, values: "_Values"):
        self.values, self.shape, self.dtype = values, values.shape, values.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self.values.__getitem__
        )


class _Values:
    """A variable of a store as an array, read where it is indexed."""

    def __init__(self, home: Home, array, layout: Layout, name: str):
        self.home, self.array, self.layout = home, array, layout
        self.slots, self.rest = layout.slots(name), layout.variables[name]
        self.dtype: np.dtype = _DTYPES.get(name, np.dtype("f8"))
        checkpoints = () if name == PLAYED else array.shape[-1:]
        self.shape = (*array.shape[:4], *checkpoints, *self.rest)
        self.ndim = len(self.shape)

    def __getitem__(self, key: tuple) -> np.ndarray:
        """As of an array: integers, slices and lists, one after the other."""
        key += (slice(None),) * (self.ndim - len(key))
        lists = [_positions(part, n) for part, n in zip(key, self.shape, strict=True)]
        found = np.empty([*map(len, lists)], self.dtype)
        if found.size:
            found = self._found(lists)
        return found[tuple(0 if _is_number(part) else slice(None) for part in key)]

    def _found(self, lists: list[np.ndarray]) -> np.ndarray:
        """The numbers at some positions along every dim."""
        checkpoint = _short(lists[4]) if self.ndim > 4 else slice(0, 1)
        found = self._read((*map(_short, lists[:4]), self.slots, checkpoint))
        found = np.moveaxis(found, 4, -1)
        found = found.reshape(*found.shape[:-1], *self.rest)
        if self.ndim == 4:
            found = found[..., 0]
        for axis in range(5, self.ndim):
            found = np.take(found, lists[axis], axis)
        if self.dtype.kind == "i":
            return np.nan_to_num(found).astype(self.dtype)
        return found

    def _read(self, place: tuple) -> np.ndarray:
        try:
            return self.array.get_orthogonal_selection(place)
        except Exception:
            # Zarr says that a checksum is wrong, but not of what.
            if broken := self._broken(place):
                _refuse(self.home, broken, "damaged")
            raise

    def _broken(self, place: tuple) -> str | None:
        """A damaged object among those that were read."""
        pieces = pieces_of(self.array)
        shards = [
            sorted({int(x) // size for x in np.arange(n)[part]})
            for part, n, size in zip(
                place[:5], self.array.shape, self.array.shards, strict=False
            )
        ]
        for numbers in product(*shards):
            data = self.home.get(key_of(*numbers))
            if data is not None and not shard_is_whole(data, pieces):
                return key_of(*numbers)
        return None


def _positions(part: Any, length: int) -> np.ndarray:
    """The positions that a part of a key names, a single one for a number."""
    return np.atleast_1d(np.arange(length)[part])


def _short(positions: np.ndarray) -> Any:
    """Neighbours as a slice, which is read much faster."""
    first, last = int(positions[0]), int(positions[-1])
    neighbours = last - first + 1 == len(positions) and (np.diff(positions) == 1).all()
    return slice(first, last + 1) if neighbours else positions


def _is_number(part: Any) -> bool:
    return isinstance(part, int | np.integer)


def _refuse(home: Home, key: str, what: str) -> NoReturn:
    raise ValueError(
        f"store: {home.where(key)} is {what} and cannot be read; the next sweep into "
        "the store plays it again"
    )
