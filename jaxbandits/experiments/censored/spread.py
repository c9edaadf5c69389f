"""How widely self-sparring on cells should draw: on the tuning set, as duels."""

from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.experiments.judging.censored import PROTOCOL
from jaxbandits.experiments.judging.choices import Subject, choices
from jaxbandits.experiments.judging.protocol import Case
from jaxbandits.policies import censored as policies
from jaxbandits.settings import censored as settings

NAME = "censored-spread"
SUBJECTS = {
    "self-sparring on cells": Subject(
        policies.cell_self_sparring,
        {"reward_spread": (0.5, 1.0, 2**0.5, 2.0, 4.0)},
    )
}
# Of both grids of the paper's instances, and of those that are drawn.
CASES = (
    "PosCorr, 5 limits to 0.9",
    "NegCorr, 5 limits to 1",
    "drawn times 101",
    "drawn pairs 101",
)


def _as_duels(case: Case) -> Case:
    return case._replace(make=lambda: settings.duels(case.make()))


def spread(options: Options) -> Outcome:
    """Regret against the factor of the posterior's standard deviation."""
    games = {title: _as_duels(PROTOCOL.tuning[title]) for title in CASES}
    return choices(NAME, PROTOCOL._replace(tuning=games), SUBJECTS, options)
