"""Damage in a store: found, and made such that it is played again.

What is broken or missing is brought to a state that a killed writer leaves too: the
metadata as the root file says, a block without `session`, coordinates to be written.
"""

import json
from pathlib import Path
from typing import NamedTuple

import zarr

from jaxbandits.atomic import replacing
from jaxbandits.results.chunks import blocks_of, chunk_files, is_result, is_whole
from jaxbandits.results.root import PLAYED, mend_root, read_root


class _Mended(NamedTuple):
    """What was wrong.

    Attributes:
      files: names in the store of the files that were damaged or missing.
      blocks: how many blocks have to be played again.
    """

    files: list[str]
    blocks: int


def mend_metadata(path: Path) -> list[str]:
    """Put metadata right; afterwards the store can be opened.

    Returns:
      Names in the store of the files that were damaged or missing.

    Raises:
      ValueError: naming the file, if it cannot be done.
    """
    found = mend_root(path)
    root = read_root(path)
    for name, metadata in root["consolidated_metadata"]["metadata"].items():
        file = path / name / "zarr.json"
        said = _read(file)
        if said == metadata:
            continue
        # Growth that was interrupted is ahead of the root; it begins again.
        if not _is_ahead(said, metadata):
            found.append(f"{name}/zarr.json")
        file.parent.mkdir(exist_ok=True)
        with replacing(file) as temporary:
            temporary.write_text(json.dumps(metadata, indent=2))
    return found


def mend_chunks(path: Path, only_look: bool = False) -> _Mended:
    """Remove damaged chunks of results, and `session` of their blocks.

    Every file of the store is read. Damaged coordinates are told, and stay; so does
    everything with `only_look`.
    """
    group = zarr.open_group(path, mode="r")
    results = [a for name, a in group.arrays() if is_result(a) and name != PLAYED]
    files, blocks = [], 0
    for block in blocks_of(group):
        (session,) = chunk_files(group[PLAYED], block)
        state = _state(path / session)
        others = [name for array in results for name in chunk_files(array, block)]
        broken = [
            name
            for name in others
            # Without `session` a writer may have been killed before it wrote a file.
            if (found := _state(path / name)) == "damaged"
            or (found == "missing" and state != "missing")
        ]
        if state == "damaged" or (state == "whole" and broken):
            blocks += 1
            if not only_look:  # First: it says that the others are there.
                (path / session).unlink()
        for name in () if only_look else broken:
            (path / name).unlink(missing_ok=True)
        files += [session] * (state == "damaged") + broken
    return _Mended(files + damaged_coordinates(path), blocks)


def damaged_coordinates(path: Path) -> list[str]:
    """Names in the store of chunks of coordinates that are damaged or missing."""
    return [
        name
        for _, array in zarr.open_group(path, mode="r").arrays()
        if not is_result(array)
        for name in chunk_files(array)
        if _state(path / name) != "whole"
    ]


def _state(file: Path) -> str:
    try:
        return "whole" if is_whole(file.read_bytes()) else "damaged"
    except FileNotFoundError:
        return "missing"


def _read(file: Path) -> dict | None:
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError):
        return None


def _is_ahead(found: dict | None, metadata: dict) -> bool:
    """Whether metadata differ in nothing but a larger shape."""
    if not isinstance(found, dict):
        return False
    shapes = found.get("shape"), metadata["shape"]
    return (
        {**found, "shape": None} == {**metadata, "shape": None}
        and len(shapes[0]) == len(shapes[1])
        and all(a >= b for a, b in zip(*shapes, strict=True))
    )
