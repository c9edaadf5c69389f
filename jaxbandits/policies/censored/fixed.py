"""Reference points: uniform play and a fixed pair (clairvoyant if it is the best)."""

from jaxbandits.factory import factory
from jaxbandits.policies.plain.pairs import same_pair, uniform_pairs
from jaxbandits.protocol import Policy
from jaxbandits.settings.censored.types import Action, Continuum, Problem, check_grid


@factory(Problem, Continuum)
def uniform(problem: Problem) -> Policy[tuple[()], tuple[()], Action]:
    """Every pair with the same probability in every round."""
    check_grid(problem, "uniform")
    return uniform_pairs((problem.num_arms, problem.num_limits), Action)


@factory(Problem, Continuum)
def fixed_pair(
    problem: Problem, arm: int, limit: int
) -> Policy[tuple[()], tuple[()], Action]:
    """The same pair in every round.

    With ``environment.oracle(...)``'s pair this is the clairvoyant, whose regret is 0.

    Args:
      problem: arms, limits, cost and penalty functions.
      arm: in [0, K).
      limit: position in the problem's limits, in [0, M).

    Raises:
      ValueError: if `arm` or `limit` is out of range.
    """
    check_grid(problem, "fixed_pair")
    shape = (problem.num_arms, problem.num_limits)
    return same_pair(shape, Action, ("arm", "limit"), (arm, limit))
