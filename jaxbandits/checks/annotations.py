"""Kinds of arguments, checked against the annotations of a function."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from numbers import Real
from types import UnionType
from typing import Annotated, Any, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np

from jaxbandits.checks.values import is_iterable, is_traced, named, shaped, shown

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def kinds(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Decorator: arguments of another kind than their annotations say are refused.

    What is annotated as a number, an integer, an array, a flag, a text, a function, a
    mapping, a type, a sequence or tuple of these, or one of several, is looked at; what
    is annotated otherwise is not. Arrays have the axes of their annotation, ``Real[
    ArrayLike, " K"]``, and axes of one name one length. Values are looked at where the
    annotation has a range, ``Annotated[Reals, in_unit_interval]``, and the argument is
    not traced.

    Raises:
      TypeError: naming the argument and its kinds.
      ValueError: naming the argument and its shape or range.
    """
    check = check_kinds(function)

    @wraps(function)
    def checked(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
        check(*args, **options)
        return function(*args, **options)

    return checked


def check_kinds(function: Callable[..., Any]) -> Callable[..., None]:
    """What `kinds` checks before it calls: a function of the same arguments."""
    signature = inspect.signature(function)
    wanted = {
        name: (each.kind, *_wanted(each.annotation))
        for name, each in signature.parameters.items()
        if each.annotation is not each.empty and each.kind is not each.VAR_KEYWORD
    }
    ranges = {
        name: each.annotation.__metadata__[0]
        for name, each in signature.parameters.items()
        if get_origin(each.annotation) is Annotated
    }
    axes = {
        name: letters
        for name, each in signature.parameters.items()
        if each.kind != each.VAR_POSITIONAL
        and (letters := _axes(each.annotation)) is not None
    }

    def check(*args: Any, **options: Any) -> None:
        given = bound(function.__name__, signature, args, options).arguments
        for name, (kind, is_one, words) in wanted.items():
            if name not in given:
                continue
            value = given[name]
            several = kind == inspect.Parameter.VAR_POSITIONAL
            for each in value if several else (value,):
                if not is_one(each):
                    raise TypeError(f"{name} must be {words}, got {shown(each)}")
                if name in ranges and each is not None and not is_traced(each):
                    ranges[name](**{name: each})
        lengths: dict[str, int] = {}
        for name, asked in axes.items():
            if given.get(name) is not None:
                own = _shape(given[name])
                known = (str(lengths.get(axis, axis)) for axis in asked.split())
                shaped(" ".join(known), **{name: np.broadcast_to(0, own)})
                lengths |= zip(asked.split(), own, strict=True)

    return check


def _axes(annotation: Any) -> str | None:
    """The axes of an annotated array, as "K N", or None if these may be others."""
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    union = get_origin(annotation) in (Union, UnionType)
    parts = get_args(annotation) if union else (annotation,)
    known = {each.dim_str for each in parts if hasattr(each, "dim_str")}
    known |= {""} if known and {int, float} & {*parts} else set()
    axes = known.pop() if len(known) == 1 else "..."
    return axes if re.fullmatch(r"[\w ]*", axes) else None


def _shape(value: Any) -> tuple[int, ...]:
    """The shape of an array, or of a list of numbers, traced or not."""
    if isinstance(value, list | tuple):
        return len(value), *(_shape(value[0]) if value else ())
    return np.shape(value)


def bound(
    name: str, signature: inspect.Signature, args: Any, options: Mapping[str, Any]
) -> inspect.BoundArguments:
    """The arguments of a call of a function of some name, by its signature."""
    try:
        return signature.bind(*args, **options)
    except TypeError as error:  # in words that name no function
        known = ", ".join(signature.parameters)
        raise TypeError(f"{name}: {error}; it takes {known}") from None


_kinds_of: Callable[[Any], Callable[..., None]] = cache(check_kinds)


def check_fields(name: str, record: Any) -> None:
    """Require fields of a NamedTuple as they are annotated; see `kinds`.

    Errors begin with the name of the record.
    """
    with named(name):
        _kinds_of(type(record))(*record)


def _wanted(annotation: Any) -> tuple[Callable[[Any], bool], str]:
    """A test of a value, and what it asks for in words."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _wanted(inner[0])
    if origin in (Union, UnionType):
        tests, words = zip(*map(_wanted, inner), strict=True)
        named = " or ".join(dict.fromkeys(words))
        return lambda x: any(test(x) for test in tests), named
    arrays = ("Array", "ndarray")
    dtypes = getattr(annotation, "dtypes", None)  # no tuple, of any dtype
    if isinstance(dtypes, tuple) and "bool" not in dtypes or annotation is np.number:
        return _is_numbers, "an array of numbers"
    if (
        hasattr(annotation, "array_type")
        or getattr(annotation, "__name__", "") in arrays
    ):
        return _is_array, "an array of numbers"
    if origin is Sequence or (origin is tuple and Ellipsis not in inner):
        tests, words = zip(*map(_wanted, inner), strict=True)
        exact = origin is tuple

        def are(value: Any) -> bool:
            if (
                np.ndim(value) == 0
                if isinstance(value, np.ndarray)
                else (not isinstance(value, Sequence) or isinstance(value, str | bytes))
            ):
                return False
            asked = tests if exact else tests * len(value)
            return len(value) == len(asked) and all(
                test(each) for test, each in zip(asked, value, strict=True)
            )

        return are, f"a {'tuple' if exact else 'sequence'} of {', '.join(words)}"
    kind = origin or annotation
    if kind in _KINDS:
        return _KINDS[kind]
    # A type variable, a string or Any may stand for everything.
    if not isinstance(kind, type) or kind in (Any, object, tuple):
        return lambda x: True, "anything"
    return lambda x: isinstance(x, kind), f"a {kind.__name__}"


def _is_array(value: Any) -> bool:
    """Whether JAX can make an array of real numbers of it; what is traced is one."""
    if isinstance(value, np.ma.MaskedArray):
        return False
    if hasattr(value, "dtype"):
        return np.dtype(value.dtype).kind not in "OSUMmc"
    if not isinstance(value, list | tuple):
        return isinstance(value, Real)
    if not all(map(_is_array, value)):
        return False
    try:  # a ragged list has no shape
        return len({np.shape(each) for each in value}) <= 1
    except ValueError:
        return False


def _is_numbers(value: Any) -> bool:
    """Whether it is such an array, and not one of truth values."""
    if isinstance(value, list | tuple):
        return _is_array(value) and all(map(_is_numbers, value))
    dtype = np.dtype(getattr(value, "dtype", type(value)))
    return _is_array(value) and dtype.kind != "b"


_KINDS: dict[Any, tuple[Callable[[Any], bool], str]] = {
    type(None): (lambda x: x is None, "None"),
    bool: (lambda x: isinstance(x, bool | np.bool_), "True or False"),
    int: (
        lambda x: isinstance(x, int | np.integer) and not isinstance(x, bool),
        "an integer",
    ),
    float: (
        lambda x: _is_array(x) and np.ndim(x) == 0 and type(x) not in (bool, np.bool_),
        "a number",
    ),
    str: (lambda x: isinstance(x, str), "a string"),
    Callable: (callable, "a function"),
    Iterable: (
        lambda x: is_iterable(x) and not isinstance(x, str | bytes),
        "a list",
    ),
    Mapping: (lambda x: isinstance(x, Mapping), "a mapping"),
}
