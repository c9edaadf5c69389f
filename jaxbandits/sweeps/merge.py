"""Several stores of one sweep made one: what each machine has played."""

import itertools
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from jaxbandits import checks
from jaxbandits.results import open_store
from jaxbandits.results.store import (
    Place,
    check_store,
    create_store,
    naming,
    sessions,
    stored_shapes,
    write_block,
)
from jaxbandits.sweeps.blocks import pieces
from jaxbandits.sweeps.identity import compare, fingerprint, listed, with_seeds

_SESSION = "session"
# Of a store, not of what it holds.
_OWN = ("format", "coordinates", "checksum", "complete")


def merge(stores: Sequence[str | os.PathLike], into: str | os.PathLike) -> xr.Dataset:
    """Put what several stores hold into a new one.

    Args:
      stores: of one sweep, on other seeds or on the same ones; complete or not.
      into: the new store, which can be played on as any other.

    Returns:
      The new store, opened.

    Raises:
      FileExistsError: if there is something at `into`.
      ValueError: if the stores are not of one sweep, naming what differs, or if two
        have played the same run and a bit of it differs.
    """
    paths = [checks.path("stores", store) for store in stores]
    into = checks.path("into", into)
    if len(paths) < 2:
        raise ValueError(f"stores must be at least two, got {len(paths)}")
    about = [check_store(path) for path in paths]
    described = [json.loads(each["spec"]) for each in about]
    for path, other in zip(paths[1:], described[1:], strict=True):
        _check(paths[0], described[0], path, other)
    seeds = dict.fromkeys(s for each in described for s in listed(each["seeds"]))
    players = [json.loads(each["sessions"]) for each in about]
    description = with_seeds(described[0], list(seeds))
    said = {name: x for name, x in about[0].items() if name not in _OWN} | {
        "fingerprint": fingerprint(description),
        "spec": json.dumps(description),
        "sessions": json.dumps(list(itertools.chain(*players))),
    }
    shapes = dict(pair for path in paths for pair in stored_shapes(path).items())
    with open_store(paths[0]) as first, naming(into):
        axes = _axes(first, list(seeds), description["runs_per_instance"])
        create_store(into, axes, shapes, sessions(paths[0]).chunks[-2:], said)
    try:
        before = itertools.accumulate(map(len, players), initial=0)
        for path, number in zip(paths, before, strict=False):
            with naming(into):
                _copy(path, into, number)
    except BaseException:
        shutil.rmtree(into, ignore_errors=True)
        raise
    return open_store(into)


def _check(first: Path, described: Any, path: Path, other: Any) -> None:
    """Raise a ValueError if two stores differ in more than their seeds."""
    other = with_seeds(other, listed(described["seeds"]))
    found = compare(described, other)
    lines = [*found.changed, *(f"{line} in the first only" for line in found.absent)]
    lines += [f"{line} in the second only" for line in found.added]
    if not lines and json.dumps(other) != json.dumps(described):
        lines = ["environments, policies or points in another order"]
    if lines:
        raise ValueError(
            f"stores: {first} and {path}, 'the store' and 'now', hold other sweeps:\n  "
            + "\n  ".join(lines)
        )


def _axes(first: xr.Dataset, seeds: list[int], runs: int) -> xr.Dataset:
    """Coordinates as `create_store` takes them: those of a store, with other seeds."""
    axes = first.coords.to_dataset().drop_vars("instance", errors="ignore")
    dims = ("environment", "policy", "params")
    for name in [str(name) for name in axes.coords if str(name).startswith("param_")]:
        # What is the same on all environments was read without them.
        each = axes[name].expand_dims(environment=axes["environment"])
        axes[name] = axes[name] if axes[name].ndim == 3 else each.transpose(*dims)
        axes = axes.set_coords(name)
    numbers = np.array(seeds, np.int64)
    axes = axes.drop_vars("seed").assign_coords(seed=numbers)
    return axes.assign_coords(instance=("seed", numbers // runs)) if runs > 1 else axes


def _copy(path: Path, into: Path, before: int) -> None:
    """Copy what is played in a store.

    Args:
      path: the store.
      into: where to.
      before: how many sessions come before its own.
    """
    shape = sessions(path).chunks[-2:]
    with open_store(path) as source:
        with open_store(into) as target:
            seeds = target.indexes["seed"].get_indexer(source["seed"].values)
        games = itertools.product(
            range(source.sizes["environment"]), range(source.sizes["policy"])
        )
        blocks = itertools.product(
            games,
            pieces(source.sizes["seed"], shape[1]),
            pieces(source.sizes["params"], shape[0]),
        )
        for (environment, policy), seed, params in blocks:
            at = {"environment": environment, "policy": policy}
            block = source.isel(**at, params=params, seed=seed).load()
            for rows, columns, session in _rectangles(block[_SESSION].values):
                for part in _runs(columns, seeds[seed]):
                    here = slice(params.start + rows.start, params.start + rows.stop)
                    first = int(seeds[seed][part.start])
                    length = part.stop - part.start
                    place = Place(
                        environment, policy, here, slice(first, first + length)
                    )
                    piece = block.isel(params=rows, seed=part)
                    _put(path, piece, into, place, before + session)


def _rectangles(session: np.ndarray) -> Iterator[tuple[slice, slice, int]]:
    """Rectangles of a block that were played in one session: rows, columns, session."""
    whole = slice(0, session.shape[0])
    same = (session == session[:1]).all()
    for rows in [whole] if same else pieces(session.shape[0], 1):
        line = session[rows.start]
        ends = [0, *(np.flatnonzero(np.diff(line)) + 1), len(line)]
        for first, last in itertools.pairwise(ends):
            if line[first]:
                yield rows, slice(int(first), int(last)), int(line[first])


def _runs(columns: slice, seeds: np.ndarray) -> Iterator[slice]:
    """Parts of some columns that lie side by side in the other store, too."""
    jumps = np.flatnonzero(np.diff(seeds[columns]) != 1) + 1
    ends = [columns.start, *(columns.start + jumps), columns.stop]
    return (slice(int(a), int(b)) for a, b in itertools.pairwise(ends))


def _put(path: Path, piece: xr.Dataset, into: Path, place: Place, session: int) -> None:
    """Write what was played at a place, if it is what others have played there."""
    names = [name for name in map(str, piece.data_vars) if name != _SESSION]
    dims = ("params", "seed", "checkpoint")
    values = {name: piece[name].transpose(*dims, ...).values for name in names}
    known = np.asarray(sessions(into)[place]) > 0
    if known.any():
        with open_store(into) as target:
            there = target.isel(
                dict(zip(("environment", "policy"), place, strict=False))
            )
            there = there.isel(params=place.params, seed=place.seed)
            for name in names:
                old = there[name].transpose(*dims, ...).values[known]
                if old.tobytes() != values[name][known].tobytes():
                    game = f"{name} of {_name(there, 0)} {_name(there, 1)}"
                    raise ValueError(
                        f"stores: {path} holds other numbers than those before it: "
                        f"{game}, points from {place.params.start}, seeds from "
                        f"{int(there['seed'][0])}"
                    )
    if not known.all():
        write_block(into, place, values, session)


def _name(dataset: xr.Dataset, axis: int) -> str:
    return str(dataset[("environment", "policy")[axis]].item())
