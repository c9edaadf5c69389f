"""Environments for all combinations of the arguments of a function."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from jaxbandits import checks
from jaxbandits.checks.points import Zipped, points_from
from jaxbandits.console.progress import doing
from jaxbandits.protocol import Environment
from jaxbandits.results.dataset import VARIED

MOST = 10_000  # values of an argument


def variants(
    name: str,
    make: Callable[..., Environment[Any, Any, Any]],
    arguments: Mapping[str, Iterable[Any]] | Zipped,
) -> dict[str, Environment[Any, Any, Any]]:
    """An environment for each combination of arguments, as `simulate` takes them.

    Args:
      name: the beginning of the names of the environments.
      make: a function of these arguments (by name) that makes an environment.
      arguments: the values of each argument: numbers, texts, functions, objects with a
        name, or lists of these; every value is combined with every other. Or what
        `jaxbandits.zipped` returns: the i-th values of its columns belong together.

    Returns:
      Environments by names that have the values, as ``"S-Br (num_arms = 3, cost_floor =
      0.5)"``; zipped arguments vary slowest, the last crossed one fastest. Results have
      the values as coordinates (``environment_num_arms``): float64 if all are numbers,
      else text.

    Raises:
      ValueError, TypeError: naming an argument whose values are none, or not as many as
        those they are zipped with, or make two names equal; and what `make` raises.
    """
    checks.text("name", name)
    checks.function("make", make)
    environments: dict[str, Environment[Any, Any, Any]] = {}
    rows = _rows(arguments)
    with doing(f"making {len(rows):,} environments {name}"):
        for row in rows:
            texts = {x: _text(value, f"arguments[{x!r}]") for x, value in row.items()}
            label = f"{name} ({', '.join(f'{x} = {t}' for x, t in texts.items())})"
            if label in environments:
                raise ValueError(f"arguments must be different, got {label} twice")
            made = make(**row)
            checks.instance("make: what it makes", made, Environment, "of jaxbandits")
            facts = {x: v if _is_number(v) else texts[x] for x, v in row.items()}
            provenance = {**(made.provenance or {}), VARIED: facts}
            environments[label] = made._replace(provenance=provenance)
    return environments


def _rows(arguments: Any) -> list[dict[str, Any]]:
    """The values of each call, by argument: those of a grid of their numbers."""
    grid = arguments if isinstance(arguments, Zipped) else Zipped({}, arguments)
    if not all(isinstance(part, Mapping) for part in grid) or not any(grid):
        raise TypeError(
            "arguments must map names to lists of values, at least one, or be what "
            f"zipped(...) gives, got {checks.shown(arguments)}"
        )
    values = {
        checks.text("arguments: a name", x): _column(x, v)
        for part in grid
        for x, v in part.items()
    }
    numbers = ({x: range(len(values[x])) for x in part} for part in grid)
    points = points_from(Zipped(*numbers), "arguments")
    return [
        {x: values[x][int(column[place])] for x, column in points.columns.items()}
        for place in range(points.count)
    ]


def _column(name: str, values: Any) -> list[Any]:
    """The values of an argument, at least one."""
    # A set has no order of its own, and environments have.
    no_list = (str, Mapping, set, frozenset)
    if isinstance(values, no_list) or not checks.is_iterable(values):
        raise TypeError(
            f"arguments[{name!r}] must be a list of values, got {checks.shown(values)}"
        )
    values = [*itertools.islice(values, MOST + 1)]
    if not 0 < len(values) <= MOST:
        raise ValueError(
            f"arguments[{name!r}] must have at least one value and at most {MOST}"
        )
    return values


def _text(value: Any, argument: str) -> str:
    """A value in a few words."""
    if isinstance(name := getattr(value, "name", None), str):  # that of a law, say
        return name
    if isinstance(value, list | tuple):
        return f"({', '.join(_text(each, argument) for each in value)})"
    if _is_number(value):
        return f"{checks.number('arguments: a value', value):.12g}"
    if isinstance(value, str | bool | np.bool_):
        return f"{value}"
    if not hasattr(value, "__name__"):
        raise TypeError(
            f"{argument} must be numbers, texts, functions or lists of them, got "
            f"{checks.shown(value)}"
        )
    return str(value.__name__)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)
