"""What annotations promise of arrays, looked at in traced values."""

import inspect
import types
import typing
from functools import cache, partial

import numpy as np
from jaxtyping import AbstractArray, jaxtyped

# Single numbers: what a value must be for each. Where a float may go, so may an int.
NUMBERS = {
    bool: bool,
    int: int,
    float: (float, int),
    np.number: np.number,
    np.bool_: np.bool_,
}


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


def unlike_its_signature(function, *args, **options):
    """Arguments and results of a call that are not what the function's signature says.

    An axis has one length by its name, in all of them.

    Returns:
      Texts, one per array or number.
    """
    signature = inspect.signature(function)
    given = signature.bind(*args, **options)
    given.apply_defaults()
    told = []
    for name, value in given.arguments.items():
        parameter = signature.parameters[name]
        several = parameter.kind is inspect.Parameter.VAR_POSITIONAL
        values = value if several else (value,)
        told.extend((name, each, parameter.annotation) for each in values)
    call = partial(function, *args, **options)
    return _unlike_call(call, told, signature.return_annotation)


def _unlike_call(call, told, returns):
    texts = []
    with jaxtyped("context"):
        for name, value, hint in told:
            texts.extend(_unlike(value, hint, name))
        texts.extend(_unlike(call(), returns, "the result"))
    return texts


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
    elif typing.get_origin(hint) is tuple and len(parts) == len(value):
        for position, (each, part) in enumerate(zip(value, parts, strict=True)):
            yield from _unlike(each, part, f"{name}[{position}]")
    elif is_array(hint):
        if not isinstance(value, hint):
            yield f"{name} is {_kind(value)} and not {hint.__name__}"
    elif hint in NUMBERS:
        if not isinstance(value, NUMBERS[hint]):
            yield f"{name} is {_kind(value)} and not {hint.__name__}"
    elif hasattr(hint, "_fields") and not isinstance(value, hint):
        yield f"{name} is a {type(value).__name__} and not {hint.__name__}"
    else:
        yield from unlike(value, name)


def _kind(value):
    if hasattr(value, "shape"):
        return f"{value.dtype}{list(value.shape)}"
    return type(value).__name__


def is_array(hint):
    """Whether an annotation is one of shapes and dtypes."""
    return isinstance(hint, type) and issubclass(hint, AbstractArray)


@cache
def _hints(kind):
    return typing.get_type_hints(kind)
