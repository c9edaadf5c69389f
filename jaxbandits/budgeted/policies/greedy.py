"""b-greedy and epsilon-first: pull the arm with the best observed ratio, or explore.

b-greedy (Xia et al., 2017) explores with probability ``min(1, K / t)``. epsilon-first
(Tran-Thanh, Chapman, Munoz de Cote, Rogers & Jennings, "Epsilon-First Policies for
Budget-Limited Multi-Armed Bandits", AAAI 2010) explores first, with a share of the
budget.

No paper defines b-greedy's ratio for an arm whose pulls have all been free so far.
Here that ratio is infinite, as in the other indices of the setting.
"""

from typing import Any, NamedTuple

from jax import Array
from jaxtyping import Float

from jaxbandits.arrays import occurs, position
from jaxbandits.budgeted.policies.index_policy import index_policy
from jaxbandits.budgeted.policies.statistics import Means
from jaxbandits.budgeted.problem import Problem, View
from jaxbandits.checks import BetweenZeroAndOne, Positive
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Noise, Policy


class FirstParams(NamedTuple):
    """epsilon in (0, 1), the share of the budget to explore with; the budget, in units.

    By default the budget is that of the game.
    """

    epsilon: BetweenZeroAndOne = 0.1
    budget: Positive = 1.5e5


def _ratio(view: View, means: Means, params: Any) -> Float[Array, " K"]:
    return means.ratio


def explore_ever_less(noise: Noise, view: View, params: Any) -> tuple[Array, Array]:
    """Whether to explore, with probability ``min(1, K / t)``, and which arm."""
    share = view.num_arms.astype(float) / view.round.astype(float)
    return occurs(noise[0], noise[1], share), position(noise[2], view.num_arms)


@factory(Problem)
def b_greedy(problem: Problem) -> Policy[Means, tuple[()], Array]:
    """b-greedy; consumes 3 words to act."""
    return index_policy(
        "b-greedy", problem, _ratio, explore=explore_ever_less, exploring_words=3
    )


@factory(Problem)
def epsilon_first(problem: Problem) -> Policy[Means, FirstParams, Array]:
    """epsilon-first: pull all arms in turn, then the arm with the best observed ratio.

    The policy must know the budget of the game.
    """

    def explore(noise, view, params):
        turn = (view.round - 1) % view.num_arms
        return view.spent < params.epsilon * params.budget * view.unit, turn

    return index_policy(
        "epsilon-first",
        problem,
        _ratio,
        params=FirstParams(),
        explore=explore,
    )._replace(game_params=("budget",))
