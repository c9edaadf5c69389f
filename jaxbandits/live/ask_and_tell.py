"""Ask and tell, round by round; see `jaxbandits.live`."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxbandits.checks import shown, whole
from jaxbandits.checks.rounds import array, reported
from jaxbandits.contract.params import params_of
from jaxbandits.contract.round import shapes_of
from jaxbandits.engine.tape import Key, Stream, draw_words, root_key, stream_key
from jaxbandits.live.session import Session, check_session, form_of
from jaxbandits.protocol import Policy, View


def start(
    policy: Policy,
    params: Mapping[str, float] | None = None,
    *,
    root_seed: int = 0,
    seed_index: int = 0,
) -> Session:
    """Begin a game.

    Args:
      policy: a policy of the library or your own.
      params: parameters that are not default, by name.
      root_seed, seed_index: the root seed, and the number of its seed; they determine
        the noise.

    Raises:
      TypeError, ValueError: if an argument or a parameter is wrong; also if the policy
        needs a horizon or budget and `params` does not give it.
    """
    if not isinstance(policy, Policy):
        raise TypeError(f"policy must be a Policy, got {shown(policy)}")
    whole("root_seed", root_seed, 0, 2**64 - 1)
    whole("seed_index", seed_index, 0, 2**32 - 1)
    own = params_of(policy, params, None, "params")
    if missing := sorted(set(policy.game_params) - set(params or {})):
        raise ValueError(f"params must give the policy's {', '.join(missing)}")
    return Session(policy, own, (root_seed, seed_index), 1, policy.init(own))


def ask(session: Session, view: Any = None) -> Any:
    """The policy's action in this round; repeated calls return the same action.

    Args:
      session: the game so far.
      view: what the policy may know before it acts, if a setting's view has more than
        the round.

    Returns:
      The setting's action; leaves are NumPy numbers or arrays.

    Raises:
      TypeError, ValueError: if the session or the view does not belong to the policy's
        game, or leads to an invalid action.
    """
    session = check_session(session)
    policy, params, _, _, state = session
    view = _view(session, view)
    with _of_its_game(policy, view, "view"):
        given = view, state, params
        action = _called(session, policy.act, policy.words[0], Stream.ACT, *given)
    return _answer(session, view, action)


def tell(session: Session, action: Any, feedback: Any, view: Any = None) -> Session:
    """Give the policy the feedback of an action; returns the session of the next round.

    Args:
      session: the game so far.
      action: the action that was played; it may differ from that of `ask`.
      feedback: the setting's feedback; its leaves may be Python numbers or lists.
      view: as for `ask`.

    Raises:
      TypeError, ValueError: if the session, the action or the feedback does not belong
        to the policy's game, holds NaN, or is impossible in the game.
    """
    session = check_session(session)
    policy, params, _, round_, state = session
    view = _view(session, view)
    action = _action(session, view, action)
    feedback = _typed(policy, "feedback", feedback)
    _check(policy, "feedback", view, action, feedback)
    given = view, state, action, feedback, params
    with _of_its_game(policy, view, "feedback"):
        after = _called(session, policy.update, policy.words[1], Stream.UPDATE, *given)
    if form_of(after) != form_of(state):
        raise TypeError(
            "feedback must be of one round, in the shapes of the game; the policy's "
            f"state would change its shape by {shown(feedback)}"
        )
    return session._replace(round=int(round_) + 1, state=after)


def recommend(session: Session) -> Any:
    """The policy's recommendation if the game ended now.

    Raises:
      ValueError: if the policy recommends nothing, or recommends an invalid action.
    """
    session = check_session(session)
    if session.policy.recommend is None:
        raise ValueError(
            f"policy {session.policy.name!r} recommends nothing (it has no `recommend`)"
        )
    action = session.policy.recommend(session.state, session.params)
    return _answer(session, _view(session, None), action)


def _view(session: Session, view: Any) -> Any:
    """The view, by default one that has only the round."""
    if view is None:
        return View(jnp.int32(session.round))
    view = _typed(session.policy, "view", view)
    round_ = getattr(view, "round", None) if isinstance(view, tuple) else None
    if round_ is None:
        raise TypeError(f"view must be a View of the setting, got {shown(view)}")
    if round_ != session.round:
        raise ValueError(
            f"view.round must be the session's, {session.round}, got {round_}"
        )
    _check(session.policy, "view", view)
    return view


def _action(session: Session, view: Any, action: Any) -> Any:
    """The action that was played, in the shapes and dtypes of the policy's actions."""
    policy, params, _, _, state = session
    noise = jax.ShapeDtypeStruct((policy.words[0],), jnp.uint32)  # type: ignore[no-untyped-call]
    with _of_its_game(policy, view, "view"):
        form = jax.eval_shape(policy.act, noise, view, state, params)
    structure: Any
    wanted, structure = jax.tree_util.tree_flatten_with_path(form)
    try:
        leaves = structure.flatten_up_to(action)
    except ValueError as error:
        raise TypeError(
            f"action must be as `ask` gives it, {shapes_of(form)}, got {shown(action)}"
        ) from error
    arrays = [
        array(_path("action", path), leaf, x.dtype.kind, x.shape).astype(x.dtype)
        for (path, x), leaf in zip(wanted, leaves, strict=True)
    ]
    action = structure.unflatten(arrays)
    _check(policy, "action", view, action)
    return action


