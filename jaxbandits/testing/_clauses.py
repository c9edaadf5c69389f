"""What checks of policies and of environments have in common."""

from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.engine.books import Books, closed
from jaxbandits.engine.rules import NO_BUDGET
from jaxbandits.protocol import Environment
from jaxbandits.testing._trace import Trace


@contextmanager
def refused(whose: str = ""):
    """What is refused in play is a broken clause."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{whose}{error}") from error


def tried(function: Callable[..., Any], *args: Any) -> Any:
    """A result, or None where there is none: `check_round` says why, by name."""
    try:
        return function(*args)
    except Exception:  # noqa: BLE001 - whatever a user's function raises
        return None


def first(when: Any, round_: Any, broken: Any) -> Any:
    """The first round in which something was broken, i32[]: before, and after another.

    Args:
      when: as of before; 0 if it was never broken.
      round_: the round.
      broken: bool[], whether it is broken now.
    """
    return jnp.where((when == 0) & broken, round_, when)


def books(environment: Environment, instance: Any, trace: Trace) -> Books:
    """Of one run, at its end."""
    state = jax.tree.map(jnp.asarray, trace.environment)
    record = environment.game.record(instance, state, jnp.int32(NO_BUDGET))
    record = jax.tree.map(lambda x: np.asarray(x)[None, None], record)
    batch = jax.tree.map(lambda x: np.asarray(x)[None], instance)
    with refused():
        return closed(environment, batch, record)
