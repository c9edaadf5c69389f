"""How many lanes are played at a time: what a lane takes, and what there is."""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.engine.accounting import account, tables_of
from jaxbandits.engine.choice import engine_for
from jaxbandits.engine.rollout import LANE_QUANTUM, drawn, to_device
from jaxbandits.engine.rules import NO_BUDGET, Rules, notes_of
from jaxbandits.engine.schedule import Schedule, Terms
from jaxbandits.engine.tape import KEYS, root_key

# The state that a device works on at a time: about half a core's second-level cache on
# a CPU; on an accelerator enough lanes to fill it.
CACHE_BYTES = {"cpu": 1_000_000}
ACCELERATOR_BYTES = 1 << 28
# Checkpoints per stretch: few shapes for all grids of checkpoints, so that they share
# compiled programs; long where there are many, because every call costs a millisecond,
# and by budget lanes wait for one another at the end of a stretch.
STRETCH, LONG_STRETCH = 10, 100


class Footprint(NamedTuple):
    """Bytes of one lane.

    Attributes:
      state: of the policy and the environment.
      given: parameters, and the instance if every lane has its own.
      record: what metrics read at a checkpoint.
      row: what is kept of a checkpoint.
      scratch: what the engine takes beside the state.
    """

    state: int
    given: int
    record: int
    row: int
    scratch: int

    def on_device(self, schedule: Schedule) -> int:
        """While a stretch of checkpoints is played.

        A round makes up to two more of the state on its way to the next, a checkpoint
        another record (`tests/engine/test_room.py` asks XLA).
        """
        held = self.given + 3 * self.state + 2 * self.record + self.scratch
        return held + self.row * stretch_of(schedule)

    def needed(self, schedule: Schedule) -> int:
        """From the first round to results on the host.

        These are there twice while the pieces of all stretches are put together.
        """
        return self.on_device(schedule) + 2 * self.row * len(schedule.checkpoints)


def stretch_of(schedule: Schedule) -> int:
    """How many checkpoints a program has room for."""
    return STRETCH if len(schedule.checkpoints) <= STRETCH else LONG_STRETCH


def choose_chunk(
    policy, environment, params, num_lanes: int, terms: Terms, memory: int, devices
) -> int:
    """Lanes per chunk: what fits the cache, within the memory cap.

    Args:
      policy: the policy.
      environment: the environment.
      params: the policy's parameters, leaves ``[L]``, of which the first counts.
      num_lanes: that are to be played.
      terms: common to all runs.
      memory: cap on the bytes of a chunk.
      devices: that lanes are shared over.

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
    """What a lane takes; arguments as of `choose_chunk`."""
    game, functions = environment.game, policy.functions
    engine = engine_for(terms.engine, policy, environment, platform)
    by_budget = terms.schedule.by_budget
    rules = Rules(functions, game, by_budget, (), engine, platform, terms.keep)
    setup = jax.tree.map(to_device, environment.setup)
    seeds, root = jnp.zeros(LANE_QUANTUM, jnp.uint32), root_key(terms.root_seed)
    instance = jax.eval_shape(partial(drawn, game.sample, platform), root, seeds, setup)
    own = [x for x in jax.tree.leaves(instance) if x.shape[-1] > 1]
    one = jax.jit(_an_instance, static_argnums=0)(game.sample, setup)
    tables = tables_of(environment, jax.tree.map(lambda x: np.asarray(x)[None], one))
    tables = jax.tree.map(lambda x: x[0], tables)
    mine = jax.tree.map(lambda x: to_device(x[0]), params)
    shapes = jax.eval_shape(partial(_of_lane, rules), mine, one, tables)
    states, record, row = shapes
    scratch = engine.scratch(policy, environment) if engine.scratch else 0
    return Footprint(
        _bytes(states),
        _bytes(mine) + _bytes(own) // LANE_QUANTUM + (_bytes(tables) if own else 0),
        _bytes(record),
        _bytes(row),
        scratch,
    )


def arrays_on_record(environment) -> list[str]:
    """Names of the fields of an environment's record that are arrays."""
    game = environment.game

    def record(setup):
        instance = _an_instance(game.sample, setup)
        return game.record(instance, game.init(instance), jnp.int32(NO_BUDGET))

    result = jax.eval_shape(record, jax.tree.map(to_device, environment.setup))
    fields = result._asdict() if hasattr(result, "_asdict") else {}
    return [k for k, x in fields.items() if isinstance(x, jax.ShapeDtypeStruct)]


def _an_instance(sample, setup):
    return sample(jax.random.key(0, impl=KEYS), setup)


def _of_lane(rules: Rules, params, instance, tables):
    """States, record, and what is kept of a checkpoint: rounds, accounts, notes."""
    states = rules.policy.init(params), rules.game.init(instance)
    record = rules.game.record(instance, states[1], jnp.int32(NO_BUDGET))
    with jax.enable_x64(True):
        accounts = account(rules.game, rules.keep, tables, instance, record)
    notes = notes_of(rules.policy, states[0], params)
    return states, record, (jnp.int32(0), accounts, notes)


def _bytes(tree: Any) -> int:
    return sum(x.size * x.dtype.itemsize for x in jax.tree.leaves(tree))
