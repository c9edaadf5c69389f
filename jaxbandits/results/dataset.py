"""The labelled dataset of a simulation or a sweep, built in one place."""

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from jaxbandits.results import spans
from jaxbandits.results.names import COUNT, FACT, INSTANCE, PARAMETER, check_variable
from jaxbandits.results.parts import Block, Part, Row, alike, rows_of
from jaxbandits.results.spans import Spans

DIMS = ("policy", "params", "seed", "checkpoint")
ALL_DIMS = ("environment", *DIMS)
CHECKPOINT_KINDS = ("round", "spent", "share")
# Of an environment's provenance: arguments that others have otherwise.
VARIED = "varied"
Json = dict[str, Any]


class Results(NamedTuple):
    """What a policy has come to in an environment.

    Attributes:
      metrics: real arrays ``[P, S, C]`` or ``[P, S, C, ...]`` by name.
      rounds: int[P, S, C], rounds played.
      compile_seconds: of compilation.
      run_seconds: of computation.
    """

    metrics: Mapping[str, np.ndarray]
    rounds: np.ndarray
    compile_seconds: float
    run_seconds: float


def common_attributes(sweep: Json, made_by: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes of results in memory and in stores.

    Args:
      sweep: description of the sweep.
      made_by: provenance.
    """
    first = next(iter(sweep["environments"].values()))
    return {
        "setting": first["provenance"].get("setting", ""),
        "checkpoint_kind": sweep["checkpoint_kind"],
        "provenance": json.dumps(made_by),
    }


class Axes:
    """The coordinates of some parts, and where the runs of parts are among them.

    Args:
      sweep: description of the sweep: checkpoints, provenance of the environments,
        defaults of the policies, and how many runs share an instance.
      parts: which points and seeds the axes have, in their order.
    """

    def __init__(self, sweep: Json, parts: Sequence[Part]) -> None:
        self.sweep, self.parts = sweep, parts
        self.environments = [*dict.fromkeys(part.game[0] for part in parts)]
        self.policies = [*dict.fromkeys(part.game[1] for part in parts)]
        self.rows: dict[str, dict[Row, int]] = {name: {} for name in self.policies}
        self.seeds: Spans = ()
        for part in parts:
            own = self.rows[part.game[1]]
            for row in rows_of(part.points):
                own.setdefault(row, len(own))
            self.seeds += spans.without(part.seeds, self.seeds)
        self._listed = spans.listed(self.seeds)
        self._order = np.argsort(self._listed, kind="stable")
        self._places: dict[int, np.ndarray] = {}

    def dataset(self) -> xr.Dataset:
        """The coordinates, no variables.

        They are ``environment, policy, params, seed, checkpoint``, ``param_<leaf>``
        over the first three (NaN where a policy lacks the point or the parameter),
        ``environment_<fact>`` over the first, and perhaps ``instance`` over seeds, or
        ``seeds``, how many each point plays, over the first three.
        """
        shape = len(self.environments), len(self.policies)
        shape += (max(map(len, self.rows.values())),)
        table: dict[str, np.ndarray] = {}
        for place, rows, own in self._games():
            for leaf, default in own.items():
                column = [dict(row).get(leaf, default) for row in rows]
                values = table.setdefault(f"{PARAMETER}{leaf}", np.full(shape, np.nan))
                values[place][: len(rows)] = column
        if (counts := self._counts(shape)) is not None:
            table[COUNT] = counts
        made = (self.sweep["environments"][x]["provenance"] for x in self.environments)
        coords = {
            "environment": self.environments,
            "policy": self.policies,
            "params": np.arange(shape[2]),
            "seed": self._listed,
            "checkpoint": np.array(self.sweep["checkpoints"]),
            **{name: (ALL_DIMS[:3], x) for name, x in table.items()},
            **{f"{FACT}{x}": ("environment", v) for x, v in _facts(made).items()},
        }
        if (runs := self.sweep["runs_per_instance"]) > 1:
            coords[INSTANCE] = ("seed", self._listed // runs)
        return xr.Dataset(coords=coords)

    def _games(
        self,
    ) -> Iterator[tuple[tuple[int, int], dict[Row, int], dict[str, float]]]:
        """Place, points and defaults of each policy in each environment."""
        for number, policy in enumerate(self.policies):
            defaults = self.sweep["policies"][policy]["defaults"]
            for place, environment in enumerate(self.environments):
                own = defaults.get(environment, {})
                yield (place, number), self.rows[policy], own

    def _counts(self, shape: tuple[int, ...]) -> np.ndarray | None:
        """How many seeds each point has; None if all have all, or one not the first."""
        result = np.zeros(shape, np.int64)
        whole = True
        for place, rows, _ in self._games():
            game = self.environments[place[0]], self.policies[place[1]]
            own = [part for part in self.parts if part.game == game]
            for numbers, holders in alike([*rows], own):
                held = spans.joined(x for each in holders for x in each.seeds)
                result[place][numbers] = count = spans.count(held)
                if spans.without(spans.first(self.seeds, count), held):
                    return None
                whole &= count == len(self._listed)
        return None if whole else result

    def places(
        self, part: Part | Block, lines: list[Spans] | None = None
    ) -> list[np.ndarray]:
        """Where a part is along the first four dims; -1 where it is not there."""
        environment, policy = part.game
        key, rows = id(part.points), self.rows.get(policy, {})
        if key not in self._places:
            numbers = [rows.get(row, -1) for row in rows_of(part.points)]
            self._places[key] = np.array(numbers)
        games = [
            np.array([names.index(name) if name in names else -1])
            for names, name in (
                (self.environments, environment),
                (self.policies, policy),
            )
        ]
        if lines is not None:
            return [*games, self._places[key], np.array([lines.index(part.seeds)])]
        seeds = spans.listed(part.seeds)
        at = np.searchsorted(self._listed, seeds, sorter=self._order)
        places = self._order[np.minimum(at, len(self._order) - 1)]
        places = np.where(self._listed[places] == seeds, places, -1)
        return [*games, self._places[key], places]


def _facts(provenances: Iterable[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """What environments differ in, ``[E]`` by argument: f64, or text where one of the
    values is; NaN or "" of an environment that has it not."""
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


def assembled(axes: Axes, results: Iterable[tuple[Part, Results]]) -> xr.Dataset:
    """Put names on numbers.

    Args:
      axes: of all parts.
      results: the numbers of parts.

    Returns:
      Every metric as float64, with further axes of its values as dimensions
      ``<name>_0``, ``<name>_1`` ...; NaN where a policy has it not, or not the point.
      ``rounds`` as int64, 0 at points that a policy has not. Coordinates as in `axes`,
      but parameters without environments where they do not differ, and
      ``compile_seconds`` and ``run_seconds``.

    Raises:
      ValueError: naming the metric whose name or shape does not fit.
    """
    dataset = axes.dataset()
    shape = tuple(dataset.sizes[dim] for dim in ALL_DIMS)
    rounds = np.zeros(shape, np.int64)
    compiling, running = np.zeros((2, *shape[:2]))
    values: dict[str, np.ndarray] = {}
    for part, one in results:
        (environment,), (policy,), *inner = axes.places(part)
        at = environment, policy, *_indexes(inner)
        rounds[at] = one.rounds
        compiling[at[:2]] += one.compile_seconds
        running[at[:2]] += one.run_seconds
        for name, numbers in one.metrics.items():
            check_variable("metrics", name)
            rest = np.shape(numbers)[3:]
            own = values.setdefault(name, np.full((*shape, *rest), np.nan))
            if own.shape[len(shape) :] != rest:
                where, policy = part.game
                raise ValueError(
                    f"metrics: {name!r} has shape {rest} for {policy!r} on {where!r} "
                    f"and {own.shape[len(shape) :]} before; play them apart"
                )
            own[at] = numbers
    variables: dict[str, Any] = {"rounds": (ALL_DIMS, rounds)}
    for name, numbers in values.items():
        further = (f"{name}_{axis}" for axis in range(numbers.ndim - len(shape)))
        variables[name] = ((*ALL_DIMS, *further), numbers)
    return without_environments(dataset.assign(variables)).assign_coords(
        compile_seconds=(ALL_DIMS[:2], compiling), run_seconds=(ALL_DIMS[:2], running)
    )


def _indexes(places: Sequence[np.ndarray]) -> tuple[Any, ...]:
    """An index of points and seeds; slices, which are fast, of neighbours."""
    if all((np.diff(place) == 1).all() for place in places):
        return tuple(slice(int(place[0]), int(place[-1]) + 1) for place in places)
    return np.ix_(*places)


def without_environments(dataset: xr.Dataset) -> xr.Dataset:
    """Parameters over (policy, params), but for those that differ by environment."""
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
