"""Numbers that people tell a policy of a round: their kind, shape and range.

What these give are NumPy's arrays (`Any` to a type checker, for types of a game say
JAX's, which they become when they are played).
"""

from typing import Any

import numpy as np

from jaxbandits.checks import flag, numbers, shown

MOST = 2**31 - 1  # that a whole number of a game can be
ROUNDING = 1e-6  # relative, of what has been a float32


def real(
    name: str, value: Any, lowest: float, highest: float, shape: tuple[int, ...] = ()
) -> Any:
    """Require real numbers in [lowest, highest]; return them, f64.

    Args:
      name: of the argument.
      value: what was told.
      lowest, highest: the range, finite, and what is rounded beyond an end.
      shape: of the array.

    Raises:
      TypeError, ValueError: naming the argument, and what is allowed.
    """
    values = _shaped(name, value, shape)
    above = values >= lowest - ROUNDING * abs(lowest)
    if not np.all(above & (values <= highest + ROUNDING * abs(highest))):
        raise ValueError(
            f"{name} must be in [{lowest:g}, {highest:g}], got {shown(value)}"
        )
    return np.clip(values, lowest, highest)


def finite(name: str, value: Any, shape: tuple[int, ...] = ()) -> Any:
    """Require real numbers that a float32 can hold; return them, f64."""
    values = _shaped(name, value, shape)
    if not np.all(np.abs(values) <= np.finfo(np.float32).max):
        raise ValueError(f"{name} must be finite, got {shown(value)}")
    return values


def at_least_zero(name: str, value: Any, shape: tuple[int, ...] = ()) -> Any:
    """As `finite`, of what is not negative."""
    values = finite(name, value, shape)
    if np.any(values < 0):
        raise ValueError(f"{name} must be at least 0, got {shown(value)}")
    return values


def positive(name: str, value: Any, shape: tuple[int, ...] = ()) -> Any:
    """As `finite`, of what is above 0."""
    values = finite(name, value, shape)
    if np.any(values <= 0):
        raise ValueError(f"{name} must be positive, got {shown(value)}")
    return values


def any_number(name: str, value: Any) -> Any:
    """Require one real number, perhaps infinite; return it, f64[]."""
    return _shaped(name, value, ())


def or_never(
    name: str,
    value: Any,
    lowest: float,
    highest: Any,
    most: str,
    shape: tuple[int, ...] = (),
) -> Any:
    """As `real`, of what may also not have come: then it is +inf.

    Args:
      highest: finite; one number or one per entry.
      most: what that is, for errors.
    """
    values = _shaped(name, value, shape)
    never = values == np.inf
    inside = (values >= lowest) & (values <= highest * (1 + ROUNDING))
    if not np.all(never | inside):
        raise ValueError(
            f"{name} must be in [{lowest:g}, {most}], or inf if it has not come, got "
            f"{shown(value)}"
        )
    return values


def count(name: str, value: Any, lowest: int, highest: int = MOST) -> Any:
    """Require a whole number in [lowest, highest], float or not; return it, i64[]."""
    number = _shaped(name, value, ())
    if number != np.floor(number):
        raise ValueError(f"{name} must be a whole number, got {shown(value)}")
    if not lowest <= number <= highest:
        raise ValueError(f"{name} must be in [{lowest}, {highest}], got {shown(value)}")
    return number.astype(np.int64)


def positions(name: str, value: Any, size: int) -> None:
    """Require integers, an array of them or one, in [0, size)."""
    outside = (np.asarray(value) < 0) | (np.asarray(value) >= size)
    if np.any(outside):
        raise ValueError(f"{name} must be in [0, {size}), got {np.asarray(value)}")


def truth(name: str, value: Any) -> Any:
    """Require True or False, also as an array; return it, bool[]."""
    single = np.asarray(value)[()] if np.shape(value) == () else value
    return np.asarray(flag(name, single))


def of_type(what: str, value: Any, kind: Any, source: str) -> Any:
    """Require a value of one of a setting's types; return it."""
    if not isinstance(value, kind):
        fields = ", ".join(kind._fields)
        raise TypeError(
            f"{what} must be {kind.__name__}({fields}) of {source}, got {shown(value)}"
        )
    return value


def _shaped(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    values = numbers(name, value)
    if values.shape != shape:
        wanted = "one number" if not shape else f"{shape[0]} numbers, one per arm"
        raise ValueError(f"{name} must be {wanted}, got shape {list(values.shape)}")
    if np.any(np.isnan(values)):
        raise ValueError(f"{name} must not hold NaN, got {shown(value)}")
    return values
