"""A session of ask and tell, and checks that `jaxbandits.live` has made it.

Users keep and change sessions by hand, so every part is checked before it is played.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.checks import (
    MARGIN,
    MOST_ROUNDS,
    instance,
    is_traced,
    precision,
    shown,
    whole,
)
from jaxbandits.contract.params import params_of
from jaxbandits.contract.round import shapes_of
from jaxbandits.protocol import Policy


class Session(NamedTuple):
    """A policy in the middle of a game.

    Attributes:
      policy: the policy.
      params: its parameters, numbers in JAX's precision.
      seed: (root seed, seed index), as in `simulate`.
      round: number of the next round; the first is 1.
      state: the policy's state.
    """

    policy: Policy
    params: Any
    seed: tuple[int, int]
    round: int
    state: Any


def check_session(session: Any) -> Session:
    """Require a session that can continue, and return it.

    Raises:
      TypeError, ValueError: if a part of the session is not as `live` returned it.
    """
    if is_traced(jnp.zeros(())):
        raise TypeError("session must be used outside jax.jit: the host plays it")
    policy, params, seed, round_, state = instance(
        "session", session, Session, "of live.start"
    )
    if not isinstance(policy, Policy):
        raise TypeError(f"session.policy must be a Policy, got {shown(policy)}")
    if not isinstance(seed, tuple | list) or len(seed) != 2:
        raise TypeError(f"session.seed must be two integers, got {shown(seed)}")
    for value, most in zip(seed, (2**64 - 1, 2**32 - 1), strict=True):
        whole("session.seed", value, 0, most)
    whole("session.round", round_, 1, MOST_ROUNDS)
    if type(params) is not type(policy.params):
        raise TypeError(
            f"session.params must be those of {policy.name!r}, got {shown(params)}"
        )
    params = params_of(policy, params, None, "session.params")
    first = jax.eval_shape(policy.init, params)
    if form_of(state) != form_of(first):
        raise TypeError(
            f"session.state must be that of policy {policy.name!r} as `live` left it, "
            f"in the precision of now: {shapes_of(first)}, got "
            f"{shapes_of(jax.tree.map(np.asarray, state))}"
        )
    session = session._replace(params=params)
    _check_numbers(session)
    return session


def form_of(tree: Any) -> tuple[Any, list[tuple[Any, Any]]]:
    """The structure of a tree, and shapes and dtypes of its leaves."""
    leaves, structure = jax.tree.flatten(tree)
    return structure, [(np.shape(x), getattr(x, "dtype", type(x))) for x in leaves]


def _check_numbers(session: Session) -> None:
    """Require a possible state: no NaN, no sums near infinity, no counts < 0.

    Values of the initial state may also occur later: infinity for an index without
    data, -1 for no arm. Only for the library's own policies is it known which integers
    are counts.
    """
    policy = session.policy
    counts = getattr(policy.init, "__module__", "").startswith("jaxbandits.")
    most = float(np.finfo(precision()).max) / MARGIN
    state = jax.tree.map(np.asarray, session.state)
    for place, (path, values) in enumerate(jax.tree_util.tree_leaves_with_path(state)):
        name = f"session.state{jax.tree_util.keystr(path)}"
        if np.any(np.isnan(values)):
            raise ValueError(f"{name} must not hold NaN, got {shown(values)}")
        if jnp.issubdtype(values.dtype, jnp.inexact):
            odd, allowed = (lambda x: np.abs(x) > most), f"numbers up to {most:.2g}"
        elif counts and values.dtype.kind == "i":
            odd, allowed = (lambda x: x < 0), "counts of at least 0"
        else:
            continue
        if np.any(odd(values)):
            first = jax.tree.leaves(policy.init(session.params))[place]
            if not np.any(odd(np.asarray(first))):
                raise ValueError(f"{name} must hold {allowed}, got {shown(values)}")
