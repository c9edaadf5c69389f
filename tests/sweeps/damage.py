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
from jaxbandits.sweeps import Spec
from tests.sweeps.runs import run


class Outcome(NamedTuple):
    """What became of a damaged store.

    Attributes:
      read: ``refused`` (a sentence with the name of the file), ``right`` numbers, or
        what was wrong.
      mended: whether the next sweep gave the very bits again, and said what it mended
        or played something anew.
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


def files_of(store: Path) -> list[str]:
    """Names of all files of a store but its journals, on which no number depends."""
    return sorted(
        str(f.relative_to(store))
        for f in store.rglob("*")
        if f.is_file() and f.parent.name != "journal"
    )


def outcome(spec: Spec, whole: Path, copy: Path, harm, names, rng) -> Outcome:
    """Damage files of a copy of a store, read it, and sweep into it again.

    Args:
      spec: of the store.
      whole: the store; stays as it is.
      copy: where to make the copy.
      harm: `flip`, `delete` or `truncate`.
      names: files of the store.
      rng: random numbers.
    """
    wanted = open_store(whole).load()
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(whole, copy)
    for name in names:
        harm(copy / name, rng)
    read = _read(copy, wanted, names)
    said = _swept(spec, copy)
    with open_store(copy) as found:
        same = _equal(found.load(), wanted)
        anew = bool((found["session"] != wanted["session"]).any())
    complete = files_of(copy) == files_of(whole)
    return Outcome(
        read, same and complete and (bool(said) or anew), not _swept(spec, copy)
    )


def _read(store: Path, wanted: xr.Dataset, names) -> str:
    try:
        with open_store(store) as dataset:
            found = dataset.load()
    except (ValueError, FileNotFoundError) as error:
        named = any(f"{store / name} is " in str(error) for name in names)
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
