"""The accounts at a checkpoint: metrics, computed in float64 on the device.

A record (for example the counts of all pairs) is large, and only a few numbers of it
are results. So metrics are traced into the program that plays, but in float64 whatever
the precision of play, and only these numbers leave the device.
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.checks import shown
from jaxbandits.console.faults import is_users
from jaxbandits.protocol import Environment, Game

MOST_PROGRAMS = 128  # compiled programs that are kept, of some 4 MiB each


class Accounts(NamedTuple):
    """The results of a record.

    Attributes:
      metrics: float64, by name.
      counted: how many of the rounds had an action of the game; None if unknown.
      kept: fields of the record as they are, by name.
    """

    metrics: dict[str, Any]
    counted: Any
    kept: dict[str, Any]


def counted(game: Game, instance, record):
    """How many of the recorded rounds had an action of the game: i32[], or None.

    A game without `actions` is taken to count one pull in every round if its record has
    a field of integers named `pulls`.
    """
    if game.actions is not None:
        return game.actions.counted(instance, record)
    pulls = getattr(record, "pulls", None)
    whole = pulls is not None and jnp.issubdtype(pulls.dtype, jnp.integer)
    return jnp.sum(pulls) if whole else None


def account(game: Game, keep: tuple[str, ...], tables, instance, record) -> Accounts:
    """The accounts of one lane at one checkpoint; traced under ``jax.enable_x64``.

    Args:
      game: the game.
      keep: fields of `record` that are kept.
      tables: of the environment.
      instance: of the lane.
      record: of the lane.

    Raises:
      ValueError, TypeError: naming the metrics, if they fail.
    """
    try:
        result = game.metrics(tables, instance, record)
        if not isinstance(result, Mapping):
            raise TypeError(f"they must be names and numbers, got {shown(result)}")
        for name, x in result.items():
            if jnp.iscomplexobj(x):
                raise TypeError(f"{name!r} must be a real number, got a complex one")
        metrics = {name: jnp.asarray(x).astype(float) for name, x in result.items()}
    except Exception as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        words = str(error).strip().split("\n")[0]
        raise kind(
            f"the environment's metrics failed: {type(error).__name__}: {words}"
        ) from error
    kept = {name: getattr(record, name) for name in keep}
    return Accounts(metrics, counted(game, instance, record), kept)


def tables_of(environment: Environment, instance):
    """An environment's tables, float64, with a row per instance or one for all.

    Args:
      environment: the environment.
      instance: leaves ``[S, ...]`` or ``[1, ...]``, NumPy arrays.

    Raises:
      ValueError, TypeError: naming the tables, if they fail or are other than arrays of
        numbers with such rows.
    """
    owner = f"environment {environment.name!r}: tables"
    try:
        result = environment.tables(instance)
    except Exception as error:
        if is_users(error) and isinstance(error, ValueError | TypeError):
            raise  # its own text names what is wrong with the instance
        words = str(error).strip().split("\n")[0]
        raise ValueError(
            f"{owner} failed: {type(error).__name__}: {words}; it must take an "
            "instance, whose arrays have a row per seed or one for all"
        ) from error
    rows = {1, *map(len, jax.tree.leaves(instance))}

    def checked(leaf):
        array = np.asarray(leaf)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"{owner} must hold numbers, got {shown(leaf)}")
        if not array.ndim or len(array) not in rows:
            raise ValueError(
                f"{owner} must have arrays of {max(rows)} rows, one per instance, or "
                f"of one for all, got shape {list(array.shape)}"
            )
        if np.any(np.isnan(array)):
            raise ValueError(f"{owner} must not hold NaN, got {shown(array)}")
        return array.astype(np.float64)

    return jax.tree.map(checked, result)


def accounts_of(
    environment: Environment, instance, record, keep: tuple[str, ...] = ()
) -> Accounts:
    """The accounts of lanes on the host.

    Args:
      environment: the environment.
      instance: leaves ``[S, ...]`` or ``[1, ...]``.
      record: leaves ``[S, C, ...]``.
      keep: fields of it that are kept.
    """
    tables = tables_of(environment, instance)
    with jax.enable_x64(True):
        accounts = _of_seeds(environment.game, keep)(tables, instance, record)
    return jax.tree.map(np.asarray, accounts)


@lru_cache(MOST_PROGRAMS)
def _of_seeds(game: Game, keep: tuple[str, ...]):
    """`account` over seeds and checkpoints, compiled; arguments as of `accounts_of`."""

    def of_seeds(tables, instance, record):
        shared = tables, instance
        axes = jax.tree.map(lambda x: 0 if len(x) > 1 else None, shared)
        shared = jax.tree.map(lambda x: x if len(x) > 1 else x[0], shared)
        of_seed = jax.vmap(partial(account, game, keep), (None, None, 0))
        return jax.vmap(of_seed, (*axes, 0))(*shared, record)

    return jax.jit(of_seeds)


def lanes_last(tables, lanes=slice(None)):
    """Tables ``[S, ...]`` of the host as programs take them.

    Args:
      tables: of `tables_of`.
      lanes: position of the seed of every lane.
    """
    tables = jax.tree.map(lambda x: x[lanes] if len(x) > 1 else x, tables)
    with jax.enable_x64(True):
        return jax.tree.map(lambda x: jax.device_put(np.moveaxis(x, 0, -1)), tables)
