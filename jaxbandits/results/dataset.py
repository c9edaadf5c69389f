"""The labelled dataset of a simulation or a sweep."""

import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from jaxbandits.results import spans
from jaxbandits.results.names import COUNT, FACT, INSTANCE, PARAMETER
from jaxbandits.results.parts import Game, Part, Row, alike, rows_of
from jaxbandits.results.spans import Spans

DIMS = ("policy", "params", "seed", "checkpoint")
ALL_DIMS = ("environment", *DIMS)
CHECKPOINT_KINDS = ("round", "spent", "share")
VARIED = "varied"  # entry of a provenance: arguments in which environments differ
Json = dict[str, Any]


class Results(NamedTuple):
    """What playing a part has given."""

    values: Mapping[str, np.ndarray]  # [P, S, C, ...] by name, with ``rounds``
    compiling: float  # seconds
    running: float  # seconds


class Variable(NamedTuple):
    """The form of a variable of a dataset."""

    further: dict[str, int]  # sizes of the dims beyond the axes, by name
    dtype: str = "f8"
    num_axes: int = len(ALL_DIMS)  # how many of the axes it has, from the first


def variable_of(name: str, shape: Sequence[int]) -> Variable:
    """A variable that has a value of some shape for each run and checkpoint."""
    further = {f"{name}_{axis}": size for axis, size in enumerate(shape)}
    return Variable(further, "i8" if name == "rounds" else "f8")


