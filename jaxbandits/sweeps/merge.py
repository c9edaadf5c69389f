"""Several stores of one sweep made one: what each machine has played."""

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from jaxbandits.results import open_store
from jaxbandits.results.dataset import Place
from jaxbandits.results.home import home_of, place_of
from jaxbandits.results.layout import PLAYED
from jaxbandits.results.names import COUNT
from jaxbandits.results.reading import read_block
from jaxbandits.results.store import (
    check_store,
    create_store,
    keeps_moments,
    naming,
    seal,
    sessions,
    stored_shapes,
    write_block,
)
from jaxbandits.sweeps.blocks import pieces
from jaxbandits.sweeps.identity import (
    COUNTS,
    compare,
    counts_in,
    fingerprint,
    listed,
    with_seeds,
)
from jaxbandits.sweeps.merge_rows import join_rows, parts_of, row_length
from jaxbandits.sweeps.ragged import Key
from jaxbandits.sweeps.status import status

# Of a store, not of what it holds.
_OWN = ("format", "coordinates", "checksum", "complete", "maker")


def merge(stores: Sequence[Any], into: Any) -> xr.Dataset:
    """Put what several stores hold into a new one.

    Args:
      stores: of one sweep, on other seeds or on the same ones (where moments are kept,
        on others); complete or not. Each is a path or a URL.
      into: the new store, which can be played on as any other.

    Returns:
      The new store, opened.

    Raises:
      FileExistsError: if there is something at `into`.
      ValueError: if the stores are not of one sweep, naming what differs, if two have
        played the same run and a bit of it differs, or if moments are kept and stores
        have the same seeds.
    """
    paths, into = [place_of(store) for store in stores], place_of(into)
    if len(paths) < 2:
        raise ValueError(f"stores must be at least two, got {len(paths)}")
    about = [check_store(path) for path in paths]
    moments = [keeps_moments(path) for path in paths]
    if len(set(moments)) > 1:
        raise ValueError(
            "stores must all keep runs, or all moments; moments are kept by "
            f"{paths[moments.index(True)]}, and not by {paths[moments.index(False)]}"
        )
    described = [json.loads(each["spec"]) for each in about]
    for path, other in zip(paths[1:], described[1:], strict=True):
        _check(paths[0], described[0], path, other)
    seeds = listed(described[0]["seeds"])
    for each in described[1:]:
        more = listed(each["seeds"])
        known = np.isin(more, seeds)
        if moments[0] and known.any():
            raise ValueError(
                "stores that keep moments must have different seeds, as their runs are "
                f"not known one by one; {known.sum()} seeds, from {more[known][0]}, "
                "stand in several"
            )
        seeds = np.append(seeds, more[~known])
    counts = _counts(paths, described, seeds)
    players = [json.loads(each["sessions"]) for each in about]
    description = with_seeds(described[0], seeds, counts)
    said = {name: x for name, x in about[0].items() if name not in _OWN} | {
        "fingerprint": fingerprint(description),
        "spec": json.dumps(description),
        "sessions": json.dumps(list(itertools.chain(*players))),
    }
    shapes = dict(pair for path in paths for pair in stored_shapes(path).items())
    before = [*itertools.accumulate(map(len, players), initial=0)][:-1]
    block = sessions(paths[0]).chunks[-2:]
    if moments[0]:
        parts = parts_of(paths, before)
        block = block[0], row_length(parts)
    with open_store(paths[0]) as first, naming(into):
        axes = _axes(first, seeds, description["runs_per_instance"], counts)
        create_store(into, axes, shapes, block, said, moments[0])
    try:
        with naming(into):
            if moments[0]:
                join_rows(parts, into)
            else:
                _copy(paths, into, before)
        found = status(into)
        if found.done == found.runs:
            seal(into)
    except BaseException:
        home_of(into).clear()
        raise
    return open_store(into)


def _check(first: Any, described: Any, path: Any, other: Any) -> None:
    """Raise a ValueError if two stores differ in more than their seeds."""
    seeds = listed(described["seeds"])
    described, other = with_seeds(described, seeds), with_seeds(other, seeds)
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


