"""Results of a sweep on disk: a Zarr store that is filled block by block.

`layout` says what it consists of, `reading` opens it. What is not played yet is NaN; a
block is one object and appears at once, with the number of the session that played it.

Nothing is ever half there, whatever happens to the writer:

* an object appears whole, see `home`;
* a new store begins with its root, which the first to come makes, and only that one;
* the store grows behind the back of its readers. They go by the consolidated metadata
  in the root, one object, which is replaced when everything is in place.

And nothing is read that is not as it was written: see `root` and `shards`.
"""

import json
import math
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any

import numpy as np
import xarray as xr
import zarr
from zarr.core import codec_pipeline

from jaxbandits.results.dataset import Place
from jaxbandits.results.home import Home, home_of, is_remote, said
from jaxbandits.results.layout import (
    PLAYED,
    Layout,
    array_of,
    files_of,
    layout_of,
    metrics_of,
    new_layout,
    results_of,
    with_metrics,
    written,
)
from jaxbandits.results.locks import ROOT_LOCK, writer
from jaxbandits.results.moments import table_of
from jaxbandits.results.reading import Sessions, rows_at
from jaxbandits.results.root import (
    COPY,
    RESULTS,
    ROOT,
    bytes_of,
    publish,
    read_root,
    root_of,
)

# Since Zarr 3.4, see `_to_write`; and threads that set its settings wait for another.
_FUSED = "zarr.core.codec_pipeline.FusedCodecPipeline"
_QUICKLY = (
    {"codec_pipeline.path": _FUSED}
    if hasattr(codec_pipeline, "FusedCodecPipeline")
    else {}
)
_SETTING = Lock()


def create_store(
    path: Any,
    axes: xr.Dataset,
    metrics: Mapping[str, tuple[int, ...]],
    chunk: tuple[int, int],
    attributes: Mapping[str, Any],
    moments: bool = False,
) -> None:
    """Make an empty store, whole or not at all.

    Killed on the way, it leaves a root, from which the next sweep completes the store.

    Args:
      path: what becomes the store; nothing may be there. Who looks at it before it is
        whole must be kept from playing in it, see `locks`.
      axes: the coordinates, no variables.
      metrics: name -> shape that a value has beyond the dims of a sweep; ``()`` for
        numbers.
      chunk: parameter points and seeds of a block.
      attributes: of the dataset; anything that JSON holds.
      moments: whether moments are kept in place of runs.

    Raises:
      FileExistsError: if there is something at `path`, or another program has just
        made a store there.
      OSError: if it cannot be written.
    """
    home = home_of(path)
    if home.exists():
        raise FileExistsError(f"store: {home.name} exists already")
    files = files_of(axes, new_layout(metrics, chunk, moments))
    root = root_of(attributes, _metadata(files))
    # Nobody else's is like it: whose root it is, theirs is the store.
    mine = root_of({**attributes, "maker": uuid.uuid4().hex}, _metadata(files))
    try:
        if not home.put_new(ROOT, bytes_of(mine)):
            raise _OthersError(
                f"store: another program has just made {home.name}; when it is done, "
                "the same command goes on from there"
            )
        for key, data in files.items():
            home.put(key, data)
        publish(home, root)
    except _OthersError:
        raise
    except BaseException:
        for key in [*files, COPY, ROOT]:
            home.delete(key)
        home.remove_folders()
        raise


class _OthersError(FileExistsError):
    """Somebody else's store, which stays."""


