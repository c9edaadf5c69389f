"""Who plays in the experiments of the allocation setting, and with what lengths."""

import math
from functools import partial

from jaxbandits.experiments.comparison import Contestant
from jaxbandits.experiments.experiment import Options
from jaxbandits.policies import allocation as policies


def start_rounds(options: Options) -> float:
    """floor(log T), the paper's rounds of start per arm."""
    return float(int(math.log(options.horizon)))


def exploration(options: Options) -> float:
    """``T ** (2/3)``, the paper's exploration length."""
    return float(max(round(options.horizon ** (2 / 3)), 1))


AS_PRINTED = Contestant(policies.ra_ucb, {"initial": start_rounds})
ALL_LEARN = Contestant(
    partial(policies.ra_ucb, update="all", others="point", start="uniform_split"),
    {"initial": start_rounds},
)
THOMPSON = Contestant(policies.thompson_allocation)
LEARNERS = {
    "RA-UCB, as printed": AS_PRINTED,
    "RA-UCB, uniform start": Contestant(
        partial(policies.ra_ucb, start="uniform_split"), {"initial": start_rounds}
    ),
    "RA-UCB, all arms learn": ALL_LEARN,
    "Thompson": THOMPSON,
}
