"""Numbers from elsewhere, as a dataset like that of a simulation."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from jaxbandits.checks import (
    array_of,
    instance,
    kinds,
    non_negative,
    number,
    numbers,
    one_of,
    shown,
)
from jaxbandits.checks.points import Points
from jaxbandits.results.dataset import CHECKPOINT_KINDS, Axes, Results, assembled
from jaxbandits.results.names import check_variable
from jaxbandits.results.parts import Part, rows_of
from jaxbandits.results.plain import plain
from jaxbandits.results.spans import spans_of

NUMBER = ""  # name of a leaf that no parameter has


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
      compile_seconds, run_seconds: policy -> seconds of compilation, of computation.
      environment: name of the environment.
      setting: name of its setting.
      provenance: what made the numbers, in values that JSON can hold.

    Returns:
      Dataset with dimensions policy, params, seed and checkpoint, see `simulate`; the
      coordinate ``environment`` is the name, attributes are ``setting``,
      ``provenance`` (JSON) and ``checkpoint_kind``.

    Raises:
      ValueError: naming the argument whose shape, keys or values do not fit.
    """
    if not metrics:
        raise ValueError("metrics must have at least one policy")
    seconds = {"compile_seconds": compile_seconds, "run_seconds": run_seconds}
    others = {"rounds": rounds, "params": params, **seconds}
    for argument, mapping in others.items():
        if set(mapping) != set(metrics):
            raise ValueError(
                f"{argument} must have the policies of metrics, {sorted(metrics)}, got "
                f"{sorted(mapping)}"
            )
    seeds = _integers("seeds", seeds)
    if len(np.unique(seeds)) != len(seeds):
        raise ValueError("seeds must be distinct, each is one replication")
    checkpoints = _checkpoints(checkpoints, checkpoint_kind)
    results = []
    for name in metrics:
        for argument, mapping in seconds.items():
            argument = f"{argument}[{name!r}]"
            non_negative(**{argument: number(argument, mapping[name])})
        for argument, mapping in (("metrics", metrics), ("params", params)):
            instance(f"{argument}[{name!r}]", mapping[name], Mapping, "of names")
        counts = _integers(f"rounds[{name!r}]", rounds[name], ndim=3)
        if np.any(counts < 0) or np.any(counts[..., 1:] < counts[..., :-1]):
            raise ValueError(
                f"rounds[{name!r}] must be at least 0, and not fall from a checkpoint "
                "to the next"
            )
        values = {"rounds": counts}
        for metric, given in metrics[name].items():
            check_variable("metrics", metric)
            values[metric] = array_of(f"metrics[{name!r}][{metric!r}]", given)
        shape = len(counts), len(seeds), len(checkpoints)
        for metric, array in values.items():
            argument = f"metrics[{name!r}][{metric!r}]"
            argument = f"rounds[{name!r}]" if array is counts else argument
            if array.dtype.kind not in "biuf":
                raise TypeError(f"{argument} must hold numbers, got {shown(array)}")
            if np.shape(array)[:3] != shape:
                raise ValueError(
                    f"{argument} must have shape {('P', *shape[1:])} (parameter "
                    f"points, seeds, checkpoints), P = {shape[0]}, got "
                    f"{np.shape(array)}"
                )
        points = _points(f"params[{name!r}]", params[name], len(counts))
        part = Part((environment, name), points, spans_of(seeds))
        results.append(
            (part, Results(values, compile_seconds[name], run_seconds[name]))
        )
    sweep = {
        "checkpoints": checkpoints,
        "runs_per_instance": 1,
        "environments": {environment: {"provenance": {}}},
        "policies": {
            name: {"defaults": {environment: dict.fromkeys(params[name], np.nan)}}
            for name in metrics
        },
    }
    axes = Axes(sweep, [part for part, _ in results])
    return (
        assembled(axes, results)
        .isel(environment=0)
        .assign_attrs(
            setting=setting,
            provenance=json.dumps(plain(provenance, "provenance")),
            checkpoint_kind=checkpoint_kind,
        )
    )


def _integers(argument: str, values: ArrayLike, ndim: int = 1) -> np.ndarray:
    result = array_of(argument, values)
    if result.ndim != ndim or not result.size or result.dtype.kind not in "iu":
        of = "a list of integers" if ndim == 1 else f"integers in {ndim} dimensions"
        raise ValueError(f"{argument} must be {of}, and not empty")
    return result.astype(np.int64)


def _points(argument: str, values: Mapping[str, ArrayLike], count: int) -> Points:
    """Parameter points, no two of them equal."""
    columns = {}
    for leaf, given in values.items():
        column = array_of(f"{argument}: {leaf}", given)
        if column.dtype.kind not in "biuf" or column.shape not in ((), (count,)):
            raise ValueError(
                f"{argument}: {leaf} must be a number, or one for each of {count} "
                f"points, got {given!r}"
            )
        columns[leaf] = np.broadcast_to(column, count).astype(np.float64)
    if columns and len({*rows_of(Points(columns, count))}) < count:
        raise ValueError(f"{argument} must be different points, and has equal ones")
    # Points of a policy without parameters differ by their number.
    return Points(columns | {NUMBER: np.arange(count)}, count)


def _checkpoints(checkpoints: ArrayLike, kind: str) -> np.ndarray:
    one_of("checkpoint_kind", kind, CHECKPOINT_KINDS)
    if kind == "round":
        result = _integers("checkpoints", checkpoints)
    else:
        result = numbers("checkpoints", checkpoints, ndim=1)
    non_negative(checkpoints=result)
    if not len(result) or not np.all(np.diff(result) > 0):
        raise ValueError(f"checkpoints must increase, at least one, got {result}")
    return result
