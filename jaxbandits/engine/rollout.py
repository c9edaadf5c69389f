"""The rollout: one compiled program that plays a policy against an environment.

A *lane* is one run: one seed of one parameter point. `draw` makes its instance, `begin`
sets it up, `advance` plays it to a series of checkpoints and returns what the
environment records there.
Memory is proportional to the number of checkpoints, never to the number of rounds.

Two ways to stop: after a number of rounds (all lanes in step), or when a budget is
spent (lanes that have reached the checkpoint are frozen until the slowest has).
"""

from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, PartitionSpec

from jaxbandits.engine.expression import UNIFORM
from jaxbandits.engine.lanes import fill, lanes, lanes_going
from jaxbandits.engine.tape import Stream, draw_words, stream_key
from jaxbandits.engine.xla import compiler_options, platform_of
from jaxbandits.protocol import Environment, Game, Policy, PolicyFunctions

LANES = "lanes"  # name of the mesh axis
# Lanes per device are a multiple of this: every lane goes through the same vector code,
# whatever the chunk. (XLA treats narrower loops in another way, at 5 times the cost.)
LANE_QUANTUM = 64


# That are kept, with what they were compiled to (some 4 MiB each).
MOST_PROGRAMS = 128
# Of instance keys: two words, whatever kind of key JAX makes by default.
KEYS = "threefry2x32"
NO_BUDGET = 2**31 - 1  # stands for the budget of a game played for rounds


class Carry(NamedTuple):
    """What passes from one stretch of checkpoints to the next; lane axis last.

    Attributes:
      round: i32[L], the round to be played next.
      policy: the policy's state.
      environment: the environment's state.
    """

    round: Any
    policy: Any
    environment: Any


class Program(NamedTuple):
    """Compiled-on-demand functions of one policy in one environment.

    `draw(root, seeds, setup) -> instance`, `begin(seeds, params, instance) -> carry`,
    `advance(root, seeds, params, instance, carry, targets, last_round, steps) ->
    (carry, Found, spent)`, with `seeds` u32[L], `params` leaves ``[..., L]``,
    `targets` ``[C]``, at most `steps` rounds (i32[]) one after the other, and `spent`
    [L], what lanes have spent of a budget. Leaves of `instance` have a lane axis (last)
    of length L, or 1 if shared.
    """

    draw: Any
    begin: Any
    advance: Any


class Found(NamedTuple):
    """What there is at the checkpoints of one call of `advance`.

    A call ends after so many steps, wherever it is, so that the host is heard; a
    checkpoint that a lane has not reached then is found by a later call.

    Attributes:
      reached: bool[C, L], whether the rest is what holds at the checkpoint.
      rounds: i32[C, L], rounds played.
      record: the environment's, leaves ``[C, ..., L]``.
      notes: the policy's `Notes`, leaves ``[C, ..., L]``.
    """

    reached: Any
    rounds: Any
    record: Any
    notes: Any


class Engine(NamedTuple):
    """How functions of a lane are mapped over lanes, and how rounds are played.

    Attributes:
      legs: how rounds are played between checkpoints, a function like `scan_legs`.
      lanes: a function like `engine.lanes.lanes`.
      lanes_going: a function like `engine.lanes.lanes_going`.
    """

    legs: Any
    lanes: Any
    lanes_going: Any


class Notes(NamedTuple):
    """What a policy says at a checkpoint: see `recommend` and `report` of `Policy`."""

    recommended: Any
    report: Any


def program_for(
    policy: Policy,
    environment: Environment,
    by_budget: bool,
    mesh: Mesh,
    engine: Engine | None = None,
    uniform: tuple[bool, ...] = (),
) -> Program:
    """The program of a policy in an environment on the devices of `mesh`.

    Args:
      policy: the policy.
      environment: the environment.
      by_budget: whether checkpoints are amounts of spent budget.
      mesh: devices to share lanes over.
      engine: how they are played; `SCAN` by default.
      uniform: which leaves of the parameters are the same in all lanes; by default
        none is known to be.
    """
    functions, game = policy.functions, environment.game
    rules = Rules(
        functions, game, by_budget, uniform, engine or SCAN, platform_of(mesh)
    )
    return _program(rules, mesh)


@lru_cache(MOST_PROGRAMS)
def _program(rules: "Rules", mesh) -> Program:
    """Build the program; equal functions (not data) give the same program."""
    legs = rules.engine.legs
    return Program(
        _drawing(rules.game.sample, mesh),
        jax.jit(
            _sharded(partial(_begin, rules), mesh, lane_args=(0, 1, 2)),
            compiler_options=compiler_options(mesh),
        ),
        jax.jit(
            _sharded(
                partial(_advance, rules, legs),
                mesh,
                lane_args=(1, 2, 3, 4),
                like=partial(_advance, rules, _no_legs),
            ),
            donate_argnums=4,
            compiler_options=compiler_options(mesh),
        ),
    )


