"""Environments by the arguments of what makes them: one for each combination."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from jaxbandits import checks
from jaxbandits.checks.points import Zipped
from jaxbandits.console.progress import doing
from jaxbandits.protocol import Environment
from jaxbandits.results.dataset import VARIED

MOST = 10_000  # values of an argument: each is an environment


def variants(
    name: str,
    make: Callable[..., Environment[Any, Any, Any]],
    arguments: Mapping[str, Iterable[Any]] | Zipped,
) -> dict[str, Environment[Any, Any, Any]]:
    """An environment for each combination of arguments, as `simulate` takes them.

    Args:
      name: how all their names begin.
      make: a function of these arguments (by name) that makes an environment.
      arguments: by argument its values: numbers, texts, functions, lists of them; each
        combined with each. Or what `jaxbandits.zipped` gives: the i-th values of its
        columns together, which are lists of one length.

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
    environments, axes = {}, _axes(arguments)
    count = math.prod(map(len, axes))
    with doing(f"making {count:,} environments {name}"):
        for row in itertools.product(*axes):
            cells = {x: cell for part in row for x, cell in part.items()}
            made = make(**{x: cell.value for x, cell in cells.items()})
            checks.instance("make: what it makes", made, Environment, "of jaxbandits")
            facts = {
                x: c.value if _is_number(c.value) else c.text for x, c in cells.items()
            }
            provenance = {**(made.provenance or {}), VARIED: facts}
            named = made._replace(provenance=provenance)
            environments[f"{name} ({_shown_cells(cells)})"] = named
    return environments


class _Cell(NamedTuple):
    """A value, and what names tell of it."""

    text: str
    value: Any


def _axes(arguments: Any) -> list[list[dict[str, _Cell]]]:
    """What is combined with each other: values by argument, of zipped ones several."""
    grid = arguments if isinstance(arguments, Zipped) else Zipped({}, arguments)
    if not all(isinstance(part, Mapping) for part in grid) or not any(grid):
        raise TypeError(
            "arguments must map names to lists of values, at least one, or be what "
            f"zipped(...) gives, got {checks.shown(arguments)}"
        )
    for name in (*grid.columns, *grid.crossed):
        checks.text("arguments: a name", name)
    if both := sorted(grid.crossed.keys() & grid.columns.keys()):
        raise ValueError(f"arguments both crosses and zips {both}")
    columns, crossed = (
        {x: _cells(f"arguments[{x!r}]", values) for x, values in part.items()}
        for part in grid
    )
    if len({len(cells) for cells in columns.values()}) > 1:
        lengths = {x: len(cells) for x, cells in columns.items()}
        raise ValueError(
            f"arguments must have lists of equal length to zip them, got {lengths}"
        )
    rows = [
        dict(zip(columns, cells, strict=True))
        for cells in zip(*columns.values(), strict=True)
    ]
    axes = [rows] if rows else []
    axes += [[{x: cell} for cell in cells] for x, cells in crossed.items()]
    for axis in axes:
        texts = [_shown_cells(row) for row in axis]
        text, times = Counter(texts).most_common(1)[0]
        if times > 1:
            raise ValueError(f"arguments must be different, got {text} twice")
    return axes


def _shown_cells(cells: Mapping[str, _Cell]) -> str:
    return ", ".join(f"{x} = {cell.text}" for x, cell in cells.items())


def _cells(where: str, values: Any) -> list[_Cell]:
    """A list of values, at least one."""
    # A set has no order of its own, and environments have.
    no_list = str | Mapping | set | frozenset
    if isinstance(values, no_list) or not isinstance(values, Iterable):
        raise TypeError(f"{where} must be a list of values, got {checks.shown(values)}")
    results = []
    for value in itertools.islice(values, MOST + 1):
        if len(results) == MOST:
            raise ValueError(f"{where} must end: at most {MOST} values are possible")
        text = _text(value)
        if text is None:
            raise TypeError(
                f"{where} must be numbers, texts, functions or lists of them, got "
                f"{checks.shown(value)}"
            )
        results.append(_Cell(text, value))
    if not results:
        raise ValueError(f"{where} must not be empty")
    return results


def _text(value: Any) -> str | None:
    """A value in a few words; None of what has none."""
    if isinstance(value, Mapping):  # An object in a file.
        value = value.get("make")
    if isinstance(value, list | tuple):
        parts = [_text(each) for each in value]
        return None if None in parts else f"({', '.join(map(str, parts))})"
    if _is_number(value):
        return f"{checks.number('arguments: a value', value):.12g}"
    if isinstance(value, str | bool | np.bool_):
        return f"{value}"
    return getattr(value, "__name__", None)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)