def _counts(
    paths: Sequence[Any], described: Sequence[Any], seeds: np.ndarray
) -> dict[Key, np.ndarray] | None:
    """How many seeds each point has in any of some stores, see `Plan`."""
    if not any(COUNTS in each for each in described):
        return None
    found: dict[Key, np.ndarray] = {}
    for path, each in zip(paths, described, strict=True):
        own = listed(each["seeds"])
        if not np.array_equal(own, seeds[: len(own)]):
            raise ValueError(
                "stores whose points have different numbers of seeds must begin with "
                f"the same seeds, in the same order; {path} has others"
            )
        for key, row in counts_in(each).items():
            found[key] = np.maximum(found.get(key, 0), row)
    return found


def _axes(
    first: xr.Dataset,
    seeds: np.ndarray,
    runs: int,
    counts: Mapping[Key, np.ndarray] | None,
) -> xr.Dataset:
    """Coordinates as `create_store` takes them: those of a store, with other seeds."""
    others = ["instance", "moment", COUNT]
    axes = first.coords.to_dataset().drop_vars(others, errors="ignore")
    dims = ("environment", "policy", "params")
    for name in [str(name) for name in axes.coords if str(name).startswith("param_")]:
        # What is the same on all environments was read without them.
        each = axes[name].expand_dims(environment=axes["environment"])
        axes[name] = axes[name] if axes[name].ndim == 3 else each.transpose(*dims)
        axes = axes.set_coords(name)
    axes = axes.drop_vars("seed").assign_coords(seed=seeds)
    if counts is not None:
        table = np.zeros([axes.sizes[dim] for dim in dims], np.int64)
        for number, own in enumerate(counts.values()):
            table[divmod(number, axes.sizes["policy"])][: len(own)] = own
        axes = axes.assign_coords({COUNT: (dims, table)})
    return axes.assign_coords(instance=("seed", seeds // runs)) if runs > 1 else axes


def _copy(paths: Sequence[Any], into: Any, before: Sequence[int]) -> None:
    """Write what is played in stores into a new one, block by block.

    Args:
      paths: the stores.
      into: the new one.
      before: for each the number of sessions that come before its own.
    """
    *games, points, seeds = sessions(into).shape
    *_, step, length = sessions(into).chunks
    sources = [
        (path, sessions(path), _places(into, path), number)
        for path, number in zip(paths, before, strict=True)
    ]
    for *game, params, seed in itertools.product(
        *map(range, games), pieces(points, step), pieces(seeds, length)
    ):
        place = Place(*game, params, seed)
        shape = params.stop - params.start, seed.stop - seed.start
        values: dict[str, np.ndarray] = {}
        who = np.zeros(shape, np.int64)
        for path, played, at, number in sources:
            columns = np.flatnonzero(at[seed] >= 0)
            own = Place(*game, params, at[seed][columns])
            if not columns.size or not (session := played.now(own)).any():
                continue
            mask = session > 0
            again = mask & (who[:, columns] > 0)
            for name, found in read_block(path, own).items():
                if name == PLAYED:
                    continue
                values.setdefault(name, np.full((*shape, *found.shape[2:]), np.nan))
                known = values[name][:, columns]
                if known[again].tobytes() != found[again].astype(float).tobytes():
                    raise ValueError(
                        f"stores: {path} holds other numbers than those before it: "
                        f"{name} of {_game(into, place)}"
                    )
                known[mask] = found[mask]
                values[name][:, columns] = known
            who[:, columns] = np.where(mask & ~again, session + number, who[:, columns])
        if who.any():
            write_block(into, place, values, who)


def _places(path: Any, other: Any) -> np.ndarray:
    """i64[S], where the seeds of a store lie in another one; -1 of those it has not."""
    with open_store(path) as source, open_store(other) as target:
        return target.indexes["seed"].get_indexer(source["seed"].values)


def _game(path: Any, place: Place) -> str:
    """A place in words."""
    with open_store(path) as dataset:
        environment = dataset["environment"].values[place.environment]
        policy = dataset["policy"].values[place.policy]
        seed = dataset["seed"].values[place.seed.start]
    points = place.params.start
    return f"{environment} {policy}, points from {points}, seeds from {seed}"
