"""Results of a sweep on disk: a Zarr store that is filled block by block.

The store is one `xarray.open_zarr` dataset with dims ``environment, policy, params,
seed, checkpoint``; what is not played yet is NaN. Its variable ``session`` says who
played a run (0: nobody yet) and is written last, so that a block counts once all of it
is there.

Nothing is ever half there, whatever happens to the writer:

* a chunk appears under a temporary name and is renamed (`zarr.storage.LocalStore`,
  from 3.1.3);
* a new store is made under a temporary name and renamed;
* the store grows behind the back of its readers. They go by the consolidated metadata
  in the root ``zarr.json``, one file, which is replaced when everything is in place.

And nothing is read that is not as it was written: see `root` and `chunks`.
"""

import json
import math
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
import zarr
from zarr.codecs import Crc32cCodec, ZstdCodec

from jaxbandits.results.chunks import CheckedStore, blocks_of, chunk_files, is_result
from jaxbandits.results.dataset import without_environments
from jaxbandits.results.locks import writer
from jaxbandits.results.root import CHECKSUM, PLAYED, local, publish, read_root

DIMS = ("environment", "policy", "params", "seed", "checkpoint")
RUN_DIMS = DIMS[:-1]
_COORDINATE_CHUNK = 4096
# A chunk that is not there is one that was lost, see `chunks`.
_EMPTY_TOO = {"write_empty_chunks": True}


class Place(NamedTuple):
    """Where a block lies.

    Attributes:
      environment: position on the axis.
      policy: position on the axis.
      params: positions, a slice.
      seed: positions, a slice.
    """

    environment: int
    policy: int
    params: slice
    seed: slice


def create_store(
    path: str | os.PathLike,
    axes: xr.Dataset,
    metrics: Mapping[str, tuple[int, ...]],
    chunk: tuple[int, int],
    attributes: Mapping[str, Any],
) -> None:
    """Make an empty store, whole or not at all.

    Args:
      path: the folder that becomes the store; must not exist.
      axes: the coordinates, no variables.
      metrics: name -> shape that a value has beyond the dims of a sweep; ``()`` for
        numbers.
      chunk: parameter points and seeds of a block.
      attributes: of the dataset; anything that JSON holds.

    Raises:
      FileExistsError: if there is something at `path`, or another program has just
        made a store there.
      OSError: if it cannot be written.
    """
    path = Path(path)
    if path.exists():
        raise FileExistsError(f"store: {path} exists already")
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        group = zarr.open_group(temporary, mode="w-")
        _fit(group, axes, metrics, chunk)
        publish(temporary, attributes, _metadata(temporary))
        try:
            os.rename(temporary, path)
        except OSError as error:
            if not path.exists():
                raise
            raise FileExistsError(
                f"store: another program has just made {path}; when it is done, the "
                "same command goes on from there"
            ) from error
    finally:
        # zarr writes side by side: after an error of one, others may be under way.
        for _ in range(20):
            shutil.rmtree(temporary, ignore_errors=True)
            if not temporary.exists():
                break
            time.sleep(0.05)


def grow_store(
    path: str | os.PathLike,
    axes: xr.Dataset,
    metrics: Mapping[str, tuple[int, ...]],
    attributes: Mapping[str, Any],
) -> None:
    """Make room for more. What is there keeps its place.

    Interrupted at any moment, the store is as it was, and the same call completes it.
    (Parameters of new points may show where a policy had fewer points than another.)

    Args:
      path: the store.
      axes: coordinates that begin with those of the store.
      metrics: as for `create_store`; new names are added.
      attributes: take the place of the store's.
    """
    path = Path(path)
    # Not by the consolidated metadata: an interrupted call may have got further.
    group = zarr.open_group(path, mode="r+", use_consolidated=False)
    known = set(read_root(path)["consolidated_metadata"]["metadata"])
    _fit(group, axes, metrics, group[PLAYED].chunks[-2:])
    for name in metrics:
        if name not in known:
            _fill_played(path, group, name)
    publish(path, attributes, _metadata(path))


def set_attributes(path: str | os.PathLike, attributes: Mapping[str, Any]) -> None:
    """Replace the attributes of a store, and nothing else."""
    root = read_root(Path(path))
    publish(Path(path), attributes, root["consolidated_metadata"]["metadata"])


def enter_session(
    path: str | os.PathLike,
    entry: Mapping[str, Any],
    joins: Callable[[Mapping[str, Any]], bool] = lambda last: False,
) -> int:
    """Put on record who is about to play.

    Args:
      path: the store.
      entry: of the attribute ``sessions``.
      joins: whether `entry` plays in the last session, and needs none of its own.

    Returns:
      The number of the session, at least 1.
    """
    with naming(path), writer(path, ".sessions") as lock:
        lock.alone(math.inf)
        stored = dict(check_store(path))
        players = json.loads(stored["sessions"])
        if not players or not joins(players[-1]):
            players.append(entry)
            stored |= {
                "sessions": json.dumps(players),
                "provenance": json.dumps(entry),
            }
            set_attributes(path, stored)
        return len(players)


