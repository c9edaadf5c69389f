"""What checks of policies and of environments have in common."""

from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.checks import require, shown
from jaxbandits.engine.books import Books, closed
from jaxbandits.engine.rules import NO_BUDGET
from jaxbandits.protocol import Environment, Policy
from jaxbandits.testing._trace import Trace, trace_run

TIMES = 5  # that functions of the host are called, to compare


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


def require_arrays(what: str, tree: Any) -> None:
    """Require that a function has given JAX's arrays, and nothing else."""
    for leaf in jax.tree.leaves(tree):
        numpys = isinstance(leaf, np.ndarray | np.generic)
        given = "an array of NumPy" if numpys else shown(leaf)
        require(
            isinstance(leaf, jax.Array),
            f"{what} returned {given}, not an array of JAX: make it with jax.numpy",
        )


def always(what: str, function: Callable[[], Any]) -> Any:
    """What a function of the host gives, and gives again when it is called again."""
    found = function()
    for _ in range(TIMES - 1):
        require_equal(
            found,
            function(),
            f"the environment's {what} gives something else each time that it is asked",
        )
    return found


def require_equal(left: Any, right: Any, message: str) -> None:
    """Require two trees of one structure with equal numbers (NaN equals NaN)."""
    import chex  # takes as long to import as JAX

    try:
        chex.assert_trees_all_equal(left, right)
    except AssertionError:  # twenty lines of Chex
        raise AssertionError(message) from None


def play_twice(
    policy: Policy, environment: Environment, rounds: int, **seed: int
) -> Trace:
    """One run, which must be the same when it is played again."""
    traces = [trace_run(policy, environment, rounds, **seed) for _ in range(2)]
    require_equal(
        *traces,
        f"policy {policy.name!r} in environment {environment.name!r}: a run is not a "
        "pure function of its seed: played again, it is another, so a callback draws "
        "random numbers or keeps what it has seen",
    )
    return traces[0]


def check_actions(
    environment: Environment, instance: Any, trace: Trace, counted: Any
) -> None:
    """Require that all actions of a run are the game's, and that its books count them.

    Args:
      environment: the environment.
      instance: of the run.
      trace: of the run.
      counted: how many rounds the books count, or None if they do not say.
    """
    actions = environment.game.actions
    if actions is not None:
        allowed = jax.vmap(actions.allowed, (None, 0))(instance, trace.actions)
        number = int(np.argmin(allowed))
        action = jax.tree.map(lambda x: x[number].tolist(), trace.actions)
        require(
            np.all(allowed),
            f"it plays {action} in round {number + 1}, not {actions.text}",
        )
    rounds = len(jax.tree.leaves(trace.actions)[0])
    require(
        counted is None or np.all(counted == rounds),
        f"it plays {rounds} rounds, and the environment counts {np.max(counted)} "
        "with an action that the game has: act must give no other, and the game's "
        f"{'actions.counted' if actions else 'pulls'} must count every round once",
    )


def first(when: Any, round_: Any, broken: Any) -> Any:
    """The first round in which something was broken, i32[]: before, and after another.

    Args:
      when: as of before; 0 if it was never broken.
      round_: the round.
      broken: bool[], whether it is broken now.
    """
    return jnp.where((when == 0) & broken, round_, when)


def record_of(environment: Environment, instance: Any, state: Any) -> Any:
    """What the environment records of a state."""
    state = jax.tree.map(jnp.asarray, state)
    return environment.game.record(instance, state, jnp.int32(NO_BUDGET))


def books(environment: Environment, instance: Any, trace: Trace) -> Books:
    """Of one run, at its end."""
    record = record_of(environment, instance, trace.environment)
    record = jax.tree.map(lambda x: np.asarray(x)[None, None], record)
    batch = jax.tree.map(lambda x: np.asarray(x)[None], instance)
    with refused():
        return always("metrics", lambda: closed(environment, batch, record))
