"""Where arguments of bounds lie: said once, in annotations, and checked by them.

    @domains
    def regret_rate(budgets: AtLeastOne[Numbers], rho: Positive[float]) -> np.ndarray:

refuses what is outside, naming the argument, and computes in float64 whatever comes (an
``np.int8`` of 100 would overflow at its first product, and a list has none): a `float`
comes as one, `Numbers` as f64 of any shape, a `Vector` as f64[n]. What may be None
comes as it is then. Axes that a type names (`OfArms`: "K") are as long in every
argument, and not empty.
"""

import inspect
from collections.abc import Callable
from functools import partial, wraps
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
)

import numpy as np

from jaxbandits import checks
from jaxbandits.checks import MOST

if TYPE_CHECKING:
    # What comes; given are lists and numbers as well.
    Numbers = np.ndarray
    Scalars = np.ndarray | float
else:
    Numbers = Scalars = checks.Numbers  # `Scalars` of which one is the default

R = TypeVar("R")
T = TypeVar("T")


class Whole(NamedTuple):
    """Integers in [least, most]."""

    least: int
    most: int = MOST


Vector = Annotated[Numbers, 1]
OfArms = Annotated[Numbers, "K"]
OfLimits = Annotated[Numbers, "M"]
Table = Annotated[Numbers, "K M"]  # of arms and limits, or waits
Finite = Annotated[T, checks.finite]
NonNegative = Annotated[T, checks.non_negative]
Positive = Annotated[T, checks.positive]
AtLeastOne = Annotated[T, checks.at_least_one]
AboveOne = Annotated[T, checks.above_one]
Inside = Annotated[T, checks.between_zero_and_one]
Share = Annotated[T, checks.in_unit_interval]
Count = Annotated[int, Whole(1)]
Form = Literal["printed", "proof"]  # of a formula, where a proof gives another one


def domains(function: Callable[..., R]) -> Callable[..., R]:
    """Decorator: arguments outside what their annotations say are refused.

    What is annotated otherwise comes as it is.

    Raises:
      ValueError: naming the argument and the range.
      TypeError: naming the argument, if it is of another kind.
    """
    return _checked(function, together=False)


def broadcast_domains(function: Callable[..., R]) -> Callable[..., R]:
    """`domains`, of arguments whose shapes broadcast together."""
    return _checked(function, together=True)


def _checked(function: Callable[..., R], together: bool) -> Callable[..., R]:
    signature = inspect.signature(function)
    parameters = signature.parameters.values()
    known = {
        each.name: check for each in parameters if (check := _check(each.annotation))
    }

    axes = {x.name: letters for x in parameters if (letters := _axes(x.annotation))}

    @wraps(function)
    def called(*args: Any, **options: Any) -> R:
        given = signature.bind(*args, **options)
        given.apply_defaults()
        values = given.arguments
        values |= {name: check(name, values[name]) for name, check in known.items()}
        _agree(values, axes)
        if together:
            arrays = {k: v for k, v in values.items() if isinstance(v, np.ndarray)}
            checks.together(**arrays)
        return function(*given.args, **given.kwargs)

    # Readers of signatures see kinds alone.
    kinds = [x.replace(annotation=_kind(x.annotation)) for x in parameters]
    called.__signature__ = signature.replace(parameters=kinds)  # type: ignore[attr-defined]
    return called


def _kind(annotation: Any) -> Any:
    first, *rest = get_args(annotation) or (annotation,)
    if rest == [type(None)]:
        return _kind(first) | None
    return first if get_origin(annotation) is Annotated else annotation


def _check(annotation: Any) -> Callable[[str, Any], Any] | None:
    """``(name, value) -> value``, if something is said of it."""
    kind, said = _kind(annotation), get_args(annotation)[1:]
    if said == (type(None),):
        inner = _check(get_args(annotation)[0])
        return inner and partial(_unless_none, inner)
    if get_origin(annotation) is Literal:
        return partial(_choice, get_args(annotation))
    if kind is bool:
        return checks.flag
    if kind is int and said:
        return partial(_whole, said[0])
    if kind in (float, Numbers):
        return partial(_real, kind, said)
    return None


def _unless_none(check: Callable[[str, Any], Any], name: str, value: Any) -> Any:
    return None if value is None else check(name, value)


def _choice(choices: tuple[str, ...], name: str, value: Any) -> Any:
    return checks.one_of(name, value, choices)


def _whole(span: Whole, name: str, value: Any) -> int:
    if np.ndim(value) == 0 and getattr(value, "dtype", np.dtype("O")).kind in "iu":
        value = value.item()  # of an array of JAX's
    return checks.whole(name, value, *span)


def _real(kind: Any, said: tuple[Any, ...], name: str, value: Any) -> Any:
    for require in filter(callable, said):
        require(**{name: value})
    if kind is float:
        return checks.number(name, value)
    axes = (each for each in said if isinstance(each, int | str))
    sizes = (each if isinstance(each, int) else len(each.split()) for each in axes)
    return checks.numbers(name, value, *sizes)


def _axes(annotation: Any) -> list[str]:
    """The letters of an argument's axes, if its type names them."""
    said = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    return [letter for each in said if isinstance(each, str) for letter in each.split()]


def _agree(values: dict[str, Any], axes: dict[str, list[str]]) -> None:
    """Require axes of one letter to have one length, and those of a number that."""
    lengths: dict[str, int] = {}
    for name, letters in axes.items():
        own = values[name].shape
        wanted = [
            lengths.get(x, int(x) if x.isdigit() else size)
            for x, size in zip(letters, own, strict=True)
        ]
        if list(own) != wanted or 0 in own:
            known = [f"{x} = {n}" for x, n in lengths.items() if x in letters]
            words = f" with {', '.join(known)}" if known else ", none of them 0"
            raise ValueError(
                f"{name} must have shape [{', '.join(letters)}]{words}, got {list(own)}"
            )
        lengths |= dict(zip(letters, own, strict=True))


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
