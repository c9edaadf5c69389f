"""What people and programs report of a round: the setting's types, numbers in range.

`jaxbandits.live` shows a policy views, actions and feedback that no game has made.
Shapes and dtypes are those with which a setting annotates its types; the methods
`check_view`, `check_action` and `check_feedback` of a problem look at ranges.
"""

from typing import Any, get_type_hints

import numpy as np

from jaxbandits.checks import array_of, numbers, played, precision, shown

LARGEST = 2**31 - 1  # of the integers of a game
KINDS = {"bool": "b", "bool_": "b", "int32": "i"}  # of an annotation; else "f"


def typed(name: str, value: Any, kind: Any, sizes: dict[str, int]) -> Any:
    """A value of one of a setting's types, with arrays as that type is annotated.

    Args:
      name: of the argument.
      value: of that type; its fields may be numbers, lists or arrays. A tuple in a
        field (what no learner knows) may be None.
      kind: the type, a NamedTuple annotated by jaxtyping.
      sizes: lengths of the axes that the annotations name.

    Raises:
      TypeError, ValueError: naming the field.
    """
    if not isinstance(value, kind):
        source = ".".join(kind.__module__.split(".")[:2])
        raise TypeError(
            f"{name} must be {kind.__name__}({', '.join(kind._fields)}) of {source}, "
            f"got {shown(value)}"
        )
    fields = {}
    for field, hint in get_type_hints(kind).items():
        part, path = getattr(value, field), f"{name}.{field}"
        if not hasattr(hint, "dim_str"):
            fields[field] = None if part is None else typed(path, part, hint, sizes)
            continue
        shape = tuple(sizes.get(x) or int(x) for x in hint.dim_str.split())
        fields[field] = array(path, part, KINDS.get(hint.dtypes[0], "f"), shape)
    return kind(**fields)


def reported(problem: Any, name: str, value: Any) -> Any:
    """A view or feedback, by its name, in the type that its problem annotates, if any.

    Raises:
      TypeError, ValueError: naming the field.
    """
    check = getattr(problem, f"check_{name}", None)
    if check is None or (kind := get_type_hints(check)[name]) is Any:
        return value
    sizes = {"K": problem.num_arms, "m": getattr(problem, "size", 0)}
    return typed(name, value, kind, sizes)


def array(
    name: str, value: Any, kind: str | None = None, shape: tuple[int, ...] | None = None
) -> Any:
    """Numbers in the precision of play, int32, or truth values.

    Args:
      name: of the argument.
      value: a number, or lists or an array of them.
      kind: "f", "i" or "b" for real numbers, integers or truth values; None for that
        of `value`.
      shape: which the array must have; None for any.

    Raises:
      TypeError, ValueError: naming the argument, if it is of another kind or shape, or
        NaN, or if the precision of play would make another number of it.
    """
    given = array_of(name, value) if kind in (None, "b") else np.empty(0)
    if (kind or given.dtype.kind) == "b":
        if given.dtype != bool:
            raise TypeError(f"{name} must be True or False, got {shown(value)}")
        values = given
    else:
        values, given = numbers(name, value), np.asarray(value)
        if np.any(np.isnan(values)):
            raise ValueError(f"{name} must not hold NaN, got {shown(value)}")
        if (kind or given.dtype.kind) in "iu":
            if np.any((values != np.floor(values)) | (np.abs(values) > LARGEST)):
                raise ValueError(
                    f"{name} must be a whole number of at most 2**31 - 1, got "
                    f"{shown(value)}"
                )
            values = values.astype(np.int32)
        else:
            if given.dtype != precision():
                played(**{name: value})
            values = values.astype(precision())
    if shape not in (None, values.shape):
        wanted = f"have shape {[*shape]}" if shape else "be one number"
        raise ValueError(f"{name} must {wanted}, got shape {[*values.shape]}")
    return values


def within(
    name: str,
    value: Any,
    low: Any,
    high: Any,
    end: str = "",
    *,
    or_infinite: bool = False,
) -> None:
    """Require numbers in [low, high], in float32 whatever the precision of play.

    Args:
      name: of the argument.
      value: numbers.
      low: the least, finite.
      high: the largest, finite; or one for every number.
      end: what `high` is, for errors.
      or_infinite: whether +inf, for what has not come, is allowed as well.

    Raises:
      ValueError: naming the argument and the range.
    """
    x, least, most = (np.asarray(each, np.float32) for each in (value, low, high))
    if not np.all(((x >= least) & (x <= most)) | (or_infinite & (x == np.inf))):
        never = ", or inf if it has not come" if or_infinite else ""
        raise ValueError(
            f"{name} must be in [{low:g}, {end or f'{high:g}'}]{never}, got {value}"
        )


def positions(name: str, value: Any, size: int) -> None:
    """Require integers, an array of them or one, in [0, size)."""
    if np.any((value < 0) | (value >= size)):
        raise ValueError(f"{name} must be in [0, {size}), got {value}")
