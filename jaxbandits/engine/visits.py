"""The checkpoints: what is put on record when a lane comes to one."""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from jaxbandits.engine.accounting import account
from jaxbandits.engine.cpu.lanes import fill
from jaxbandits.engine.rules import NO_BUDGET, Rules, flagged, notes_of


class Recorded(NamedTuple):
    """What there is at the checkpoints of one call of `advance`.

    A call ends after so many steps, wherever it is, so that the host is heard; what
    lanes have not come to then is found by a later call, and what earlier calls have
    found is not repeated: those rows hold anything.

    Attributes:
      rounds: i32[C, L], rounds played.
      accounts: `Accounts` of the environment's record, leaves ``[C, ..., L]``.
      notes: the policy's `Notes`, leaves ``[C, ..., L]``.
    """

    rounds: Any
    accounts: Any
    notes: Any


def seen_by(rules: Rules, params, tables, instance):
    """``(carry, target) -> Recorded``, what is on record now; leaves ``[..., L]``.

    `target` [L] is the amount of a budget that every lane has come to, or None.
    """
    own, flags = flagged(instance)
    tables, table_flags = flagged(tables)

    def seen(carry, target):
        num_lanes, each = carry.round.shape[0], target is not None
        record = rules.lanes(rules.game.record, (flags, True, each), num_lanes)
        target = target if each else jnp.int32(NO_BUDGET)
        record = fill(*record(own, carry.environment, target), num_lanes)
        record = lax.optimization_barrier(record)
        with jax.enable_x64(True):
            in_lanes = (table_flags, flags, True)
            of_lane = partial(account, rules.game, rules.keep)
            accounts = rules.lanes(of_lane, in_lanes, num_lanes)
            accounts = fill(*accounts(tables, own, record), num_lanes)
        notes = rules.lanes(partial(notes_of, rules.policy), (True, True), num_lanes)
        notes = fill(*notes(carry.policy, params), num_lanes)
        return Recorded(carry.round - 1, accounts, notes)

    return seen


def in_step(leg, seen, carry, known, targets, count, steps):
    """Play to rounds, which all lanes come to at the same time.

    Of `targets`, `count` are played to, from the first that is not `known`.

    Returns:
      ``(carry, known, Recorded)``, with what is known now.
    """
    targets = targets.astype(jnp.int32)

    def to_checkpoint(state):
        carry, steps, place, rows = state
        carry, steps = leg(carry, targets[place], steps)
        rows = jax.tree.map(partial(_put_all, place), rows, seen(carry, None))
        # Where the steps are used up, the row is written again by the next call.
        return carry, steps, place + (carry.round[0] > targets[place]), rows

    def goes_on(state):
        _, steps, place, _ = state
        return (place < count) & (steps > 0)

    rows = _empty(jax.eval_shape(seen, carry, None), targets.size)
    state = carry, steps, known[0], rows
    carry, _, place, rows = lax.while_loop(goes_on, to_checkpoint, state)
    return carry, jnp.full_like(known, place), rows


def each_in_its_time(leg, seen, reaches, carry, known, targets, count, steps):
    """Play to amounts of a budget, which every lane comes to in a round of its own.

    Arguments and result as of `in_step`.

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

    rows = _empty(jax.eval_shape(seen, carry, target_of(known)), targets.size)
    state = carry, steps, *noted(carry, known, rows)
    carry, _, place, rows = lax.while_loop(goes_on, stretch, state)
    return carry, place, rows


def _empty(shapes, count: int):
    """`count` rows of what is on record, zeros."""
    with jax.enable_x64(True):
        return jax.tree.map(lambda x: jnp.zeros((count, *x.shape), x.dtype), shapes)


def _put_all(row, rows, x):
    """Write ``x`` [..., L] into a row of ``rows`` [C, ..., L]."""
    return lax.dynamic_update_index_in_dim(rows, x, row, 0)


def _put(row, rows, x):
    """Write ``x`` [..., L] into ``rows`` [C, ..., L], every lane in its own row."""
    inner = jnp.ix_(*map(jnp.arange, x.shape))
    row = row.reshape(inner[-1].shape)
    with jax.enable_x64(True):  # rows keep their precision
        return rows.at[row, *inner].set(x, mode="drop", unique_indices=True)
