"""What cell Thompson sampling should believe at first: on the tuning set alone."""

from jaxbandits import censored
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.censored import PROTOCOL
from jaxbandits_studies.judging.choices import Subject, choices

NAME = "censored-prior"
SUBJECTS = {
    "cell TS": Subject(
        censored.cell_thompson,
        {
            # Of a grid of M = 5: to M / 2, M, 2 M.
            "prior_passed": (1.0, 1.5, 2.5, 5.0, 10.0),
            "prior_ended": (1.0, 1.5, 2.0, 4.0),
            "gain_spread": (0.25, 0.5, 1.0, 2.0),
        },
    )
}


def prior(options: Options) -> Outcome:
    """Regret against the prior of a cell's hazard, Beta(ended, passed), and the spread.

    The mean says what is saved where rounds do pass, the worst run who is trapped.
    """
    return choices(NAME, PROTOCOL, SUBJECTS, options)
