"""What annotations promise of arrays, looked at in traced values."""

import types
import typing
from functools import cache

from jaxtyping import AbstractArray


def unlike(value, name="value"):
    """Arrays in a pytree that are not what the fields of its NamedTuples say.

    To be called in a context ``jaxtyped("context")``, in which an axis has one length
    by its name. What is annotated as `Any` is looked into.

    Args:
      value: a pytree.
      name: of it, for the answer.

    Returns:
      Texts, one per array.
    """
    if isinstance(value, dict):
        for key, each in value.items():
            yield from unlike(each, f"{name}[{key!r}]")
    elif hasattr(value, "_fields"):
        for field, each in zip(value._fields, value, strict=True):
            hint = _hints(type(value))[field]
            yield from _unlike(each, hint, f"{name}.{field}")
    elif isinstance(value, tuple | list):
        for position, each in enumerate(value):
            yield from unlike(each, f"{name}[{position}]")


def _unlike(value, hint, name):
    parts = typing.get_args(hint)
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        told = [part for part in parts if part is not types.NoneType]
        if value is not None or len(told) == len(parts):
            found = [list(_unlike(value, part, name)) for part in told]
            yield from min(found, key=len)
    elif typing.get_origin(hint) is tuple and parts[1:] == (...,):
        for position, each in enumerate(value):
            yield from _unlike(each, parts[0], f"{name}[{position}]")
    elif is_array(hint):
        if not isinstance(value, hint):
            kind = f"{value.dtype}{list(value.shape)}"
            yield f"{name} is {kind} and not {hint.__name__}"
    elif hasattr(hint, "_fields") and not isinstance(value, hint):
        yield f"{name} is a {type(value).__name__} and not {hint.__name__}"
    else:
        yield from unlike(value, name)


def is_array(hint):
    """Whether an annotation is one of shapes and dtypes."""
    return isinstance(hint, type) and issubclass(hint, AbstractArray)


@cache
def _hints(kind):
    return typing.get_type_hints(kind)
