"""Blocks of a plan, played by this process."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import jax
import numpy as np

from jaxbandits.checks.points import Points
from jaxbandits.console.progress import Report, reporting
from jaxbandits.contract.accounts import checked_accounts
from jaxbandits.engine.footprint import choose_chunk
from jaxbandits.engine.rollout import LANE_QUANTUM
from jaxbandits.engine.run import Clock, run, uniform_leaves
from jaxbandits.engine.schedule import Schedule, Terms
from jaxbandits.engine.shares import device_shares, side_by_side
from jaxbandits.protocol import Environment, Policy
from jaxbandits.results import spans
from jaxbandits.results.dataset import Results
from jaxbandits.results.parts import Game, Part
from jaxbandits.simulation.machine import Machine
from jaxbandits.simulation.plan import Plan

# A block with so many times fewer runs than its program has lanes gets a smaller one.
_SMALL = 8


class StoppedError(Exception):
    """Raised when a sweep was asked to stop before it was complete."""


def play(
    policy: Policy,
    environment: Environment,
    points: Points,
    seeds: np.ndarray,
    terms: Terms,
    **options: Any,
) -> dict[str, np.ndarray]:
    """Play P points, which have all parameters, on the seeds u32[S].

    The options are those of `engine.run.run`, such as clock, chunk and devices. The
    result has the metrics by name, f64[P, S, C, ...], and ``rounds``, i32[P, S, C].

    Raises:
      ValueError: if an action is none of the game, a metric is NaN, or a game was over
        before its first round.
    """
    params = lane_params(policy, points, len(seeds))
    lanes = np.tile(seeds, points.count)
    parts = [
        {**checked_accounts(policy, environment, chunk), "rounds": chunk.rounds}
        for chunk in run(policy, environment, params, lanes, terms, **options)
    ]

    def joined(*pieces: np.ndarray) -> np.ndarray:
        result = np.concatenate(pieces)
        return result.reshape(points.count, len(seeds), *result.shape[1:])

    values: dict[str, np.ndarray] = jax.tree.map(joined, *parts)
    return values | {"rounds": values["rounds"].astype(np.int32)}


def lane_params(policy: Policy, points: Points, num_seeds: int) -> Any:
    """The policy's params with leaves [L], the seeds of a point side by side."""
    if not policy.params:
        return policy.params
    columns = {x: np.repeat(column, num_seeds) for x, column in points.columns.items()}
    return type(policy.params)(**columns)


