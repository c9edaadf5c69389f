"""The two public entries: `simulate` and `sweep`."""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import jax
import numpy as np
import xarray as xr

from jaxbandits import checks
from jaxbandits.engine.checkpoints import resolve_rounds, resolve_spent
from jaxbandits.engine.run import Clock, run
from jaxbandits.engine.shares import device_shares, side_by_side
from jaxbandits.progress import reporter
from jaxbandits.protocol import Environment, Policy
from jaxbandits.results import build_dataset, provenance

MAX_ROUNDS = 2**31 - 2  # rounds are counted in int32
DEFAULT_MEMORY = 1 << 30


def simulate(
    policies: Policy | Iterable[Policy] | Mapping[str, Policy],
    environment: Environment,
    *,
    horizon: int | None = None,
    budget: float | None = None,
    seeds: int | Iterable[int] = 100,
    checkpoints: str | Any = "linear",
    params: Mapping[str, Any] | None = None,
    seed: int = 0,
    max_rounds: int | None = None,
    chunk: int | None = None,
    memory: int = DEFAULT_MEMORY,
    devices: list | None = None,
    progress: bool | None = None,
) -> xr.Dataset:
    """Play policies against an environment, over many seeds.

    Every policy meets the same noise (common random numbers), and the numbers do not
    depend on `chunk`, `memory`, `devices`, `checkpoints` or the other policies.

    Args:
      policies: one policy, several, or a mapping from names to policies.
      environment: the environment.
      horizon: number of rounds T; this or `budget`.
      budget: play until this much is spent; needs an environment with a budget.
      seeds: how many seeds, or which (integers >= 0).
      checkpoints: when metrics are recorded: ``"linear"`` or ``"log"`` (100 of them),
        or strictly increasing rounds (with `budget`: amounts). The end is added.
      params: parameters by policy name: a `Params`, or a mapping from leaf names to
        values. An array ``[P]`` in place of a number makes P parameter points; arrays
        of one policy are zipped. See `sweep` for grids.
      seed: root seed of the whole run, an int in [0, 2**64).
      max_rounds: with `budget`, the round after which a run is cut off.
      chunk: runs (seeds times parameter points) that are played at a time; chosen to
        fit cache and memory by default.
      memory: cap on the bytes of one chunk.
      devices: JAX devices to share runs over; all local ones by default.
      progress: show a progress bar; by default if stderr is a terminal.

    Returns:
      Dataset with dims ``policy, params, seed, checkpoint``: the environment's metrics
      (float64), what it says of the policies' recommendations, what policies report
      (arrays have further dims ``<name>_0, ...``), ``rounds``, seconds of compiling and
      running per policy, provenance.

    Raises:
      ValueError, TypeError: on bad input, naming the argument, before compilation.
    """
    named = _named(policies)
    seed_list = _seeds(seeds)
    root_seed = checks.whole("seed", seed, 0)
    if root_seed >= 2**64:
        raise ValueError(f"seed must lie below 2**64, got {seed}")
    targets, last_round, kind = _targets(
        environment, horizon, budget, checkpoints, max_rounds
    )
    if chunk is not None:
        checks.whole("chunk", chunk, 1)
    checks.whole("memory", memory, 1)
    points = _points(named, params or {})
    devices = list(devices) if devices is not None else jax.local_devices()
    num_points = max(len(rows) for rows in points.values())
    metrics, rounds, compile_seconds, run_seconds = {}, {}, {}, {}
    total = sum(len(rows) for rows in points.values()) * len(seed_list) * len(targets)
    with reporter(progress, total, environment.name) as report:

        def play(name, share, check):
            def advanced(done):
                report(done, name)
                check()

            clock = Clock([], [])
            rows = points[name]
            chunks = run(
                named[name],
                environment,
                _lane_params(named[name], rows, len(seed_list)),
                np.tile(seed_list, len(rows)),
                targets=targets,
                last_round=last_round,
                by_budget=kind == "spent",
                root_seed=root_seed,
                chunk=chunk,
                memory=memory,
                devices=share,
                clock=clock,
                progress=advanced,
            )
            return *_collect(environment, chunks), clock

        shares = device_shares(devices, num_points * len(seed_list))
        results = side_by_side(play, named, shares)
        for name, (found, played, clock) in zip(named, results, strict=True):
            shape = (len(points[name]), len(seed_list), len(targets))
            # A policy without a sweep of its own stands at every point of the others'.
            full = (num_points, *shape[1:])
            metrics[name] = {
                key: np.broadcast_to(
                    value.reshape(*shape, *value.shape[2:]), (*full, *value.shape[2:])
                )
                for key, value in found.items()
            }
            rounds[name] = np.broadcast_to(played.reshape(shape), full)
            compile_seconds[name] = sum(clock.compiling)
            run_seconds[name] = sum(clock.running)
    return build_dataset(
        metrics,
        rounds,
        checkpoints=targets,
        checkpoint_kind=kind,
        seeds=seed_list,
        params={n: rows * (num_points // len(rows)) for n, rows in points.items()},
        compile_seconds=compile_seconds,
        run_seconds=run_seconds,
        environment=environment.name,
        setting=(environment.provenance or {}).get("setting", ""),
        provenance=provenance(
            root_seed=root_seed,
            instance=environment.provenance,
            devices=[str(d.device_kind) for d in devices],
            backend=devices[0].platform,
            x64=bool(jax.config.jax_enable_x64),
        ),
    )


def sweep(
    policy: Policy,
    environment: Environment,
    grid: Mapping[str, Iterable[float]],
    *,
    mode: str = "cross",
    **options: Any,
) -> xr.Dataset:
    """Play one policy at many parameter points, in one compiled program.

    Args:
      policy: the policy.
      environment: the environment.
      grid: values by name of a leaf of the policy's `Params`.
      mode: ``cross`` for every combination, ``zip`` for the i-th values together.
      **options: as for `simulate`, except `params`.

    Returns:
      As `simulate`; the points run along ``params``, their values are the coordinates
      ``param_<leaf>``.

    Raises:
      ValueError: on an empty grid, an unknown mode, or ``zip`` of unequal lengths; and
        as `simulate`.
    """
    if "params" in options:
        raise ValueError("params cannot be combined with grid; put values into grid")
    values = {name: list(column) for name, column in grid.items()}
    if not values or not all(values.values()):
        raise ValueError(f"grid must name at least one leaf with values, got {grid!r}")
    if mode == "cross":
        rows = list(itertools.product(*values.values()))
    elif mode == "zip":
        if len({len(column) for column in values.values()}) > 1:
            raise ValueError("grid must have columns of equal length with mode='zip'")
        rows = list(zip(*values.values(), strict=True))
    else:
        raise ValueError(f"mode must be 'cross' or 'zip', got {mode!r}")
    columns = dict(zip(values, np.array(rows, np.float64).T, strict=True))
    return simulate(policy, environment, params={policy.name: columns}, **options)


def _named(policies) -> dict[str, Policy]:
    if isinstance(policies, Policy):
        policies = [policies]
    if not isinstance(policies, Mapping):
        policies = list(policies)
        names = [p.name if isinstance(p, Policy) else repr(p) for p in policies]
        if len(set(names)) < len(names):
            raise ValueError(
                f"policies must have different names, got {names}; pass a mapping"
            )
        policies = dict(zip(names, policies, strict=True))
    if not policies:
        raise ValueError("policies must not be empty")
    for name, policy in policies.items():
        if not isinstance(policy, Policy):
            raise TypeError(f"policies[{name!r}] must be a Policy, got {policy!r}")
    return dict(policies)


def _seeds(seeds) -> np.ndarray:
    if isinstance(seeds, int | np.integer) or not isinstance(seeds, Iterable):
        return np.arange(checks.whole("seeds", seeds, 1), dtype=np.uint32)
    indices = [checks.whole("seeds", s, 0) for s in seeds]
    if not indices or len(set(indices)) < len(indices) or max(indices) >= 2**32:
        raise ValueError("seeds must be different integers in [0, 2**32), at least one")
    return np.array(indices, np.uint32)


def _targets(environment, horizon, budget, checkpoints, max_rounds):
    """Checkpoints, the last round that may be played, and the kind of checkpoint."""
    if (horizon is None) == (budget is None):
        raise ValueError("give either horizon or budget")
    if horizon is not None:
        last = checks.whole("horizon", horizon, 1)
        if last > MAX_ROUNDS:
            raise ValueError(f"horizon must be at most {MAX_ROUNDS}, got {horizon}")
        if max_rounds is not None:
            raise ValueError("max_rounds goes with budget, not with horizon")
        return resolve_rounds(checkpoints, last), last, "round"
    if environment.spent is None:
        raise ValueError(f"budget: the environment {environment.name!r} spends nothing")
    checks.positive(budget=budget)
    last = (
        MAX_ROUNDS if max_rounds is None else checks.whole("max_rounds", max_rounds, 1)
    )
    return resolve_spent(checkpoints, budget), last, "spent"


def _points(named, params) -> dict[str, list[dict[str, float]]]:
    """Parameter points of every policy: one dict of leaves per point."""
    unknown = set(params) - set(named)
    if unknown:
        raise ValueError(
            f"params names {sorted(unknown)}; policies are {sorted(named)}"
        )
    points = {name: _rows(name, p, params.get(name)) for name, p in named.items()}
    lengths = {len(rows) for rows in points.values()} - {1}
    if len(lengths) > 1:
        raise ValueError(
            f"params must have one number of points in all policies, got {lengths}"
        )
    return points


def _rows(name, policy, override) -> list[dict[str, float]]:
    defaults = policy.params._asdict() if policy.params else {}
    if override is None:
        override = {}
    if hasattr(override, "_asdict"):
        override = override._asdict()
    if not isinstance(override, Mapping):
        raise TypeError(f"params[{name!r}] must be a Params or a mapping")
    unknown = set(override) - set(defaults)
    if unknown:
        raise ValueError(
            f"params[{name!r}] has no {sorted(unknown)}; it has {list(defaults)}"
        )
    leaves = {k: np.asarray(v, np.float64) for k, v in (defaults | override).items()}
    if any(x.ndim > 1 for x in leaves.values()):
        raise ValueError(f"params[{name!r}] must be numbers or arrays [P]")
    lengths = {x.size for x in leaves.values() if x.ndim == 1}
    if len(lengths) > 1 or 0 in lengths:
        raise ValueError(
            f"params[{name!r}] must have arrays of one length >= 1, got {lengths}"
        )
    if policy.check is not None:
        policy.check(policy.params._replace(**leaves))
    count = lengths.pop() if lengths else 1
    columns = {k: np.broadcast_to(x, count) for k, x in leaves.items()}
    return [{k: float(c[i]) for k, c in columns.items()} for i in range(count)]


def _lane_params(policy, rows, num_seeds):
    """Params with leaves [L]: points outside, seeds inside."""
    if not policy.params:
        return policy.params
    columns = {
        leaf: np.repeat([row[leaf] for row in rows], num_seeds) for leaf in rows[0]
    }
    return type(policy.params)(**columns)


def _collect(environment, chunks) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Metrics and rounds ``[L, C]`` and reports ``[L, C, ...]`` of all lanes."""
    found, played = [], []
    for chunk in chunks:
        instance = environment.setup, chunk.instance
        recommended, report = chunk.notes
        each = [environment.metrics(*instance, chunk.record), report]
        if environment.judge is not None and jax.tree.leaves(recommended):
            each.append(environment.judge(*instance, recommended))
        found.append({key: value for part in each for key, value in part.items()})
        if len(found[-1]) < sum(map(len, each)):
            raise ValueError(f"policy.report uses a metric's name: {sorted(report)}")
        played.append(chunk.rounds)
    metrics = {key: np.concatenate([f[key] for f in found]) for key in found[0]}
    return metrics, np.concatenate(played)
