"""How many lanes are played at a time: the memory of a lane, and the limits."""

from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.engine.accounting import MOST_PROGRAMS, lanes_last, tables_of
from jaxbandits.engine.choice import rules_for
from jaxbandits.engine.rollout import LANE_QUANTUM, begin, drawn, to_device
from jaxbandits.engine.rules import NO_BUDGET, Rules, first_state, flagged
from jaxbandits.engine.schedule import Schedule, Terms
from jaxbandits.engine.tape import root_key
from jaxbandits.protocol import Environment

# Bytes of state that a device works on at a time: on a CPU about half of a core's
# second-level cache; on an accelerator enough lanes to fill it.
CACHE_BYTES = {"cpu": 1_000_000}
ACCELERATOR_BYTES = 1 << 28
# Checkpoints of a stretch. There are two lengths, so that two programs serve all grids;
# many checkpoints have the longer one, because every call costs a millisecond, and with
# a budget lanes wait for one another at the end of a stretch.
STRETCH, LONG_STRETCH = 10, 100


class Footprint(NamedTuple):
    """Bytes of one lane.

    Attributes:
      state: of the policy and the environment.
      given: parameters, and the instance and tables if every lane has its own.
      record: the environment's record, which metrics read at a checkpoint.
      row: the results of a checkpoint.
      scratch: further memory of the engine.
    """

    state: int
    given: int
    record: int
    row: int
    scratch: int

    def on_device(self, schedule: Schedule) -> int:
        """Bytes while a stretch of checkpoints is played.

        A round needs up to two further copies of the state, a checkpoint another record
        (`tests/engine/test_footprint.py` compares this with XLA's own figures).
        """
        held = self.given + 3 * self.state + 2 * self.record + self.scratch
        return held + self.row * stretch_of(schedule)

    def needed(self, schedule: Schedule) -> int:
        """Bytes from the first round to results on the host.

        The results are held twice while those of all stretches are joined.
        """
        return self.on_device(schedule) + 2 * self.row * len(schedule.checkpoints)


def stretch_of(schedule: Schedule) -> int:
    """How many checkpoints a program plays to in one stretch."""
    return STRETCH if len(schedule.checkpoints) <= STRETCH else LONG_STRETCH


def choose_chunk(
    policy, environment, params, num_lanes: int, terms: Terms, memory: int, devices
) -> int:
    """Lanes per chunk: as many as fit the cache, within the memory cap.

    Args:
      policy: the policy.
      environment: the environment.
      params: the policy's parameters, leaves ``[L]``; the first entry is looked at.
      num_lanes: how many lanes are to be played.
      terms: what all runs have in common.
      memory: cap on the bytes of a chunk.
      devices: the devices that share the lanes.

    Returns:
      At least one vector of lanes per device.

    Raises:
      ValueError: if not even that fits into `memory`.
    """
    schedule = terms.schedule
    footprint = footprint_of(policy, environment, params, terms, devices[0].platform)
    cache = CACHE_BYTES.get(devices[0].platform, ACCELERATOR_BYTES)
    quantum = LANE_QUANTUM * len(devices)
    lanes = max(cache // max(footprint.state, 1), LANE_QUANTUM) * len(devices)
    need = quantum * footprint.needed(schedule)
    affordable = memory // need * quantum
    if affordable < quantum:
        raise ValueError(
            f"memory = {memory} bytes is too little: {quantum} lanes with "
            f"{len(schedule.checkpoints)} checkpoints need {need}"
        )
    lanes = min(lanes, affordable, max(num_lanes, 1))
    # Equal chunks, so that the last one is not mostly surplus lanes.
    chunks = -(-num_lanes // lanes)
    return -(-num_lanes // (chunks * quantum)) * quantum


def footprint_of(policy, environment, params, terms: Terms, platform: str) -> Footprint:
    """The memory of a lane; arguments as of `choose_chunk`."""
    rules, width = rules_for(policy, environment, terms, platform), LANE_QUANTUM
    setup = jax.tree.map(to_device, environment.setup)
    tables = tables_of(environment, an_instance(environment))
    params = jax.tree.map(lambda x: to_device(np.full(width, x[0])), params)
    parts = _parts_of_a_lane(rules).eval_shape(params, lanes_last(tables), setup)
    state, given, own, record, row = (
        sum(x.size * x.dtype.itemsize for x in jax.tree.leaves(part)) // width
        for part in parts
    )
    if own:
        given += own + sum(x.nbytes for x in jax.tree.leaves(tables))
    scratch = rules.engine.scratch(policy, environment) if rules.engine.scratch else 0
    return Footprint(state, given, record, row, scratch)


def an_instance(environment: Environment) -> Any:
    """An instance on the host, leaves ``[1, ...]``."""
    setup = jax.tree.map(to_device, environment.setup)
    instance, *_ = start_of(environment.game)(setup)
    return jax.tree.map(lambda x: np.asarray(x)[None], instance)


@lru_cache(MOST_PROGRAMS)
def start_of(game):
    """``setup -> (instance, record, spent)`` before the first round, for one seed."""

    def start(setup):
        instance, its = first_state(game, setup)
        spent = game.spent(instance, its) if game.spent else 0
        return instance, game.record(instance, its, 0), spent

    return jax.jit(start)


def arrays_on_record(environment) -> list[str]:
    """Names of the fields of an environment's record that are arrays."""
    setup = jax.tree.map(to_device, environment.setup)
    _, record, _ = jax.eval_shape(start_of(environment.game), setup)
    fields = record._asdict() if hasattr(record, "_asdict") else {}
    return [k for k, x in fields.items() if isinstance(x, jax.ShapeDtypeStruct)]


@lru_cache(MOST_PROGRAMS)
def _parts_of_a_lane(rules: Rules):
    """What the lanes of a vector hold; traced once for all chunks of a game."""
    game, width = rules.game, LANE_QUANTUM

    def parts(params, tables, setup):
        seeds = jnp.zeros(width, jnp.uint32)
        instance = drawn(game.sample, rules.platform, root_key(0), seeds, setup)
        play = begin(rules, seeds, params, tables, instance, jnp.zeros(1))
        its, flags = flagged(instance)
        record = rules.lanes(game.record, (flags, True, False), width)
        record = record(its, play.carry.environment, jnp.int32(NO_BUDGET))
        own = [x for x in jax.tree.leaves(instance) if x.shape[-1] == width]
        return play.carry[1:], params, own, record, play.rows

    return jax.jit(parts)