@lru_cache(MOST_PROGRAMS)
def _drawing(sample, mesh):
    """`draw` is compiled once for all policies."""
    return jax.jit(
        _sharded(partial(_draw, sample, platform_of(mesh)), mesh, lane_args=(1,)),
        compiler_options=compiler_options(mesh),
    )


class Rules(NamedTuple):
    """What a program is made of. Hashable, no data."""

    policy: PolicyFunctions
    game: Game
    by_budget: bool
    uniform: tuple[bool, ...] = ()
    engine: Engine | None = None
    platform: str = "cpu"

    def lanes(self, fn, in_lanes, num_lanes):
        """The engine's `lanes`, on the platform of the program."""
        return self.engine.lanes(fn, in_lanes, num_lanes, self.platform)

    def lanes_going(self, fn, in_lanes, num_lanes):
        """The engine's `lanes_going`, on the platform of the program."""
        return self.engine.lanes_going(fn, in_lanes, num_lanes, self.platform)

    def param_lanes(self, params):
        """The flags of the parameters for `lanes`."""
        leaves, structure = jax.tree.flatten(params)
        uniform = self.uniform or (False,) * len(leaves)
        return jax.tree.unflatten(structure, [UNIFORM if u else True for u in uniform])


def _sharded(fn, mesh, lane_args, like=None):
    """Run `fn` on every device of the mesh, each on its own share of the lanes.

    Lane axes are last, so the specification of an array follows from its shape; a last
    axis of length 1 is that of an instance which all lanes share. `like` is a function
    that is traced faster and returns the same shapes.
    """

    def spec(x):
        if x.shape[-1] == 1:
            return PartitionSpec()
        return PartitionSpec(*(None,) * (x.ndim - 1), LANES)

    def wrapped(*args):
        in_specs = tuple(
            jax.tree.map(spec, arg) if i in lane_args else PartitionSpec()
            for i, arg in enumerate(args)
        )
        shapes = jax.eval_shape(like or fn, *args)
        return jax.shard_map(
            fn,
            mesh=mesh,
            in_specs=in_specs,
            out_specs=jax.tree.map(spec, shapes),
            check_vma=False,
        )(*args)

    return wrapped


def _draw(sample, platform, root, seeds, setup):
    """Instances of the lanes; a leaf that does not depend on the seed is shared."""

    def one(root, seed, setup):
        key = stream_key(root, seed, Stream.INSTANCE)
        words = jnp.stack([key.high, key.low])
        return sample(jax.random.wrap_key_data(words, impl=KEYS), setup)

    mapped = lanes(one, (False, True, False), seeds.shape[0], platform)
    return jax.tree.map(
        lambda x, lane: x if lane else jnp.asarray(x)[..., None],
        *mapped(root, seeds, setup),
    )


def _flagged(instance):
    """An instance as `lanes` takes it: shared leaves without a lane axis, and flags."""
    flags = jax.tree.map(lambda x: x.shape[-1] > 1, instance)
    return jax.tree.map(lambda x, f: x if f else x[..., 0], instance, flags), flags


def _begin(rules: Rules, seeds, params, instance):
    num_lanes = seeds.shape[0]
    instance, flags = _flagged(instance)
    policy = rules.lanes(rules.policy.init, (True,), num_lanes)(params)
    its = rules.lanes(rules.game.init, (flags,), num_lanes)(instance)
    states = (fill(*state, num_lanes) for state in (policy, its))
    return Carry(jnp.ones((num_lanes,), jnp.int32), *states)


def _advance(
    rules: Rules,
    legs,
    root,
    seeds,
    params,
    instance,
    carry,
    targets,
    last_round,
    steps,
):
    num_lanes = seeds.shape[0]
    keys = {s: stream_key(root, seeds, s) for s in Stream if s != Stream.INSTANCE}
    leg = legs(rules, keys, params, instance, last_round)
    spent_of = _spending(rules, instance, num_lanes)
    instance, instance_lanes = _flagged(instance)

    def reaches(carry, target):
        """Lanes that are done with a checkpoint."""
        if not rules.by_budget:
            return carry.round > target.astype(jnp.int32)
        return ~(spent_of(carry) < target) | (carry.round > last_round)

    def to_checkpoint(state, target):
        carry, steps, before, on = state
        # Where the steps were used up, all wait as they are.
        carry, steps = leg(carry, jnp.where(on, target, before), steps)
        reached = reaches(carry, target)
        state = (carry, steps, jnp.where(on, target, before), on & jnp.all(reached))
        record = rules.lanes(
            rules.game.record, (instance_lanes, True, False), num_lanes
        )
        budget = target if rules.by_budget else jnp.int32(NO_BUDGET)
        record = fill(*record(instance, carry.environment, budget), num_lanes)
        notes = rules.lanes(partial(notes_of, rules.policy), (True, True), num_lanes)
        notes = fill(*notes(carry.policy, params), num_lanes)
        return state, Found(reached, carry.round - 1, record, notes)

    start = (carry, steps, targets[0], jnp.bool(True))
    (carry, *_), found = lax.scan(to_checkpoint, start, targets)
    return carry, found, spent_of(carry)


