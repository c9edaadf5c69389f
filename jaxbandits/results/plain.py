"""Values as JSON can hold them."""

import math
from collections.abc import Mapping
from os import PathLike
from typing import Any


def plain(value: Any, name: str = "value") -> Any:
    """`value` made of dicts, lists, strings, numbers, booleans and None.

    Arrays (of any library: whatever has ``tolist``) become nested lists, tuples become
    lists, and paths strings. JSON has no infinities: floats that are not finite become
    the strings "inf", "-inf" and "nan".

    Args:
      value: what to convert.
      name: of the argument, for the error message.

    Returns:
      The converted value, which shares nothing mutable with `value`.

    Raises:
      ValueError: naming the part of `value` that has no JSON form, or is within itself.
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
        # float() strips NumPy's float64, which is a float with another repr.
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
