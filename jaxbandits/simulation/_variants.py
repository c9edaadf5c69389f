"""Environments by the arguments of what makes them: one for each combination."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from jaxbandits import checks
from jaxbandits.checks.points import Zipped
from jaxbandits.console.progress import doing
from jaxbandits.protocol import Environment
from jaxbandits.results.dataset import VARIED

MOST = 10_000  # values of an argument: each is an environment
Row = dict[str, tuple[str, Any]]  # by argument a value, after what names say of it


def variants(
    name: str,
    make: Callable[..., Environment[Any, Any, Any]],
    arguments: Mapping[str, Iterable[Any]] | Zipped,
) -> dict[str, Environment[Any, Any, Any]]:
    """An environment for each combination of arguments, as `simulate` takes them.

    Args:
      name: how all their names begin.
      make: a function of these arguments (by name) that makes an environment.
      arguments: by argument its values: numbers, texts, functions, what has a name,
        lists of them; each combined with each. Or what `jaxbandits.zipped` gives: the
        i-th values of its columns together, which are lists of one length.

    Returns:
      By names that tell the values, ``"S-Br (num_arms = 3, cost_floor = 0.5)"``, zipped
      arguments slowest and the last crossed one fastest. Results have the values for
      coordinates of ``environment``, ``environment_num_arms``: float64 of numbers, else
      text.

    Raises:
      ValueError, TypeError: naming the argument whose values are none, unequal to those
        that they are zipped with, or make two names equal; and what `make` raises.
    """
    checks.text("name", name)
    checks.function("make", make)
    environments: dict[str, Environment[Any, Any, Any]] = {}
    axes = _axes(arguments)
    with doing(f"making {math.prod(map(len, axes)):,} environments {name}"):
        for parts in itertools.product(*axes):
            row = {x: cell for part in parts for x, cell in part.items()}
            label = ", ".join(f"{x} = {text}" for x, (text, _) in row.items())
            if (label := f"{name} ({label})") in environments:
                raise ValueError(f"arguments must be different, got {label} twice")
            made = make(**{x: value for x, (_, value) in row.items()})
            checks.instance("make: what it makes", made, Environment, "of jaxbandits")
            facts = {x: v if _is_number(v) else text for x, (text, v) in row.items()}
            provenance = {**(made.provenance or {}), VARIED: facts}
            environments[label] = made._replace(provenance=provenance)
    return environments


def _axes(arguments: Any) -> list[list[Row]]:
    """What is combined with each other: values by argument, of zipped ones several."""
    grid = arguments if isinstance(arguments, Zipped) else Zipped({}, arguments)
    if not all(isinstance(part, Mapping) for part in grid) or not any(grid):
        raise TypeError(
            "arguments must map names to lists of values, at least one, or be what "
            f"zipped(...) gives, got {checks.shown(arguments)}"
        )
    if both := sorted(grid.crossed.keys() & grid.columns.keys()):
        raise ValueError(f"arguments both crosses and zips {both}")
    columns, crossed = (
        {checks.text("arguments: a name", x): _column(x, v) for x, v in part.items()}
        for part in grid
    )
    lengths = {x: len(column) for x, column in columns.items()}
    if len({*lengths.values()}) > 1:
        raise ValueError(
            f"arguments must have lists of equal length to zip them, got {lengths}"
        )
    rows = [
        {x: cell for each in row for x, cell in each.items()}
        for row in zip(*columns.values(), strict=True)
    ]
    return [*([rows] if rows else []), *crossed.values()]


def _column(name: str, values: Any) -> list[Row]:
    """The values of an argument, at least one."""
    # A set has no order of its own, and environments have.
    no_list = (str, Mapping, set, frozenset)
    single = not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0
    if isinstance(values, no_list) or single:
        raise TypeError(
            f"arguments[{name!r}] must be a list of values, got {checks.shown(values)}"
        )
    cells = [(_text(value), value) for value in itertools.islice(values, MOST + 1)]
    if not 0 < len(cells) <= MOST:
        raise ValueError(
            f"arguments[{name!r}] must have at least one value and at most {MOST}"
        )
    for text, value in cells:
        if text is None:
            raise TypeError(
                f"arguments[{name!r}] must be numbers, texts, functions or lists of "
                f"them, got {checks.shown(value)}"
            )
    return [{name: cell} for cell in cells]


def _text(value: Any) -> Any:
    """A value in a few words; None of what has none."""
    if isinstance(name := getattr(value, "name", None), str):  # as of a law
        return name
    if isinstance(value, list | tuple):
        parts = [_text(each) for each in value]
        return None if None in parts else f"({', '.join(parts)})"
    if _is_number(value):
        return f"{checks.number('arguments: a value', value):.12g}"
    if isinstance(value, str | bool | np.bool_):
        return f"{value}"
    return getattr(value, "__name__", None)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)
