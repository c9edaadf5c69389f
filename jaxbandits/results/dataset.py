"""The labelled dataset that a simulation returns."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from jaxbandits.checks import one_of
from jaxbandits.results.names import check_variable
from jaxbandits.results.plain import plain

DIMS = ("policy", "params", "seed", "checkpoint")
CHECKPOINT_KINDS = ("round", "spent", "share")


def build_dataset(
    metrics: Mapping[str, Mapping[str, np.ndarray]],
    rounds: Mapping[str, np.ndarray],
    *,
    checkpoints: Sequence[float] | np.ndarray,
    checkpoint_kind: str,
    seeds: Sequence[int] | np.ndarray,
    params: Mapping[str, Sequence[Mapping[str, float]]],
    compile_seconds: Mapping[str, float],
    run_seconds: Mapping[str, float],
    environment: str,
    setting: str,
    provenance: Mapping[str, Any],
) -> xr.Dataset:
    """Put names on the numbers of one environment's runs.

    P is the number of parameter points (1 without a sweep), S of seeds, C of
    checkpoints. The keys of `metrics` are the policies, in the order of the result;
    every other mapping has the same keys.

    Args:
      metrics: policy -> metric -> real array ``[P, S, C]`` or ``[P, S, C, ...]``.
      rounds: policy -> int array ``[P, S, C]``, rounds played.
      checkpoints: C increasing numbers, rounds or amounts of spent budget.
      checkpoint_kind: "round", "spent" (amounts) or "share" (of the budget).
      seeds: S distinct ints.
      params: policy -> P mappings from a parameter's name to its value.
      compile_seconds: policy -> seconds of compilation.
      run_seconds: policy -> seconds of computation.
      environment: name of the environment.
      setting: name of its setting.
      provenance: what made the numbers, with a JSON form.

    Returns:
      Dataset with dimensions policy, params, seed and checkpoint; every metric as
      float64 (NaN for a policy that has it not), further axes of its values as
      dimensions ``<name>_0``, ``<name>_1`` ...; ``rounds`` as int64; coordinates
      ``param_<name>`` over (policy, params), NaN where a policy has no such parameter,
      ``compile_seconds`` and ``run_seconds`` over policy, and ``environment``, a name;
      attributes ``setting``, ``provenance`` (JSON) and ``checkpoint_kind``.

    Raises:
      ValueError: naming the argument whose shape, keys or values do not fit.
    """
    if not metrics:
        raise ValueError("metrics: there is no policy")
    policies = [str(name) for name in metrics]
    for argument, mapping in {
        "rounds": rounds,
        "params": params,
        "compile_seconds": compile_seconds,
        "run_seconds": run_seconds,
    }.items():
        if set(mapping) != set(metrics):
            raise ValueError(
                f"{argument}: policies {sorted(mapping)} are not those of metrics, "
                f"{sorted(metrics)}"
            )
    points = len(params[policies[0]])
    seeds = _seeds(seeds)
    checkpoints = _checkpoints(checkpoints, checkpoint_kind)
    shape = (points, len(seeds), len(checkpoints))
    for name, sets in params.items():
        if len(sets) != points or points == 0:
            raise ValueError(
                f"params[{name!r}]: {len(sets)} points, expected {max(points, 1)}"
            )
    counts = [_array(rounds[name], shape, f"rounds[{name!r}]") for name in policies]
    if not all(np.issubdtype(count.dtype, np.integer) for count in counts):
        raise ValueError("rounds: must be integers")

    variables: dict[str, Any] = {"rounds": (DIMS, np.stack(counts).astype(np.int64))}
    for metric in dict.fromkeys(name for each in metrics.values() for name in each):
        check_variable("metrics", metric)
        rest = next(np.shape(m[metric])[3:] for m in metrics.values() if metric in m)
        values = np.full((len(policies), *shape, *rest), np.nan)
        for row, name in zip(values, policies, strict=True):
            if metric in metrics[name]:
                argument = f"metrics[{name!r}][{metric!r}]"
                row[:] = _array(metrics[name][metric], (*shape, *rest), argument)
        axes = [f"{metric}_{axis}" for axis in range(len(rest))]
        variables[metric] = ((*DIMS, *axes), values)
    return xr.Dataset(
        variables,
        coords={
            "policy": policies,
            "params": np.arange(points),
            "seed": seeds,
            "checkpoint": checkpoints,
            "environment": environment,
            "compile_seconds": ("policy", _seconds(compile_seconds, policies)),
            "run_seconds": ("policy", _seconds(run_seconds, policies)),
            **_parameters(params, policies),
        },
        attrs={
            "setting": setting,
            "provenance": json.dumps(plain(provenance, "provenance")),
            "checkpoint_kind": checkpoint_kind,
        },
    )


def _array(values, shape: tuple[int, ...], argument: str) -> np.ndarray:
    values = np.asarray(values)
    if values.shape != shape:
        raise ValueError(
            f"{argument}: shape {values.shape}, expected {shape} "
            "(parameter points, seeds, checkpoints)"
        )
    return values


def _seeds(seeds) -> np.ndarray:
    seeds = np.asarray(seeds)
    if seeds.ndim != 1 or not np.issubdtype(seeds.dtype, np.integer):
        raise ValueError("seeds: must be a list of integers, and not empty")
    if len(np.unique(seeds)) != len(seeds):
        raise ValueError("seeds: must be distinct, each is one replication")
    return seeds.astype(np.int64)


def _checkpoints(checkpoints, kind: str) -> np.ndarray:
    one_of("checkpoint_kind", kind, CHECKPOINT_KINDS)
    checkpoints = np.asarray(checkpoints)
    if checkpoints.ndim != 1 or len(checkpoints) == 0:
        raise ValueError("checkpoints: must be a list of numbers, and not empty")
    if not np.all(np.diff(checkpoints) > 0):
        raise ValueError("checkpoints: must increase")
    if kind != "round":
        return checkpoints.astype(np.float64)
    if not np.issubdtype(checkpoints.dtype, np.integer):
        raise ValueError('checkpoints: must be integers if checkpoint_kind is "round"')
    return checkpoints.astype(np.int64)


def _seconds(seconds: Mapping[str, float], policies: list[str]) -> np.ndarray:
    return np.array([seconds[name] for name in policies], np.float64)


def _parameters(params, policies: list[str]) -> dict:
    """Coordinates ``param_<name>`` of every parameter that some policy has."""
    points = [point for policy in policies for point in params[policy]]
    shape = (len(policies), -1)
    return {
        f"param_{leaf}": (
            ("policy", "params"),
            np.reshape([_leaf(point, leaf) for point in points], shape),
        )
        for leaf in dict.fromkeys(leaf for point in points for leaf in point)
    }


def _leaf(point: Mapping[str, float], leaf: str) -> float:
    value = np.asarray(point.get(leaf, np.nan))
    if value.ndim or value.dtype.kind not in "biuf":
        raise ValueError(f"params: {leaf!r} must be a number, got {point[leaf]!r}")
    return float(value)
