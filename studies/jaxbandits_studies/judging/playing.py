"""The runs behind a leaderboard: a sweep store for every case and horizon.

A store holds the regret of all entrants at one horizon, of which those are told that
are told of it. Whoever is killed loses the blocks under way; the same call goes on, and
more seeds, entrants, cases and horizons are added to what there is.
"""

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import xarray as xr

from jaxbandits.protocol import Environment, Policy
from jaxbandits.simulation import Entry, Spec, Store, run_sweep
from jaxbandits.simulation.machine import Machine
from jaxbandits_studies.common.experiment import Options
from jaxbandits_studies.common.playing import end_of
from jaxbandits_studies.common.slugs import slug
from jaxbandits_studies.judging.protocol import Case, Entrant, Protocol

METRIC = "regret"
BLOCK = 64  # runs; one size for all horizons, which so share their programs


def horizons_of(protocol: Protocol, case: Case, options: Options) -> tuple[int, ...]:
    """The case's horizons up to the options' one, which stands in if there is none."""
    listed = case.horizons or protocol.horizons
    return tuple(h for h in listed if h <= options.horizon) or (options.horizon,)


def play_case(
    protocol: Protocol,
    title: str,
    environment: Environment,
    horizon: int,
    entrants: Mapping[str, Entrant],
    options: Options,
    root_seed: int,
    stop: threading.Event | None = None,
) -> xr.Dataset:
    """Regret of the entrants that can play a case, at one horizon.

    Args:
      protocol: of the setting.
      title: of the case.
      environment: its environment.
      horizon: rounds or budget.
      entrants: by name; one whose factory refuses the problem, or that is not played
        at this horizon, is left out.
      options: seeds, and the folder of the stores, if there is one.
      root_seed: of the tuning, the judging or the final runs.
      stop: see `run_sweep`.

    Returns:
      Dataset as of a sweep of one environment, in memory.
    """
    at_horizon = options._replace(horizon=horizon)
    spec = Spec(
        policies=dict(_entries(entrants, environment, at_horizon)),
        environments={title: environment},
        seeds=options.seeds,
        checkpoints=[horizon],
        root_seed=root_seed,
        metrics=[METRIC],
        **end_of(environment, horizon),
    )
    store = None
    if options.folder is not None:
        folder = Path(options.folder) / "stores" / str(root_seed)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{slug(title)}-{horizon}.zarr"  # What progress is called.
        new = not path.exists()
        store = Store(
            path, extend=True, block=min(BLOCK, options.seeds) if new else None
        )
    machine = Machine(progress=options.progress)
    result = run_sweep(spec, store, machine, stop=stop).isel(environment=0)
    # The store may have more seeds.
    return result.sel(policy=list(spec.policies), seed=range(options.seeds)).load()


def policy_for(entrant: Entrant, environment: Environment) -> Policy | None:
    """An entrant's policy, or None if its factory refuses the problem."""
    try:
        return entrant.factory(environment.problem)
    except ValueError:  # it is not for this game, and says so
        return None


def _entries(
    entrants: Mapping[str, Entrant], environment: Environment, options: Options
) -> Iterator[tuple[str, Entry]]:
    for name, entrant in entrants.items():
        policy = policy_for(entrant, environment)
        too_long = entrant.longest is not None and options.horizon > entrant.longest
        if policy is None or too_long:
            continue
        params = {
            leaf: value(options) if callable(value) else value
            for leaf, value in entrant.params.items()
        }
        yield name, Entry(policy, params or None)
