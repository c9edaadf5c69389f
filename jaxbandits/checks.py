"""Checks of user input: errors that name the argument and the allowed range."""

import numpy as np


def positive(**values) -> None:
    """Require every value (numbers or arrays of them) to be finite and > 0."""
    _require(values, lambda x: x > 0, "positive and finite")


def non_negative(**values) -> None:
    """Require every value to be finite and >= 0."""
    _require(values, lambda x: x >= 0, ">= 0 and finite")


def at_least_one(**values) -> None:
    """Require every value to be finite and >= 1."""
    _require(values, lambda x: x >= 1, ">= 1 and finite")


def above_one(**values) -> None:
    """Require every value to be finite and > 1."""
    _require(values, lambda x: x > 1, "above 1 and finite")


def between_zero_and_one(**values) -> None:
    """Require every value to lie in the open interval (0, 1)."""
    _require(values, lambda x: (x > 0) & (x < 1), "in (0, 1)")


def whole(name: str, value, least: int) -> int:
    """Require an integer of at least `least` (a bool is not one); return it."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer, got {type(value).__name__}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return int(value)


def _require(values, condition, text):
    for name, value in values.items():
        numbers = np.asarray(value, np.float64)
        if not np.all(np.isfinite(numbers) & condition(numbers)):
            raise ValueError(f"{name} must be {text}, got {value}")
