"""MG-UCB and MG-UCB-Delta: RA-UCB for budgets that are not known in advance.

Montanari, Fiegel, Pla, Saha & Perchet, "Learning to Allocate Resources with Censored
Feedback", section 5, Algorithms 3 and 4. Estimates and boosts are RA-UCB's, with the
same named choices; the resource of a round is handed out until it is gone.
"""

from jaxbandits.allocation import Action, Problem
from jaxbandits.allocation.policies.boosting import Options, Params, boosting
from jaxbandits.allocation.policies.handing_out import STEPS, flow, paid_for_each, units
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
    """MG-UCB (Algorithm 3): resource flows to the largest marginal value until it ends.

    Args:
      problem: what is known of the game.
      radii, update, others, start: as for `ra_ucb`.

    Raises:
      ValueError: as `ra_ucb`, and unless the family is concave: elsewhere the flow is
        no optimum; on a uniform start with unequal shapes, which no flow gives.
    """
    uniform = start == "uniform_split"
    if uniform and problem.shape and len(set(problem.shape)) > 1:
        raise ValueError("start must be 'one_arm' if the arms' shapes differ")
    hand_out = flow(paid_for_each(problem))
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
      problem: what is known of the game.
      steps: units in the largest budget; Delta is the budget over this, rounded up to
        a whole number for a family of integers.
      greedy: a unit goes to the largest ``derivative`` (the algorithm), to the largest
        ``difference`` that a unit makes (its proof), or to the steepest concave
        ``envelope`` (ours). Where G starts flat, as Weibull laws with k > 1 do, all
        derivatives are 0 at first, and only envelopes see what lies beyond.
      radii, update, others, start: as for `ra_ucb`.

    Raises:
      ValueError: as `ra_ucb`; if `steps` is less than 1; on another `greedy`, or on
        anything but differences with a family of integers.
    """
    whole("steps", steps, 1, MOST)
    one_of("greedy", greedy, GREEDY)
    if problem.family.integer and greedy != "difference":
        raise ValueError("greedy must be 'difference' for a family of integers")
    hand_out = units(problem, steps, greedy)
    return boosting(
        "MG-UCB-Delta", problem, hand_out, Options(radii, update, others, start)
    )