def _spending(rules: Rules, instance, num_lanes):
    """``carry -> [L]``, what lanes have spent: the same bits wherever it is asked.

    The loop plays until no lane has less than the target, and what follows counts the
    lanes that have reached it: if the two differ in the last digit, a game that ends
    exactly at its budget has no end. XLA takes the reciprocal of a divisor that all
    lanes share in one place, and divides in another; so nothing is shared here.
    """
    if not rules.by_budget:
        return lambda carry: jnp.zeros((num_lanes,), jnp.int32)

    def own(x):
        return lax.optimization_barrier(jnp.broadcast_to(x, (*x.shape[:-1], num_lanes)))

    instance = jax.tree.map(own, instance)
    spent = rules.lanes(rules.game.spent, (True, True), num_lanes)
    return lambda carry: fill(*spent(instance, carry.environment), num_lanes)


def scan_legs(rules: Rules, keys, params, instance, last_round):
    """How rounds are played: one step of a loop per round, in all lanes.

    Args:
      rules: the policy and the environment.
      keys: stream keys of the lanes, by `Stream`.
      params: leaves ``[..., L]``.
      instance: leaves with a lane axis (last), of length 1 if shared.
      last_round: i32[], no lane plays beyond it.

    Returns:
      ``leg(carry, target, steps) -> (carry, steps)``, which plays to a checkpoint, or
      for as many steps as are left.
    """
    num_lanes = keys[Stream.ACT].low.shape[0]
    spent_of = _spending(rules, instance, num_lanes)
    instance, instance_lanes = _flagged(instance)
    play, param_lanes = partial(play_round, rules), rules.param_lanes(params)

    def in_step(carry, target, steps):
        """All lanes play the same round."""
        in_lanes = (False, True, instance_lanes, param_lanes, True)

        def body(round_, states):
            args = (round_, keys, instance, params, states)
            return fill(*rules.lanes(play, in_lanes, num_lanes)(*args), num_lanes)

        start = carry.round[0]
        end = start + jnp.clip(target.astype(jnp.int32) + 1 - start, 0, steps)
        states = lax.fori_loop(start, end, body, (carry.policy, carry.environment))
        return Carry(jnp.full_like(carry.round, end), *states), steps - (end - start)

    def until_spent(carry, target, steps):
        """Every lane plays a round of its own, or is frozen."""
        in_lanes = (True, True, instance_lanes, param_lanes, True)

        def active(carry):
            return (spent_of(carry) < target) & (carry.round <= last_round)

        def body(state):
            carry, steps = state
            going = active(carry)
            states = (carry.policy, carry.environment)
            args = (carry.round, keys, instance, params, states)
            states = rules.lanes_going(play, in_lanes, num_lanes)(going, *args)
            return Carry(carry.round + going, *states), steps - 1

        def goes_on(state):
            carry, steps = state
            return jnp.any(active(carry)) & (steps > 0)

        return lax.while_loop(goes_on, body, (carry, steps))

    return until_spent if rules.by_budget else in_step


SCAN = Engine(scan_legs, lanes, lanes_going)


def _no_legs(rules, keys, params, instance, last_round):
    """As `scan_legs`, but no round is played: the shapes of results are the same."""
    del rules, keys, params, instance, last_round
    return lambda carry, target, steps: (carry, steps)


def notes_of(policy: PolicyFunctions, state, params) -> Notes:
    """What the policy says of its state, one lane."""
    said = (policy.recommend, policy.report)
    return Notes(*(say(state, params) if say else {} for say in said))


def play_round(rules: Rules, round_, keys, instance, params, states, draw=draw_words):
    """One round of one lane. Barriers keep XLA from recomputing a stage downstream.

    `states` are those of the policy and of the environment.
    """
    policy, (policy_state, env_state) = rules.policy, states
    act_width, update_width = policy.words
    view = rules.game.view(round_, instance, env_state)
    noise = _drawn(draw, keys[Stream.ACT], round_, act_width)
    action = policy.act(noise, view, policy_state, params)
    action = lax.optimization_barrier(action)
    noise = _drawn(draw, keys[Stream.ENVIRONMENT], round_, rules.game.words)
    env_state, feedback = rules.game.step(noise, instance, env_state, action)
    feedback = lax.optimization_barrier(feedback)
    noise = _drawn(draw, keys[Stream.UPDATE], round_, update_width)
    policy_state = policy.update(noise, view, policy_state, action, feedback, params)
    return policy_state, env_state


def _drawn(draw, key, round_, width):
    noise = draw(key, round_, width)
    return lax.optimization_barrier(noise) if width else noise
