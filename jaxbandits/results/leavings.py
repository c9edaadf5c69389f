"""Temporary files of killed writers. Only what is proved to be ours is removed."""

import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jaxbandits.results.home import home_of
from jaxbandits.results.root import ROOT, read_root

_STALE_SECONDS = 60
_RANDOM = "[0-9a-f]{32}"


def remove_leavings(path: Any) -> None:
    """Delete what a killed writer has left in a store.

    A name counts only if it ends with a random number of 128 bits where Zarr puts one;
    files that are a minute old or less may still be under way. A bucket has none.
    """
    folder = home_of(path).folder
    if folder is None or not (folder / ROOT).is_file():
        return
    before = time.time() - _STALE_SECONDS
    for leaving in _inside(folder):
        try:
            about = leaving.lstat()
        except FileNotFoundError:  # Another program tidies up too.
            continue
        if about.st_mtime < before and stat.S_ISREG(about.st_mode):
            leaving.unlink(missing_ok=True)


def _inside(path: Path) -> Iterator[Path]:
    """Half-written root, metadata and chunks of a store."""
    yield from _named(path, rf"zarr\.{_RANDOM}\.partial")
    for name in read_root(home_of(path))["consolidated_metadata"]["metadata"]:
        # What Zarr puts in the place of a last part of a name.
        chunk = r"c(\.\d+){5}"
        yield from _named(path / name, rf"(zarr|root|{chunk})\.{_RANDOM}\.partial")
        for folder in _folders(path / name / "c"):
            yield from _named(folder, rf"\d+\.{_RANDOM}\.partial")


def _folders(folder: Path) -> Iterator[Path]:
    """A folder and those below it, as far as they are numbers of chunks."""
    if folder.is_dir():
        yield folder
        for inner in _named(folder, r"\d+"):
            yield from _folders(inner)


def _named(folder: Path, pattern: str) -> Iterator[Path]:
    if folder.is_dir():
        yield from (f for f in folder.iterdir() if re.fullmatch(pattern, f.name))
