"""Ask and tell: a policy against the real thing, a solver or a process of one's own.

    session = live.start(policy, root_seed=1)
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
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxbandits.checks import shown, whole
from jaxbandits.checks.points import points_from
from jaxbandits.engine.tape import Key, Stream, draw_words, root_key, stream_key
from jaxbandits.live.session import (
    Session,
    check_action,
    check_answer,
    check_feedback,
    check_session,
    check_view,
    failed,
    form_of,
    params_of,
)
from jaxbandits.protocol import Act, Policy, Update, View
from jaxbandits.simulation.arguments import is_policy


def start(
    policy: Policy,
    params: Mapping[str, float] | None = None,
    *,
    root_seed: int = 0,
    seed_index: int = 0,
) -> Session:
    """Begin a game.

    Args:
      policy: of the library or of one's own.
      params: parameters that are not default, by name.
      root_seed, seed_index: the root seed, and which of its seeds; the noise is theirs.

    Raises:
      TypeError, ValueError: naming the argument that is wrong, or the parameter; also
        if the policy must be told a horizon or budget, and is not.
    """
    if not is_policy(policy):
        raise TypeError(f"policy must be a Policy, got {shown(policy)}")
    if not isinstance(params, Mapping | None):
        raise TypeError(
            f"params must be a mapping from names to numbers, got {shown(params)}"
        )
    whole("root_seed", root_seed, 0, 2**64 - 1)
    whole("seed_index", seed_index, 0, 2**32 - 1)
    untold = sorted(set(policy.told) - set(params or {}))
    if untold:
        raise ValueError(f"params: the policy must be told {', '.join(untold)}")
    given = points_from(params, "params")
    if given.count > 1:
        raise ValueError(f"params must be single numbers, got {given.count} points")
    own = params_of(policy, given, "params")
    return Session(policy, own, (root_seed, seed_index), 1, policy.init(own))


def ask(session: Session, view: Any = None) -> Any:
    """What to do in this round. Asked again, the answer is the same.

    Args:
      session: the game so far.
      view: what the policy may know before it acts, where a setting's view has more
        than the round.

    Returns:
      The setting's action; leaves are NumPy numbers or arrays.

    Raises:
      TypeError, ValueError: naming the session or the view, if it is not of the
        policy's game, or leads to an action that the game has not.
    """
    session = check_session(session)
    policy, params, seed, round_, state = session
    view = check_view(session, view)
    key = _key(seed, Stream.ACT)
    try:
        action = _act(
            policy.act, policy.words[0], key, jnp.int32(round_), view, state, params
        )
    except Exception as error:  # whatever a policy's function raises
        raise failed(session, view, "view", error) from error
    return check_answer(session, view, action)


def tell(session: Session, action: Any, feedback: Any, view: Any = None) -> Session:
    """Tell the policy what came of an action; the next round begins.

    Args:
      session: the game so far.
      action: what was done, which need not be what `ask` said.
      feedback: the setting's feedback; its leaves may be Python numbers or lists.
      view: as for `ask`.

    Raises:
      TypeError, ValueError: naming the session, the action or the feedback, if it is
        not of the policy's game, NaN, or what no round of the game can be.
    """
    session = check_session(session)
    policy, params, seed, round_, state = session
    view = check_view(session, view)
    action = check_action(session, view, action)
    feedback = check_feedback(session, view, action, feedback)
    key, width = _key(seed, Stream.UPDATE), policy.words[1]
    given = (jnp.int32(round_), view, state, action, feedback, params)
    try:
        after = _update(policy.update, width, key, *given)
    except Exception as error:  # whatever a policy's function raises
        raise failed(session, view, "feedback", error) from error
    if form_of(after) != form_of(state):
        raise TypeError(
            "feedback must be of one round, in the shapes of the game; the policy's "
            f"state would change its shape by {shown(feedback)}"
        )
    return session._replace(round=int(round_) + 1, state=after)


def recommend(session: Session) -> Any:
    """The policy's answer if the game ended now.

    Raises:
      ValueError: if the policy has none, or it is none of the game.
    """
    session = check_session(session)
    if session.policy.recommend is None:
        raise ValueError(
            f"policy {session.policy.name!r} recommends nothing (it has no `recommend`)"
        )
    action = session.policy.recommend(session.state, session.params)
    return check_answer(session, View(jnp.int32(session.round)), action)


def _key(seed: tuple[int, int], stream: Stream) -> Key:
    root, index = seed
    return stream_key(root_key(root), jnp.uint32(index), stream)


@partial(jax.jit, static_argnums=(0, 1))
def _act(
    act: Act, width: int, key: Key, round_: Array, view: Any, state: Any, params: Any
) -> Any:
    return act(draw_words(key, round_, width), view, state, params)


@partial(jax.jit, static_argnums=(0, 1))
def _update(
    update: Update,
    width: int,
    key: Key,
    round_: Array,
    view: Any,
    state: Any,
    action: Any,
    feedback: Any,
    params: Any,
) -> Any:
    noise = draw_words(key, round_, width)
    return update(noise, view, state, action, feedback, params)
