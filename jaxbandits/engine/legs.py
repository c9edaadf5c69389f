"""How rounds are played: a loop with a step per round, in all lanes at once."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

from jaxbandits.engine.cpu.expression import UNIFORM
from jaxbandits.engine.cpu.lanes import lanes
from jaxbandits.engine.rules import Carry, Engine, Rules, flagged, play_round, spending
from jaxbandits.engine.tape import Stream

# When one in so many of the lanes that play to a checkpoint of a budget has reached it,
# all stop for it: so few lanes wait, and there are few stops.
WAITING = 8


def scan_legs(rules: Rules, keys, params, instance, last_round):
    """How rounds are played between checkpoints.

    Args:
      rules: the policy and the environment.
      keys: stream keys of the lanes, by `Stream`.
      params: leaves ``[..., L]``.
      instance: leaves with a lane axis (last), of length 1 if shared.
      last_round: i32[], no lane plays beyond it.

    Returns:
      ``leg(carry, target, steps) -> (carry, steps)``, which plays to the checkpoint of
      every lane, `target` [L], or for as many steps as are left. Without a budget all
      lanes have the same target. With one, the leg ends when one in `WAITING` of the
      lanes that play has reached its own.
    """
    num_lanes = keys[Stream.ACT].low.shape[0]
    spent_of = spending(rules, instance, num_lanes)
    instance, instance_lanes = flagged(instance)
    play, structure = partial(play_round, rules), jax.tree.structure(params)
    uniform = rules.uniform or (False,) * structure.num_leaves
    param_lanes = jax.tree.unflatten(
        structure, [UNIFORM if u else True for u in uniform]
    )

    def played(round_, states, going=None):
        """The states after a round; `round_` is each lane's own, or that of all."""
        in_lanes = (round_.ndim > 0, True, instance_lanes, param_lanes, True)
        mapped = rules.lanes(play, in_lanes, num_lanes, going)
        return mapped(round_, keys, instance, params, states)

    def in_step(carry, target, steps):
        start = carry.round[0]
        end = start + jnp.clip(target[0] + 1 - start, 0, steps)
        states = lax.fori_loop(start, end, played, carry[1:])
        return Carry(jnp.full_like(carry.round, end), *states), steps - (end - start)

    def until_spent(carry, target, steps):
        def active(carry):
            return (spent_of(carry) < target) & (carry.round <= last_round)

        playing = jnp.sum(active(carry))

        def body(state):
            carry, steps = state
            going = lax.optimization_barrier(active(carry))
            states = played(carry.round, carry[1:], going)
            return Carry(carry.round + going, *states), steps - 1

        def goes_on(state):
            carry, steps = state
            waiting = playing - jnp.sum(active(carry))
            return (waiting * WAITING < playing) & (steps > 0)

        return lax.while_loop(goes_on, body, (carry, steps))

    return until_spent if rules.by_budget else in_step


SCAN = Engine(scan_legs, lanes)