def write_block(
    path: str | os.PathLike,
    place: Place,
    values: Mapping[str, np.ndarray],
    session: int,
) -> None:
    """Put the results of a block into a store.

    Args:
      path: the store.
      place: where.
      values: arrays ``[params, seed, checkpoint, ...]`` by name; metrics that are not
        there are empty.
      session: number of the session that played it, at least 1.
    """
    group = zarr.open_group(path, mode="r+")
    arrays = {name: a.with_config(_EMPTY_TOO) for name, a in group.arrays()}
    played = arrays.pop(PLAYED)
    for name, array in arrays.items():
        if is_result(array):
            array[place] = values.get(name, array.fill_value)
    played[place] = session


def open_store(path: str | os.PathLike) -> xr.Dataset:
    """Open a sweep's store; values are read when they are needed.

    Args:
      path: the store; it may be being written.

    Returns:
      What ``xarray.open_zarr`` returns: dims ``environment, policy, params, seed,
      checkpoint``, metrics (NaN where nothing is played yet), ``rounds`` (0 there) and
      ``session`` (0 there; else the entry, from 1, of the attribute ``sessions``);
      ``param_<leaf>`` without environments unless they have different values.

    Raises:
      FileNotFoundError: if there is no store at `path`.
      ValueError: if it is not a sweep's store, one of another format, or if a file is
        damaged or missing, naming it; for values also when they are read.
    """
    check_store(path)
    store = CheckedStore(local(path), read_only=True)
    dataset = xr.open_zarr(store, chunks=None, consolidated=True)
    del dataset.attrs[CHECKSUM]
    # NumPy strings, as `simulate` has them.
    names = {dim: np.array(dataset[dim].values.tolist()) for dim in DIMS[:2]}
    return without_environments(dataset.assign_coords(names))


def check_store(path: str | os.PathLike) -> dict[str, Any]:
    """The attributes of a sweep's store. Raises as `open_store`."""
    return read_root(local(path))["attributes"]


def sessions(path: str | os.PathLike) -> zarr.Array:
    """Who played what, i32[environment, policy, params, seed]; 0 for nobody yet.

    The array is read where it is indexed; its ``chunks[-2:]`` are the parameter points
    and seeds of a block.
    """
    return zarr.open_group(path, mode="r")[PLAYED]


def stored_shapes(path: str | os.PathLike) -> dict[str, tuple[int, ...]]:
    """Metrics of a store, as `create_store` takes them."""
    return {
        name: array.shape[len(DIMS) :]
        for name, array in zarr.open_group(path, mode="r").arrays()
        if array.ndim >= len(DIMS) and name != "rounds"
    }


@contextmanager
def naming(path: str | os.PathLike, safe: str = "") -> Iterator[None]:
    """Errors of the disk (full, read-only) that name the store.

    Args:
      path: the store.
      safe: what is not lost, to be said too.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None:  # One of ours, that says it all.
            raise
        message = f"store: cannot write to {path}: {error.strerror or error}{safe}"
        raise OSError(error.errno, message) from error


def _fit(group, axes: xr.Dataset, metrics, chunk) -> None:
    """Create what is missing in a group, and give every array its size."""
    sizes = dict(axes.sizes)
    for name, coordinate in axes.coords.items():
        values = coordinate.values
        text = values.dtype.kind in "UOT"
        array = _array(
            group,
            name,
            coordinate.dims,
            values.shape,
            [1] * (values.ndim - 1) + [_COORDINATE_CHUNK],
            str if text else values.dtype,
            "" if text else np.array(_missing(values.dtype), values.dtype)[()],
        )
        array.with_config(_EMPTY_TOO)[...] = values.astype(object) if text else values
    lengths = [sizes[dim] for dim in DIMS]
    chunks = [1, 1, *chunk, sizes["checkpoint"]]
    for name, rest in metrics.items():
        dims = (*DIMS, *(f"{name}_{axis}" for axis in range(len(rest))))
        _array(group, name, dims, (*lengths, *rest), (*chunks, *rest), "f8", np.nan)
    _array(group, "rounds", DIMS, lengths, chunks, "i8", 0)
    _array(group, PLAYED, RUN_DIMS, lengths[:-1], chunks[:-1], "i4", 0)


def _missing(dtype: np.dtype) -> float:
    return np.nan if dtype.kind == "f" else 0


def _array(group, name, dims, shape, chunks, dtype, fill):
    if name in group:
        array = group[name]
        array.resize(tuple(shape))
        return array
    return group.create_array(
        name,
        shape=tuple(shape),
        chunks=tuple(chunks),
        dtype=dtype,
        fill_value=fill,
        dimension_names=dims,
        # The checksum last, so that it is of the very bytes of the file.
        compressors=(ZstdCodec(level=0), Crc32cCodec()),
    )


def _fill_played(path: Path, group, name: str) -> None:
    """Give a new metric an empty chunk wherever something is played already."""
    array = group[name].with_config(_EMPTY_TOO)
    rest = (0,) * (array.ndim - len(RUN_DIMS))
    for block in blocks_of(group):
        (session,) = chunk_files(group[PLAYED], block)
        if (path / session).exists():
            array.set_block_selection((*block, *rest), array.fill_value)


def _metadata(path: Path) -> dict[str, Any]:
    """Metadata of all arrays, as their own files have it."""
    files = sorted(path.glob("*/zarr.json"))
    return {file.parent.name: _read_json(file) for file in files}


def _read_json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())
