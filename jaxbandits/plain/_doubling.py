"""The doubling trick: it plays a policy that needs the horizon, without knowing it.

Cesa-Bianchi & Lugosi, "Prediction, Learning, and Games", 2006, section 2.3; section 4.1
of the censored paper suggests it for z-RCUCB.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Int32

from jaxbandits.arrays import when
from jaxbandits.checks import MOST_ROUNDS, at_least_one, instance, kinds, whole
from jaxbandits.protocol import A, P, Policy


class State(NamedTuple):
    """The policy's state in the current epoch, and results of earlier epochs.

    Attributes:
      inner: the policy's state.
      before: i32[], number of rounds before this epoch.
      length: i32[], length of this epoch.
      answer: recommendation of the last finished epoch; () if the policy has none.
      overflow: bool[], whether the policy of an earlier epoch reported an overflow.
    """

    inner: Any
    before: Int32[Array, ""]
    length: Int32[Array, ""]
    answer: Any
    overflow: Bool[Array, ""]


def doubling(policy: Policy[Any, P, A], first: int = 1024) -> Policy[State, P, A]:
    """Play `policy` anew in epochs of lengths ``first, 2 first, 4 first, ...``.

    In each epoch the policy's horizon is the epoch's length, and its rounds are counted
    from the epoch's start.

    Args:
      policy: a policy of any setting whose parameters have a leaf ``horizon``.
      first: length of the first epoch. It becomes the default of the parameter
        ``horizon``, which is from now on the length of the first epoch.

    Returns:
      A policy with the parameters and the noise of `policy`. It recommends what the
      policy recommended at the end of the last finished epoch (in the first epoch, what
      it recommends now). Reports are those of the current epoch; ``overflow`` persists.

    Raises:
      ValueError: if `policy` has no parameter ``horizon``, or `first` < 1.
    """
    instance("policy", policy, Policy, "a factory of a setting, as censored.rcucb")
    whole("first", first, 1, MOST_ROUNDS)
    return _doubling(policy, first)


@kinds
def doubled(problem: Any, make: Callable[..., Policy], first: int = 1024) -> Policy:
    """`doubling` of the policy that a factory makes for a problem.

    Args:
      problem: the argument of `make`.
      make: factory of a policy whose parameters have a leaf ``horizon``.
      first: as for `doubling`.

    Raises:
      TypeError, ValueError: if `make` is not a function, or as `make` and `doubling`.
    """
    return doubling(make(problem), first)


@cache
def _doubling(policy: Policy[Any, P, A], first: int) -> Policy[State, P, A]:
    if "horizon" not in getattr(policy.params, "_fields", ()):
        raise ValueError(
            f"policy {policy.name!r} has no parameter horizon, so it needs no doubling"
        )

    def check(params):
        at_least_one(horizon=params.horizon)
        policy.check_params(params)

    def for_epoch(params, length):
        return params._replace(horizon=jnp.asarray(length, float))

    def init(params):
        length = jnp.round(params.horizon).astype(jnp.int32)
        inner = policy.init(for_epoch(params, length))
        answer = ()
        if policy.recommend is not None:
            answer = policy.recommend(inner, for_epoch(params, length))
        zero = jnp.zeros((), jnp.int32)
        return State(inner, zero, length, answer, jnp.zeros((), bool))

    def act(noise, view, state, params):
        view = view._replace(round=view.round - state.before)
        return policy.act(noise, view, state.inner, for_epoch(params, state.length))

    def update(noise, view, state, action, feedback, params):
        now = for_epoch(params, state.length)
        own = view._replace(round=view.round - state.before)
        inner = policy.update(noise, own, state.inner, action, feedback, now)
        ended = own.round == state.length

        def next_epoch(state):
            answer, overflow = state.answer, state.overflow
            if policy.recommend is not None:
                answer = policy.recommend(state.inner, now)
            if policy.report is not None:
                result = policy.report(state.inner, now).get("overflow", 0)
                overflow = overflow | (jnp.asarray(result) > 0)
            length = 2 * state.length
            fresh = policy.init(for_epoch(params, length))
            return State(fresh, view.round, length, answer, overflow)

        return when(ended, next_epoch, state._replace(inner=inner))

    def recommend(state, params):
        now = policy.recommend(state.inner, for_epoch(params, state.length))  # type: ignore[misc]
        return jax.tree.map(
            lambda x, last: jnp.where(state.before == 0, x, last), now, state.answer
        )

    def report(state, params):
        result = policy.report(state.inner, for_epoch(params, state.length))  # type: ignore[misc]
        if "overflow" in result:
            either = result["overflow"] | state.overflow.astype(jnp.int32)
            result = result | {"overflow": either}
        return result

    return policy._replace(
        name=f"{policy.name}, doubling",
        init=init,
        act=act,
        update=update,
        params=policy.params._replace(horizon=float(first)),  # type: ignore[attr-defined]
        game_params=(),
        check=check,
        recommend=recommend if policy.recommend else None,
        report=report if policy.report else None,
    )
