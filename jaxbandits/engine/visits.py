"""The checkpoints: what is put on record when a lane comes to one."""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from jaxbandits.engine.lanes import fill
from jaxbandits.engine.rules import NO_BUDGET, Rules, flagged, notes_of


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


def seen_by(rules: Rules, params, instance):
    """``(carry, target) -> (rounds, record, notes)``, what is on record now.

    `target` [L] is the amount of a budget that every lane has come to, or None.
    """
    own, flags = flagged(instance)

    def seen(carry, target):
        num_lanes, each = carry.round.shape[0], target is not None
        record = rules.lanes(rules.game.record, (flags, True, each), num_lanes)
        target = target if each else jnp.int32(NO_BUDGET)
        record = fill(*record(own, carry.environment, target), num_lanes)
        notes = rules.lanes(partial(notes_of, rules.policy), (True, True), num_lanes)
        notes = fill(*notes(carry.policy, params), num_lanes)
        return carry.round - 1, record, notes

    return seen


def in_step(leg, seen, carry, targets, steps):
    """Play to rounds, which all lanes come to at the same time."""

    def to_checkpoint(state, target):
        carry, steps = state
        # Where the steps are used up, nothing is played.
        carry, steps = leg(carry, target, steps)
        found = Found(carry.round > target, *seen(carry, None))
        return (carry, steps), found

    targets = targets.astype(jnp.int32)
    (carry, _), found = lax.scan(to_checkpoint, (carry, steps), targets)
    return carry, found


def each_in_its_time(leg, seen, reaches, carry, known, targets, count, steps):
    """Play to amounts of a budget, which every lane comes to in a round of its own.

    Of `targets`, `count` are played to.

    A lane that has come to a checkpoint waits until some more have; then all of them
    are put on record, each at its own place, and go on.
    """

    def target_of(place):
        """Of the next checkpoint of every lane; of the last if there is none."""
        return targets[jnp.minimum(place, count - 1)]

    def arrived(carry, place):
        return (place < count) & reaches(carry, target_of(place))

    def noted(carry, place, rows):
        """All that has been reached, also several checkpoints in one round."""

        def note(state):
            place, rows = state
            here = arrived(carry, place)
            row = jnp.where(here, place, targets.size)  # elsewhere: nothing is written
            rows = jax.tree.map(partial(_put, row), rows, seen(carry, target_of(place)))
            return place + here, rows

        def more(state):
            return jnp.any(arrived(carry, state[0]))

        return lax.while_loop(more, note, (place, rows))

    def stretch(state):
        carry, steps, place, rows = state
        carry, steps = leg(carry, target_of(place), steps)
        return carry, steps, *noted(carry, place, rows)

    def goes_on(state):
        _, steps, place, _ = state
        return jnp.any(place < count) & (steps > 0)

    shapes = jax.eval_shape(seen, carry, target_of(known))
    rows = jax.tree.map(
        lambda x: jnp.zeros((*targets.shape, *x.shape), x.dtype), shapes
    )
    state = carry, steps, *noted(carry, known, rows)
    carry, _, place, rows = lax.while_loop(goes_on, stretch, state)
    return carry, Found(jnp.arange(targets.size)[:, None] < place[None], *rows)


def _put(row, rows, x):
    """Write ``x`` [..., L] into ``rows`` [C, ..., L], every lane in its own row."""
    inner = jnp.ix_(*map(jnp.arange, x.shape))
    row = row.reshape(inner[-1].shape)
    return rows.at[row, *inner].set(x, mode="drop", unique_indices=True)
