"""The labelled dataset of a simulation or a sweep, built in one place."""

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from jaxbandits.checks import kinds, non_negative
from jaxbandits.results.names import COUNT, FACT, PARAMETER, check_variable
from jaxbandits.results.plain import plain

DIMS = ("policy", "params", "seed", "checkpoint")
CHECKPOINT_KINDS = ("round", "spent", "share")
VARIED = (
    "varied"  # of an environment's provenance: arguments that others have otherwise
)
Key = tuple[str, str]  # (environment, policy)


class Place(NamedTuple):
    """Where numbers belong.

    Attributes:
      environment: position on the axis.
      policy: position on the axis.
      params: positions, increasing.
      seed: positions.
    """

    environment: int
    policy: int
    params: np.ndarray
    seed: np.ndarray

    def inner(self) -> tuple[Any, ...]:
        """The index of points and seeds: slices where all are neighbours."""
        parts = self.params, self.seed
        if all((np.diff(part) == 1).all() and len(part) for part in parts):
            return tuple(slice(int(part[0]), int(part[-1]) + 1) for part in parts)
        return np.ix_(*parts)


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


def coordinates(
    environments: Sequence[str],
    policies: Sequence[str],
    params: Mapping[Key, Mapping[str, np.ndarray]],
    *,
    num_points: int,
    seeds: np.ndarray,
    checkpoints: np.ndarray,
    instances: np.ndarray | None = None,
    facts: Mapping[str, np.ndarray] = {},
    counts: Mapping[Key, np.ndarray] | None = None,
) -> xr.Dataset:
    """The axes of results, and the parameters of every point.

    Args:
      environments: names.
      policies: names.
      params: columns f64[P] by leaf, of every policy in every environment.
      num_points: the largest P; policies with fewer points have NaN at the rest, and so
        has one without some parameter.
      seeds: i64[S].
      checkpoints: [C].
      instances: i64[S], numbers of the drawn instances if seeds share them.
      facts: by name, ``[E]`` of numbers or text: what environments differ in.
      counts: i64[P], how many of the seeds each point plays, if not all play all.

    Returns:
      No variables; coordinates ``environment, policy, params, seed, checkpoint``,
      ``param_<leaf>`` over the first three, ``environment_<fact>`` over the first, and
      perhaps ``instance`` over seeds, or ``seeds`` over the first three.
    """
    shape = len(environments), len(policies), num_points
    table = {}
    if counts is not None:
        table[COUNT] = np.zeros(shape, np.int64)
    for key, columns in params.items():
        place = environments.index(key[0]), policies.index(key[1])
        if counts is not None:
            table[COUNT][place][: len(counts[key])] = counts[key]
        for leaf, column in columns.items():
            name = f"{PARAMETER}{leaf}"
            if name not in table:
                table[name] = np.full(shape, np.nan)
            table[name][place][: len(column)] = column
    coords = {
        "environment": list(environments),
        "policy": list(policies),
        "params": np.arange(num_points),
        "seed": seeds,
        "checkpoint": checkpoints,
        **{name: (("environment", *DIMS[:2]), x) for name, x in table.items()},
        **{f"{FACT}{name}": ("environment", x) for name, x in facts.items()},
    }
    if instances is not None:
        coords["instance"] = ("seed", instances)
    return xr.Dataset(coords=coords)


