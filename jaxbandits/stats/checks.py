"""Checks of the arguments that several statistics share."""

import math

import numpy as np
from numpy.typing import ArrayLike

from jaxbandits.checks import (
    MOST,
    between_zero_and_one,
    in_unit_interval,
    number,
    numbers,
    one_of,
    shown,
    whole,
)


def check_level(level: float) -> None:
    """Raise an error that names `level` unless it is a number in (0, 1)."""
    between_zero_and_one(level=number("level", level))


def check_bootstrap(resamples: int, seed: int, level: float) -> None:
    """Raise an error if `seed` is not valid, or `resamples` is too small or too large.

    A tail must hold at least one resample.
    """
    whole("seed", seed, 0)
    whole("resamples", resamples, math.ceil(2 / (1 - level)), MOST)


def check_method(
    method: str, methods: tuple[str, ...], level: float, resamples: int, seed: int
) -> None:
    """Require a known method, and a bootstrap where its arguments are not default."""
    check_level(level)
    one_of("method", method, methods)
    whole("resamples", resamples, 0)
    whole("seed", seed, 0)
    if method == "bootstrap":
        check_bootstrap(resamples, seed, level)
    elif (resamples, seed) != (9999, 0):
        raise ValueError('resamples and seed are for the method "bootstrap"')


def check_probabilities(q: ArrayLike, inside: bool) -> np.ndarray:
    """`q` as f64; `inside` leaves out 0 and 1. Raises an error that names ``q``."""
    result = numbers("q", q)
    if result.ndim > 1:
        raise TypeError(f"q must be a number or a list of numbers, got {shown(q)}")
    if not result.size:
        raise ValueError("q must name at least one probability, got none")
    (between_zero_and_one if inside else in_unit_interval)(q=result)
    return result


def check_bounds(
    bounds: tuple[float, float], values: np.ndarray
) -> tuple[float, float]:
    """Two increasing numbers that hold all `values` but NaN; names ``bounds``."""
    ends = numbers("bounds", bounds)
    if ends.shape != (2,):
        raise TypeError(
            f"bounds must be two numbers, the least and the largest value that a run "
            f"can have, got {shown(bounds)}"
        )
    low, high = ends.tolist()
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(f"bounds must be finite and increase, got {bounds}")
    if (outside := (values < low) | (values > high)).any():
        raise ValueError(
            f"bounds: {values[outside].flat[0]:g} is not in [{low:g}, {high:g}]"
        )
    return low, high
