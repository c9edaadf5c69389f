"""What it saves that points stop by themselves (``HalfWidth(..., each=True)``)."""

from collections.abc import Iterator

import numpy as np

from jaxbandits import Machine
from jaxbandits.policies import censored as policies
from jaxbandits.settings import censored as settings
from jaxbandits.sweeps import Entry, HalfWidth, Spec, run_sweep

RADII = {"gain_radius": np.geomspace(0.03, 1, 8), "penalty_radius": [0.0, 0.1, 1.0]}
PILOT = 100
WIDTHS = (10.0, 3.0)


def measure(options) -> Iterator[dict]:
    """Runs of RCUCB at 24 points and of Thompson sampling, on two instances.

    Args:
      options: `horizon`, and `seeds` at most.
    """
    games = {"PosCorr": settings.poscorr(), "NegCorr": settings.negcorr()}
    problem = games["PosCorr"].problem
    cast = {
        "RCUCB": Entry(policies.rcucb(problem), RADII),
        "TS": Entry(policies.thompson(problem, update="shared")),
    }
    for width in WIDTHS:
        rule = HalfWidth("regret", width, pilot=PILOT, at_most=options.seeds, each=True)
        spec = Spec(
            cast, games, horizon=options.horizon, seeds=rule, metrics=["regret"]
        )
        seeds = run_sweep(spec, machine=Machine(progress=False))["seeds"].values
        seeds = seeds[seeds > 0]  # Thompson sampling has one point.
        alike = int(seeds.max()) * seeds.size
        yield {
            "half width": width,
            "fewest seeds": int(seeds.min()),
            "most": int(seeds.max()),
            "runs": int(seeds.sum()),
            "runs, all to the last one": alike,
            "times": alike / int(seeds.sum()),
        }
