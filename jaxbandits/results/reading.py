"""A sweep's store as a dataset, whose values are read when they are needed."""

import os
from collections.abc import Mapping
from itertools import product
from typing import Any, NoReturn

import numpy as np
import xarray as xr
import zarr
from xarray.backends import BackendArray
from xarray.core import indexing

from jaxbandits import checks
from jaxbandits.console.progress import doing
from jaxbandits.results.checks import check_mapping
from jaxbandits.results.dataset import Place, without_environments
from jaxbandits.results.home import Home, home_of
from jaxbandits.results.layout import (
    DIMS,
    PLAYED,
    ROUNDS,
    RUN_DIMS,
    Layout,
    array_of,
    key_of,
    layout_of,
    pieces_of,
    results_of,
    written,
)
from jaxbandits.results.mending import damaged_coordinates, missing_shards
from jaxbandits.results.moments import NAMES, SKETCH
from jaxbandits.results.root import CHECKSUM, RESULTS, ROOT, read_root
from jaxbandits.results.shards import shard_is_whole

_DTYPES: dict[str, np.dtype] = {PLAYED: np.dtype("i4"), ROUNDS: np.dtype("i8")}


@doing("opening a store")
def open_store(
    path: str | os.PathLike[str], chunks: Mapping[str, int] | None = None
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
      unless they have different values; ``seeds``, how many each point has, where
      points stop by themselves.

      Of a store of moments the metrics have the dims ``part`` (the rows of moments,
      each of the seeds of a block) and ``moment`` in place of ``seed``, and beside
      each is its sketch (``regret_sketch``), see `results.moments`; `jaxbandits.stats`
      puts the parts together.

    Raises:
      FileNotFoundError: if there is no store at `path`.
      ValueError: if it is not a sweep's store, one of another format, or if a file is
        damaged or missing, naming it; for values when they are read; if `chunks` names
        another dimension or a number below 1.
      TypeError: if `chunks` is no mapping of integers.
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
    dataset.attrs = {
        name: value
        for name, value in dataset.attrs.items()
        # Of nothing, which netCDF has not, nothing is said.
        if name not in (CHECKSUM, "complete") and value is not None
    }
    # NumPy strings, as `simulate` has them.
    names = {
        name: (values.dims, np.array(values.values.tolist()))
        for name, values in dataset.coords.items()
        if values.dtype.kind in "OTU"
    }
    # What `session` says is there is there, as it is loaded first.
    dataset = dataset.assign(_variables(home, array, layout))
    if layout.moments:
        dataset = dataset.assign_coords(moment=list(NAMES))
    dataset = without_environments(dataset.assign_coords(names))
    if chunks is None:
        return dataset
    _check_chunks(dataset, chunks)
    return dataset.chunk(_blocks(layout) | dict(chunks))


def _check_chunks(dataset: xr.Dataset, chunks: Any) -> None:
    """Require numbers by dimension."""
    check_mapping("chunks", chunks)
    for dim, size in chunks.items():
        checks.one_of("chunks: a dimension", dim, map(str, dataset.dims))
        if type(size) is not int or size != -1:  # dask's word for all of it
            checks.whole(f"chunks[{dim!r}]", size, 1)


def read_block(path: Any, place: Place) -> dict[str, np.ndarray]:
    """What a store holds of a block, by name, as `store.as_stored` has it."""
    home = home_of(path)
    array = results_of(home)
    layout = layout_of(array)
    where = (*place[:3], rows_at(layout, place.seed))
    return {
        name: _Values(home, array, layout, name)[where] for name in layout.variables
    }


def rows_at(layout: Layout, seed: slice) -> slice:
    """Where seeds lie in a store; of moments the rows of the parts that hold them."""
    if not layout.moments:
        return seed
    return slice(seed.start // layout.block[1], -(-seed.stop // layout.block[1]))


class Sessions:
    """Who played what, i32[environment, policy, params, seed]; 0 for nobody yet.

    Read where it is indexed, by a `Place` or like an array. Which blocks are there at
    all is asked once, but see `now`. A row of moments that lacks some seeds of its
    block counts as not played: it is made anew.

    Attributes:
      shape: of the runs.
      chunks: of a block.
    """

    def __init__(self, home: Home) -> None:
        array = results_of(home)
        self._layout = layout_of(array)
        self._values = _Values(home, array, self._layout, PLAYED)
        self._counts = _Values(home, array, self._layout, ROUNDS, heads=True)
        self._there = {numbers[:4] for numbers in written(home)}
        self.shape = (*array.shape[:3], *array_of(home, "seed").shape)
        self.chunks = (1, 1, *self._layout.block)

    def __getitem__(self, place: Any) -> np.ndarray:
        """i32, of the shape that an array would give."""
        if not isinstance(place, Place):
            index = place if isinstance(place, tuple) else (place,)
            if not self._layout.moments:
                return self._values[index]
            points = slice(0, self.shape[2])
            seeds = slice(0, self.shape[3])
            games = product(range(self.shape[0]), range(self.shape[1]))
            whole = [self[Place(*game, points, seeds)] for game in games]
            return np.reshape(whole, self.shape)[index]
        if not self._begun(place):
            sizes = [part.stop - part.start for part in place[2:]]
            return np.broadcast_to(np.int32(0), sizes)
        return self.now(place)

    def now(self, place: Place) -> np.ndarray:
        """As by indexing, also of what others have played since this was made."""
        if not self._layout.moments:
            return self._values[place]
        return self._of_moments(place)

    def _of_moments(self, place: Place) -> np.ndarray:
        rows, length = rows_at(self._layout, place.seed), self._layout.block[1]
        where = (*place[:3], rows)
        begins = np.arange(rows.start, rows.stop) * length
        wanted = np.minimum(self.shape[3] - begins, length)
        count = self._counts[(*where, 0, 0)]
        who = np.where(count == wanted, self._values[where], 0).astype(np.int32)
        offset = rows.start * length
        part = slice(place.seed.start - offset, place.seed.stop - offset)
        return np.repeat(who, length, axis=1)[:, part]

    def _begun(self, place: Place) -> bool:
        """Whether a block is there that has a part in a place."""
        blocks = (
            range(part.start // size, -(-part.stop // size))
            for part, size in zip(place[2:], self.chunks[2:], strict=True)
        )
        return any((*place[:2], *block) in self._there for block in product(*blocks))


def _blocks(layout: Layout) -> dict[str, int]:
    """Lengths of a block."""
    dims = (*RUN_DIMS[:-1], "part") if layout.moments else RUN_DIMS
    return dict(zip(dims, (1, 1, layout.block[0], layout.rows), strict=True))


def _variables(home: Home, array: Any, layout: Layout) -> dict[str, xr.Variable]:
    """All variables of a dataset, by name, ``session`` first."""
    found = {}
    for name, shape in layout.variables.items():
        values = _Values(home, array, layout, name, layout.moments and name != PLAYED)
        rest = [f"{name}_{axis}" for axis in range(len(shape))]
        found[name] = _lazy(values, ["moment"] if layout.moments else rest, layout)
    if layout.moments:
        for name in (name for name in layout.variables if name != PLAYED):
            table = _Values(home, array, layout, name)
            found[f"{name}{SKETCH}"] = _lazy(table, ["row", "bin"], layout)
    return found


def _lazy(values: "_Values", rest: list[str], layout: Layout) -> xr.Variable:
    part = "part" if layout.moments else "seed"
    dims = (*DIMS[:3], part, DIMS[4], *rest)[: values.ndim]
    return xr.Variable(dims, indexing.LazilyIndexedArray(_Lazy(values)))


class _Lazy(BackendArray):
    """What xarray asks of a source of values."""

    def __init__(self, values: "_Values") -> None:
        self.values, self.shape, self.dtype = values, values.shape, values.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self.values.__getitem__
        )


class _Values:
    """A variable of a store as an array, read where it is indexed."""

    def __init__(
        self,
        home: Home,
        array: zarr.Array[Any],
        layout: Layout,
        name: str,
        heads: bool = False,
    ) -> None:
        """A variable, of tables of moments perhaps only the moments themselves."""
        self.home, self.array = home, array
        self.slots, self.rest = layout.slots(name), layout.variables[name]
        self.dtype: np.dtype = np.dtype("f8")
        if name == PLAYED or not layout.moments:
            self.dtype = _DTYPES.get(name, self.dtype)
        if name == PLAYED:
            self.slots, self.rest = self._first(1), ()
        if heads:
            self.slots, self.rest = self._first(len(NAMES)), (len(NAMES),)
        checkpoints = () if name == PLAYED else array.shape[-1:]
        self.shape = (*array.shape[:4], *checkpoints, *self.rest)
        self.ndim = len(self.shape)

    def _first(self, count: int) -> slice:
        return slice(self.slots.start, self.slots.start + count)

    def __getitem__(self, key: tuple[Any, ...]) -> np.ndarray:
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

    def _read(self, place: tuple[Any, ...]) -> np.ndarray:
        try:
            found = self.array.get_orthogonal_selection(place)
        except Exception:
            # Zarr says that a checksum is wrong, but not of what.
            if broken := self._broken(place):
                _refuse(self.home, broken, "damaged")
            raise
        # To Zarr all numbers of a store that is gone are as those not played yet.
        if np.isnan(found).any() and self.home.get(ROOT) is None:
            raise FileNotFoundError(f"store: {self.home} is not where it was opened")
        return found

    def _broken(self, place: tuple[Any, ...]) -> str | None:
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
