"""Who plays in the experiments of the allocation setting, and with what lengths."""

import math
from functools import partial

from jaxbandits import allocation
from jaxbandits_studies.common.comparison import Contestant
from jaxbandits_studies.common.experiment import Options


def start_rounds(options: Options) -> float:
    """floor(log T), the paper's rounds of start per arm."""
    return float(int(math.log(options.horizon)))


def exploration(options: Options) -> float:
    """``T ** (2/3)``, the paper's exploration length."""
    return float(max(round(options.horizon ** (2 / 3)), 1))


AS_PRINTED = Contestant(allocation.ra_ucb, {"initial": start_rounds})
_EVERYBODY = partial(
    allocation.ra_ucb, update="all", others="point", start="uniform_split"
)
ALL_LEARN = Contestant(_EVERYBODY, {"initial": start_rounds})


def all_learn_at(scale) -> Contestant:
    """All arms learn, with other squared radii: one factor of log t, or f64[P]."""
    return Contestant(_EVERYBODY, {"scale": scale, "initial": start_rounds})


# Of 1, .25, .05 and .01, what serves the games of `allocation-tuning` best with one
# number (errata.md, A8): found with hindsight, which a rival of ours may have.
TUNED = all_learn_at(0.05)
THOMPSON = Contestant(allocation.thompson)
LEARNERS = {
    "RA-UCB, as printed": AS_PRINTED,
    "RA-UCB, uniform start": Contestant(
        partial(allocation.ra_ucb, start="uniform_split"), {"initial": start_rounds}
    ),
    "RA-UCB, all arms learn": ALL_LEARN,
    "RA-UCB, tuned": TUNED,
    "Thompson": THOMPSON,
}
