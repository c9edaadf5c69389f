"""RA-UCB as its authors published it (errata.md, A3)."""

from jaxbandits.allocation import Action, Problem
from jaxbandits.allocation.policies.boosting import Options, Params, boosting
from jaxbandits.allocation.policies.learning import Learner
from jaxbandits.allocation.serving.handing_out import optimum, paid_for_each
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy


@factory(Problem)
def ra_ucb_authors(problem: Problem) -> Policy[Learner, Params, Action]:
    """RA-UCB as the authors' published code configures it, as far as a learner can.

    Their estimator and radii, one round of start per arm. The code calls its oracle
    with the *true* p (it computes the optimistic one and does not use it) and leaves
    the start out of p's estimate; this does neither.

    Args:
      problem: what is known of the game, with exponential thresholds.

    Raises:
      ValueError: as `ra_ucb`.
    """
    options = Options("printed", "code")
    hand_out = optimum(paid_for_each(problem))
    policy = boosting("RA-UCB, authors", problem, hand_out, options)
    return policy._replace(params=policy.params._replace(initial=1.0))
