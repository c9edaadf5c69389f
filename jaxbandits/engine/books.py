"""The books at a checkpoint: metrics, in float64, where the records lie.

A record (the counts of all pairs, say) is large, and what is kept of it a few numbers.
So metrics are functions that are traced, mapped over lanes and checkpoints, and run on
the device in float64 whatever the precision of play: only numbers leave it.
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

from jaxbandits.checks import shown
from jaxbandits.protocol import Environment, Game

MOST_PROGRAMS = 128  # that are kept


class Books(NamedTuple):
    """What is kept of a record.

    Attributes:
      metrics: float64, by name.
      counted: how many of the rounds had an action of the game; None if nobody knows.
    """

    metrics: dict[str, Any]
    counted: Any


def counted(game: Game, instance, record):
    """How many rounds on record had an action of the game, i32[], or None.

    A game that does not say what its actions are, and has counts named `pulls` on
    record, is taken to count one in every round.
    """
    if game.actions is not None:
        return game.actions.counted(instance, record)
    pulls = getattr(record, "pulls", None)
    whole = pulls is not None and jnp.issubdtype(pulls.dtype, jnp.integer)
    return jnp.sum(pulls) if whole else None


def close(game: Game, tables, instance, record) -> Books:
    """The books of one lane at one checkpoint; to be traced in float64.

    Raises:
      ValueError, TypeError: naming the metrics, if they fail.
    """
    try:
        found = game.metrics(tables, instance, record)
        if not isinstance(found, Mapping):
            raise TypeError(f"they must be names and numbers, got {shown(found)}")
        metrics = {name: jnp.asarray(x).astype(float) for name, x in found.items()}
    except Exception as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        words = str(error).strip().split("\n")[0]
        raise kind(
            f"the environment's metrics failed: {type(error).__name__}: {words}"
        ) from error
    return Books(metrics, counted(game, instance, record))


@lru_cache(MOST_PROGRAMS)
def closing(game: Game, mesh: Mesh | None = None):
    """``(tables, instance, record) -> Books``, compiled.

    Leaves of `record` are ``[C, ..., L]``, those of `tables` and `instance`
    ``[..., L]`` or ``[..., 1]``, those of the result ``[C, L]``. Every mesh has a
    program of its own.
    """
    del mesh  # part of the key

    def of_all(tables, instance, record):
        shared = tables, instance
        axes = jax.tree.map(lambda x: -1 if x.shape[-1] > 1 else None, shared)
        shared = jax.tree.map(lambda x: x if x.shape[-1] > 1 else x[..., 0], shared)
        of_lane = partial(close, game)
        of_lanes = jax.vmap(of_lane, (*axes, -1), -1)
        return jax.vmap(of_lanes, (None, None, 0))(*shared, record)

    return jax.jit(of_all)


def closed(environment: Environment, instance, record) -> Books:
    """The books of lanes on the host.

    Args:
      environment: the environment.
      instance: leaves ``[S, ...]`` or ``[1, ...]``.
      record: leaves ``[S, C, ...]``.
    """
    tables, instance = environment.tables(instance), _lanes_last(instance)
    record = jax.tree.map(lambda x: np.moveaxis(x, 0, -1), record)
    with jax.enable_x64(True):
        books = closing(environment.game)(lanes_last(tables), instance, record)
    return jax.tree.map(lambda x: np.moveaxis(np.asarray(x), -1, 0), books)


def lanes_last(tables, lanes=slice(None)):
    """Tables ``[S, ...]`` of the host as `closing` takes them.

    Args:
      tables: of the environment.
      lanes: position of the seed of every lane.
    """
    tables = jax.tree.map(lambda x: x[lanes] if len(x) > 1 else x, tables)
    # Not by calling np.float64: before NumPy 2.4 that makes a number of an array [1].
    tables = jax.tree.map(lambda x: np.asarray(x, np.float64), tables)
    with jax.enable_x64(True):
        return jax.tree.map(jnp.asarray, _lanes_last(tables))


def _lanes_last(tree):
    return jax.tree.map(lambda x: np.moveaxis(np.asarray(x), 0, -1), tree)
