"""Checkpoints: what is recorded when a lane reaches one."""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from jaxbandits.engine.accounting import account
from jaxbandits.engine.rules import NO_BUDGET, Carry, Rules, flagged, notes_of


class Recorded(NamedTuple):
    """What is recorded at the checkpoints of a stretch.

    Attributes:
      rounds: i32[C, L], rounds played.
      accounts: `Accounts` of the environment's record, leaves ``[C, ..., L]``.
      notes: the policy's `Notes`, leaves ``[C, ..., L]``.
    """

    rounds: Any
    accounts: Any
    notes: Any


class Play(NamedTuple):
    """Where lanes are: a call of the program goes on from what the last one returned.

    Attributes:
      carry: the next round and the states.
      reached: i32[L], the number of checkpoints that are recorded.
      rows: the records of this stretch of checkpoints; rows that no lane has reached
        hold anything.
      spent: [L], the part of a budget that is spent; zeros without a budget.
    """

    carry: Carry
    reached: Any
    rows: Recorded
    spent: Any


def recorder(rules: Rules, params, tables, instance):
    """``(carry, target) -> Recorded``, what can be recorded now; leaves ``[..., L]``.

    `target` [L] is the checkpoint that every lane has reached.
    """
    own, flags = flagged(instance)
    tables, table_flags = flagged(tables)

    def record_of(carry, target):
        lanes = partial(rules.lanes, num_lanes=carry.round.shape[0])
        budget = target if rules.by_budget else jnp.int32(NO_BUDGET)
        record = lanes(rules.game.record, (flags, True, rules.by_budget))
        record = lax.optimization_barrier(record(own, carry.environment, budget))
        with jax.enable_x64(True):
            of_lane = partial(account, rules.game, rules.keep)
            accounts = lanes(of_lane, (table_flags, flags, True))(tables, own, record)
        notes = lanes(partial(notes_of, rules.policy), (True, True))
        return Recorded(carry.round - 1, accounts, notes(carry.policy, params))

    return record_of


def visit(leg, record_of, reaches, play: Play, targets, first, count, steps):
    """Play to checkpoints and record them.

    A lane that has reached its next checkpoint waits until some others have, too. Then
    these are recorded, each lane in its own row, and go on. A lane that reaches several
    checkpoints in one round records one of them in every turn.

    Args:
      leg: how rounds are played, from `Engine.legs`.
      record_of: from `recorder`.
      reaches: ``(carry, target) -> bool[L]``, whether a lane has reached its target.
      play: where lanes are.
      targets: [C], the checkpoints of this stretch.
      first: i32[], the number of checkpoints before this stretch.
      count: i32[], how many of `targets` count; the others fill up the shape.
      steps: i32[], the most rounds to play, one after the other.

    Returns:
      ``(carry, reached, rows)``, as in `Play`.
    """

    def goes_on(state):
        _, steps, place, _ = state
        return jnp.any(place < count) & (steps > 0)

    def turn(state):
        carry, steps, place, rows = state
        target = targets[jnp.minimum(place, count - 1)]
        carry, steps = leg(carry, target, steps)
        here = (place < count) & reaches(carry, target)
        row = jnp.where(here, place, targets.size)  # elsewhere nothing is written
        rows = jax.tree.map(partial(_put, row), rows, record_of(carry, target))
        return carry, steps, place + here, rows

    start = play.carry, steps, play.reached - first, play.rows
    carry, _, place, rows = lax.while_loop(goes_on, turn, start)
    return carry, place + first, rows


def _put(row, rows, x):
    """Write ``x`` [..., L] into ``rows`` [C, ..., L], every lane into its own row."""
    inner = jnp.ix_(*map(jnp.arange, x.shape))
    row = row.reshape(inner[-1].shape)
    with jax.enable_x64(True):  # rows keep their precision
        return rows.at[row, *inner].set(x, mode="drop", unique_indices=True)
