"""Stores of one sweep put together: requests and blocks are copied."""

from collections.abc import Sequence
from typing import Any

import xarray as xr

from jaxbandits.results.parts import apart
from jaxbandits.store.block_store import BlockStore
from jaxbandits.store.open import open_store


def merge(stores: Sequence[Any], into: Any) -> xr.Dataset:
    """Put together what several stores of one sweep hold.

    Args:
      stores: two or more, of the same sweep with other points, seeds, policies or
        environments, or other blocks missing.
      into: the new store, which can be played on.

    Raises:
      ValueError: if they are of different sweeps, saying what differs; if they hold
        other numbers of the same block; or if they keep moments of the same runs.
      FileExistsError: if there is a store at `into`.
      FileNotFoundError, ValueError: as `open_store`.
    """
    if len(stores) < 2:
        raise ValueError(f"stores must be at least two, got {len(stores)}")
    sources, target = [BlockStore(path) for path in stores], BlockStore(into)
    for source in sources:
        source.examine()
    if target.exists():
        raise FileExistsError(f"into: {target.place.name} exists already")
    first, *others = sources
    for source in others:
        for request in source.requests():
            first.check_same(request)
    if first.keep == "moments":
        blocks = {block.key: block for each in sources for block in each.blocks()}
        if len(apart(blocks.values())) < len(blocks):
            raise ValueError(
                "stores that keep moments must have different seeds, of the same "
                "points in the same blocks at least; these have runs in common"
            )
    for source in sources:
        target.copy(source)
    return open_store(into)
