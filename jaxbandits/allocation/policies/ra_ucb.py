"""RA-UCB and NO-UCB.

Montanari, Fiegel, Pla, Saha & Perchet, "Learning to Allocate Resources with Censored
Feedback", Algorithm 2. The arms are boosted in turn. The surrogate problem P~ of eq.
(13) takes the boosted arm at its optimistic bounds and the others at their pessimistic
bounds. Hence every arm regularly gets at least its optimal amount, and is observed with
little censoring.

Named choices, each with its evidence in errata.md:

* `radii`: ``profile`` likelihood, ``delta`` method, or ``none``: point estimates, and
  no arm is boosted (NO-UCB);
* `update`: ``boosted`` arms only (the paper) or ``all``;
* `others`: ``pessimistic`` (the paper) or at their ``point`` estimates;
* `start`: ``one_arm`` at a time (the paper) or a ``uniform_split``.

Deviations: thresholds are truncated at the round's allocation, where eqs. (6) to (10)
have the whole budget (inconsistent); the printed radii are vacuous. An arm's bounds are
updated when it is observed, with the log t of that round.
"""

from jaxbandits.allocation import Action, Problem
from jaxbandits.allocation.policies.boosting import Options, Params, boosting
from jaxbandits.allocation.policies.handing_out import (
    default_hand_out,
    optimum,
    require_additive,
)
from jaxbandits.allocation.policies.learning import Learner
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy


@factory(Problem)
def ra_ucb(
    problem: Problem,
    radii: str = "profile",
    update: str = "boosted",
    others: str = "pessimistic",
    start: str = "one_arm",
) -> Policy[Learner, Params, Action]:
    """RA-UCB: solves P~ for the round's budget, which it must know.

    Args:
      problem: what the learner knows about the game.
      radii: ``profile``, ``delta`` or ``none``.
      update: ``boosted`` or ``all``.
      others: ``pessimistic`` or ``point``.
      start: ``one_arm`` or ``uniform_split``.

    Raises:
      ValueError: on an unknown choice, if budgets are not known in advance, or in a
        cascade.
    """
    options = Options(radii, update, others, start)
    return boosting("RA-UCB", problem, optimum(require_additive(problem)), options)


@factory(Problem)
def no_ucb(
    problem: Problem, update: str = "boosted", start: str = "one_arm"
) -> Policy[Learner, Params, Action]:
    """NO-UCB (appendix A.1): plays the optimum at point estimates and boosts no arm.

    Arms without a success in the start get nothing afterwards; the length `initial` of
    the start decides how many arms these are. Unknown budgets are handed out as
    described in `handing_out`.

    Args:
      problem: what the learner knows about the game.
      update: ``boosted`` to update the arms in turn, or ``all``.
      start: as for `ra_ucb`.

    Raises:
      ValueError: on an unknown choice.
    """
    options = Options(radii="none", update=update, start=start)
    policy = boosting("NO-UCB", problem, default_hand_out(problem), options)
    return policy._replace(params=policy.params._replace(initial=1.0))
