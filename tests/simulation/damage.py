"""Damage done to a store, and whether it is noticed and mended."""

import re
import shutil
import warnings
from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np
import xarray as xr

from jaxbandits.results import open_store
from jaxbandits.simulation import Spec
from tests.simulation.runs import run


class Outcome(NamedTuple):
    """What became of a damaged store.

    Attributes:
      read: ``refused`` (a sentence with the name of the file), ``right`` numbers, or
        what was wrong.
      mended: whether the next sweep gave the very bits again, with the same files.
      again: whether a sweep after that finds nothing more to mend.
    """

    read: str
    mended: bool
    again: bool


def flip(file: Path, rng: np.random.Generator) -> None:
    """One random bit."""
    data = bytearray(file.read_bytes())
    data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    file.write_bytes(data)


def delete(file: Path, rng: np.random.Generator) -> None:
    """All of it."""
    file.unlink()


def truncate(file: Path, rng: np.random.Generator) -> None:
    """To a random length, possibly nothing."""
    file.write_bytes(file.read_bytes()[: rng.integers(file.stat().st_size)])


def exchange(file: Path, rng: np.random.Generator) -> None:
    """With another file of its folder."""
    others = [x for x in file.parent.iterdir() if x.is_file() and x != file]
    if others:
        other = others[rng.integers(len(others))]
        mine = file.read_bytes()
        file.write_bytes(other.read_bytes())
        other.write_bytes(mine)


def foreign(store: Path):
    """A harm that puts files of another store in the place of those of one."""

    def harm(file: Path, rng: np.random.Generator) -> None:
        others = [*store.glob(f"{file.parent.name}/*")]
        if file.parent.name == "blocks" and others:
            shutil.copy(others[rng.integers(len(others))], file)

    harm.__name__ = "foreign"
    return harm


def files_of(store: Path) -> list[str]:
    """Names of all files of a store."""
    return sorted(str(f.relative_to(store)) for f in store.rglob("*") if f.is_file())


def outcome(spec: Spec, whole: Path, copy: Path, harm, names, rng) -> Outcome:
    """Damage files of a copy of a store, read it, and sweep into it again.

    Args:
      spec: of the store.
      whole: the store; stays as it is.
      copy: where to make the copy.
      harm: `flip`, `delete`, `truncate`, `exchange` or a `foreign` one.
      names: files of the store.
      rng: random numbers.
    """
    wanted = open_store(whole).load()
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(whole, copy)
    for name in names:
        harm(copy / name, rng)
    read = _read(copy, wanted)
    _swept(spec, copy)
    with open_store(copy) as found:
        same = _equal(found.load(), wanted)
    # Who plays again is a session more.
    complete = {*files_of(whole)} <= {*files_of(copy)}
    return Outcome(read, same and complete, not _swept(spec, copy))


def _read(store: Path, wanted: xr.Dataset) -> str:
    try:
        with open_store(store) as dataset:
            found = dataset.load()
    except (ValueError, FileNotFoundError) as error:
        named = re.search(rf"store: {store}/\S+ is (damaged|missing)", str(error))
        return "refused" if named else f"refused without a name: {error}"
    return "right" if _equal(found, wanted) else "other numbers"


def _swept(spec: Spec, store: Path) -> list[str]:
    """What was said about damage."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run(spec, store, progress=False, devices=jax.local_devices()[:1])
    return [str(w.message) for w in said if re.search("was damaged", str(w.message))]


def _equal(found: xr.Dataset, wanted: xr.Dataset) -> bool:
    """The same bits, but for who played what."""
    parts = [d.drop_vars("session").drop_attrs() for d in (found, wanted)]
    return parts[0].identical(parts[1])
