"""Results in memory: every game is a block, and stays an array until all are done."""

import threading
from collections.abc import Sequence
from typing import Any

import jax
import xarray as xr

from jaxbandits.engine.run import Clock
from jaxbandits.results._provenance import provenance
from jaxbandits.results.dataset import Axes, Results, assembled, common_attributes
from jaxbandits.results.parts import Block, Part
from jaxbandits.simulation.description import outlined
from jaxbandits.simulation.fill import facts_of, play_blocks, work_of
from jaxbandits.simulation.machine import Machine
from jaxbandits.simulation.plan import Plan, say_engines, with_engines
from jaxbandits.simulation.play import Played
from jaxbandits.simulation.spec import Spec


class InMemory:
    """Where results are kept if there is no store.

    Args:
      machine: what to play on.
      stop: see `run_sweep`.
    """

    keep = "runs"

    def __init__(self, machine: Machine, stop: threading.Event | None) -> None:
        self.machine, self.stop = machine, stop
        self._results: list[tuple[Part, Results]] = []
        self._facts: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> "InMemory":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def kept(self, spec: Spec) -> Spec:
        """The sweep as it is: it says itself what is kept."""
        return spec

    def with_engines(self, plan: Plan) -> Plan:
        """The plan with an engine for every match."""
        return with_engines(plan, self.machine.devices[0].platform)

    def play(self, plan: Plan, parts: Sequence[Part], grow: bool = False) -> bool:
        """Play parts, of which a game has several if it grows.

        Returns:
          Whether all are there then.
        """
        if not self._results:
            say_engines(plan, self.machine.progress)
        wanted = plan.spec.metrics and {*plan.spec.metrics, *plan.terms.keep}

        def receive(block: Block, played: Played, clock: Clock) -> None:
            own = {n: x for n, x in played.metrics.items() if not wanted or n in wanted}
            seconds = sum(clock.compiling), sum(clock.running)
            result = Results(own, played.rounds, *seconds)
            self._results.append((Part(*block[1:]), result))

        blocks = [Block("", *part) for part in parts]
        # Parts of a second stage have many sizes, and share a program.
        work = work_of(plan, blocks, self.machine, blocks if grow else None)
        play_blocks(plan, work, self.machine, self.stop, receive)
        for where, own in facts_of(plan, blocks, work.chunk_for).items():
            self._facts[where] = self._facts.get(where, {}) | own
        return True

    def dataset(self, plan: Plan, parts: Sequence[Part]) -> xr.Dataset:
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

    def result(self, plan: Plan, parts: Sequence[Part]) -> xr.Dataset:
        """All that was played."""
        return self.dataset(plan, parts)
