"""Sweeps from beginning to end, in memory or into a store.

No step changes a number: a sweep that was killed, resumed on another number of devices
or processes and extended holds the same bits as a sweep that was not.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import jax
import xarray as xr

from jaxbandits import checks
from jaxbandits.console.faults import warn
from jaxbandits.console.progress import doing
from jaxbandits.engine.flags import in_play
from jaxbandits.protocol import A, Entry, Environment, Policy
from jaxbandits.results import spans
from jaxbandits.results._provenance import provenance
from jaxbandits.results.cuts import warn_of_cuts
from jaxbandits.results.dataset import Axes, Results, assembled, common_attributes
from jaxbandits.results.parts import Part
from jaxbandits.simulation.fill import Player
from jaxbandits.simulation.machine import HERE, Machine, machine_of
from jaxbandits.simulation.plan import (
    Plan,
    later_parts,
    make_plan,
    metric_shapes,
    outlined,
    parts_of,
    say_engines,
    with_engines,
)
from jaxbandits.simulation.spec import HalfWidth, Spec, seeds_needed

if TYPE_CHECKING:
    from jaxbandits.simulation.stored import Store

NO_STORE = "store: several processes need one that all can write to"


def run_sweep(
    spec: Spec,
    store: "str | os.PathLike[str] | Store | None" = None,
    machine: Machine = HERE,
    *,
    executor: Any = None,
    shard: tuple[int, int] | None = None,
    stop: threading.Event | None = None,
) -> xr.Dataset:
    """Play a sweep, or what is missing of it. See `jaxbandits.simulate`.

    Args:
      spec: the sweep.
      store: folder or URL of a store, or a `Store`; by default results stay in memory.
      machine: what to play on.
      executor: plays the blocks of a store in place of this process: any
        `concurrent.futures.Executor`, a Dask client, a number of processes of this
        machine, or `simulation.Workers`, which has more options.
      shard: ``(number, of)``: this process plays its share of the blocks of a store
        first, then what is missing of the other shares; no process waits for another.
      stop: when this event is set (by a signal, by another thread), the blocks under
        way are finished, and `simulation.fill.StoppedError` is raised.

    Raises:
      OSError: if the store cannot be written, or workers die again and again.
    """
    checks.unforked()
    if stop is not None:
        checks.instance("stop", stop, threading.Event, "of threading")
    checks.instance("spec", spec, Spec, "of jaxbandits.simulation, or see read_spec")
    stored = store is not None
    sink: Any
    if stored or executor is not None or shard is not None:
        # Imported here: simulations in memory need neither stores nor executors.
        from jaxbandits.simulation.stored import InStore, share_of
        from jaxbandits.simulation.workers import ByWorkers

        share = share_of(shard, executor)
        if store is None:
            raise ValueError(NO_STORE)
        if executor is None:
            sink = InStore(store, machine, stop, share)
        else:
            sink = ByWorkers(store, machine, stop, executor)
    else:
        # A single game is played whole by every process.
        single = isinstance(spec.environments, Environment)
        if jax.process_count() > 1 and not single:
            raise ValueError(NO_STORE)
        sink = InMemory(machine_of(machine), stop)
    if spec.engine is None:
        spec = spec._replace(engine=sink.machine.engine)
    if sink.metrics is not None:
        spec = spec._replace(metrics=sink.metrics)
    with in_play():
        # All mistakes are found here, in every process and before there is a store.
        with doing("checking policies and environments", sink.machine.progress):
            plan = make_plan(spec)
            # In memory, metrics of one environment are known when they are played.
            several = len(plan.spec.environments) > 1 or spec.metrics is not None
            if stored or plan.until or several or plan.terms.keep:
                plan = plan._replace(variables=metric_shapes(plan))
            if plan.until:
                _check_metric(sink, plan, plan.until)
        plan = sink.with_engines(plan)
        say_engines(plan, sink.machine.progress)
        pilot = parts_of(plan, spans.spans_of(plan.seeds))
        there = sink.play(plan, pilot)
        if plan.until:
            _second_stage(sink, plan, pilot, there, plan.until)
        result: xr.Dataset = sink.result(plan, pilot)
    if not stored and None not in (spec.budget, spec.horizon):
        result = result.assign(cut=result["rounds"] >= spec.horizon)
    warn_of_cuts(result, spec.budget, spec.horizon)
    return result


def _check_metric(sink: Any, plan: Plan, until: HalfWidth) -> None:
    """Require that the metric of a half-width is a number that is kept of every run."""
    shapes = plan.variables or {}
    if until.metric not in shapes:
        raise ValueError(f"metric: {until.metric!r} is unknown; known are {[*shapes]}")
    if shapes[until.metric]:
        raise ValueError(f"metric: {until.metric!r} must be a number per run")
    if sink.keep != "runs":
        raise ValueError(
            "store: keep must be 'runs' where a half-width says how many seeds there "
            "are: that takes the runs of the pilot"
        )


def _second_stage(
    sink: Any, plan: Plan, pilot: list[Part], there: bool, until: HalfWidth
) -> None:
    """Play the seeds that the pilot asks for."""
    if not there:
        warn(
            "the pilot is not complete, others play the rest of it; the same command "
            "plays on when they have done so"
        )
        return
    needed = seeds_needed(sink.dataset(plan, pilot), until, len(plan.seeds))
    whole = plan.terms.runs_per_instance
    if needed.max() > (most := until.at_most // whole * whole):
        warn(
            f"a half-width of {until.half_width:g} takes {needed.max()} seeds; "
            f"stopped at at_most = {most}"
        )
    if more := later_parts(plan, until, needed):
        sink.play(plan, more, grow=True)


class InMemory:
    """A sweep whose results stay in memory; each part is a block."""

    keep, metrics = "runs", None

    def __init__(self, machine: Machine, stop: threading.Event | None) -> None:
        self.machine, self.stop = machine, stop
        self._results: list[tuple[Part, Results]] = []
        self._facts: dict[str, dict[str, Any]] = {}

    def with_engines(self, plan: Plan) -> Plan:
        """The plan with engines."""
        return with_engines(plan, self.machine.devices[0].platform)

    def play(self, plan: Plan, parts: list[Part], grow: bool = False) -> bool:
        """Play parts; `grow` says that a game has several. True: all runs are there."""
        wanted = plan.spec.metrics and {*plan.spec.metrics, *plan.terms.keep, "rounds"}

        def receive(part: Part, result: Results) -> None:
            own = {n: x for n, x in result.values.items() if not wanted or n in wanted}
            self._results.append((part, result._replace(values=own)))

        # Parts of a second stage have many sizes, and share a program.
        player = Player(plan, self.machine, parts, parts if grow else None)
        player.play(receive, self.stop)
        for where, own in player.facts().items():
            self._facts[where] = self._facts.get(where, {}) | own
        return True

    def result(self, plan: Plan, parts: Sequence[Part]) -> xr.Dataset:
        """All results; the axes begin with the points and seeds of some parts."""
        sweep = outlined(plan)
        axes = Axes(sweep, [*parts, *(part for part, _ in self._results)])
        made_by = provenance(
            root_seed=plan.terms.root_seed,
            environments={
                name: each.provenance for name, each in plan.spec.environments.items()
            },
            devices=[str(d.device_kind) for d in self.machine.devices],
            backend=self.machine.devices[0].platform,
            x64=bool(jax.config.jax_enable_x64),
            engines=self._facts,
        )
        made = common_attributes(sweep, made_by)
        return assembled(axes, self._results).assign_attrs(made)

    dataset = result  # of the pilot, before the second stage


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

    Parameter points are lanes like seeds, so a policy is compiled once, however many
    points it has.

    All policies see the same noise (common random numbers). The numbers do not depend
    on `checkpoints`, on the other policies, or on the `machine` (except its engine).

    Functions of policies and environments are traced once: a random generator, a clock
    or a counter of their own keeps its first value throughout. `testing.check_policy`
    and `testing.check_environment` find this.

    Args:
      policies: one policy, several, or a mapping from names to policies or to functions
        that make policies from ``environment.problem``. In place of a policy,
        ``policy.over(alpha=[0.5, 1.0])`` plays it at many parameter points; a policy
        with fewer points than others has NaN at the rest.
      environments: one environment, several, or a mapping from names to environments.
      horizon: number of rounds T; give this, `budget` or both.
      budget: play until this much is spent; needs an environment with a budget. Where
        that is a time (farewell), it and `checkpoints` are whole numbers. With
        both, `horizon` is the round after which a run is cut off. The dataset then has
        a variable ``cut``: whether a run has come to that round. If a run ends there, a
        `CutOffWarning` says so (also if that round spent the last of the budget).
      seeds: the number of seeds, the seeds (integers >= 0), or a `HalfWidth`: as many
        as it takes until a mean is known well enough.
      checkpoints: when metrics are recorded: ``"linear"`` or ``"log"`` (100 of them;
        fewer if the time is short, as no round ends before the first unit), or strictly
        increasing rounds (with `budget`: amounts). The end is added.
      root_seed: of the whole run, an int in [0, 2**64).
      runs_per_instance: how many consecutive seeds share an instance, where instances
        are drawn; above 1 the coordinate ``instance`` numbers them (see
        `jaxbandits.stats.two_level`).
      keep: arrays of the environment's record that the dataset shall have beside the
        metrics: ``("pulls",)`` has how often every action was played, with dims
        ``pulls_0, ...``. They leave the device at every checkpoint, so few checkpoints
        keep a run small. In a store, records must have one shape.
      store: folder or URL of a store, new or of the same sweep, or a `Store`, which has
        more options; by default results stay in memory. Results are written block by
        block: after any interruption the same call goes on, on any number of devices
        and processes, and gives the bits of an uninterrupted run on one kind of device.
        (`run_sweep` has other processes play into the store.)
      machine: devices, memory, progress and engine.

    Returns:
      Dataset with dims ``policy, params, seed, checkpoint``, and ``environment`` before
      them unless `environments` is a single environment. Variables: the metrics of the
      environments (float64), their judgements of what policies recommend, reports of
      policies (arrays have further dims ``<name>_0, ...``), and ``rounds`` (0 where a
      policy lacks a point). Coordinates: ``param_<leaf>``, seconds of compiling and
      running per policy, and ``environment``, the name. An attribute has the provenance
      (with the engine of every policy, the reason for it, and the runs of a chunk).
      With a store, values are read when they are needed, a variable ``session`` says
      who played a run, and there is no variable ``cut``, but ``rounds``.

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
    result = run_sweep(spec, store, machine)
    return result if alone is None else result.sel(environment=alone)
