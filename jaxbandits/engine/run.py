"""Running a program over many lanes: chunks, devices, stretches, progress.

Lanes are played in chunks that bound memory and fit the cache; the devices share the
lanes of a chunk. The checkpoints of a chunk are visited in a few stretches, between
which progress is reported and a run can be interrupted. None of this changes a single
bit of the results.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

from jaxbandits.engine.accounting import (
    MOST_PROGRAMS,
    Accounts,
    accounts_of,
    lanes_last,
    tables_of,
)
from jaxbandits.engine.choice import rules_for
from jaxbandits.engine.footprint import start_of, stretch_of
from jaxbandits.engine.limits import Watch, refuse_nan
from jaxbandits.engine.rollout import LANE_QUANTUM, LANES, program_for, to_device
from jaxbandits.engine.rules import Notes, notes_of
from jaxbandits.engine.schedule import Terms
from jaxbandits.engine.tape import root_key
from jaxbandits.protocol import Environment, Policy


class Chunk(NamedTuple):
    """Results of consecutive lanes, on the host.

    Attributes:
      start: position of the first lane.
      rounds: i32[L, C], rounds played at each checkpoint.
      accounts: metrics, and how many rounds had an action of the game, ``[L, C]``.
      notes: the policy's `Notes`, leaves ``[L, C, ...]``.
      instance: leaves ``[L, ...]``, or ``[1, ...]`` where all lanes share them.
    """

    start: int
    rounds: np.ndarray
    accounts: Accounts
    notes: Notes
    instance: Any


class Clock(NamedTuple):
    """Seconds spent compiling and running, accumulated over chunks.

    Attributes:
      compiling: seconds, of every program.
      running: seconds, of every call.
      announce: makes a context that is entered while a program is compiled.
    """

    compiling: list[float]
    running: list[float]
    announce: Callable[[], AbstractContextManager] = nullcontext


def run(
    policy: Policy,
    environment: Environment,
    params: Any,
    seeds: np.ndarray,
    terms: Terms,
    *,
    chunk: int,
    devices: list,
    clock: Clock,
    progress: Callable[[float], None],
    uniform: tuple[bool, ...] | None = None,
) -> Iterator[Chunk]:
    """Play all lanes and yield them chunk by chunk.

    Args:
      policy: the policy.
      environment: the environment.
      params: the policy's parameters, leaves f64[L], one entry per lane.
      seeds: u32[L], the seed of every lane.
      terms: checkpoints, the last round, and what else all runs have in common.
      chunk: lanes per chunk, see `footprint.choose_chunk`. As many are played where
        there are fewer, so that such calls share one compiled program.
      devices: devices to share lanes over.
      clock: where seconds are added up.
      progress: called with the number of lane-checkpoints just completed.
      uniform: which leaves of `params` are one number throughout, for calls that are
        to share a program; by default those of this call.

    Raises:
      ValueError: if the engine does not exist, or (`gpu.UnsupportedError`) if it
        cannot play the policy in the environment; if a budget is out of reach, or what
        is spent is NaN or falls.
    """
    mesh = Mesh(np.array(devices), (LANES,))
    schedule = terms.schedule
    if uniform is None:
        uniform = uniform_leaves(params)
    platform = devices[0].platform
    rules = rules_for(policy, environment, terms, platform, uniform)
    program = program_for(rules, mesh)
    root = root_key(terms.root_seed)
    setup = jax.tree.map(to_device, environment.setup)
    targets, stretch = schedule.checkpoints, stretch_of(schedule)
    if schedule.by_budget:
        targets = in_units_of_spend(targets, environment)
    quantum = LANE_QUANTUM * len(devices)
    width = -(-chunk // quantum) * quantum
    for start in range(0, len(seeds), chunk):
        stop = min(start + chunk, len(seeds))
        # Surplus lanes repeat the last one and are dropped: one shape, one program.
        position = np.minimum(np.arange(start, start + width), stop - 1)
        lane_seeds = to_device(seeds[position])
        drawn = to_device(seeds[position] // terms.runs_per_instance)
        lane_params = jax.tree.map(
            lambda x, p=position: to_device(np.moveaxis(x[p], 0, -1)), params
        )
        began = time.perf_counter()
        with clock.announce():
            instance = program.draw(root, drawn, setup)
            own = _to_host(instance, stop - start)
            tables = lanes_last(tables_of(environment, own), position - start)
            given = (lane_seeds, lane_params, tables, instance)
            nowhere = to_device(np.repeat(targets[:1], stretch))
            play = program.begin(*given, nowhere)
            if not start:  # No round is played: this compiles.
                none = map(jnp.int32, (0, 0, 0, 0))
                play = program.advance(root, *given, play, nowhere, *none)
            jax.block_until_ready((instance, play))
        watch = Watch(schedule._replace(checkpoints=targets), stop - start)
        pieces, reached = [], np.zeros(stop - start, np.int32)
        clock.compiling.append(time.perf_counter() - began)
        for first in range(0, len(targets), stretch):
            part = targets[first : first + stretch]
            # A short last stretch repeats its last checkpoint: no round is played.
            full = to_device(np.pad(part, (0, stretch - len(part)), mode="edge"))
            while np.any(reached < first + len(part)):
                limits = (first, len(part), schedule.last_round, watch.steps)
                limits = map(jnp.int32, limits)
                began = time.perf_counter()
                play = program.advance(root, *given, play, full, *limits)
                jax.block_until_ready(play)
                clock.running.append(played := time.perf_counter() - began)
                before, reached = reached, np.asarray(play.reached)[: stop - start]
                done = reached == first + len(part)
                watch.look(played, play.carry.round, play.spent, done)
                progress(int((reached - before).sum()))
            pieces.append(_to_host(play.rows, stop - start))
        refuse_nan(policy.name, play.carry.policy)
        yield Chunk(start, *_joined(pieces, len(targets)), own)


def uniform_leaves(params) -> tuple[bool, ...]:
    """Which leaves of parameters, f64[L] each, are one number throughout."""
    return tuple(bool(np.all(x == x[0])) for x in jax.tree.leaves(params))


def opening(
    policy: Policy, environment: Environment, params: Any, keep: tuple[str, ...] = ()
) -> Chunk:
    """What is recorded before the first round; its names and shapes are final.

    Args:
      policy: the policy.
      environment: the environment.
      params: the policy's parameters, numbers.
      keep: fields of the record that are results.

    Returns:
      One lane with one checkpoint.
    """
    params, setup = jax.tree.map(to_device, (params, environment.setup))
    instance, record, _ = start_of(environment.game)(setup)
    given = instance, (record, _notes(policy.functions)(params))
    instance, rest = jax.tree.map(lambda x: np.asarray(x)[None], given)
    record, notes = jax.tree.map(lambda x: x[None], rest)
    accounts = accounts_of(environment, instance, record, keep)
    return Chunk(0, np.zeros((1, 1), np.int32), accounts, notes, instance)


@lru_cache(MOST_PROGRAMS)
def _notes(policy):
    """The notes of a policy before the first round, by its parameters."""
    return jax.jit(lambda params: notes_of(policy, policy.init(params), params))


def in_units_of_spend(targets, environment: Environment):
    """Amounts in whole numbers where the environment counts its spend in them.

    A fraction is reached with the next whole number, but by the clock nothing ends
    between two of them. int32 tells numbers beyond 2**24 apart, which float32 does not.
    """
    setup = jax.tree.map(to_device, environment.setup)
    *_, spent = jax.eval_shape(start_of(environment.game), setup)
    if not jnp.issubdtype(spent.dtype, jnp.integer):
        return targets
    if targets[-1] >= np.iinfo(np.int32).max:
        raise ValueError(
            f"budget must be below 2**31 - 1 in {environment.name!r}, which counts in "
            f"int32, got {targets[-1]}"
        )
    whole = np.floor if environment.game.by_the_clock else np.ceil
    return whole(targets).astype(np.int64)


def _joined(pieces, count: int):
    """The first `count` rows of several stretches, leaves ``[L, C, ...]``."""
    return jax.tree.map(lambda *x: np.concatenate(x, axis=1)[:, :count], *pieces)


def _to_host(tree, num_lanes: int):
    """Some lanes of ``[..., L]`` on devices, as ``[L, ...]`` on the host."""
    return jax.tree.map(
        lambda x: np.moveaxis(np.asarray(x)[..., :num_lanes], -1, 0), tree
    )
