"""What hazard Thompson sampling should believe at first: on the tuning set alone."""

from jaxbandits import farewell
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.choices import Subject, choices
from jaxbandits_studies.judging.farewell import PROTOCOL

NAME = "farewell-prior"
SUBJECTS = {
    "hazard TS": Subject(
        farewell.hazard_thompson,
        {
            "prior_passed": (1.0, 2.0, 3.0, 10.0, 30.0),
            "prior_ended": (1.0, 1.5, 2.0, 4.0),
        },
    )
}


def prior(options: Options) -> Outcome:
    """Regret against the prior of a hazard, Beta(ended, passed)."""
    return choices(NAME, PROTOCOL, SUBJECTS, options)
