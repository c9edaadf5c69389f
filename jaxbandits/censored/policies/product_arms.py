"""The reduction to a plain bandit: every pair of an arm and a limit is a virtual arm.

Bengs & Huellermeier (2022), section 3.1, eq. (7), rescaled to [0, 1] as in E.1.
"""

from collections.abc import Callable

from jax import Array

from jaxbandits.arrays import split_index
from jaxbandits.censored.policies.observed import reward_of_round
from jaxbandits.censored.problem import Action, Problem, check_bounded
from jaxbandits.checks import function
from jaxbandits.checks.factory import factory, made_by
from jaxbandits.protocol import P, Policy, Recommend, S


@factory(Problem)
def product_arms(
    problem: Problem,
    plain: Callable[[int], Policy[S, P, Array]],
    recommend: Recommend[S, P, Array] | None = None,
) -> Policy[S, P, Action]:
    """Lift a plain policy on K M arms to the censored setting.

    Args:
      problem: arms, limits, cost and penalty functions.
      plain: factory of a plain policy, called with the number of virtual arms: its
        actions are i32[] in [0, K M), its feedback a reward f32[] in [0, 1].
      recommend: ``(state, params) -> i32[]``, the recommended virtual arm, for a plain
        policy that recommends none.

    Returns:
      A policy of the censored setting with the plain policy's parameters, noise and
      state. It learns from eq. (7), rescaled to [0, 1] by `reward_of_round`.

    Raises:
      ValueError: if the problem's rewards do not lie in [0, 1], or `plain` makes a
        policy for a problem.
      TypeError: if `plain` is not a function, or does not return a policy.
    """
    check_bounded(problem, "product_arms")
    if recommend is not None:
        function("recommend", recommend)
    inner = made_by(plain, problem.num_pairs)
    answer = inner.recommend or recommend

    def to_pair(arm):
        return Action(*split_index(arm, problem.num_arms, problem.num_limits))

    def act(noise, view, state, params):
        return to_pair(inner.act(noise, view, state, params))

    def update(noise, view, state, action, feedback, params):
        reward = reward_of_round(problem, action.limit, feedback)  # Eq. (7), E.1
        pair = action.arm * problem.num_limits + action.limit
        return inner.update(noise, view, state, pair, reward, params)

    def recommended(state, params):
        return to_pair(answer(state, params))  # type: ignore[misc]

    return inner._replace(
        act=act, update=update, recommend=recommended if answer else None
    )
