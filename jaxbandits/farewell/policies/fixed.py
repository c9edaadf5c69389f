"""Reference policies: uniform play, and one fixed pair (the clairvoyant's, say)."""

from jaxbandits.checks.factory import factory
from jaxbandits.farewell.problem import Action, Problem
from jaxbandits.plain.pairs import same_pair, uniform_pairs
from jaxbandits.protocol import Policy


@factory(Problem)
def uniform(problem: Problem) -> Policy[tuple[()], tuple[()], Action]:
    """Play every pair with the same probability in every epoch."""
    return uniform_pairs((problem.num_arms, problem.num_waits), Action)


@factory(Problem)
def fixed(
    problem: Problem, arm: int, wait: int
) -> Policy[tuple[()], tuple[()], Action]:
    """Play the same pair in every epoch.

    With the pair of ``environment.oracle()`` this is the clairvoyant; its regret is 0.

    Args:
      problem: number of macro-arms and waits.
      arm: in [0, K).
      wait: position of the wait, in [0, D).

    Raises:
      ValueError: if `arm` or `wait` is out of range.
    """
    shape = (problem.num_arms, problem.num_waits)
    return same_pair(shape, Action, ("arm", "wait"), (arm, wait))
