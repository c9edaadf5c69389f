"""Reductions of duels of pairs to plain bandits: every pair is a virtual arm.

The game is `censored.duels`. The reduction is that of section 3.1 of Bengs &
Huellermeier (2022) for the paper's game. It ignores the order of limits: a run informs
only its own pair.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jaxbandits.arrays import occurs, pick, split_index
from jaxbandits.censored.policies.observed import cost_of
from jaxbandits.censored.problem import Duel, DuelFeedback, Dueling
from jaxbandits.checks import kinds, one_of
from jaxbandits.checks.factory import factory, made_by
from jaxbandits.protocol import P, Policy, Recommend, S

SIGNALS = ("values", "preferences")


class Copies(NamedTuple):
    """The states of two copies of a policy, one for each place of a duel."""

    first: Any
    second: Any


def _charges(problem: Dueling, action: Duel, feedback: DuelFeedback) -> list[Array]:
    """``L = c(C) 1{C <= tau} + lambda(tau) 1{C > tau}`` of both runs, f32[] each."""
    pairs = problem.pairs
    penalties = jnp.asarray(pairs.penalties(), float)
    charges = []
    for place in range(2):
        penalty = pick(penalties, action.limit[place])
        clock = feedback.at(place)
        charges.append(jnp.where(clock.censored, penalty, cost_of(pairs, clock)))
    return charges


def _duel_of(problem: Dueling, arms: Sequence[Array]) -> Duel:
    """The pairs of two virtual arms."""
    shape = (problem.num_arms, problem.num_limits)
    pairs = zip(*(split_index(arm, *shape) for arm in arms), strict=True)
    return Duel(*map(jnp.stack, pairs))


@factory(Dueling)
def duels_as_arms(
    problem: Dueling,
    plain: Callable[[int], Policy[S, P, tuple[Array, Array]]],
    signal: str = "values",
) -> Policy[S, P, Duel]:
    """Lift a policy for duels of K M plain arms to duels of pairs.

    Args:
      problem: problem of a `duels` environment.
      plain: factory of a policy for duels, called with the number of virtual arms; for
        example `plain.relative_ucb`.
      signal: the plain policy's feedback. ``values``: a Bernoulli variable; it prefers
        the first pair with probability ``1/2 + (Y - L_1 + L_2) / (2 (1 + L))``. Y in
        {-1, 1} is the preference, L_1 and L_2 are the runs' charges, and L is the
        largest charge. The mean is ``1/2 + (nu_1 - nu_2) / (2 (1 + L))``, so that the
        best pair beats all others. ``preferences``: Y alone, as if there were no
        limits; the best pair then need not win.

    Raises:
      ValueError: on an unknown `signal`.
      TypeError: if `plain` is not a function.
    """
    one_of("signal", signal, SIGNALS)
    num_limits, most = problem.num_limits, problem.pairs.max_charge
    inner = made_by(plain, problem.pairs.num_pairs)
    own = inner.words[1]

    def act(noise, view, state, params):
        return _duel_of(problem, inner.act(noise, view, state, params))

    def update(noise, view, state, action, feedback, params):
        preferred = feedback.first_preferred
        if signal == "values":
            first, second = _charges(problem, action, feedback)
            surplus = jnp.where(preferred, 1.0, -1.0) - first + second
            likely = 0.5 + surplus / (2 * (1 + most))
            preferred = occurs(noise[own], noise[own + 1], likely)
        arms = action.arm * num_limits + action.limit
        played = (arms[0], arms[1])
        return inner.update(noise[:own], view, state, played, preferred, params)

    def recommend(state, params):
        return _duel_of(problem, inner.recommend(state, params))  # type: ignore[misc]

    alone = signal == "preferences"
    return inner._replace(
        name=f"{inner.name} on preferences" if alone else f"{inner.name} on pairs",
        act=act,
        update=update,
        recommend=recommend if inner.recommend else None,
        words=inner.words if alone else (inner.words[0], own + 2),
    )


@factory(Dueling)
@kinds
def sparring(
    problem: Dueling,
    plain: Callable[[int], Policy[S, P, Array]],
    recommend: Recommend[S, P, Array] | None = None,
) -> Policy[Copies, P, Duel]:
    """Sparring: two copies of a plain policy on the pairs, one for each place.

    Ailon, Karnin & Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014,
    section 4. The reward of a copy is ``Y - L`` with its own preference Y in {-1, 1}
    and its own charge L, rescaled to [0, 1] as in E.1. What the plain policy reports
    has an axis more here, of the two copies.

    Args:
      problem: problem of a `duels` environment.
      plain: factory of a plain policy, called with the number of pairs; as for
        `product_arms`.
      recommend: ``(state, params) -> i32[]``, the recommended virtual arm, for a plain
        policy that recommends none.

    Raises:
      TypeError: if `plain` is not a function.
    """
    num_limits, most = problem.num_limits, problem.pairs.max_charge
    inner = made_by(plain, problem.pairs.num_pairs)
    answer = inner.recommend or recommend
    to_act, to_update = inner.words

    def init(params):
        return Copies(inner.init(params), inner.init(params))

    def act(noise, view, state, params):
        words = noise.reshape(2, to_act)
        arms = [inner.act(words[i], view, state[i], params) for i in range(2)]
        return _duel_of(problem, arms)

    def update(noise, view, state, action, feedback, params):
        words = noise.reshape(2, to_update)
        charges = _charges(problem, action, feedback)
        arms = action.arm * num_limits + action.limit
        learnt = []
        for i, wins in enumerate((feedback.first_preferred, ~feedback.first_preferred)):
            preference = jnp.where(wins, 1.0, -1.0)
            reward = (preference - charges[i] + 1 + most) / (2 + most)
            seen = (arms[i], reward, params)
            learnt.append(inner.update(words[i], view, state[i], *seen))
        return Copies(*learnt)

    def recommended(state, params):
        return _duel_of(problem, [answer(each, params) for each in state])  # type: ignore[misc]

    def report(state, params):
        both = [inner.report(each, params) for each in state]  # type: ignore[misc]
        return jax.tree.map(lambda *parts: jnp.stack(parts), *both)

    return inner._replace(
        name=f"sparring {inner.name}",
        init=init,
        act=act,
        update=update,
        recommend=recommended if answer else None,
        report=report if inner.report else None,
        words=(2 * to_act, 2 * to_update),
    )
