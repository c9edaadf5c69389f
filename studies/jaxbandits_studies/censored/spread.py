"""How far self-sparring's draws of rewards should spread: on the tuning set alone."""

from functools import partial

from jaxbandits import censored
from jaxbandits.protocol import Environment
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.censored import PROTOCOL
from jaxbandits_studies.judging.choices import Subject, choices
from jaxbandits_studies.judging.protocol import Case

NAME = "censored-spread"
SUBJECTS = {
    "self-sparring on cells": Subject(
        censored.cell_self_sparring,
        {"reward_spread": (0.25, 0.5, 1.0, 2**0.5, 2.0)},
    )
}


def _duels(case: Case) -> Environment:
    """The same arms and limits, by preferences."""
    return censored.duels(case.make())


TUNING = {
    title: case._replace(make=partial(_duels, case))
    for title, case in PROTOCOL.tuning.items()
}


def spread(options: Options) -> Outcome:
    """Regret of duels against the factor of the rewards' standard deviation.

    The mean says what is saved by narrow draws, the worst run who holds on to a wrong
    arm.
    """
    return choices(NAME, PROTOCOL._replace(tuning=TUNING), SUBJECTS, options)
