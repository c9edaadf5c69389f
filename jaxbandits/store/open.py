"""A store as a dataset whose values are read and checked when they are needed."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from xarray.backends import BackendEntrypoint

from jaxbandits import checks
from jaxbandits.console.progress import doing
from jaxbandits.results import spans
from jaxbandits.results.dataset import (
    Axes,
    Variable,
    common_attributes,
    labelled,
    variable_of,
)
from jaxbandits.results.moments import NAMES, SHAPE, SKETCH
from jaxbandits.results.parts import Part, digest, fingerprint
from jaxbandits.store.block_store import ROUNDS, BlockStore
from jaxbandits.store.request import Json

PLAYED = "session"


@doing("opening a store")
def open_store(
    path: str | os.PathLike[str], chunks: Mapping[str, int] | None = None
) -> xr.Dataset:
    """Open a sweep's store; values are read when they are needed.

    Args:
      path: the store, a folder or the URL of a bucket; programs may be playing into it.
      chunks: sizes by dimension of the chunks of dask arrays, with which the dataset
        need not fit into memory; ``{}`` for chunks of about a block. By default the
        arrays are NumPy's.

    Returns:
      Dims ``environment, policy, params, seed, checkpoint``; the metrics (NaN where a
      run is not played yet), ``rounds`` (0 there) and ``session`` (0 there, else the
      entry, from 1, of the attribute ``sessions``). Coordinates ``param_<leaf>``,
      without environments if all have the same values, and ``seeds``, the number of
      seeds of each point, if points have different numbers. The attribute
      ``blocks_missing`` counts the blocks that are not played yet, if any.

      In a store of moments metrics have the dims ``part`` (a row of moments for the
      seeds of a block) and ``moment`` in place of ``seed``, and a sketch beside them
      (``regret_sketch``), see `results.moments`; `jaxbandits.stats` joins the parts.

    Raises:
      FileNotFoundError: if there is no store at `path`.
      ValueError: if the store has another format; naming a file that is damaged or
        missing, of a block when its values are read; if `chunks` names an unknown
        dimension or a number below 1, but -1 for the whole dimension.
      TypeError: if `chunks` is no mapping of integers.
      ImportError: if `chunks` are given and dask is not installed.
    """
    store = BlockStore(path)
    requests = store.requests()
    store.check_lost()
    parts = [part for each in requests for part in each.parts]
    dataset = dataset_of(store, store.sweep(), parts)
    dataset.attrs["block"] = requests[0].size.runs
    dataset.attrs["text"] = store.text()
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
        """The dataset of `open_store`."""
        return open_store(filename_or_obj).drop_vars(drop_variables or [])

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether an argument is the folder of a store."""
        if not isinstance(filename_or_obj, str | os.PathLike):
            return False
        return os.path.isfile(os.path.join(filename_or_obj, "sweep.json"))


def dataset_of(store: BlockStore, sweep: Json, parts: Sequence[Part]) -> xr.Dataset:
    """The dataset of a store with some description; the parts give the axes."""
    asked, there, sessions = store.blocks(), store.played(), store.sessions()
    played = [block for block in asked if block.key in there]
    numbers = {name: number for number, name in enumerate(sessions, 1)}
    moments = store.keep == "moments"
    lines = [*dict.fromkeys(block.seeds for block in asked)] if moments else None

    def read(block: Part, name: str) -> np.ndarray | None:
        if name != PLAYED:
            return store.read(block.key, name)
        # A session whose file is gone has the number after all others.
        who = digest(store.head(block.key)["session"])
        seeds = 1 if moments else spans.count(block.seeds)
        return np.full((block.points.count, seeds), numbers.get(who, len(numbers) + 1))

    variables = {PLAYED: Variable({}, "i4", 4)}
    sketches = {}
    for name, shape in {ROUNDS: (), **store.variables()}.items():
        if not moments:
            variables[name] = variable_of(name, shape)
        elif not shape:
            variables[name] = Variable({"moment": len(NAMES)})
            sizes = dict(zip(("row", "bin"), SHAPE, strict=True))
            sketches[f"{name}{SKETCH}"] = Variable(sizes)
    axes = Axes(sweep, parts, lines)
    dataset = labelled(axes, played, variables | sketches, read)
    if moments:
        dataset = dataset.assign_coords(moment=list(NAMES))
    players = [*sessions.values()]
    dataset.attrs = {
        **common_attributes(sweep, players[-1] if players else {}),
        "fingerprint": fingerprint(sweep, parts),
        "spec": json.dumps(sweep),
        "sessions": json.dumps(players),
    }
    if missing := len(asked) - len(played):
        dataset.attrs["blocks_missing"] = missing
    return dataset


def _about_a_block(store: BlockStore, dataset: xr.Dataset) -> dict[str, int]:
    """The largest size of a block along each dimension."""
    blocks = store.blocks()
    points = max(block.points.count for block in blocks)
    seeds = max(spans.count(block.seeds) for block in blocks)
    sizes = {"environment": 1, "policy": 1, "params": points}
    return sizes | ({"part": 1} if store.keep == "moments" else {"seed": seeds})


def _check_chunks(dataset: xr.Dataset, chunks: Any) -> None:
    """Require sizes by dimension."""
    checks.mapping("chunks", chunks)
    for dim, size in chunks.items():
        checks.one_of("chunks: a dimension", dim, map(str, dataset.dims))
        if type(size) is not int or size != -1:  # dask takes -1 for the whole dimension
            checks.whole(f"chunks[{dim!r}]", size, 1)
