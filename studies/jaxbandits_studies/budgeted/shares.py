"""What share-UCB loses with other parameters: on the tuning set alone."""

from functools import partial

from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.experiments.judging.budgeted import PROTOCOL
from jaxbandits.experiments.judging.choices import Subject, choices
from jaxbandits.policies import budgeted as policies

NAME = "budgeted-share"
VALUES = {
    "rho": (0.1, 0.25, 0.5, 1.0, 2.0),
    "power": (0.0, 0.5, 1.0, 1.5),
    "prior_pulls": (1.0, 3.0, 10.0, 30.0, 100.0),
}
SUBJECTS = {
    "share-UCB": Subject(policies.share_ucb, VALUES),
    "share-UCB, anytime": Subject(partial(policies.share_ucb, clock="spent"), VALUES),
}


def shares(options: Options) -> Outcome:
    """Regret against rho, the power of K and the weight of the variances' prior.

    The mean says what exploring costs, the worst run which arms are lost without it.
    """
    return choices(NAME, PROTOCOL, SUBJECTS, options)
