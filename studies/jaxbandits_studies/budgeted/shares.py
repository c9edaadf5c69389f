"""What share-UCB loses with other parameters: on the tuning set alone."""

from functools import partial

from jaxbandits import budgeted
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.budgeted import PROTOCOL
from jaxbandits_studies.judging.choices import Subject, choices

NAME = "budgeted-share"
VALUES = {
    "rho": (0.1, 0.25, 0.5, 1.0, 2.0),
    "power": (0.0, 0.5, 1.0, 1.5),
    "prior_pulls": (1.0, 3.0, 10.0, 30.0, 100.0),
}
SUBJECTS = {
    "share-UCB": Subject(budgeted.share_ucb, VALUES),
    "share-UCB, anytime": Subject(partial(budgeted.share_ucb, clock="spent"), VALUES),
}


def shares(options: Options) -> Outcome:
    """Regret against rho, the power of K and the weight of the variances' prior.

    The mean says what exploring costs, the worst run which arms are lost without it.
    """
    return choices(NAME, PROTOCOL, SUBJECTS, options)
