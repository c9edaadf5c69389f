"""b-greedy and epsilon-first: the best observed ratio, after or between exploring.

b-greedy: Xia et al. (2017), explores with probability ``min(1, K / t)``. epsilon-first:
Tran-Thanh, Chapman, Munoz de Cote, Rogers & Jennings, "Epsilon-First Policies for
Budget-Limited Multi-Armed Bandits", AAAI 2010, explores with a share of the budget.

Named choice: `unpaid`, the ratio of an arm that has cost nothing yet. No paper says
what b-greedy makes of 0 / 0. ``infinite`` is what every other index of the setting has
there; ``code`` is the published code of Heyden et al., rewards over costs + 1e-10: 0
for an arm that has brought nothing either, which is then left to the random rounds.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from jaxbandits.arrays import occurs, position
from jaxbandits.budgeted.policies.index_policy import index_policy
from jaxbandits.budgeted.policies.statistics import Means
from jaxbandits.budgeted.problem import Problem, View
from jaxbandits.checks import one_of, positive
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy

ALMOST_NOTHING = 1e-10  # added to the costs of an arm in the published code


class FirstParams(NamedTuple):
    """epsilon in (0, 1), share of the budget to explore with; the budget, in units.

    By default the budget is the one that the game is played for.
    """

    epsilon: float = 0.1
    budget: float = 1.5e5


def _check_first(params: FirstParams) -> None:
    positive(epsilon=params.epsilon, budget=params.budget)
    if not jnp.all(jnp.asarray(params.epsilon) < 1):
        raise ValueError(f"epsilon must be in (0, 1), got {params.epsilon}")


def _ratio(view: View, means: Means, params: Any) -> Float[Array, " K"]:
    del view, params
    return means.ratio


def _ratio_of_the_code(view: View, means: Means, params: Any) -> Float[Array, " K"]:
    del view, params
    return means.reward.total / (means.cost.total + ALMOST_NOTHING)


RATIOS = {"infinite": _ratio, "code": _ratio_of_the_code}


@factory(Problem)
def b_greedy(
    problem: Problem, unpaid: str = "infinite"
) -> Policy[Means, tuple[()], Array]:
    """b-greedy.

    Args:
      problem: what the learner knows.
      unpaid: ratio of an arm that has cost nothing yet, ``infinite`` or ``code``.

    Raises:
      ValueError: on an unknown `unpaid`.
    """
    ratio = RATIOS[one_of("unpaid", unpaid, RATIOS)]

    def explore(noise, view, params):
        del params
        share = view.num_arms.astype(float) / view.round.astype(float)
        return occurs(noise[0], noise[1], share), position(noise[2], view.num_arms)

    return index_policy("b-greedy", problem, ratio, explore=explore, exploring_words=3)


@factory(Problem)
def epsilon_first(problem: Problem) -> Policy[Means, FirstParams, Array]:
    """epsilon-first: all arms in turn, then the best observed ratio.

    It must know the budget that the game is played for.
    """

    def explore(noise, view, params):
        del noise
        turn = (view.round - 1) % view.num_arms
        return view.spent < params.epsilon * params.budget * view.unit, turn

    return index_policy(
        "epsilon-first",
        problem,
        _ratio,
        params=FirstParams(),
        check=_check_first,
        explore=explore,
    )._replace(told=("budget",))