def _answer(session: Session, view: Any, action: Any) -> Any:
    """The result of a policy's `act` or `recommend`, checked and on the host."""
    policy = session.policy
    action = jax.tree.map(lambda x: np.asarray(x)[()], action)
    try:
        _arrays("action", action)
        _check(policy, "action", view, action)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"session.state must be one that policy {policy.name!r} has come to in its "
            f"game: of this one it makes {shown(action)}, where {error}"
        ) from error
    return action


def _typed(policy: Policy, name: str, value: Any) -> Any:
    """A view or feedback of the problem's type; without such a type, the numbers."""
    return _arrays(name, reported(policy.problem, name, value))


def _arrays(name: str, tree: Any) -> Any:
    return jax.tree_util.tree_map_with_path(
        lambda path, leaf: array(_path(name, path), leaf), tree
    )


def _path(name: str, path: Any) -> str:
    return f"{name}{jax.tree_util.keystr(path)}"


def _check(policy: Policy, what: str, *values: Any) -> None:
    """Call the check of the policy's problem named `what`, if it has one."""
    if (check := getattr(policy.problem, f"check_{what}", None)) is not None:
        check(*values)


@contextmanager
def _of_its_game(policy: Policy, view: Any, what: str) -> Iterator[None]:
    """Raise errors of a policy's function as errors of the argument named `what`.

    Raises:
      TypeError: if the setting needs a view and none was given.
    """
    try:
        yield
    except Exception as error:  # whatever a policy's function raises
        if type(view) is View and hasattr(policy.problem, "check_view"):
            _typed(policy, "view", None)
        words = re.sub(r"\w*Tracer\b", "array", str(error).strip().split("\n")[0])
        raise TypeError(
            f"{what} must be of the game that policy {policy.name!r} is for, whose own "
            f"function failed: {type(error).__name__}: {words}"
        ) from error


def _called(
    session: Session,
    function: Callable[..., Any],
    width: int,
    stream: Stream,
    *given: Any,
) -> Any:
    """The result of a policy's `act` or `update`, on the noise of the round."""
    root, index = session.seed
    key = stream_key(root_key(root), jnp.uint32(index), stream)
    return _compiled(function, width, key, jnp.int32(session.round), *given)


@partial(jax.jit, static_argnums=(0, 1))
def _compiled(
    function: Callable[..., Any], width: int, key: Key, round_: Array, *given: Any
) -> Any:
    return function(draw_words(key, round_, width), *given)
