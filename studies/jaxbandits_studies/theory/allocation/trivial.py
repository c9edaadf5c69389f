"""What no policy exceeds, and bounds that say no more than that."""

import warnings

import numpy as np

from jaxbandits.checks import Numbers, at_least_one, numbers, whole
from jaxbandits_studies.theory.plain import plain_numbers
from jaxbandits_studies.theory.vacuous import VacuousBound


@plain_numbers
def trivial_bound(horizon: Numbers, num_arms: int) -> np.ndarray:
    """Largest regret of any policy, ``K T``: an arm has at most one success a round.

    Args:
      horizon: real >= 1 of any shape, T.
      num_arms: K, an integer >= 1.

    Returns:
      f64 of the shape of `horizon`.

    Raises:
      ValueError: if an argument is out of its range.
      TypeError: if `num_arms` is no integer.
    """
    at_least_one(horizon=horizon)
    return whole("num_arms", num_arms, 1) * np.asarray(horizon, np.float64)


@plain_numbers
def is_vacuous(bound: Numbers, horizon: Numbers, num_arms: int) -> np.ndarray:
    """Where a bound on the regret exceeds `trivial_bound` and so says nothing.

    Args:
      bound: real of any shape, may be ``inf``.
      horizon: real >= 1, broadcastable against `bound`.
      num_arms: K, an integer >= 1.

    Returns:
      bool of the broadcast shape.

    Raises:
      ValueError: if an argument is out of its range or `bound` is not a number.
      TypeError: if `num_arms` is no integer.
    """
    bound = numbers("bound", bound)
    if np.any(np.isnan(bound)):
        raise ValueError(f"bound must be numbers, got {bound}")
    return bound > trivial_bound(horizon, num_arms)


def checked(bound: np.ndarray, name: str, T: np.ndarray, K: int) -> np.ndarray:
    """The bound; warns the caller of the caller if it is vacuous throughout."""
    if bound.size and np.all(is_vacuous(bound, T, K)):
        warnings.warn(
            f"{name} says nothing here: it exceeds K T, the largest regret of any "
            f"policy, at every horizon asked for (from {np.min(T):g} to {np.max(T):g})",
            VacuousBound,
            stacklevel=4,
        )
    return bound
