"""Every figure and table as a named, runnable experiment; leaderboards."""

from jaxbandits.experiments.allocation import catalogue as allocation
from jaxbandits.experiments.budgeted import catalogue as budgeted
from jaxbandits.experiments.censored import catalogue as censored
from jaxbandits.experiments.common.experiment import (
    Claim,
    Experiment,
    Options,
    Outcome,
    prepare_folder,
)
from jaxbandits.experiments.common.writing import write
from jaxbandits.experiments.farewell import catalogue as farewell
from jaxbandits.experiments.judging import leaderboard

PARTS = (censored, allocation, budgeted, farewell, leaderboard)
REGISTRY: dict[str, Experiment] = {e.name: e for p in PARTS for e in p.EXPERIMENTS}

__all__ = [
    "REGISTRY",
    "Claim",
    "Experiment",
    "Options",
    "Outcome",
    "prepare_folder",
    "write",
]