def common_attributes(sweep: Json, made_by: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes of results in memory and in stores; `made_by` is the provenance."""
    first = next(iter(sweep["environments"].values()))
    return {
        "setting": first["provenance"].get("setting", ""),
        "checkpoint_kind": sweep["checkpoint_kind"],
        "provenance": json.dumps(made_by),
    }


class Axes:
    """The coordinates of a dataset, and the places of runs among them.

    The axes have the points and seeds of some parts of a described sweep. With moments,
    the `lines`, the seeds of each row, take the place of seeds.
    """

    def __init__(
        self, sweep: Json, parts: Sequence[Part], lines: Sequence[Spans] | None = None
    ) -> None:
        self.sweep, self.parts, self.lines = sweep, parts, lines
        games = [part.game for part in parts]
        self.environments, self.policies = (
            {name: number for number, name in enumerate(dict.fromkeys(names))}
            for names in zip(*games, strict=True)
        )
        self.rows: dict[str, dict[Row, int]] = {name: {} for name in self.policies}
        self.seeds: Spans = ()
        for part in parts:
            own = self.rows[part.game[1]]
            for row in rows_of(part.points):
                own.setdefault(row, len(own))
            self.seeds += spans.without(part.seeds, self.seeds)
        self._listed = pd.Index(spans.listed(self.seeds))
        self._points: dict[int, np.ndarray] = {}  # places, by the table of points
        self._runs: dict[Spans, np.ndarray] = {}
        runs = self._listed if lines is None else lines
        self.dims = ALL_DIMS if lines is None else (*ALL_DIMS[:3], "part", ALL_DIMS[4])
        self.shape = (
            len(self.environments),
            len(self.policies),
            max(map(len, self.rows.values())),
            len(runs),
            len(sweep["checkpoints"]),
        )

    def dataset(self) -> xr.Dataset:
        """The coordinates, without variables.

        Beside those of the dims they are ``param_<leaf>`` (NaN for points that a policy
        lacks), ``environment_<fact>``, and perhaps ``instance`` and ``seeds``.
        """
        shape, seeds = self.shape[:3], self._listed.values
        by_game: dict[Game, list[Part]] = {}
        for part in self.parts:
            by_game.setdefault(part.game, []).append(part)
        table = {COUNT: np.zeros(shape, np.int64)}
        fewer, first = False, True  # Do points have fewer seeds, and only the first?
        names = itertools.product(self.environments, self.policies)
        for place, game in zip(np.ndindex(shape[:2]), names, strict=True):
            rows, defaults = [*self.rows[game[1]]], self.sweep["policies"][game[1]]
            for leaf, default in defaults["defaults"].get(game[0], {}).items():
                values = table.setdefault(f"{PARAMETER}{leaf}", np.full(shape, np.nan))
                values[place][: len(rows)] = [dict(x).get(leaf, default) for x in rows]
            for numbers, holders in alike(rows, by_game.get(game, [])):
                held = spans.joined(x for each in holders for x in each.seeds)
                table[COUNT][place][numbers] = count = spans.count(held)
                first &= not spans.without(spans.first(self.seeds, count), held)
                fewer |= count < len(seeds)
        if not (fewer and first):
            del table[COUNT]
        made = (self.sweep["environments"][x]["provenance"] for x in self.environments)
        coords = {
            "environment": [*self.environments],
            "policy": [*self.policies],
            "params": np.arange(shape[2]),
            "seed": seeds,
            "checkpoint": np.array(self.sweep["checkpoints"]),
            **{name: (ALL_DIMS[:3], x) for name, x in table.items()},
            **{f"{FACT}{x}": ("environment", v) for x, v in _facts(made).items()},
        }
        if (runs := self.sweep["runs_per_instance"]) > 1:
            coords[INSTANCE] = ("seed", seeds // runs)
        return xr.Dataset(coords=coords)

    def places(self, part: Part) -> list[np.ndarray]:
        """Places of a part along the first four dims; -1 for what is on no axis."""
        environment, policy = part.game
        key, rows = id(part.points), self.rows.get(policy, {})
        if key not in self._points:
            numbers = [rows.get(row, -1) for row in rows_of(part.points)]
            self._points[key] = np.array(numbers)
        if part.seeds not in self._runs:
            if self.lines is None:
                runs = self._listed.get_indexer(spans.listed(part.seeds))
            else:
                runs = np.array([self.lines.index(part.seeds)])
            self._runs[part.seeds] = runs
        game = self.environments.get(environment, -1), self.policies.get(policy, -1)
        return [*np.array(game)[:, None], self._points[key], self._runs[part.seeds]]


def _facts(provenances: Iterable[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """Values of the arguments in which environments differ, ``[E]`` by argument.

    They are float64, or text if one is text; NaN or "" for an environment without it.
    """
    facts = [each.get(VARIED, {}) for each in provenances]
    columns = {}
    for name in dict.fromkeys(itertools.chain(*facts)):
        values = [each.get(name) for each in facts]
        if any(isinstance(value, str) for value in values):
            columns[name] = np.array(
                [f"{x:.12g}" if isinstance(x, float | int) else x or "" for x in values]
            )
        else:
            columns[name] = np.array(values, np.float64)
    return columns


def assembled(axes: Axes, results: Sequence[tuple[Part, Results]]) -> xr.Dataset:
    """The dataset of results, in memory, with seconds of compiling and running."""
    shapes: dict[str, tuple[int, ...]] = {"rounds": ()}
    arrays: dict[int, Mapping[str, np.ndarray]] = {}
    seconds = np.zeros((2, *axes.shape[:2]))
    for part, one in results:
        (environment,), (policy,), *_ = axes.places(part)
        seconds[:, environment, policy] += one.compiling, one.running
        arrays[id(part)] = one.values
        for name, numbers in one.values.items():
            shape = np.shape(numbers)[3:]
            if (before := shapes.setdefault(name, shape)) != shape:
                raise ValueError(
                    f"metrics: {name!r} has shape {shape} for {part.game[1]!r} on "
                    f"{part.game[0]!r} and {before} before; play them apart"
                )
    dataset = labelled(
        axes,
        [part for part, _ in results],
        {name: variable_of(name, shape) for name, shape in shapes.items()},
        lambda part, name: arrays[id(part)].get(name),
    )
    compiling, running = ((ALL_DIMS[:2], each) for each in seconds)
    return dataset.load().assign_coords(compile_seconds=compiling, run_seconds=running)


def labelled(
    axes: Axes,
    parts: Sequence[Part],
    variables: Mapping[str, Variable],
    read: Callable[[Part, str], np.ndarray | None],
) -> xr.Dataset:
    """A dataset whose numbers are read when they are needed.

    `read` returns an array ``[points, seeds, ...]`` of a part by its name. If that is
    None, the variable has NaN there (0 if it has integers). A parameter that has the
    same values in all environments has no such dimension.
    """
    arrays = {}
    for name, variable in variables.items():
        dims = (*axes.dims[: variable.num_axes], *variable.further)
        values = _Values(axes, parts, name, variable, read)
        arrays[name] = xr.Variable(dims, indexing.LazilyIndexedArray(values))
    dataset = axes.dataset().assign(arrays)
    same = {
        name: (coordinate.dims[1:], coordinate.values[0])
        for name, coordinate in dataset.coords.items()
        if str(name).startswith(PARAMETER)
        and np.array_equal(
            coordinate.values,
            np.broadcast_to(coordinate.values[:1], coordinate.shape),
            True,
        )
    }
    return dataset.assign_coords(same)


class _Values(BackendArray):
    """A variable as an array: the parts that an index needs are read."""

    def __init__(
        self,
        axes: Axes,
        parts: Sequence[Part],
        name: str,
        variable: Variable,
        read: Callable[[Part, str], np.ndarray | None],
    ) -> None:
        self.axes, self.parts, self.name, self.read = axes, parts, name, read
        self.shape = (*axes.shape[: variable.num_axes], *variable.further.values())
        self.dtype = np.dtype(variable.dtype)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._chosen
        )

    def _chosen(self, key: tuple[Any, ...]) -> np.ndarray:
        wanted = [
            np.atleast_1d(np.arange(size)[part])
            for part, size in zip(key, self.shape, strict=True)
        ]
        fill = np.nan if self.dtype.kind == "f" else 0
        result = np.full([len(each) for each in wanted], fill, self.dtype)
        # For each position along the first four dims its place in the result, or -1.
        target = []
        for size, numbers in zip(self.shape[:4], wanted, strict=False):
            target.append(np.full(size + 1, -1))  # The last one is the place of -1.
            target[-1][numbers] = np.arange(len(numbers))
        for part in self.parts:
            places = self.axes.places(part)
            into = [own[place] for own, place in zip(target, places, strict=True)]
            here = [np.flatnonzero(place >= 0) for place in into]
            if not all(map(len, here)):
                continue
            values = self.read(part, self.name)
            if values is not None:
                at = _index([x[i] for x, i in zip(into, here, strict=True)])
                result[at] = values[_index([*here[2:], *wanted[4:]])]
        single = (isinstance(part, int | np.integer) for part in key)
        return result[tuple(0 if one else slice(None) for one in single)]


def _index(places: Sequence[np.ndarray]) -> tuple[Any, ...]:
    """An index of all combinations of places: slices, which are fast, if it can be."""
    if all(len(place) and (np.diff(place) == 1).all() for place in places):
        return tuple(slice(int(place[0]), int(place[-1]) + 1) for place in places)
    return np.ix_(*places)
