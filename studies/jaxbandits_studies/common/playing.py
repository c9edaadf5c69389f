"""The runs of an experiment: in memory or, where it may be interrupted, in stores."""

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from jaxbandits.protocol import Environment, Policy
from jaxbandits.results import spans
from jaxbandits.results.parts import fingerprint
from jaxbandits.simulation import Entry, Spec, run_sweep
from jaxbandits.simulation.arguments import seeds_of
from jaxbandits.simulation.drive import simulate
from jaxbandits.simulation.machine import Machine, machine_of
from jaxbandits.simulation.plan import describe, make_plan, parts_of, with_engines
from jaxbandits.simulation.processes import stop_at_sigterm
from jaxbandits.simulation.stores import status
from jaxbandits.store.block_store import BlockStore
from jaxbandits_studies.common.experiment import Options

# Folders of the stores, which go when the experiment is written: full, and quick.
_RUNS = {False: "runs", True: "quick-runs"}
_STORE = r"[0-9a-f]{16}\.zarr"  # their names, after what is played
_SAID = ("setting", "checkpoint_kind", "provenance")  # of a dataset, as by `simulate`
# Store -> runs that it had already, of the experiment that is being played.
_kept: ContextVar[dict[Path, int] | None] = ContextVar("kept", default=None)


@contextmanager
def noting_stores() -> Iterator[dict[Path, int]]:
    """What `play` keeps meanwhile: its stores, and how many runs each had already."""
    kept: dict[Path, int] = {}
    token = _kept.set(kept)
    try:
        yield kept
    finally:
        _kept.reset(token)


def end_of(environment: Environment, horizon: float) -> dict[str, float]:
    """The end of a game as `simulate` takes it: its budget, or its number of rounds."""
    return {"horizon" if environment.game.spent is None else "budget": horizon}


def play(
    policies: Mapping[str, Policy | Entry],
    environment: Environment,
    options: Options,
    *,
    seeds: np.ndarray | None = None,
    **others: Any,
) -> xr.Dataset:
    """Play policies against an environment; the same numbers wherever they are kept.

    With a folder they are kept in a store of their own there, named by what is played:
    after a kill the same call goes on.

    Args:
      policies: by the name that results show, as `simulate` takes them.
      environment: the environment.
      options: seeds, progress, folder.
      seeds: which ones, in place of the options' number of them.
      **others: further fields of a `Spec`: the end, checkpoints, root seed.

    Raises:
      StoppedError: after SIGTERM, once the blocks under way are in the store.
    """
    seeds = seeds_of(options.seeds if seeds is None else seeds)
    machine = Machine(progress=options.progress)
    if options.folder is None:
        return simulate(policies, environment, seeds=seeds, machine=machine, **others)
    spec = Spec(
        {
            name: policy if isinstance(policy, Entry) else Entry(policy)
            for name, policy in policies.items()
        },
        {environment.name: environment},
        seeds=seeds,
        **others,
    )
    platform = machine_of(machine).devices[0].platform
    plan = with_engines(make_plan(spec), platform)
    parts = parts_of(plan, spans.spans_of(plan.seeds))
    name = fingerprint(describe(plan, platform), parts)[:16]
    store = options.folder / _RUNS[options.quick] / f"{name}.zarr"
    if (kept := _kept.get()) is not None and store not in kept:
        kept[store] = _done(store)
    with stop_at_sigterm() as stop:
        result = run_sweep(spec, store, machine, stop=stop).isel(environment=0)
    result = result.drop_vars("session").load()
    return result.drop_attrs().assign_attrs({x: result.attrs[x] for x in _SAID})


def forget_runs(
    folder: Path, quick: bool, stores: Iterable[Path] | None = None
) -> None:
    """Delete the stores that `play` has made for results of which all is written.

    What else lies in a folder of that name is somebody else's, and stays.

    Args:
      folder: what `Options.folder` was.
      quick: what `Options.quick` was.
      stores: which ones; all if None.
    """
    runs = folder / _RUNS[quick]
    if not runs.is_dir():
        return
    for path in [*runs.iterdir()] if stores is None else stores:
        if re.fullmatch(_STORE, path.name) and _is_sweep(path):
            shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):  # It is not empty.
        runs.rmdir()


def _done(store: Path) -> int:
    """How many runs a store has; none if there is no store that can be read."""
    try:
        return status(store).done
    except (OSError, ValueError):
        return 0


def _is_sweep(path: Path) -> bool:
    try:
        BlockStore(path).requests()
    except (OSError, ValueError):
        return False
    return True
