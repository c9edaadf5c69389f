"""Results in memory: every game is a block, and stays an array until all are done."""

import threading
from collections.abc import Callable, Collection, Iterable
from typing import Any

import jax
import numpy as np
import xarray as xr

from jaxbandits.engine.run import Clock
from jaxbandits.machine import Machine
from jaxbandits.play import Played
from jaxbandits.results import provenance
from jaxbandits.results.dataset import Found, assemble
from jaxbandits.results.layout import Place
from jaxbandits.sweeps.blocks import Block
from jaxbandits.sweeps.fill import facts_of, play_blocks, work_of
from jaxbandits.sweeps.plan import (
    Plan,
    attributes,
    axes,
    make_plan,
    say_engines,
    settled,
)
from jaxbandits.sweeps.sink import Sink
from jaxbandits.sweeps.spec import Spec


def in_memory(machine: Machine, stop: threading.Event | None) -> Sink:
    """A sink that is empty.

    Args:
      machine: what to play on.
      stop: see `run_sweep`.
    """
    plans: list[Plan] = []
    played: dict[tuple[str, str], list[tuple[Played, Clock]]] = {}
    facts: dict[str, Any] = {}

    def seeds() -> list[int]:
        return plans[-1].seeds.tolist() if plans else []

    def complete(spec: Spec, grows: bool) -> Plan:
        del grows  # there is always room
        plan = settled(make_plan(spec), machine.devices[0].platform)
        new = slice(len(seeds()), len(plan.seeds))
        if new.start == new.stop:
            return plan
        if not plans:
            say_engines(plan, machine.progress)
        work = work_of(plan, _games(plan, new), machine)
        receive = _receiver(played, spec.metrics, plan.terms.keep)
        title = ", ".join(spec.environments)
        play_blocks(plan, work, machine, stop, title, receive)
        plans.append(plan)
        facts.update(facts_of(plan, work.blocks, work.chunk_for))
        return plan

    def dataset() -> xr.Dataset:
        plan = plans[-1]
        found = {key: _joined(played[key]) for key in plan.matches}
        made_by = provenance(
            root_seed=plan.terms.root_seed,
            environments={
                name: each.provenance for name, each in plan.spec.environments.items()
            },
            devices=[str(d.device_kind) for d in machine.devices],
            backend=machine.devices[0].platform,
            x64=bool(jax.config.jax_enable_x64),
            engines=facts,
        )
        return assemble(axes(plan), found).assign_attrs(attributes(plan, made_by))

    return Sink(seeds, complete, dataset, lambda plan: True)


def _games(plan: Plan, seeds: slice) -> list[Block]:
    """A block per policy and environment."""
    policies = len(plan.spec.policies)
    return [
        Block(
            key, Place(*divmod(number, policies), slice(0, match.points.count), seeds)
        )
        for number, (key, match) in enumerate(plan.matches.items())
    ]


def _receiver(
    played: dict[tuple[str, str], list[tuple[Played, Clock]]],
    wanted: Iterable[str] | None,
    keep: Collection[str],
) -> Callable[[Block, Played, Clock], None]:
    """A function that keeps what is wanted of a block's results."""

    def receive(block: Block, found: Played, clock: Clock) -> None:
        metrics = {
            name: values
            for name, values in found.metrics.items()
            if wanted is None or name in wanted or name in keep
        }
        played.setdefault(block.key, []).append((Played(metrics, found.rounds), clock))

    return receive


def _joined(parts: list[tuple[Played, Clock]]) -> Found:
    """What was played of a game, one stage of seeds after the other."""
    stages, clocks = zip(*parts, strict=True)
    whole = stages[0] if len(stages) == 1 else _stacked(stages)
    return Found(
        whole.metrics,
        whole.rounds,
        sum(sum(clock.compiling) for clock in clocks),
        sum(sum(clock.running) for clock in clocks),
    )


def _stacked(stages: tuple[Played, ...]) -> Played:
    return jax.tree.map(lambda *values: np.concatenate(values, axis=1), *stages)
