"""Policies played against environments: blocks of a plan, by this process."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

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
from jaxbandits.results.parts import Block, Game
from jaxbandits.simulation.machine import Machine
from jaxbandits.simulation.plan import Plan

# A block with so many times fewer runs than its program has lanes gets one of its own.
_SMALL = 8


class StoppedError(Exception):
    """Raised when a sweep was asked to stop before it was complete."""


class Played(NamedTuple):
    """P parameter points on S seeds.

    Attributes:
      metrics: float64 arrays ``[P, S, C, ...]`` by name.
      rounds: i32[P, S, C], rounds played.
    """

    metrics: dict[str, np.ndarray]
    rounds: np.ndarray


def play(
    policy: Policy,
    environment: Environment,
    points: Points,
    seeds: np.ndarray,
    terms: Terms,
    *,
    clock: Clock,
    **options: Any,
) -> Played:
    """Play points on seeds.

    Args:
      policy: the policy.
      environment: the environment.
      points: P, with all leaves of the policy's parameters.
      seeds: u32[S].
      terms: common to all runs.
      clock: where seconds are added up.
      **options: of `engine.run.run`: chunk, devices, progress.

    Raises:
      ValueError: if the accounts do not hold: an action that the game has not, a metric
        that is NaN, or a game that was over before its first round.
    """
    shape = points.count, len(seeds)
    chunks = run(
        policy,
        environment,
        lane_params(policy, points, len(seeds)),
        np.tile(seeds, points.count),
        terms,
        clock=clock,
        **options,
    )
    parts = [
        (checked_accounts(policy, environment, chunk), chunk.rounds) for chunk in chunks
    ]

    def joined(*pieces: np.ndarray) -> np.ndarray:
        lanes = np.concatenate(pieces)
        return lanes.reshape(*shape, *lanes.shape[1:])

    metrics, rounds = jax.tree.map(joined, *parts)
    return Played(metrics, rounds.astype(np.int32))


def lane_params(policy: Policy, points: Points, num_seeds: int) -> Any:
    """Params with leaves [L]: points outside, seeds inside."""
    if not policy.params:
        return policy.params
    columns = {x: np.repeat(column, num_seeds) for x, column in points.columns.items()}
    return type(policy.params)(**columns)


class Player:
    """Plays blocks of a plan on a machine.

    Args:
      plan: the plan, with engines.
      machine: what to play on.
      blocks: which.
      asked: all blocks of these games that there are, of which all share one program,
        whichever are to be played; None if each block is all of its game.

    Attributes:
      shares: groups of devices, of which each plays a block at a time.
    """

    def __init__(
        self,
        plan: Plan,
        machine: Machine,
        blocks: list[Block],
        asked: Iterable[Block] | None = None,
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
        # What is computed when it is first asked for.
        self._chunks: dict[Game, int] = {}
        self._uniform: dict[Game, tuple[bool, ...]] = {}

    def chunk(self, game: Game) -> int:
        """Lanes to play at a time; to find out takes a trace."""
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
        """Which parameters are one number in all blocks of a game."""
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
        """What results shall say of the engines: by environment, by policy.

        Args:
          sized: whether to find out the sizes of chunks.
        """
        facts: dict[str, dict[str, Any]] = {}
        for game in dict.fromkeys(block.game for block in self.blocks):
            chunk: Any = self.chunk(game) if sized else self.machine.chunk
            own = self.plan.matches[game].choice.facts(chunk)
            facts.setdefault(game[0], {})[game[1]] = own
        return facts

    def play(
        self,
        receive: Callable[[Block, Played, Clock], None],
        stop: threading.Event | None = None,
        wanted: Callable[[Block], bool] = lambda block: True,
    ) -> None:
        """Play all blocks.

        Args:
          receive: is given every block's results and its seconds; called from several
            threads.
          stop: when it is set, no further block is begun.
          wanted: whether a block still has to be played; asked when its turn comes.

        Raises:
          StoppedError: if it was asked to stop before all was played.
        """
        ends, done = self.plan.terms.schedule.checkpoints, []
        environments, at_once = self.plan.spec.environments, len(self.shares)
        report = report_of(environments, self.blocks, len(ends), at_once)

        def work_on(block: Block, share: list[Any], check: Callable[[], None]) -> None:
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
                    receive(block, self.play_one(block, share, clock, advanced), clock)
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
        block: Block,
        share: list[Any],
        clock: Clock,
        advanced: Callable[[int], None] = lambda done: None,
        schedule: Schedule | None = None,
    ) -> Played:
        """Play a block, perhaps by another schedule, on some devices."""
        match, terms = self.plan.matches[block.game], self.plan.terms
        with clock.announce():
            chunk, whole = self.chunk(block.game), 2 * LANE_QUANTUM * len(share)
            # Fewer lanes of a small block, by halves, so that there are few programs.
            while chunk % whole == 0 and chunk >= _SMALL * block.size:
                chunk //= 2
            uniform = self.uniform(block.game)
        return play(
            match.policy._replace(name=block.game[1]),
            match.environment,
            match.full(block.points),
            spans.listed(block.seeds).astype(np.uint32),
            terms._replace(
                engine=match.choice.engine, schedule=schedule or terms.schedule
            ),
            clock=clock,
            chunk=chunk,
            same_shape=self._same_shape,
            uniform=uniform,
            devices=share,
            progress=advanced,
        )


def report_of(
    environments: Iterable[str], blocks: list[Block], units: int = 1, at_once: int = 1
) -> Report:
    """What says how far some blocks are, by the names of policies and environments.

    Args:
      environments: their names.
      blocks: that are to be played.
      units: of work in a run.
      at_once: how many blocks are played at a time.
    """
    parts = Counter[str]()
    for block in blocks:
        parts[block.name] += block.size * units
    first, *others = environments
    title = f"{1 + len(others):,} environments" if others else first
    return Report(parts, title, at_once)
