"""Configuring a SAT solver, on recorded runs: a problem in which the limit matters.

Not of the paper, whose forests all finish within their limits if they are any good. An
arm is a configuration of WalkSAT, a round sets it on a random formula, the resource is
the number of flips. Half of the formulas cannot be satisfied, which the solver never
finds out: whoever waits for the rest too long pays for these, so that the best limit is
one which the best configuration exceeds in half of the rounds. The runs were made with
``studies/collect_solver_runs.py``.
"""

from typing import Any

import numpy as np

from jaxbandits.censored import Action, RealAction, Runs, recorded
from jaxbandits.checks import Numbers, positive
from jaxbandits.protocol import Environment
from jaxbandits_studies.datasets.runs import shipped_runs

LIMITS = tuple(np.geomspace(20, 5_000, 10).tolist())  # flips; the last is the timeout
UNIT = 20_000  # flips that cost as much as a solved formula brings


def solver_runs() -> Runs:
    """A hundred runs of each of 40 configurations, stopped after 5,000 flips."""
    return shipped_runs("solver_runs", reward="solved", seconds="flips")


def solver(
    limits: Numbers | str = LIMITS, unit: float = UNIT
) -> Environment[Any, Any, Action | RealAction]:
    """WalkSAT under PAR10: ``c(x) = x``, ``lambda(x) = 10 x``, a solved formula 1.

    Args:
      limits: increasing, in flips, at most 5,000; or `ANY`.
      unit: flips that cost as much as a solved formula brings.

    Returns:
      An environment as `censored.recorded`.

    Raises:
      ValueError, TypeError: as `censored.recorded`.
    """
    positive(unit=unit)
    return recorded("WalkSAT", solver_runs(), limits, unit=unit)
