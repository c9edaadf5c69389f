"""Arguments of bounds, which are computed in float64 whatever they come in.

An ``np.int8`` of 100 would overflow at its first product, and a list has none.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")


def plain_numbers(function: Callable[P, R]) -> Callable[P, R]:
    """A function that gets Python's numbers for NumPy's, and arrays f64 for lists.

    What holds anything but real numbers comes as it is, and is its to refuse.
    """

    @functools.wraps(function)
    def called(*args: P.args, **options: P.kwargs) -> R:
        plain = {name: _plain(value) for name, value in options.items()}
        return function(*map(_plain, args), **plain)

    return called


def _plain(value: Any) -> Any:
    if isinstance(value, np.ma.MaskedArray):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if type(value) in (list, tuple):
        return _array(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        return value.astype(np.float64)
    return value


def _array(values: Sequence[Any]) -> Any:
    """f64 of a list of numbers, nested or not; any other list as it is."""
    flat = list(_entries(values))
    if any(isinstance(x, bool | np.bool_) for x in flat):
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
