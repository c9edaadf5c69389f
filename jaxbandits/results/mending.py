"""Damage in a store: found, and made such that it is played again.

What is broken or missing is brought to a state that a killed writer leaves too: the
metadata as the root says, a block that is not there, coordinates to be written.
"""

import json
from typing import Any, NamedTuple

from jaxbandits.results.home import Home, home_of
from jaxbandits.results.layout import (
    coordinate_chunks,
    key_of,
    layout_of,
    pieces_of,
    results_of,
    written,
)
from jaxbandits.results.root import mend_root, read_root
from jaxbandits.results.shards import chunk_is_whole, shard_is_whole


class _Mended(NamedTuple):
    """What was wrong.

    Attributes:
      files: names in the store of the files that were damaged or missing.
      blocks: how many blocks have to be played again.
    """

    files: list[str]
    blocks: int


def named(files: list[str]) -> str:
    """Files in words: the first few of them."""
    more = f" and {len(files) - 5} more" if len(files) > 5 else ""
    return ", ".join(files[:5]) + more


def mend_metadata(path: Any) -> list[str]:
    """Put metadata right; afterwards the store can be opened.

    Returns:
      Names in the store of the files that were damaged or missing.

    Raises:
      ValueError: naming the file, if it cannot be done.
    """
    home = home_of(path)
    found = mend_root(home)
    root = read_root(home)
    for name, metadata in root["consolidated_metadata"]["metadata"].items():
        key = f"{name}/zarr.json"
        said = _read(home, key)
        if said == metadata:
            continue
        # Growth that was interrupted is ahead of the root; it begins again.
        if not _is_ahead(said, metadata):
            found.append(key)
        home.put(key, json.dumps(metadata, indent=2).encode())
    return found


def mend_chunks(path: Any, only_look: bool = False) -> _Mended:
    """Remove damaged blocks, and those of which a part is missing.

    Every file of the store is read. Damaged coordinates are told, and stay; so does
    everything with `only_look`.
    """
    home = home_of(path)
    array = results_of(home)
    pieces, shards = pieces_of(array), layout_of(array).shards()
    gone = missing_shards(home)
    files = [key_of(*numbers) for numbers in gone]
    lost: set[tuple[int, ...]] = {numbers[:4] for numbers in gone}
    for numbers in sorted(written(home)):
        data = home.get(key_of(*numbers))
        # None: removed in the meantime.
        if data is not None and not shard_is_whole(data, pieces):
            files.append(key_of(*numbers))
            lost.add(numbers[:4])
    for block in sorted(lost) if not only_look else ():
        for shard in reversed(shards):  # The one that says that it is there first.
            home.delete(key_of(*block, shard))
    return _Mended(files + damaged_coordinates(home), len(lost))


def missing_shards(home: Home) -> list[tuple[int, ...]]:
    """Numbers of shards that have been there and are not any more.

    Of a complete store these are all that are not there; of others, where a block
    consists of several and some of them are there, the rest.
    """
    array = results_of(home)
    shards, there = layout_of(array).shards(), written(home)
    wanted = {(*numbers[:4], shard) for numbers in there for shard in shards}
    if (rows := read_root(home)["attributes"].get("complete")) is not None:
        seeds = -(-array.shape[3] // array.shards[3])
        wanted |= {
            (environment, policy, params, seed, shard)
            for environment, policies in enumerate(rows)
            for policy, ends in enumerate(policies)
            for params, end in enumerate(_ends(ends, seeds))
            for seed in range(end)
            for shard in shards
        }
    return sorted(wanted - there)


def _ends(said: int | list[int], seeds: int) -> list[int]:
    """Blocks along the seeds for each along the points; older stores have a number of
    the latter, as all have all of the former."""
    return [seeds] * said if isinstance(said, int) else said


def damaged_coordinates(path: Any) -> list[str]:
    """Names in the store of chunks of coordinates that are damaged or missing."""
    home = home_of(path)
    return [
        key
        for key in coordinate_chunks(home.group())
        if not chunk_is_whole(home.get(key) or b"")
    ]


def _read(home: Home, key: str) -> dict[str, Any] | None:
    try:
        return json.loads(home.get(key) or b"")
    except ValueError:
        return None


def _is_ahead(found: Any, metadata: dict[str, Any]) -> bool:
    """Whether metadata differ in nothing but a larger extent."""
    if not isinstance(found, dict):
        return False
    shapes = found.get("shape"), metadata["shape"]
    free = {"shape": None, "attributes": None}  # Variables that are new.
    return (
        {**found, **free} == {**metadata, **free}
        and len(shapes[0]) == len(shapes[1])
        and all(a >= b for a, b in zip(*shapes, strict=True))
    )