def grow_store(
    path: Any,
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
    home = home_of(path)
    old = layout_of(results_of(home))
    layout = with_metrics(
        old, {x: s for x, s in metrics.items() if x not in old.variables}
    )
    files = files_of(axes, layout)
    for key, data in files.items():
        home.put(key, data)
    new = [shard for shard in layout.shards() if shard not in old.shards()]
    if new:
        _fill_shards(home, layout, new)
    publish(home, root_of(attributes, _metadata(files)))


def set_attributes(path: Any, attributes: Mapping[str, Any]) -> None:
    """Replace the attributes of a store, and nothing else."""
    home = home_of(path)
    root = read_root(home)
    publish(home, root_of(attributes, root["consolidated_metadata"]["metadata"]))


def enter_session(
    path: Any,
    entry: Mapping[str, Any],
    alike: Iterable[str] = (),
) -> int:
    """Put on record who is about to play.

    Args:
      path: the store.
      entry: of the attribute ``sessions``.
      alike: what it has in common with the last session where it plays in that one and
        needs none of its own; nothing if it is to have one.

    Returns:
      The number of the session, at least 1.
    """
    with naming(path), _changing(path) as attributes:
        players = json.loads(attributes["sessions"])
        if (
            not alike
            or not players
            or any(players[-1].get(name) != entry.get(name) for name in alike)
        ):
            players.append(entry)
            attributes["sessions"] = json.dumps(players)
            attributes["provenance"] = json.dumps(entry)
        return len(players)


def seal(path: Any) -> None:
    """Say that a store is complete: from now on a block that is not there is missing.

    The attribute ``complete`` has, by environment and policy, how many blocks there are
    along the seeds for each block along the points.
    """
    # It is complete all the same where it cannot be said.
    with suppress(OSError), _changing(path) as attributes:
        home = home_of(path)
        environments, policies = results_of(home).shape[:2]
        rows: list[list[list[int]]] = [
            [[] for _ in range(policies)] for _ in range(environments)
        ]
        blocks = sorted({numbers[:4] for numbers in written(home)})
        ends = {(*game, points): seed + 1 for *game, points, seed in blocks}
        for (environment, policy, _), end in ends.items():
            rows[environment][policy].append(end)
        attributes["complete"] = rows


def unseal(path: Any) -> None:
    """Take back what `seal` says."""
    with naming(path), _changing(path) as attributes:
        attributes.pop("complete", None)


@contextmanager
def _changing(path: Any) -> Iterator[dict[str, Any]]:
    """The attributes of a store, to be changed by one of several programs at a time."""
    with writer(path, ROOT_LOCK) as lock:
        lock.alone(math.inf)
        old = check_store(path)
        # Of a creation that was killed, and is complete by now.
        new = {name: x for name, x in old.items() if name != "maker"}
        yield new
        if new != old:
            set_attributes(path, new)


def write_block(
    path: Any,
    place: Place,
    values: Mapping[str, np.ndarray],
    session: int | np.ndarray,
) -> None:
    """Put the results of a block into a store, all at once.

    Args:
      path: the store.
      place: where.
      values: arrays ``[params, seed, checkpoint, ...]`` by name; metrics that are not
        there are empty.
      session: number of the session that played it, at least 1; or of every run,
        i64[params, seed] (of moments of every row), 0 where it is not played.
    """
    layout = layout_of(results_of(home_of(path)))
    write_stored(path, place, as_stored(layout, values), session)


def write_stored(
    path: Any,
    place: Place,
    values: Mapping[str, np.ndarray],
    session: int | np.ndarray,
) -> None:
    """`write_block` of what `as_stored` gives."""
    array, padded = _to_write(home_of(path))
    layout = layout_of(array)
    points = place.params.stop - place.params.start
    rows = rows_at(layout, place.seed)
    shape = points, rows.stop - rows.start, array.shape[-1]
    block = np.full((*shape[:2], layout.size, shape[2]), np.nan)
    who = np.broadcast_to(session, shape[:2])[..., None, None]
    block[:, :, layout.slots(PLAYED)] = np.where(who > 0, who, np.nan)
    for name, found in values.items():
        flat = np.reshape(found, (*shape, -1))
        block[:, :, layout.slots(name)] = np.moveaxis(flat, -1, 2)
    for shard in layout.shards():
        slots = slice(shard * layout.width, (shard + 1) * layout.width)
        # The first one is never empty; the others must be there all the same.
        shards = padded if shard > 0 else array
        shards[(*place[:3], rows, slots)] = block[:, :, slots]


def as_stored(layout: Layout, values: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Results ``[params, seed, checkpoint, ...]`` as a store has them, by name."""
    kept = {n: np.asarray(values[n]) for n in layout.variables if n in values}
    if not layout.moments:
        return kept
    return {
        name: table_of(np.moveaxis(found.astype(float), 1, -1).copy())[:, None]
        for name, found in kept.items()
    }


def check_store(path: Any) -> dict[str, Any]:
    """The attributes of a sweep's store. Raises as `open_store`."""
    return read_root(home_of(path))["attributes"]


def sessions(path: Any) -> Sessions:
    """Who played what, see `Sessions`.

    Its ``chunks[-2:]`` are the parameter points and seeds of a block.
    """
    return Sessions(home_of(path))


def keeps_moments(path: Any) -> bool:
    """Whether a store keeps moments in place of runs."""
    return layout_of(results_of(home_of(path))).moments


def stored_shapes(path: Any) -> dict[str, tuple[int, ...]]:
    """Metrics of a store, as `create_store` takes them."""
    return metrics_of(layout_of(results_of(home_of(path))))


@contextmanager
def naming(path: Any, safe: str = "") -> Iterator[None]:
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
        raise OSError(
            error.errno, _words(path, error.strerror or error, safe)
        ) from error
    except Exception as error:
        if not is_remote(error):
            raise
        raise OSError(_words(path, said(error), safe)) from error


def _words(path: Any, what: Any, safe: str) -> str:
    return f"store: cannot write to {home_of(path)}: {what}{safe}"


def _to_write(home: Home) -> tuple[zarr.Array[Any], zarr.Array[Any]]:
    """The array of results, and one that writes shards in which there is nothing too.

    An array keeps the pipeline of its codecs that Zarr is set to when it is made. The
    fused one writes a shard of moments, hundreds of pieces, in a quarter of the time of
    the other, which makes a task of every piece, and writes the same bytes. It is new,
    and Zarr's users have to ask for it; so it is asked for where whole shards are
    written, and nowhere else.
    """
    with _SETTING, zarr.config.set(_QUICKLY):
        array = array_of(home, RESULTS, home.store)
        return array, array.with_config({"write_empty_chunks": True})


def _fill_shards(home: Home, layout: Layout, new: list[int]) -> None:
    """Give blocks that are there the shards of new variables, empty."""
    array = zarr.open_group(home.store, mode="r+", use_consolidated=False)[RESULTS]
    array = array.with_config({"write_empty_chunks": True})
    for block in sorted({numbers[:4] for numbers in written(home)}):
        for shard in new:
            array.set_block_selection((*block, shard, 0), np.nan)


def _metadata(files: Mapping[str, bytes]) -> dict[str, Any]:
    """Metadata of all arrays."""
    return {
        key.removesuffix("/zarr.json"): json.loads(data)
        for key, data in files.items()
        if key.endswith("/zarr.json")
    }
