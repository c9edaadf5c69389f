"""Every figure and table as a named, runnable experiment; leaderboards."""

from jaxbandits_studies.allocation import catalogue as allocation
from jaxbandits_studies.budgeted import catalogue as budgeted
from jaxbandits_studies.censored import catalogue as censored
from jaxbandits_studies.common.experiment import Experiment
from jaxbandits_studies.farewell import catalogue as farewell
from jaxbandits_studies.judging import leaderboard

PARTS = (censored, allocation, budgeted, farewell, leaderboard)
REGISTRY: dict[str, Experiment] = {e.name: e for p in PARTS for e in p.EXPERIMENTS}
