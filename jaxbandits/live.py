"""Ask and tell: a policy against the real thing, a solver or a process of one's own.

    session = live.start(policy, seed=1)
    while True:
        action = live.ask(session)
        ... do it, and see what comes of it ...
        session = live.tell(session, action, feedback)

A session is a value, as everything here: keep it, go back to it, or pickle its `round`
and `state` and go on another day. With the same seed and the same answers it does what
a run of `simulate` does.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.arguments import is_policy, points_of
from jaxbandits.checks import MOST_ROUNDS, instance, shown, whole
from jaxbandits.engine.tape import Key, Stream, draw_words, root_key, stream_key
from jaxbandits.protocol import Action, Feedback, Policy, View
from jaxbandits.schedule import Schedule


class Session(NamedTuple):
    """A policy in the middle of a game.

    Attributes:
      policy: the policy.
      params: its parameters, numbers in JAX's precision.
      seed: (root seed, seed index), as of a run of `simulate`.
      round: of the next action; the first is 1.
      state: what the policy knows.
    """

    policy: Policy
    params: Any
    seed: tuple[int, int]
    round: int
    state: Any


def start(
    policy: Policy,
    params: Mapping[str, float] | None = None,
    *,
    seed: int = 0,
    seed_index: int = 0,
) -> Session:
    """Begin a game.

    Args:
      policy: of the library or of one's own.
      params: parameters that are not default, by name.
      seed, seed_index: the root seed, and which of its seeds; the noise is theirs.

    Raises:
      TypeError, ValueError: naming the argument that is wrong, or the parameter; also
        if the policy must be told a horizon or budget, and is not.
    """
    if not is_policy(policy):
        raise TypeError(f"policy must be a Policy, got {shown(policy)}")
    whole("seed", seed, 0, 2**64 - 1)
    whole("seed_index", seed_index, 0, 2**32 - 1)
    untold = sorted(set(policy.told) - set(params or {}))
    if untold:
        raise ValueError(f"params: the policy must be told {', '.join(untold)}")
    schedule = Schedule([MOST_ROUNDS], MOST_ROUNDS)  # nobody asks for it
    policy_ = policy._replace(told=())
    points = points_of(policy.name, policy_, params or {}, schedule)
    if len(points) > 1:
        raise ValueError(f"params must be single numbers, got {len(points)} points")
    own = policy.params
    if points[0]:
        own = type(own)(**{k: jnp.asarray(v, float) for k, v in points[0].items()})
    return Session(policy, own, (seed, seed_index), 1, policy.init(own))


def ask(session: Session, view: Any = None) -> Action:
    """What to do in this round. Asked again, the answer is the same.

    Args:
      session: the game so far.
      view: what the policy may know before it acts, where a setting's view has more
        than the round.

    Returns:
      The setting's action; leaves are NumPy numbers or arrays.
    """
    policy, params, seed, round_, state = instance(
        "session", session, Session, "of live.start"
    )
    action = _act(
        policy.act,
        policy.words[0],
        _key(seed, Stream.ACT),
        jnp.int32(round_),
        _view(session, view),
        state,
        params,
    )
    return jax.tree.map(lambda x: np.asarray(x)[()], action)


def tell(
    session: Session, action: Action, feedback: Feedback, view: Any = None
) -> Session:
    """Tell the policy what came of an action; the next round begins.

    Args:
      session: the game so far.
      action: what was done, which need not be what `ask` said.
      feedback: the setting's feedback; its leaves may be Python numbers.
      view: as for `ask`.
    """
    policy, params, seed, round_, state = instance(
        "session", session, Session, "of live.start"
    )
    state = _update(
        policy.update,
        policy.words[1],
        _key(seed, Stream.UPDATE),
        jnp.int32(round_),
        _view(session, view),
        state,
        _played(action),
        _played(feedback),
        params,
    )
    return session._replace(round=round_ + 1, state=state)


def recommend(session: Session) -> Action:
    """The policy's answer if the game ended now.

    Raises:
      ValueError: if the policy has none.
    """
    instance("session", session, Session, "of live.start")
    if session.policy.recommend is None:
        raise ValueError(f"policy {session.policy.name!r} recommends nothing")
    action = session.policy.recommend(session.state, session.params)
    return jax.tree.map(lambda x: np.asarray(x)[()], action)


def _view(session, view):
    return View(jnp.int32(session.round)) if view is None else _played(view)


def _key(seed, stream) -> Key:
    root, index = seed
    return stream_key(root_key(root), jnp.uint32(index), stream)


def _played(tree):
    """Leaves in the types of a game: JAX's floats, int32, bool."""
    kinds = {"f": float, "i": jnp.int32, "b": bool}
    return jax.tree.map(
        lambda x: jnp.asarray(x, kinds.get(np.asarray(x).dtype.kind)), tree
    )


@partial(jax.jit, static_argnums=(0, 1))
def _act(act, width, key, round_, view, state, params):
    return act(draw_words(key, round_, width), view, state, params)


@partial(jax.jit, static_argnums=(0, 1))
def _update(update, width, key, round_, view, state, action, feedback, params):
    noise = draw_words(key, round_, width)
    return update(noise, view, state, action, feedback, params)
