"""Checks that several theorems share: a range of rates, a long enough game."""

import numpy as np

from jaxbandits.checks import (
    Numbers,
    at_least_one,
    in_unit_interval,
    numbers,
    positive,
    whole,
)


def rates(
    m: float, M: float, budget: float
) -> tuple[np.float64, np.float64, np.float64]:
    """``0 < m < M`` and the budget, f64 numbers each: rates lie in [m / B, M / B]."""
    positive(m=m, M=M, budget=budget)
    for name, value in (("m", m), ("M", M), ("budget", budget)):
        if np.ndim(value):
            raise ValueError(f"{name} must be a number, got {value}")
    if m >= M:
        raise ValueError(f"m must be below M = {M:g}, got {m}")
    return np.float64(m), np.float64(M), np.float64(budget)


def long_enough(horizon: Numbers, num_arms: int) -> tuple[np.ndarray, int]:
    """``T >= K`` and ``K >= 2``, f64 of any shape and an int."""
    K = whole("num_arms", num_arms, 2)
    at_least_one(horizon=horizon)
    T = np.asarray(horizon, np.float64)
    if np.any(T < K):
        raise ValueError(f"horizon must be at least num_arms = {K}, got {horizon}")
    return T, K


def share(name: str, value: Numbers) -> np.ndarray:
    """A number in [0, 1] or an array of them, f64."""
    in_unit_interval(**{name: value})
    return numbers(name, value)


def floats(*values: Numbers) -> list[np.ndarray]:
    """Values as arrays f64."""
    return [np.asarray(value, np.float64) for value in values]
