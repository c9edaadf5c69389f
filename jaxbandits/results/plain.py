"""Values in the form that JSON can hold."""

import math
from collections.abc import Mapping
from os import PathLike
from typing import Any


def plain(value: Any, name: str = "value") -> Any:
    """A copy of a value made of dicts, lists, strings, numbers, booleans and None.

    Arrays (all objects with ``tolist``) become nested lists, tuples lists, and paths
    strings. Floats that JSON lacks become the strings "inf", "-inf" and "nan".

    Raises:
      ValueError: naming the part that has no JSON form or contains itself, after the
        `name` of the argument.
    """
    try:
        return _plain(value, name)
    except RecursionError:
        raise ValueError(
            f"{name} must have an end, and has a part that holds itself (or very many "
            "levels)"
        ) from None


def _plain(value: Any, name: str) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        # float() takes the repr of Python for the float64 of NumPy.
        return float(value) if math.isfinite(value) else repr(float(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(item, f"{name}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, f"{name}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, PathLike):
        return str(value)
    if hasattr(value, "tolist"):
        return _plain(value.tolist(), name)
    raise ValueError(f"{name}: {type(value).__name__} has no JSON form")
