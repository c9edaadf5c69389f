"""`sweep`: policies at many parameter points on many environments."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import jax
import xarray as xr

from jaxbandits.arguments import by_name, grids_of, policies_of
from jaxbandits.machine import HERE, Machine
from jaxbandits.protocol import A, Environment, Policy
from jaxbandits.results.cuts import warn_of_cuts
from jaxbandits.sweeps.drive import play_spec
from jaxbandits.sweeps.spec import Entry, Spec
from jaxbandits.sweeps.stores import Store
from jaxbandits.sweeps.until import HalfWidth


def sweep(
    policies: Policy[Any, Any, A]
    | Iterable[Policy[Any, Any, A]]
    | Mapping[str, Policy[Any, Any, A] | Callable[..., Policy[Any, Any, A]]],
    environments: Environment[Any, Any, A]
    | Iterable[Environment[Any, Any, A]]
    | Mapping[str, Environment[Any, Any, A]],
    grid: Any = None,
    *,
    horizon: int | None = None,
    budget: float | None = None,
    seeds: int | Iterable[int] | HalfWidth = 100,
    checkpoints: str | Any = "linear",
    root_seed: int = 0,
    runs_per_instance: int = 1,
    keep: Iterable[str] = (),
    store: str | os.PathLike[str] | Store | None = None,
    machine: Machine = HERE,
) -> xr.Dataset:
    """Play policies at many parameter points on many environments.

    Points are lanes like seeds: a policy is compiled once, however many there are.

    With a `store` the results are written there block by block. The same call goes on
    after an interruption, whatever it was, on any number of devices and processes, and
    the numbers are those of an uninterrupted run, bit by bit, on one kind of device.

    Args:
      policies, grid, horizon, budget, seeds, checkpoints, root_seed, runs_per_instance,
        keep, machine: as for `jaxbandits.simulate`; `keep` needs records of one shape.
      environments: one environment, several, or a mapping from names to environments.
      store: folder of a Zarr store, new or of the same sweep, or a `Store` that says
        more of it; by default the results stay in memory. (`sweeps.run_sweep` has other
        processes play into it.)

    Returns:
      Dataset as from `simulate`, with the dimension ``environment`` before the others
      if `environments` is not a single one. With a store its values are read when they
      are needed, and a variable ``session`` says who has played a run. Where `horizon`
      cut runs of a budget off a `CutOffWarning` says so, as from `simulate`; a store
      has no variable ``cut``, but ``rounds``.

    Raises:
      ValueError, TypeError: on bad input, naming the argument, before compilation; if
        the store holds another sweep, naming what differs.
      OSError: if the store cannot be written.
    """
    named = policies_of(policies)
    grids = grids_of(grid, policies, named)
    played_on = by_name(environments, "environments", _is_environment, "an Environment")
    spec = Spec(
        policies={name: Entry(policy, grids[name]) for name, policy in named.items()},
        environments=played_on,
        seeds=seeds,
        horizon=horizon,
        budget=budget,
        checkpoints=checkpoints,
        root_seed=root_seed,
        runs_per_instance=runs_per_instance,
        keep=list(keep) if isinstance(keep, Iterator) else keep,
    )
    if store is None and jax.process_count() > 1:
        raise ValueError("store: several processes need one that all can write to")
    found = play_spec(spec, store, machine)
    warn_of_cuts(found, budget, horizon, stacklevel=2)
    single = isinstance(environments, Environment)
    return found.isel(environment=0) if single else found


def _is_environment(value: Any) -> bool:
    return isinstance(value, Environment)
