"""MG-UCB and MG-UCB-Delta: RA-UCB for budgets that are not known in advance.

Montanari, Fiegel, Pla, Saha & Perchet, "Learning to Allocate Resources with Censored
Feedback", section 5, Algorithms 3 and 4. Estimates, boosting and named choices are
those of RA-UCB; the resource of a round is handed out until it is used up.
"""

from jaxbandits.allocation import Action, Problem
from jaxbandits.allocation.policies.boosting import Options, Params, boosting
from jaxbandits.allocation.policies.handing_out import (
    STEPS,
    flow,
    require_additive,
    units,
)
from jaxbandits.allocation.policies.learning import Learner
from jaxbandits.checks import MOST, one_of, whole
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy

GREEDY = ("derivative", "difference", "envelope")


@factory(Problem)
def mg_ucb(
    problem: Problem,
    radii: str = "profile",
    update: str = "boosted",
    others: str = "pessimistic",
    start: str = "one_arm",
) -> Policy[Learner, Params, Action]:
    """MG-UCB (Algorithm 3): resource flows to the arm with the largest marginal value.

    Args:
      problem: what the learner knows about the game.
      radii, update, others, start: as for `ra_ucb`.

    Raises:
      ValueError: as `ra_ucb`; if the family is not concave, since the flow then need
        not be optimal; on a uniform start with unequal shapes, which no flow produces.
    """
    uniform = start == "uniform_split"
    if uniform and problem.shape and len(set(problem.shape)) > 1:
        raise ValueError("start must be 'one_arm' if the arms' shapes differ")
    hand_out = flow(require_additive(problem))
    options = Options(radii, update, others, start)
    return boosting("MG-UCB", problem, hand_out, options)


@factory(Problem)
def mg_ucb_delta(
    problem: Problem,
    steps: int = STEPS,
    greedy: str = "derivative",
    radii: str = "profile",
    update: str = "boosted",
    others: str = "pessimistic",
    start: str = "one_arm",
) -> Policy[Learner, Params, Action]:
    """MG-UCB-Delta (Algorithm 4): resource is handed out in units.

    Args:
      problem: what the learner knows about the game.
      steps: units in the largest budget. Delta is this budget over `steps`, rounded up
        to a whole number for a family of integers.
      greedy: which arm gets a unit: the arm with the largest ``derivative`` (the
        algorithm), the largest ``difference`` of value (its proof), or the steepest
        concave ``envelope`` (ours). If G starts flat, as for Weibull laws with k > 1,
        all derivatives are 0 at first, and only envelopes use later slopes.
      radii, update, others, start: as for `ra_ucb`.

    Raises:
      ValueError: as `ra_ucb`; if `steps` is less than 1; on an unknown `greedy`, or one
        other than ``difference`` with a family of integers.
    """
    whole("steps", steps, 1, MOST)
    one_of("greedy", greedy, GREEDY)
    if problem.family.integer and greedy != "difference":
        raise ValueError("greedy must be 'difference' for a family of integers")
    hand_out = units(problem, steps, greedy)
    return boosting(
        "MG-UCB-Delta", problem, hand_out, Options(radii, update, others, start)
    )