class Player:
    """Plays blocks of a plan with engines.

    With `asked`, all blocks of the same games that a store was asked for, the blocks of
    a game share a program, whichever of them are played. Without it, each block is all
    of its game.

    Attributes:
      shares: groups of devices, each of which plays a block at a time.
    """

    def __init__(
        self,
        plan: Plan,
        machine: Machine,
        blocks: list[Part],
        asked: Iterable[Part] | None = None,
    ) -> None:
        self.plan, self.machine, self.blocks = plan, machine, blocks
        self._same_shape = asked is not None
        self._lanes: dict[Game, int] = {}
        self._points: dict[Game, dict[int, Points]] = {}
        for block in [*blocks, *(asked or ())]:
            self._lanes[block.game] = max(self._lanes.get(block.game, 0), block.size)
            self._points.setdefault(block.game, {})[id(block.points)] = block.points
        most = max((self._lanes[block.game] for block in blocks), default=1)
        self.shares = device_shares(machine.devices, most)
        self._chunks: dict[Game, int] = {}
        self._uniform: dict[Game, tuple[bool, ...]] = {}

    def chunk(self, game: Game) -> int:
        """Lanes that are played at a time, found by a trace unless the machine says."""
        if self.machine.chunk:
            return self.machine.chunk
        if game not in self._chunks:
            match = self.plan.matches[game]
            self._chunks[game] = choose_chunk(
                match.policy,
                match.environment,
                lane_params(match.policy, match.full(match.points.at([0])), 1),
                self._lanes[game],
                self.plan.terms._replace(engine=match.choice.engine),
                self.machine.memory,
                self.shares[0],
            )
        return self._chunks[game]

    def uniform(self, game: Game) -> tuple[bool, ...]:
        """Which parameters have the same value in all blocks of a game."""
        if game not in self._uniform:
            match, tables = self.plan.matches[game], self._points[game].values()
            points = [match.full(each).columns for each in tables]
            columns = {x: np.concatenate([y[x] for y in points]) for x in points[0]}
            all_points = Points(columns, sum(each.count for each in tables))
            self._uniform[game] = uniform_leaves(
                lane_params(match.policy, all_points, 1)
            )
        return self._uniform[game]

    def facts(self, sized: bool = True) -> dict[str, dict[str, Any]]:
        """Facts about engines and, which takes a trace if `sized`, chunks of games."""
        facts: dict[str, dict[str, Any]] = {}
        for game in dict.fromkeys(block.game for block in self.blocks):
            chunk: Any = self.chunk(game) if sized else self.machine.chunk
            own = {**self.plan.matches[game].choice._asdict(), "chunk": chunk}
            facts.setdefault(game[0], {})[game[1]] = own
        return facts

    def play(
        self,
        receive: Callable[[Part, Results], None],
        stop: threading.Event | None = None,
        wanted: Callable[[Part], bool] = lambda block: True,
    ) -> None:
        """Play all blocks that are still `wanted` when their turn comes.

        `receive` is called with each block and its results, from several threads.

        Raises:
          StoppedError: if blocks were left when `stop` was set.
        """
        ends, done = self.plan.terms.schedule.checkpoints, []
        environments, at_once = self.plan.spec.environments, len(self.shares)
        report = report_of(environments, self.blocks, len(ends), at_once)

        def work_on(block: Part, share: list[Any], check: Callable[[], None]) -> None:
            seen = (0.0, 0.0)
            announce = partial(report.phase, f"compiling {block.name}")
            clock = Clock([], [], announce)

            def advanced(done: int) -> None:
                nonlocal seen
                before, seen = seen, (sum(clock.running), sum(clock.compiling))
                seconds = seen[0] - before[0], seen[1] - before[1]
                report.advance(block.name, done, *seconds)
                check()

            if stop is not None and stop.is_set():
                return
            if wanted(block):
                with report.phase(f"playing {block.name}"):
                    receive(block, self.play_one(block, share, clock, advanced))
            else:
                report.advance(block.name, block.size * len(ends), None)
                check()
            done.append(block)

        with reporting(self.machine.progress, report, ends[-1] / len(ends)):
            for _ in side_by_side(work_on, self.blocks, self.shares):
                pass
        if len(done) < len(self.blocks):
            raise StoppedError(
                f"stopped after {len(done)} of {len(self.blocks)} blocks of this run"
            )

    def play_one(
        self,
        block: Part,
        share: list[Any],
        clock: Clock,
        advanced: Callable[[int], None] = lambda done: None,
        schedule: Schedule | None = None,
    ) -> Results:
        """Play a block on some devices, by the plan's schedule or another one."""
        match, terms = self.plan.matches[block.game], self.plan.terms
        with clock.announce():
            chunk, whole = self.chunk(block.game), 2 * LANE_QUANTUM * len(share)
            if not self._same_shape:
                chunk = min(chunk, block.size)
            # Halves of the lanes for a small block, so that there are few programs.
            while chunk % whole == 0 and chunk >= _SMALL * block.size:
                chunk //= 2
            uniform = self.uniform(block.game)
        values = play(
            match.policy._replace(name=block.game[1]),
            match.environment,
            match.full(block.points),
            spans.listed(block.seeds).astype(np.uint32),
            terms._replace(
                engine=match.choice.engine, schedule=schedule or terms.schedule
            ),
            clock=clock,
            chunk=chunk,
            uniform=uniform,
            devices=share,
            progress=advanced,
        )
        return Results(values, sum(clock.compiling), sum(clock.running))


def report_of(
    environments: Iterable[str], blocks: list[Part], units: int = 1, at_once: int = 1
) -> Report:
    """A report on the progress of blocks, whose runs have some units of work each."""
    parts = Counter[str]()
    for block in blocks:
        parts[block.name] += block.size * units
    first, *others = environments
    title = f"{1 + len(others):,} environments" if others else first
    return Report(parts, title, at_once)
