"""Arguments of bounds, which are computed in float64 whatever they come in.

An ``np.int8`` of 100 would overflow at its first product, and a list has none.
"""

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np

from jaxbandits.checks import MOST, flag, number

P = ParamSpec("P")
R = TypeVar("R")


def plain_numbers(function: Callable[P, R]) -> Callable[P, R]:
    """A function that gets Python's numbers for others, and arrays f64 for lists.

    What is annotated as a float must be one number, what as a bool a flag. What else
    holds anything but real numbers comes as it is, and is the function's to refuse.
    """
    signature = inspect.signature(function)
    kinds = {name: each.annotation for name, each in signature.parameters.items()}
    checks = {float: number, bool: flag}

    @functools.wraps(function)
    def called(*args: P.args, **options: P.kwargs) -> R:
        given = signature.bind(*args, **options)
        for name, value in given.arguments.items():
            check = checks.get(kinds[name])
            given.arguments[name] = check(name, value) if check else plain(value)
        return function(*given.args, **given.kwargs)

    return called


def up_to(most: Any, **values: Any) -> np.ndarray:
    """1, ..., `most`, of which the least that is enough is looked for.

    Raises:
      ValueError: naming the arguments that make it more than can be looked through.
    """
    if not most <= MOST:
        words = ", ".join(f"{name} = {value:g}" for name, value in values.items())
        raise ValueError(
            f"{', '.join(values)} must not take more than {MOST:,} pulls to look "
            f"through, got {words}"
        )
    return np.arange(1, int(most) + 1)


def plain(value: Any) -> Any:
    """A number of NumPy's or JAX's as Python's, and arrays and lists as f64."""
    if type(value).__module__.startswith("jax") and hasattr(value, "dtype"):
        value = _of_jax(value)
    if isinstance(value, np.ma.MaskedArray):
        return value
    # A time is an integer to NumPy.
    if isinstance(value, np.integer | np.floating) and value.dtype.kind in "iuf":
        return value.item()
    if type(value) in (list, tuple):
        return _array(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        return value.astype(np.float64)
    return value


def _of_jax(value: Any) -> Any:
    """NumPy's; a traced array, which has no values, as it is."""
    try:
        return np.asarray(value)[()]
    except Exception:  # noqa: BLE001 - JAX's own of tracers and keys
        return value


def _array(values: Sequence[Any]) -> Any:
    """f64 of a list of numbers, nested or not; any other list as it is."""
    if any(isinstance(x, bool | np.bool_) for x in _entries(values)):
        return values
    try:
        array = np.asarray(values)
    except ValueError:  # ragged
        return values
    return array.astype(np.float64) if array.dtype.kind in "iuf" else values


def _entries(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _entries(value)
        else:
            yield value