def facts_about(provenances: Iterable[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """What differs between environments, ``[E]`` by argument: f64, or text where one of
    the values is; NaN or "" of an environment that has it not.

    Args:
      provenances: of the environments, whose entry ``varied`` has numbers or texts.
    """
    facts = [each.get(VARIED, {}) for each in provenances]
    columns = {}
    for name in dict.fromkeys(itertools.chain(*facts)):
        values = [each.get(name) for each in facts]
        if not any(isinstance(value, str) for value in values):
            columns[name] = np.array(values, np.float64)
        else:
            columns[name] = np.array([_text_of(value) for value in values])
    return columns


def _text_of(value: float | str | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.12g}"


def assemble(axes: xr.Dataset, result: Iterable[tuple[Place, Results]]) -> xr.Dataset:
    """Put names on numbers.

    Args:
      axes: as `coordinates` makes them.
      result: numbers of policies in environments, and where they belong.

    Returns:
      Every metric as float64, with further axes of its values as dimensions
      ``<name>_0``, ``<name>_1`` ...; NaN where a policy has it not, or not the point.
      ``rounds`` as int64, 0 at points that a policy has not. Coordinates as in `axes`,
      but parameters without environments where they do not differ, and
      ``compile_seconds`` and ``run_seconds``.

    Raises:
      ValueError: naming the metric whose name or shape does not fit.
    """
    dims = "environment", *DIMS
    shape = tuple(axes.sizes[dim] for dim in dims)
    rounds = np.zeros(shape, np.int64)
    seconds = np.zeros((2, *shape[:2]))
    values: dict[str, np.ndarray] = {}
    for place, one in result:
        game, inner = place[:2], place.inner()
        rounds[game][inner] = one.rounds
        seconds[:, *game] += one.compile_seconds, one.run_seconds
        for name, numbers in one.metrics.items():
            check_variable("metrics", name)
            rest = np.shape(numbers)[3:]
            if name not in values:
                values[name] = np.full((*shape, *rest), np.nan)
            if values[name].shape[len(shape) :] != rest:
                where, policy = (
                    str(axes[dim].values[i]) for dim, i in zip(dims, game, strict=False)
                )
                raise ValueError(
                    f"metrics: {name!r} has shape {rest} for {policy!r} on {where!r} "
                    f"and {values[name].shape[len(shape) :]} before; play them apart"
                )
            values[name][game][inner] = numbers
    variables: dict[str, Any] = {"rounds": (dims, rounds)}
    for name, numbers in values.items():
        further = (f"{name}_{axis}" for axis in range(numbers.ndim - len(dims)))
        variables[name] = ((*dims, *further), numbers)
    compiling, running = seconds
    return without_environments(axes.assign(variables)).assign_coords(
        compile_seconds=(dims[:2], compiling), run_seconds=(dims[:2], running)
    )


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


@kinds
def build_dataset(
    metrics: Mapping[str, Mapping[str, np.ndarray]],
    rounds: Mapping[str, np.ndarray],
    *,
    checkpoints: Sequence[float],
    checkpoint_kind: str,
    seeds: Sequence[int],
    params: Mapping[str, Mapping[str, float | Sequence[float]]],
    compile_seconds: Mapping[str, float],
    run_seconds: Mapping[str, float],
    environment: str,
    setting: str,
    provenance: Mapping[str, Any],
) -> xr.Dataset:
    """Numbers from elsewhere as a dataset of one environment, like that of `simulate`.

    P is the number of a policy's parameter points (1 without a sweep), S of seeds, C of
    checkpoints. The keys of `metrics` are the policies, in the order of the result;
    every other mapping has the same keys.

    Args:
      metrics: policy -> metric -> real array ``[P, S, C]`` or ``[P, S, C, ...]``.
      rounds: policy -> int array ``[P, S, C]``, rounds played.
      checkpoints: C increasing numbers, rounds or amounts of spent budget.
      checkpoint_kind: "round", "spent" (amounts) or "share" (of the budget).
      seeds: S distinct ints.
      params: policy -> values by name of the parameter, numbers or [P].
      compile_seconds: policy -> seconds of compilation.
      run_seconds: policy -> seconds of computation.
      environment: name of the environment.
      setting: name of its setting.
      provenance: what made the numbers, with a JSON form.

    Returns:
      Dataset with dimensions policy, params, seed and checkpoint, see `assemble`; the
      coordinate ``environment`` is the name, attributes are ``setting``,
      ``provenance`` (JSON) and ``checkpoint_kind``.

    Raises:
      ValueError: naming the argument whose shape, keys or values do not fit.
    """
    if not metrics:
        raise ValueError("metrics must have at least one policy")
    for argument, mapping in {
        "rounds": rounds,
        "params": params,
        "compile_seconds": compile_seconds,
        "run_seconds": run_seconds,
    }.items():
        if set(mapping) != set(metrics):
            raise ValueError(
                f"{argument} must have the policies of metrics, {sorted(metrics)}, got "
                f"{sorted(mapping)}"
            )
    seeds = _seeds(seeds)
    checkpoints = _checkpoints(checkpoints, checkpoint_kind)
    rest = len(seeds), len(checkpoints)
    result, columns = {}, {}
    for name in metrics:
        counts = _array(rounds[name], (None, *rest), f"rounds[{name!r}]")
        if not np.issubdtype(counts.dtype, np.integer):
            raise ValueError(f"rounds[{name!r}] must be integers, got {counts.dtype}")
        if np.any(counts < 0) or np.any(counts[..., 1:] < counts[..., :-1]):
            raise ValueError(
                f"rounds[{name!r}] must be at least 0, and not fall from a checkpoint "
                "to the next"
            )
        shape = counts.shape
        result[environment, name] = Results(
            {
                metric: _array(values, shape, f"metrics[{name!r}][{metric!r}]")
                for metric, values in metrics[name].items()
            },
            counts,
            compile_seconds[name],
            run_seconds[name],
        )
        columns[environment, name] = {
            leaf: _column(values, shape[0], f"params[{name!r}]: {leaf}")
            for leaf, values in params[name].items()
        }
        seconds = {"compile": compile_seconds[name], "run": run_seconds[name]}
        non_negative(**{f"{x}_seconds[{name!r}]": y for x, y in seconds.items()})
        _check_points(columns[environment, name], shape[0], f"params[{name!r}]")
    axes = coordinates(
        [environment],
        list(metrics),
        columns,
        num_points=max(len(each.rounds) for each in result.values()),
        seeds=seeds,
        checkpoints=checkpoints,
    )
    every = np.arange(len(seeds))
    data = assemble(
        axes,
        [
            (Place(0, number, np.arange(len(each.rounds)), every), each)
            for number, each in enumerate(result.values())
        ],
    ).isel(environment=0)
    return data.assign_attrs(
        setting=setting,
        provenance=json.dumps(plain(provenance, "provenance")),
        checkpoint_kind=checkpoint_kind,
    )


def _array(
    values: ArrayLike, shape: tuple[int | None, ...], argument: str
) -> np.ndarray:
    """Of a shape, of which None is any length >= 1, and perhaps further axes."""
    values = np.asarray(values)
    result = values.shape[: len(shape)]
    fits = len(result) == len(shape) and all(
        size == wanted or (wanted is None and size > 0)
        for size, wanted in zip(result, shape, strict=True)
    )
    if not fits:
        wanted = tuple("P" if size is None else size for size in shape)
        raise ValueError(
            f"{argument} must have shape {wanted} (parameter points, seeds, "
            f"checkpoints), got {values.shape}"
        )
    return values


def _column(values: ArrayLike, points: int, argument: str) -> np.ndarray:
    column = np.asarray(values)
    if column.dtype.kind not in "biuf" or column.shape not in ((), (points,)):
        raise ValueError(
            f"{argument} must be a number, or one for each of {points} points, got "
            f"{values!r}"
        )
    return np.broadcast_to(column, points).astype(np.float64)


def _check_points(columns: Mapping[str, np.ndarray], count: int, argument: str) -> None:
    """Require different parameter points, of which a table or figure shows each."""
    if columns and len(set(zip(*columns.values(), strict=True))) < count:
        raise ValueError(f"{argument} must be different points, and has equal ones")


def _seeds(seeds: ArrayLike) -> np.ndarray:
    seeds = np.asarray(seeds)
    if seeds.ndim != 1 or not np.issubdtype(seeds.dtype, np.integer):
        raise ValueError("seeds must be a list of integers, and not empty")
    if len(np.unique(seeds)) != len(seeds):
        raise ValueError("seeds must be distinct, each is one replication")
    return seeds.astype(np.int64)


def _checkpoints(checkpoints: ArrayLike, kind: str) -> np.ndarray:
    if kind not in CHECKPOINT_KINDS:
        raise ValueError(f"checkpoint_kind must be one of {CHECKPOINT_KINDS}")
    checkpoints = np.asarray(checkpoints)
    if checkpoints.ndim != 1 or len(checkpoints) == 0:
        raise ValueError("checkpoints must be a list of numbers, and not empty")
    if not np.all(np.diff(checkpoints) > 0):
        raise ValueError("checkpoints must increase")
    if not np.all(np.isfinite(checkpoints)) or checkpoints[0] < 0:
        raise ValueError(f"checkpoints must be finite and >= 0, got {checkpoints}")
    if kind != "round":
        return checkpoints.astype(np.float64)
    if not np.issubdtype(checkpoints.dtype, np.integer):
        raise ValueError('checkpoints must be integers if checkpoint_kind is "round"')
    return checkpoints.astype(np.int64)
