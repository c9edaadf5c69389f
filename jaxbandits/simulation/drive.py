"""A sweep from beginning to end: play what is missing, into memory or a store.

Nothing here changes a number: a sweep that was killed, resumed on another number of
devices or processes and extended holds the same bits as one that was not.
"""

import os
import threading
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import xarray as xr

from jaxbandits import checks
from jaxbandits.console.progress import doing
from jaxbandits.engine.flags import in_play
from jaxbandits.engine.run import Clock
from jaxbandits.results import spans
from jaxbandits.results._provenance import provenance
from jaxbandits.results.cuts import warn_of_cuts
from jaxbandits.results.dataset import Axes, Results, assembled, common_attributes
from jaxbandits.results.parts import Block, Part
from jaxbandits.simulation.fill import Played, Player
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
from jaxbandits.simulation.spec import HalfWidth, Spec, check_until, verdict

if TYPE_CHECKING:
    from jaxbandits.simulation.stored import Store
from collections.abc import Callable, Iterable, Iterator, Mapping

from jaxbandits.protocol import A, Entry, Environment, Policy


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
      store: where to; memory by default.
      machine: what to play on.
      executor: who plays the blocks of a store, in place of this process: any
        `concurrent.futures.Executor`, a Dask client, a number of processes on this
        machine, or `simulation.Workers`, which says more of it.
      shard: ``(number, of)``: this process plays its share of the blocks of a store
        first, then what others have not played of theirs; nobody waits for anybody.
      stop: when it is set (by a signal, by another thread), the blocks under way are
        finished, and `simulation.fill.StoppedError` is raised.

    Raises:
      OSError: if the store cannot be written, or workers die again and again.
    """
    if store is None and jax.process_count() > 1:
        raise ValueError("store: several processes need one that all can write to")
    if stop is not None:
        checks.instance("stop", stop, threading.Event, "of threading")
    dataset = play_spec(spec, store, machine, stop, executor, shard)
    warn_of_cuts(dataset, spec.budget, spec.horizon, stacklevel=2)
    return dataset


def play_spec(
    spec: Spec,
    store: "str | os.PathLike[str] | Store | None",
    machine: Machine,
    stop: threading.Event | None = None,
    executor: Any = None,
    shard: tuple[int, int] | None = None,
) -> xr.Dataset:
    """`run_sweep` without the warning that runs were cut off."""
    checks.unforked()
    checks.instance("spec", spec, Spec, "of jaxbandits.simulation, or see read_spec")
    sink: Any
    if stored := any(given is not None for given in (store, executor, shard)):
        # Stores and executors are loaded where they are asked for.
        from jaxbandits.simulation.stored import InStore

        sink = InStore(store, executor, shard, machine, stop)
    else:
        sink = InMemory(machine_of(machine), stop)
    if spec.engine is None:
        spec = spec._replace(engine=sink.machine.engine)
    if sink.metrics is not None:
        spec = spec._replace(metrics=sink.metrics)
    with in_play():
        # All that can be wrong with it, in every process and before there is a store.
        with doing("checking policies and environments", sink.machine.progress):
            plan = make_plan(spec)
            # In memory, one environment with all its metrics takes what comes.
            several = len(plan.spec.environments) > 1 or spec.metrics is not None
            if stored or plan.until or several:
                shapes = metric_shapes(plan)
            if plan.until:
                whole = plan.terms.runs_per_instance
                check_until(plan.until, plan.seeds, shapes, whole)
        if plan.until and sink.keep != "runs":
            raise ValueError(
                "store: keep must be 'runs' where a half-width says how many seeds "
                "there are: that takes the runs of the pilot"
            )
        plan = sink.with_engines(plan)
        say_engines(plan, sink.machine.progress)
        pilot = parts_of(plan, spans.spans_of(plan.seeds))
        there = sink.play(plan, pilot)
        if plan.until:
            _second_stage(sink, plan, pilot, there, plan.until)
        result: xr.Dataset = sink.result(plan, pilot)
        if not stored and None not in (spec.budget, spec.horizon):
            result = result.assign(cut=result["rounds"] >= spec.horizon)
        return result


def _second_stage(
    sink: Any, plan: Plan, pilot: list[Part], there: bool, until: HalfWidth
) -> None:
    """Play as many seeds more as the pilot says."""
    if not there:
        warnings.warn(
            "the pilot is not complete, others play the rest of it; the same command "
            "plays on when they have done so",
            stacklevel=4,
        )
        return
    count = len(plan.seeds)
    result = verdict(sink.dataset(plan, pilot), until, count)
    if result.needed > result.seeds:
        warnings.warn(
            f"a half-width of {until.half_width:g} takes {result.needed} seeds; "
            f"stopped at at_most = {result.seeds}",
            stacklevel=4,
        )
    if more := later_parts(plan, result, until.each):
        sink.play(plan, more, grow=True)


class InMemory:
    """Where results are kept if there is no store: every game is a block.

    Args:
      machine: what to play on.
      stop: see `run_sweep`.
    """

    keep, metrics = "runs", None

    def __init__(self, machine: Machine, stop: threading.Event | None) -> None:
        self.machine, self.stop = machine, stop
        self._results: list[tuple[Part, Results]] = []
        self._facts: dict[str, dict[str, Any]] = {}

    def with_engines(self, plan: Plan) -> Plan:
        """The plan with an engine for every match."""
        return with_engines(plan, self.machine.devices[0].platform)

    def play(self, plan: Plan, parts: Sequence[Part], grow: bool = False) -> bool:
        """Play parts, of which a game has several if it grows; True: all are there."""
        wanted = plan.spec.metrics and {*plan.spec.metrics, *plan.terms.keep}

        def receive(block: Block, played: Played, clock: Clock) -> None:
            own = {n: x for n, x in played.metrics.items() if not wanted or n in wanted}
            seconds = sum(clock.compiling), sum(clock.running)
            result = Results(own, played.rounds, *seconds)
            self._results.append((Part(*block[1:]), result))

        blocks = [Block("", *part) for part in parts]
        # Parts of a second stage have many sizes, and share a program.
        player = Player(plan, self.machine, blocks, blocks if grow else None)
        player.play(receive, self.stop)
        for where, own in player.facts().items():
            self._facts[where] = self._facts.get(where, {}) | own
        return True

    def result(self, plan: Plan, parts: Sequence[Part]) -> xr.Dataset:
        """What was played of a plan, whose axes are those of some parts first."""
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

    dataset = result  # of the pilot alone, too


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
