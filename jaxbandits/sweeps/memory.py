"""Results in memory: every game is a block, and stays an array until all are done."""

import threading
from typing import Any

import jax
import numpy as np
import xarray as xr

from jaxbandits.engine.run import Clock
from jaxbandits.results import provenance
from jaxbandits.results.dataset import Found, Place, assemble
from jaxbandits.simulation.machine import Machine
from jaxbandits.simulation.play import Played
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
from jaxbandits.sweeps.ragged import played_by
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
        games = _games(plan, len(seeds()))
        if not games:
            return plan
        if not plans:
            say_engines(plan, machine.progress)
        work = work_of(plan, games, machine)
        wanted = spec.metrics and {*spec.metrics, *plan.terms.keep}

        def receive(block: Block, found: Played, clock: Clock) -> None:
            own = {n: x for n, x in found.metrics.items() if not wanted or n in wanted}
            played.setdefault(block.key, []).append(
                (found._replace(metrics=own), clock)
            )

        play_blocks(plan, work, machine, stop, receive)
        plans.append(plan)
        facts.update(facts_of(plan, work.blocks, work.chunk_for))
        return plan

    def dataset() -> xr.Dataset:
        plan = plans[-1]
        found = {key: _joined(played[key], len(plan.seeds)) for key in plan.matches}
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


def _games(plan: Plan, begin: int) -> list[Block]:
    """A block per policy and environment, of the seeds from a position on."""
    policies, blocks = len(plan.spec.policies), []
    for number, (key, match) in enumerate(plan.matches.items()):
        counts, points = plan.counts_at(key), slice(0, match.points.count)
        end = len(plan.seeds) if counts is None else int(counts.max())
        if begin < end:
            place = Place(*divmod(number, policies), points, slice(begin, end))
            ends = played_by(counts, points, place.seed)
            blocks.append(Block(key, place, ends))
    return blocks


def _joined(parts: list[tuple[Played, Clock]], seeds: int) -> Found:
    """What was played of a game, one stage of seeds after the other, up to `seeds`."""
    stages, clocks = zip(*parts, strict=True)
    whole = stages[0]
    if len(stages) > 1:
        whole = jax.tree.map(lambda *values: np.concatenate(values, axis=1), *stages)
    if rest := seeds - whole.rounds.shape[1]:  # All of its points have ended before.
        wide = (0, 0), (0, rest), (0, 0)
        whole = Played(
            {
                name: np.pad(
                    np.asarray(values, np.float64),
                    (*wide, *[(0, 0)] * (np.ndim(values) - 3)),
                    constant_values=np.nan,
                )
                for name, values in whole.metrics.items()
            },
            np.pad(whole.rounds, wide),
        )
    return Found(
        whole.metrics,
        whole.rounds,
        sum(sum(clock.compiling) for clock in clocks),
        sum(sum(clock.running) for clock in clocks),
    )
