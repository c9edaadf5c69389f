"""`simulate`: policies against environments, in memory or in a store."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import jax
import xarray as xr

from jaxbandits.protocol import A, Entry, Environment, Policy
from jaxbandits.results.cuts import warn_of_cuts
from jaxbandits.simulation.drive import play_spec
from jaxbandits.simulation.machine import HERE, Machine
from jaxbandits.simulation.spec import Spec
from jaxbandits.simulation.until import HalfWidth

if TYPE_CHECKING:
    from jaxbandits.simulation.stored import Store


def simulate(
    policies: Policy[Any, Any, A]
    | Entry
    | Iterable[Policy[Any, Any, A] | Entry]
    | Mapping[str, Policy[Any, Any, A] | Entry | Callable[..., Policy[Any, Any, A]]],
    environments: Environment[Any, Any, A]
    | Iterable[Environment[Any, Any, A]]
    | Mapping[str, Environment[Any, Any, A]],
    *,
    horizon: int | None = None,
    budget: float | None = None,
    seeds: int | Iterable[int] | HalfWidth = 100,
    checkpoints: str | Any = "linear",
    root_seed: int = 0,
    runs_per_instance: int = 1,
    keep: Iterable[str] = (),
    store: "str | os.PathLike[str] | Store | None" = None,
    machine: Machine = HERE,
) -> xr.Dataset:
    """Play policies against environments, over many seeds.

    Parameter points are lanes like seeds: a policy is compiled once, however many there
    are.

    Every policy meets the same noise (common random numbers), and the numbers do not
    depend on `checkpoints`, the other policies, or the `machine` (but for its engine).

    Functions of policies and environments are traced once, so that a random generator,
    a clock or a counter of their own is played with its first value throughout, which
    `testing.check_policy` and `testing.check_environment` find.

    Args:
      policies: one policy, several, or a mapping from names to policies or to functions
        that make them from ``environment.problem``. ``policy.over(alpha=[0.5, 1.0])``
        in the place of a policy plays it at many parameter points; policies with fewer
        points than others have NaN at the rest.
      environments: one environment, several, or a mapping from names to environments.
      horizon: number of rounds T; this, `budget` or both.
      budget: play until this much is spent; needs an environment with a budget. With
        both, `horizon` is the round after which a run is cut off. The dataset then has
        a variable ``cut``: whether a run had come to that round. Where one ends there,
        a `CutOffWarning` says so (also if that round spent the last of the budget).
      seeds: how many seeds, or which (integers >= 0), or a `HalfWidth`: as many as it
        takes until a mean is known well enough.
      checkpoints: when metrics are recorded: ``"linear"`` or ``"log"`` (100 of them;
        fewer where a time is short, as nothing ends before its first unit), or strictly
        increasing rounds (with `budget`: amounts). The end is added.
      root_seed: of the whole run, an int in [0, 2**64).
      runs_per_instance: where instances are drawn, how many consecutive seeds meet the
        same one; above 1 the coordinate ``instance`` numbers them (see
        `jaxbandits.stats.two_level`).
      keep: arrays of the environment's record that the dataset shall have beside the
        metrics, as ``("pulls",)``: how often every action was played, in dims
        ``pulls_0, ...``. They leave the device at every checkpoint, so few checkpoints
        keep a run small. In a store, records must be of one shape.
      store: folder or URL of a store, new or of the same sweep, or a `Store` that says
        more of it; by default the results stay in memory. Results are written there
        block by block: the same call goes on after an interruption, whatever it was, on
        any number of devices and processes, and the numbers are those of an
        uninterrupted run, bit by bit, on one kind of device. (`run_sweep` has other
        processes play into it.)
      machine: devices, memory, progress and engine.

    Returns:
      Dataset with dims ``policy, params, seed, checkpoint``, and ``environment`` before
      them if `environments` is not a single one: the environments' metrics (float64),
      what they say of the policies' recommendations, what policies report (arrays have
      further dims ``<name>_0, ...``), ``rounds`` (0 where a policy lacks a point);
      coordinates ``param_<leaf>``, seconds of compiling and running per policy, and
      ``environment``, its name; an attribute for provenance (with the engine of every
      policy, the reason for it, and the runs of a chunk). With a store values are read
      when they are needed, a variable ``session`` says who has played a run, and there
      is no variable ``cut``, but ``rounds``.

    Raises:
      ValueError, TypeError: on bad input, naming the argument, before compilation; a
        policy that was built for another game is bad input.
      ValueError: after play, if a policy has played or recommended what is no action of
        the game, or a metric is NaN; if the store holds another sweep, naming what
        differs.
      OSError: if the store cannot be written.
    """
    spec = Spec(
        policies=policies,
        environments=environments,
        seeds=seeds,
        horizon=horizon,
        budget=budget,
        checkpoints=checkpoints,
        root_seed=root_seed,
        runs_per_instance=runs_per_instance,
        keep=list(keep) if isinstance(keep, Iterator) else keep,
    )
    alone = environments.name if isinstance(environments, Environment) else None
    if store is None and alone is None and jax.process_count() > 1:
        raise ValueError("store: several processes need one that all can write to")
    result = play_spec(spec, store, machine)
    warn_of_cuts(result, budget, horizon, stacklevel=2)
    return result if alone is None else result.sel(environment=alone)
