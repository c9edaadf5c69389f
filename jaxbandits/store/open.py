"""A store as a dataset, whose values are read, and checked, when they are needed."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from jaxbandits import checks
from jaxbandits.console.progress import doing
from jaxbandits.results import spans
from jaxbandits.results.checks import check_mapping
from jaxbandits.results.dataset import (
    ALL_DIMS,
    Axes,
    common_attributes,
    without_environments,
)
from jaxbandits.results.moments import NAMES, SHAPE, SKETCH
from jaxbandits.results.parts import Block, Part, digest, rows_of
from jaxbandits.results.spans import Spans
from jaxbandits.store.block_file import DamagedError
from jaxbandits.store.block_store import (
    ROUNDS,
    BlockStore,
    variables_of,
)
from jaxbandits.store.request import Json

PLAYED = "session"


@doing("opening a store")
def open_store(
    path: str | os.PathLike[str], chunks: Mapping[str, int] | None = None
) -> xr.Dataset:
    """Open a sweep's store; values are read when they are needed.

    Args:
      path: the store, a folder or the URL of a bucket; it may be being written.
      chunks: what is computed at a time, by dimension, for a dataset of dask arrays,
        which needs not fit into memory; ``{}`` for about a block. By default NumPy
        arrays.

    Returns:
      Dims ``environment, policy, params, seed, checkpoint``, metrics (NaN where nothing
      is played yet), ``rounds`` (0 there) and ``session`` (0 there; else the entry,
      from 1, of the attribute ``sessions``); ``param_<leaf>`` without environments
      unless they have different values; ``seeds``, how many each point has, where
      points have different numbers of them. The attribute ``blocks_missing`` says how
      many blocks are not played yet, if any.

      Of a store of moments the metrics have the dims ``part`` (the rows of moments,
      each of the seeds of a block) and ``moment`` in place of ``seed``, and beside
      each is its sketch (``regret_sketch``), see `results.moments`; `jaxbandits.stats`
      puts the parts together.

    Raises:
      FileNotFoundError: if there is no store at `path`.
      ValueError: if it is a store of another format, or if a file is damaged or
        missing, naming it; for values when they are read; if `chunks` names another
        dimension or a number below 1.
      TypeError: if `chunks` is no mapping of integers.
      ImportError: if `chunks` are given and dask is not installed.
    """
    store = BlockStore(path)
    requests = store.requests()
    if lost := store.lost():
        raise DamagedError(
            f"store: {store.place.name}/{lost[0]} is missing ({len(lost)} files are); "
            "the next sweep into the store plays it again"
        )
    parts = [part for each in requests for part in each.parts]
    dataset = dataset_of(store, store.sweep(), parts)
    dataset.attrs["block"] = requests[0].size.runs
    dataset.attrs["text"] = next((each.text for each in requests if each.text), "")
    if chunks is None:
        return dataset
    _check_chunks(dataset, chunks)
    return dataset.chunk(_about_a_block(store, dataset) | dict(chunks))


class StoreBackend(BackendEntrypoint):
    """``xarray.open_dataset(path, engine="jaxbandits")``."""

    description = "stores of jaxbandits' sweeps"

    def open_dataset(
        self, filename_or_obj: Any, *, drop_variables: Any = None
    ) -> xr.Dataset:
        """The store as `open_store` opens it."""
        return open_store(filename_or_obj).drop_vars(drop_variables or [])

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether it is a folder with a store in it."""
        if not isinstance(filename_or_obj, str | os.PathLike):
            return False
        return os.path.isfile(os.path.join(filename_or_obj, "sweep.json"))


def dataset_of(store: BlockStore, sweep: Json, parts: Sequence[Part]) -> xr.Dataset:
    """What a store holds of some parts.

    Args:
      store: the store.
      sweep: description of the sweep, with all environments and policies of the parts.
      parts: which points and seeds the axes have, in their order.
    """
    there = store.played()
    asked = store.blocks()
    played = [block for block in asked if block.key in there]
    axes = Axes(sweep, parts)
    dataset = axes.dataset()
    sessions = store.sessions()
    moments = store.keep == "moments"
    lines = [*dict.fromkeys(block.seeds for block in asked)] if moments else None
    numbers = {name: number for number, name in enumerate(sessions, 1)}
    result: dict[str, xr.Variable] = {}
    shape = tuple(dataset.sizes[dim] for dim in ALL_DIMS)
    dims: tuple[str, ...] = ALL_DIMS
    if lines is not None:
        dims = (*ALL_DIMS[:3], "part", ALL_DIMS[4])
        shape = (*shape[:3], len(lines), shape[4])
    who = _Values(store, PLAYED, played, axes, lines, shape[:4], "i4", numbers)
    result[PLAYED] = xr.Variable(dims[:4], indexing.LazilyIndexedArray(who))
    for name, rest, last in _variables(store, moments):
        dtype = "i8" if name == ROUNDS and not moments else "f8"
        values = _Values(store, name, played, axes, lines, (*shape, *rest), dtype)
        lazy = indexing.LazilyIndexedArray(values)
        result[name] = xr.Variable((*dims, *last), lazy)
    dataset = dataset.assign(result)
    if moments:
        dataset = dataset.assign_coords(moment=list(NAMES))
    dataset.attrs = _attributes(sweep, sessions, parts)
    if missing := len(asked) - len(played):
        dataset.attrs["blocks_missing"] = missing
    return without_environments(dataset)


