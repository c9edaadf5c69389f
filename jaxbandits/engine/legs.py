"""How rounds are played: one step of a loop per round, in all lanes."""

from functools import partial

import jax.numpy as jnp
from jax import lax

from jaxbandits.engine.cpu.lanes import fill, lanes
from jaxbandits.engine.rules import Carry, Engine, Rules, flagged, play_round, spending
from jaxbandits.engine.tape import Stream

# Of lanes that play to a checkpoint of a budget, one in so many waits for the others to
# come to theirs before all go on: few wait, and few stops are made.
WAITING = 8


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
      for as many steps as are left. In a game with a budget `target` is [L], each
      lane's own, and the leg ends when one in `WAITING` of the lanes that play waits.
    """
    num_lanes = keys[Stream.ACT].low.shape[0]
    spent_of = spending(rules, instance, num_lanes) if rules.by_budget else None
    instance, instance_lanes = flagged(instance)
    play, param_lanes = partial(play_round, rules), rules.param_lanes(params)

    def in_step(carry, target, steps):
        """All lanes play the same round."""
        in_lanes = (False, True, instance_lanes, param_lanes, True)

        def body(round_, states):
            args = (round_, keys, instance, params, states)
            return fill(*rules.lanes(play, in_lanes, num_lanes)(*args), num_lanes)

        start = carry.round[0]
        end = start + jnp.clip(target + 1 - start, 0, steps)
        states = lax.fori_loop(start, end, body, (carry.policy, carry.environment))
        return Carry(jnp.full_like(carry.round, end), *states), steps - (end - start)

    def until_spent(carry, target, steps):
        """Every lane plays a round of its own, or waits; until enough of them do."""
        in_lanes = (True, True, instance_lanes, param_lanes, True)

        def active(carry):
            return (spent_of(carry) < target) & (carry.round <= last_round)

        playing = jnp.sum(active(carry))

        def body(state):
            carry, steps = state
            going = lax.optimization_barrier(active(carry))
            states = (carry.policy, carry.environment)
            args = (carry.round, keys, instance, params, states)
            states = rules.lanes(play, in_lanes, num_lanes, going)(*args)
            states = fill(*states, num_lanes)
            return Carry(carry.round + going, *states), steps - 1

        def goes_on(state):
            carry, steps = state
            waiting = playing - jnp.sum(active(carry))
            return (waiting * WAITING < playing) & (steps > 0)

        return lax.while_loop(goes_on, body, (carry, steps))

    return until_spent if rules.by_budget else in_step


SCAN = Engine(scan_legs, lanes)


def no_legs(rules, keys, params, instance, last_round):
    """As `scan_legs`, but no round is played: the shapes of results are the same."""
    del rules, keys, params, instance, last_round
    return lambda carry, target, steps: (carry, steps)
