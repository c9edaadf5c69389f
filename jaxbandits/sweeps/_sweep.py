"""`sweep`: a sweep described by arguments."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import jax
import xarray as xr

from jaxbandits.arguments import by_name, is_policy, seeds_of
from jaxbandits.protocol import A, Environment, Policy
from jaxbandits.sweeps.drive import run_sweep
from jaxbandits.sweeps.fill import DEFAULT_MEMORY
from jaxbandits.sweeps.grid import columns
from jaxbandits.sweeps.spec import Entry, Spec
from jaxbandits.sweeps.until import HalfWidth


def sweep(
    policies: Policy[Any, Any, A]
    | Iterable[Policy[Any, Any, A]]
    | Mapping[str, Policy[Any, Any, A] | Callable[..., Policy[Any, Any, A]]],
    environments: Environment[Any, Any, A]
    | Iterable[Environment[Any, Any, A]]
    | Mapping[str, Environment[Any, Any, A]],
    grid: Mapping[str, Any],
    *,
    mode: str = "cross",
    horizon: int | None = None,
    budget: float | None = None,
    seeds: int | Iterable[int] = 100,
    checkpoints: str | Any = "linear",
    root_seed: int = 0,
    runs_per_instance: int = 1,
    max_rounds: int | None = None,
    metrics: Iterable[str] | None = None,
    engine: str = "scan",
    keep: Iterable[str] = (),
    store: str | os.PathLike[str] | None = None,
    extend: bool = False,
    until: HalfWidth | None = None,
    block: int | None = None,
    memory: int = DEFAULT_MEMORY,
    devices: list[jax.Device] | None = None,
    progress: bool | None = None,
    verify: int = 0,
) -> xr.Dataset:
    """Play policies at many parameter points on many environments.

    Points are lanes like seeds: a policy is compiled once, however many there are.

    With a `store` the results are written there block by block. The same call goes on
    after an interruption, whatever it was, on any number of devices and processes, and
    the numbers are those of an uninterrupted run, bit by bit, on one kind of device.

    Args:
      policies: one policy, several, or a mapping from names to policies or to functions
        that make them from ``environment.problem``.
      environments: one environment, several, or a mapping from names to environments.
      grid: values by leaf of the policy's `Params`; with several policies, such a
        mapping by policy (one that is not named stays at its defaults).
      mode: ``cross`` for every combination of the values, ``zip`` for the i-th values
        together.
      horizon, budget, seeds, checkpoints, root_seed, runs_per_instance, max_rounds,
        engine, keep: as for `jaxbandits.simulate`; `keep` needs records of one shape.
      metrics: names of what to keep; by default everything.
      store: folder of a Zarr store, new or of the same sweep; by default the results
        stay in memory.
      extend: whether seeds, points, policies and environments may be new to the store.
      until: play more seeds until a mean is known well enough; `seeds` are the pilot.
      block: runs (seeds times points) that are written at a time, for a new store; by
        default by their size and duration.
      memory: cap on the bytes of what is played at a time.
      devices: JAX devices of this process to share runs over; all of them by default.
      progress: show a progress bar; by default if stderr is a terminal.
      verify: so many blocks of the store, drawn at random, are played once more and
        compared, bit by bit.

    Returns:
      Dataset with dims ``environment, policy, params, seed, checkpoint``, the first
      only if `environments` is not a single one. Metrics (float64) and ``rounds`` as
      from `simulate`; ``param_<leaf>`` are the parameters of a point. Policies with
      fewer points than others have NaN at the rest. With a store its values are read
      when they are needed. Where `max_rounds` cut runs off a `CutOffWarning` says so,
      as from `simulate`; a store has no variable ``cut``, but ``rounds``.

    Raises:
      ValueError, TypeError: on bad input, naming the argument, before compilation; if
        the store holds another sweep, naming what differs.
      OSError: if the store cannot be written.
    """
    single = isinstance(environments, Environment)
    # A function has no name of its own.
    mapped = isinstance(policies, Mapping)
    named = by_name(
        [policies] if callable(policies) else policies,
        "policies",
        lambda p: is_policy(p) or (mapped and callable(p)),
        "a Policy (or, in a mapping from names, a function that makes one)",
    )
    played_on = by_name(environments, "environments", _is_environment, "an Environment")
    if not isinstance(grid, Mapping):
        raise TypeError("grid must be a mapping")
    grids = {next(iter(named)): grid} if is_policy(policies) else dict(grid)
    if unknown := sorted(set(grids) - set(named)):
        raise ValueError(f"grid names {unknown}; policies are {sorted(named)}")
    spec = Spec(
        policies={
            name: Entry(
                policy,
                tuple(columns(grids[name], mode, f"grid[{name!r}]"))
                if name in grids
                else ({},),
            )
            for name, policy in named.items()
        },
        environments=played_on,
        seeds=seeds_of(seeds),
        horizon=horizon,
        budget=budget,
        checkpoints=checkpoints,
        max_rounds=max_rounds,
        root_seed=root_seed,
        runs_per_instance=runs_per_instance,
        engine=engine,
        keep=list(keep) if isinstance(keep, Iterator) else keep,
        metrics=list(metrics) if isinstance(metrics, Iterator) else metrics,
    )
    found = run_sweep(
        spec,
        store,
        extend=extend,
        until=until,
        block=block,
        memory=memory,
        devices=devices,
        progress=progress,
        verify=verify,
    )
    return found.isel(environment=0) if single else found


def _is_environment(value: Any) -> bool:
    return isinstance(value, Environment)