def _variables(
    store: BlockStore, moments: bool
) -> list[tuple[str, tuple[int, ...], list[str]]]:
    """Variables by name, with the sizes and names of their dims beyond the sweep's."""
    result: list[tuple[str, tuple[int, ...], list[str]]] = []
    for name, rest in {ROUNDS: (), **variables_of(store.requests())}.items():
        if not moments:
            result.append((name, rest, [f"{name}_{axis}" for axis in range(len(rest))]))
        elif not rest:
            result.append((name, (len(NAMES),), ["moment"]))
            result.append((f"{name}{SKETCH}", SHAPE, ["row", "bin"]))
    # As simulations have them: rounds come first, sketches last.
    return sorted(result, key=lambda each: each[2] == ["row", "bin"])


def _attributes(
    sweep: Json, sessions: Mapping[str, Json], parts: Sequence[Part]
) -> dict[str, Any]:
    players = [*sessions.values()]
    seeds = [part.seeds for part in parts]
    games = [part.game for part in parts]
    points = [rows_of(part.points) for part in parts]
    return {
        **common_attributes(sweep, players[-1] if players else {}),
        "fingerprint": digest([sweep, games, points, seeds]),
        "spec": json.dumps(sweep),
        "sessions": json.dumps(players),
    }


class _Values(BackendArray):
    """A variable of a store as an array, read where it is indexed."""

    def __init__(
        self,
        store: BlockStore,
        name: str,
        played: list[Block],
        axes: Axes,
        lines: list[Spans] | None,
        shape: tuple[int, ...],
        dtype: str,
        sessions: Mapping[str, int] = {},
    ) -> None:
        self.store, self.name, self.played = store, name, played
        self.axes, self.lines, self.sessions = axes, lines, sessions
        self.shape, self.dtype = shape, np.dtype(dtype)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._chosen
        )

    def _chosen(self, key: tuple[Any, ...]) -> np.ndarray:
        wanted = [
            np.atleast_1d(np.arange(size)[part])
            for part, size in zip(key, self.shape, strict=True)
        ]
        fill = np.nan if self.dtype.kind == "f" else 0
        result = np.full([len(each) for each in wanted], fill, self.dtype)
        # Where each position of the first four dims is in what is asked for, or -1.
        target = []
        for size, numbers in zip(self.shape[:4], wanted, strict=False):
            target.append(np.full(size + 1, -1))  # The last is for what is nowhere.
            target[-1][numbers] = np.arange(len(numbers))
        rest = np.ix_(*wanted[4:])
        for block in self.played:
            places = self.axes.places(block, self.lines)
            into = [own[place] for own, place in zip(target, places, strict=True)]
            here = [np.flatnonzero(place >= 0) for place in into]
            if not all(map(len, here)):
                continue
            values = self._of(block)
            if values is not None:
                own = values[np.ix_(*here[2:])][(..., *rest)]
                at = np.ix_(*(x[i] for x, i in zip(into, here, strict=True)))
                result[at] = own[None, None]
        single = (isinstance(part, int | np.integer) for part in key)
        return result[tuple(0 if one else slice(None) for one in single)]

    def _of(self, block: Block) -> np.ndarray | None:
        """The variable of a block, ``[points, seeds, ...]``."""
        if self.name != PLAYED:
            return self.store.read(block.key, self.name)
        name = digest(self.store.head(block.key)["session"])
        # Of one whose file is gone the number is after those of all others.
        number = self.sessions.get(name, len(self.sessions) + 1)
        seeds = 1 if self.lines is not None else spans.count(block.seeds)
        return np.full((block.points.count, seeds), number)


def _about_a_block(store: BlockStore, dataset: xr.Dataset) -> dict[str, int]:
    """Lengths of the dims of a block, for dask."""
    blocks = store.blocks()
    points = max(block.points.count for block in blocks)
    seeds = max(spans.count(block.seeds) for block in blocks)
    sizes = {"environment": 1, "policy": 1, "params": points}
    return sizes | ({"part": 1} if store.keep == "moments" else {"seed": seeds})


def _check_chunks(dataset: xr.Dataset, chunks: Any) -> None:
    """Require numbers by dimension."""
    check_mapping("chunks", chunks)
    for dim, size in chunks.items():
        checks.one_of("chunks: a dimension", dim, map(str, dataset.dims))
        if type(size) is not int or size != -1:  # dask's word for all of it
            checks.whole(f"chunks[{dim!r}]", size, 1)
