"""Policies that choose several arms in a round, each with its own limit.

The game is `censored.combinatorial` (future work of Bengs & Huellermeier, 2022, section
7). As in CUCB (Chen, Wang & Yuan, "Combinatorial Multi-Armed Bandit: General Framework,
Results and Applications", ICML 2013), a policy that scores pairs plays the super arm
with the largest sum of scores, and learns from each of its arms. The baseline
`super_arms_as_arms` ignores the structure of super arms.
"""

from collections.abc import Callable
from itertools import combinations, product
from math import comb

import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxbandits.arrays import first_true, pick, unit_interval
from jaxbandits.censored.policies import cell_thompson, rcucb
from jaxbandits.censored.policies.fixed import fixed_pairs
from jaxbandits.censored.policies.observed import reward_of_round
from jaxbandits.censored.policies.product_arms import product_arms
from jaxbandits.censored.policies.scored import Scored, best_super_arm, plays_super_arms
from jaxbandits.censored.policies.survival import Survival
from jaxbandits.censored.problem import Combinatorial, SuperArm, check_bounded
from jaxbandits.checks import shown
from jaxbandits.checks.factory import factory, made_by
from jaxbandits.plain import _ucb, ucb
from jaxbandits.protocol import P, Policy, S, no_state, no_update

MOST_SUPER_ARMS = 10_000  # largest number of virtual arms


@factory(Combinatorial)
def combinatorial_rcucb(
    problem: Combinatorial,
    survival: str | Survival = "censored_exceeds",
    radius: str | Callable[..., Array] = "eq_12",
) -> Policy[rcucb.State, rcucb.Params, SuperArm]:
    """Plays the super arm with the largest sum of RCUCB's indices, eq. (12).

    Arguments, parameters, state and errors are those of `rcucb`.
    """
    scored = rcucb.scored_rcucb(problem.pairs, survival, radius)
    return plays_super_arms(scored, problem.size)


@factory(Combinatorial)
def combinatorial_cell_thompson(
    problem: Combinatorial,
) -> Policy[cell_thompson.State, cell_thompson.Params, SuperArm]:
    """Plays the best super arm for a draw of `cell_thompson`.

    Parameters, state and errors are those of `cell_thompson`; consumes 5 K M words to
    act.
    """
    check_bounded(problem.pairs, "combinatorial_cell_thompson")
    scored = cell_thompson.scored_cell_thompson(problem.pairs)
    return plays_super_arms(scored, problem.size)


@factory(Combinatorial)
def cucb(problem: Combinatorial) -> Policy[_ucb.State, _ucb.Params, SuperArm]:
    """CUCB on the pairs: every arm of a round informs only its own pair.

    The index of a pair is ``mean + sqrt(alpha log t / (2 T))`` of its rewards, eq. (7)
    rescaled to [0, 1] as in E.1; alpha = 3 is the constant of Chen et al., and 1, the
    default, that of the paper's UCB.

    Raises:
      ValueError: if the problem's rewards do not lie in [0, 1].
    """
    check_bounded(problem.pairs, "cucb")
    pairs = problem.pairs
    inner = product_arms(pairs, ucb)

    def bounds(noise, view, state, params):
        bounds = _ucb.upper_bounds(view, state, params)
        return bounds.reshape(pairs.num_arms, pairs.num_limits)

    def played(state, params):
        return state.pulls.reshape(pairs.num_arms, pairs.num_limits)

    scored = Scored(
        "CUCB",
        inner.init,
        bounds,
        inner.update,
        played,
        inner.params,
    )
    return plays_super_arms(scored, problem.size)


@factory(Combinatorial)
def super_arms_as_arms(
    problem: Combinatorial, plain: Callable[[int], Policy[S, P, Array]]
) -> Policy[S, P, SuperArm]:
    """A plain policy on the list of all super arms; its reward is their mean reward.

    Args:
      problem: problem of a `combinatorial` environment.
      plain: factory of a plain policy, called with the number of super arms,
        ``C(K, m) M^m``; see `product_arms`.

    Raises:
      ValueError: if there are more than `MOST_SUPER_ARMS` super arms, or the problem's
        rewards do not lie in [0, 1].
      TypeError: if `plain` is not a function.
    """
    check_bounded(problem.pairs, "super_arms_as_arms")
    pairs, size = problem.pairs, problem.size
    count = comb(pairs.num_arms, size) * pairs.num_limits**size
    if count > MOST_SUPER_ARMS:
        raise ValueError(
            f"problem: super_arms_as_arms takes at most {MOST_SUPER_ARMS:,} super "
            f"arms, and {size} of {pairs.num_arms} arms with {pairs.num_limits} limits "
            f"make {count:,}"
        )
    inner = made_by(plain, count)
    # The pairs of every super arm, ``arm * M + limit``, i32[count, m].
    limits = [*product(range(pairs.num_limits), repeat=size)]
    listed = np.array(
        [
            np.multiply(arms, pairs.num_limits) + np.array(limits)
            for arms in combinations(range(pairs.num_arms), size)
        ],
        np.int32,
    ).reshape(count, size)
    parts = np.divmod(listed, np.int32(pairs.num_limits))  # arms and limits

    def at(index):
        return SuperArm(*(pick(jnp.asarray(part), index) for part in parts))

    def act(noise, view, state, params):
        return at(inner.act(noise, view, state, params))

    def recommended(state, params):
        return at(inner.recommend(state, params))  # type: ignore[misc]

    def index_of(action):
        """Position of a super arm in the list, its arms in any order."""
        played = action.arm * pairs.num_limits + action.limit
        part = jnp.any(jnp.asarray(listed)[:, :, None] == played[None, None], axis=2)
        return first_true(jnp.all(part, axis=1))

    def update(noise, view, state, action, feedback, params):
        rewards = [
            reward_of_round(pairs, action.limit[place], feedback.at(place))
            for place in range(size)
        ]
        reward = sum(rewards) / size
        return inner.update(noise, view, state, index_of(action), reward, params)

    return inner._replace(
        name=f"{inner.name} on super arms",
        act=act,
        update=update,
        recommend=recommended if inner.recommend else None,
    )


@factory(Combinatorial)
def uniform_super_arms(
    problem: Combinatorial,
) -> Policy[tuple[()], tuple[()], SuperArm]:
    """Play every super arm with the same probability in every round."""
    shape = (problem.num_arms, problem.num_limits)

    def act(noise, view, state, params):
        return best_super_arm(unit_interval(noise).reshape(shape), problem.size)

    return Policy("uniform", no_state, act, no_update, words=(shape[0] * shape[1], 0))


@factory(Combinatorial)
def fixed_super_arm(
    problem: Combinatorial, arms: tuple[int, ...], limits: tuple[int, ...]
) -> Policy[tuple[()], tuple[()], SuperArm]:
    """Play the same super arm in every round.

    Args:
      problem: problem of a `combinatorial` environment.
      arms: m different arms in [0, K).
      limits: m positions in the problem's limits, in [0, M).

    Raises:
      ValueError: if there are not m arms and m limits, one is out of range, or arms are
        equal.
      TypeError: if `arms` or `limits` is not a tuple of integers.
    """
    policy = fixed_pairs(problem, arms, limits, problem.size, SuperArm)
    if len(set(arms)) < len(arms):
        raise ValueError(f"arms must be different, got {shown(arms)}")
    return policy
