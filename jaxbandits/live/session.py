"""A session of ask and tell, and whether what is asked of it and told it can be.

`jaxbandits.live` plays with people and programs, who mistake one setting's answer for
another's, and keep sessions by hand. So everything is looked at before the policy is.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits import checks
from jaxbandits.checks import MOST_ROUNDS, instance, numbers, shown, whole
from jaxbandits.checks.entries import MOST, count
from jaxbandits.checks.points import Points, points_from
from jaxbandits.engine.schedule import Schedule
from jaxbandits.live.told import TOLD
from jaxbandits.protocol import Policy, View
from jaxbandits.simulation.arguments import is_policy, points_of
from jaxbandits.simulation.contract import shapes_of


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


class _Form(NamedTuple):
    """What a tree is made of: its structure, and shapes and dtypes of the leaves."""

    structure: Any
    leaves: tuple

    def __str__(self):
        return shapes_of(self.like())

    def like(self):
        """A tree of this form, without numbers."""
        return self.structure.unflatten(
            [jax.ShapeDtypeStruct(*leaf) for leaf in self.leaves]
        )


def check_session(session: Any) -> Session:
    """Require a session that can go on; return it.

    Raises:
      TypeError, ValueError: naming the part that is not as `live` left it.
    """
    policy, params, seed, round_, state = instance(
        "session", session, Session, "of live.start"
    )
    if not is_policy(policy):
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
    given = points_from(params or None, "session.params")
    params = params_of(policy, given, "session.params")
    x64 = bool(jax.config.jax_enable_x64)
    expected, found = _state_form(policy.init, form_of(params), x64), form_of(state)
    if found != expected:
        raise TypeError(
            f"session.state must be that of policy {policy.name!r} as `live` left it, "
            f"in the precision of now: {expected}, got {found}"
        )
    _check_numbers(session, params)
    return session._replace(params=params)


def _check_numbers(session: Session, params: Any) -> None:
    """Require a state that play leads to: no NaN, no sums near infinity, no counts < 0.

    What a leaf holds before the first round it may hold later: infinity where an index
    has no data yet, -1 for no arm yet. Which integers are counts is known of the
    library's own policies only.
    """
    policy = session.policy
    counts = getattr(policy.init, "__module__", "").startswith("jaxbandits.")
    most = float(np.finfo(checks.precision()).max) / checks.ROOM
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
            first = jax.tree.leaves(policy.init(params))[place]
            if not np.any(odd(np.asarray(first))):
                raise ValueError(f"{name} must hold {allowed}, got {shown(values)}")


def params_of(policy: Policy, points: Points, argument: str) -> Any:
    """A policy's parameters, numbers in JAX's precision.

    Args:
      policy: the policy, whose own parameters are the default.
      points: one, of those that are not default.
      argument: that gave them, for errors.

    Raises:
      TypeError, ValueError: naming the parameter that is wrong.
    """
    schedule = Schedule([MOST_ROUNDS], MOST_ROUNDS)  # nobody asks for it
    untold = policy._replace(told=())
    row = points_of(policy.name, untold, points, schedule, argument).row(0)
    numbers = {name: jnp.asarray(value, float) for name, value in row.items()}
    return type(policy.params)(**numbers) if row else policy.params


def check_view(session: Session, view: Any) -> Any:
    """The view, or that of a game that shows nothing but the round.

    Raises:
      TypeError, ValueError: naming the view, or the part of it that cannot be.
    """
    if view is None:
        return View(jnp.int32(session.round))
    if "round" not in getattr(view, "_fields", ()) or view.round is None:
        raise TypeError(f"view must be a View of the setting, got {shown(view)}")
    round_ = count("view.round", view.round, 1)
    if round_ != session.round:
        raise ValueError(
            f"view.round must be the session's, {session.round}, got {round_}"
        )
    told = TOLD.get(type(session.policy.problem))
    if told is not None and told.view_of is not None:
        view = told.view_of(session.policy.problem, view)
    return numbers_of("view", view._replace(round=round_))


def check_answer(session: Session, view: Any, action: Any) -> Any:
    """What a policy answers, on the host, if its game has it.

    Args:
      session: the game so far.
      view: what the policy saw.
      action: what its `act` or `recommend` has given.

    Raises:
      ValueError: naming the state, which is not one that a game leads to.
    """
    policy = session.policy
    action = jax.tree.map(lambda x: np.asarray(x)[()], action)
    told = TOLD.get(type(policy.problem))
    try:
        numbers_of("action", action)
        if told is not None:
            told.check_action(policy.problem, view, action)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"session.state must be one that policy {policy.name!r} has come to in its "
            f"game: of this one it makes {shown(action)}, where {error}"
        ) from error
    return action


def _listed(leaf: Any) -> np.ndarray:
    if type(leaf) is list:
        numbers("action", leaf)
    return np.asarray(leaf)


def check_action(session: Session, view: Any, action: Any) -> Any:
    """The action in the types of the game, and one that its problem has.

    Args:
      session: the game so far.
      view: what the policy saw.
      action: what was done.

    Raises:
      TypeError, ValueError: naming the action, or the part that is out of range.
    """
    policy = session.policy
    told = TOLD.get(type(policy.problem))
    if told is not None:  # whose actions have no lists but of numbers
        action = jax.tree.map(_listed, action, is_leaf=lambda x: type(x) is list)
    action = numbers_of("action", action)
    forms = form_of(view), form_of(session.state), form_of(session.params)
    try:
        expected = _action_form(policy.act, policy.words[0], forms)
    except Exception as error:  # whatever a policy's function raises
        raise failed(session, view, "view", error) from error
    found = form_of(action)
    alike = found.structure == expected.structure and all(
        map(_may_be, jax.tree.leaves(action), expected.leaves)
    )
    if not alike:
        raise TypeError(f"action must be as `ask` gives it, {expected}, got {found}")
    action = jax.tree.map(lambda x, y: x.astype(y.dtype), action, expected.like())
    if told is not None:
        told.check_action(policy.problem, view, action)
    return action


def _may_be(leaf: Any, form: tuple[Any, Any]) -> bool:
    """Whether an array is of a shape and dtype, or could be so written."""
    shape, dtype = form
    kinds = leaf.dtype.kind, dtype.kind
    whole = kinds == ("f", "i") and bool(jnp.all(leaf == jnp.floor(leaf)))
    return leaf.shape == shape and (leaf.dtype == dtype or whole or kinds == ("i", "f"))


def check_feedback(session: Session, view: Any, action: Any, feedback: Any) -> Any:
    """The feedback in the types of the game, and such as its problem gives.

    Raises:
      TypeError, ValueError: naming the feedback, or the part of it that cannot be.
    """
    problem = session.policy.problem
    told = TOLD.get(type(problem))
    if told is not None:
        feedback = told.feedback_of(problem, view, action, feedback)
    return numbers_of("feedback", feedback)


def numbers_of(what: str, tree: Any) -> Any:
    """Leaves in the types of a game: JAX's floats, int32, bool.

    Raises:
      TypeError, ValueError: naming `what`, if one is no real number, or is NaN.
    """
    kinds = {"f": float, "i": jnp.int32, "u": jnp.int32, "b": bool}

    def played(leaf):
        values = np.asarray(leaf)
        if values.dtype.kind not in kinds:
            raise TypeError(f"{what} must hold real numbers, got {shown(leaf)}")
        if np.any(np.isnan(values)):
            raise ValueError(f"{what} must not hold NaN, got {shown(tree)}")
        if values.dtype.kind == "f" and what != "action":  # which may be of `act`
            checks.played(**{what: values})
        if values.dtype.kind in "iu" and np.any(np.abs(values.astype(float)) > MOST):
            raise ValueError(
                f"{what} must hold whole numbers of at most 2**31 - 1, got "
                f"{shown(leaf)}"
            )
        return jnp.asarray(leaf, kinds[values.dtype.kind])

    return jax.tree.map(played, tree)


def form_of(tree: Any) -> _Form:
    """The form of a tree of arrays or numbers."""
    leaves, structure = jax.tree.flatten(tree)
    dtypes = [x.dtype if hasattr(x, "dtype") else np.dtype(type(x)) for x in leaves]
    shapes = [np.shape(x) for x in leaves]
    return _Form(structure, tuple(zip(shapes, dtypes, strict=True)))


@lru_cache(512)
def _state_form(init, params: _Form, x64: bool) -> _Form:
    del x64  # part of the key
    return form_of(jax.eval_shape(init, params.like()))


@lru_cache(512)
def _action_form(act, width: int, forms: tuple[_Form, ...]) -> _Form:
    noise = jax.ShapeDtypeStruct((width,), jnp.uint32)
    return form_of(jax.eval_shape(act, noise, *(form.like() for form in forms)))


def failed(session: Session, view: Any, what: str, error: Exception) -> TypeError:
    """An error of the policy's own function, with what it was given by.

    Raises:
      TypeError: naming the view that the setting has, if it was given none of it.
    """
    policy = session.policy
    told = TOLD.get(type(policy.problem))
    if told is not None and told.view_of is not None and type(view) is View:
        told.view_of(policy.problem, None)
    words = re.sub(r"\w*Tracer\b", "array", str(error).strip().split("\n")[0])
    return TypeError(
        f"{what} must be of the game that policy {policy.name!r} is for, whose own "
        f"function failed: {type(error).__name__}: {words}"
    )
