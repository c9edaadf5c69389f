"""Configuring a random forest, on recorded runs (section 5.2 of the censored paper).

An arm is a configuration of a random forest, a round trains it on a fresh random split
of AmesHousing: the reward is 1 less the normalised error on the test part, the resource
is the training time. The runs were made beforehand with
``studies/collect_forest_runs.py``; a round replays one of its configuration's.
"""

from typing import Any

import numpy as np

from jaxbandits.censored._recorded import COST, PENALTY, Runs, replay, unit_of
from jaxbandits.censored.problem import Action, RealAction, make_problem
from jaxbandits.checks import MOST, instance, whole
from jaxbandits.protocol import Environment
from jaxbandits_studies.datasets.runs import shipped_runs


def forest_runs() -> Runs:
    """Three runs of each of 672 forests, our own measurements."""
    return shipped_runs("forest_runs")


def forest(
    runs: Runs | None = None, num_limits: int = 10, unit: float | None = None
) -> Environment[Any, Any, Action | RealAction]:
    """The paper's problem: ``c(x) = x``, ``lambda(x) = 10 x`` (PAR10).

    The limits are equidistant on the interquartile range of the training times of the
    first run of each configuration. For other limits, costs and penalties see
    `censored.recorded`.

    Args:
      runs: recorded runs; `forest_runs` by default.
      num_limits: M.
      unit: seconds per unit of cost; by default the longest run, so that costs lie in
        [0, 1] as rewards do (the paper does not say how it scales time).

    Returns:
      An environment as `censored.recorded`.

    Raises:
      TypeError: if an argument is of another kind.
      ValueError: if `num_limits` < 2, `unit` is not positive, or the interquartile
        range is empty.
    """
    whole("num_limits", num_limits, 2, MOST)
    runs = (
        forest_runs() if runs is None else instance("runs", runs, Runs, "of load_runs")
    )
    unit = unit_of(runs, unit)
    first = runs.pairs[np.cumsum(runs.counts) - runs.counts, 1]
    low, high = np.quantile(first / unit, [0.25, 0.75])
    if not 0 < low < high < np.inf:
        raise ValueError(f"runs: the quartiles of the times are {low} and {high}")
    limits = np.linspace(low, high, num_limits)
    problem = make_problem(len(runs.counts), limits, COST, PENALTY, high)
    return replay("AmesHousing forests", runs, problem, unit)
