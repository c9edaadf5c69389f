"""Temporary files of killed writers. Only what is proved to be ours is removed."""

import re
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from jaxbandits.results.root import ROOT, read_root

_STALE_SECONDS = 60
_RANDOM = "[0-9a-f]{32}"


def remove_leavings(path: Path) -> None:
    """Delete what a killed writer has left in a store or beside it.

    A name counts only if it ends with a random number of 128 bits where the library or
    Zarr puts one; files that are a minute old or less may still be under way.
    """
    before = time.time() - _STALE_SECONDS
    for leaving in [*_inside(path), *_beside(path)]:
        try:
            about = leaving.lstat()
        except FileNotFoundError:  # Another program tidies up too.
            continue
        if about.st_mtime >= before:
            continue
        if stat.S_ISREG(about.st_mode):
            leaving.unlink(missing_ok=True)
        elif stat.S_ISDIR(about.st_mode):
            shutil.rmtree(leaving, ignore_errors=True)


def _beside(path: Path) -> Iterator[Path]:
    """Stores that were being made under a temporary name."""
    for file in _named(path.parent, rf"\.{re.escape(path.name)}\.{_RANDOM}"):
        if file.is_dir() and (not any(file.iterdir()) or (file / ROOT).is_file()):
            yield file


def _inside(path: Path) -> Iterator[Path]:
    """Half-written root files, metadata and chunks of a store."""
    if not (path / ROOT).is_file():
        return
    yield from _files(path, rf"\.zarr\.{_RANDOM}\.json")
    for name in read_root(path)["consolidated_metadata"]["metadata"]:
        # The library's are .NAME.RANDOM.json, Zarr's NAME.RANDOM.partial.
        yield from _files(path / name, rf"\.(zarr|root)\.{_RANDOM}\.json")
        yield from _files(path / name, rf"zarr\.{_RANDOM}\.partial")
        for folder in _folders(path / name / "c"):
            yield from _files(folder, rf"\d+\.{_RANDOM}\.partial")


def _folders(folder: Path) -> Iterator[Path]:
    """A folder and those below it, as far as they are numbers of chunks."""
    if folder.is_dir():
        yield folder
        for inner in _named(folder, r"\d+"):
            yield from _folders(inner)


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    return (file for file in _named(folder, pattern) if file.is_file())


def _named(folder: Path, pattern: str) -> Iterator[Path]:
    if folder.is_dir():
        yield from (f for f in folder.iterdir() if re.fullmatch(pattern, f.name))
