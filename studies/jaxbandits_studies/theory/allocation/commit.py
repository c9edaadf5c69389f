"""Explore-Then-Commit: Remark 4.7."""

from typing import NamedTuple

import numpy as np

from jaxbandits.checks import Numbers, at_least_one
from jaxbandits_studies.theory.allocation.arguments import floats, share
from jaxbandits_studies.theory.plain import plain_numbers


class EtcRate(NamedTuple):
    """Orders of the regret of Explore-Then-Commit in its two phases."""

    exploring: np.ndarray
    committed: np.ndarray


@plain_numbers
def etc_rate(horizon: Numbers, alpha: Numbers = 2 / 3) -> EtcRate:
    """Orders of the regret of Explore-Then-Commit (Remark 4.7).

    ``T^alpha`` while exploring and ``T^(1 - alpha / 2)`` from then on; ``alpha = 2/3``
    makes the larger of them least. Without constants, logarithms and K.

    Args:
      horizon: real >= 1, T.
      alpha: real in [0, 1]: each arm is explored for ``T^alpha`` rounds.

    Returns:
      EtcRate of f64 arrays of the broadcast shape.

    Raises:
      ValueError: if an argument is out of its range.
    """
    at_least_one(horizon=horizon)
    T, alpha = floats(horizon, share("alpha", alpha))
    return EtcRate(T**alpha, T ** (1 - alpha / 2))
