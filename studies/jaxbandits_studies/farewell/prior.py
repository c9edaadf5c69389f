"""What hazard Thompson sampling should believe at first: on the tuning set alone."""

from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.experiments.judging.choices import Subject, choices
from jaxbandits.experiments.judging.farewell import PROTOCOL
from jaxbandits.policies import farewell as policies

NAME = "farewell-prior"
SUBJECTS = {
    "hazard TS": Subject(
        policies.hazard_thompson,
        {
            "prior_passed": (1.0, 2.0, 3.0, 10.0, 30.0),
            "prior_ended": (1.0, 1.5, 2.0, 4.0),
        },
    )
}


def prior(options: Options) -> Outcome:
    """Regret against the prior of a hazard, Beta(ended, passed)."""
    return choices(NAME, PROTOCOL, SUBJECTS, options)
