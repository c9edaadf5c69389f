"""Environments by the arguments of what makes them: one for each combination."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from jaxbandits import checks
from jaxbandits.protocol import Environment

VARIED = "varied"  # in an environment's provenance


def variants(
    name: str,
    make: Callable[..., Environment[Any, Any, Any]],
    arguments: Mapping[str, Iterable[Any]],
) -> dict[str, Environment[Any, Any, Any]]:
    """An environment for each combination of arguments, as `sweep` takes them.

    Args:
      name: how all their names begin.
      make: a function of these arguments (by name) that makes an environment.
      arguments: by argument its values: numbers, texts, functions, lists of them.

    Returns:
      By names that tell the values, ``"S-Br (num_arms = 3, cost_floor = 0.5)"``, the
      last argument fastest. Results have the values for coordinates of ``environment``,
      ``environment_num_arms``: float64 of numbers, else text.

    Raises:
      ValueError, TypeError: naming the argument whose values are none, or make two
        names equal; and what `make` raises.
    """
    checks.text("name", name)
    checks.function("make", make)
    if not isinstance(arguments, Mapping) or not arguments:
        raise TypeError(
            "arguments must map names to lists of values, at least one, got "
            f"{checks.shown(arguments)}"
        )
    columns = {x: _values(f"arguments[{x!r}]", v) for x, v in arguments.items()}
    found = {}
    for row in itertools.product(*(column.items() for column in columns.values())):
        texts, values = zip(*row, strict=True)
        told = ", ".join(f"{x} = {t}" for x, t in zip(columns, texts, strict=True))
        made = make(**dict(zip(columns, values, strict=True)))
        checks.instance("make: what it makes", made, Environment, "of jaxbandits")
        facts = {
            x: value if _is_number(value) else text
            for x, text, value in zip(columns, texts, values, strict=True)
        }
        provenance = {**(made.provenance or {}), VARIED: facts}
        found[f"{name} ({told})"] = made._replace(provenance=provenance)
    return found


def facts_about(
    environments: Iterable[Environment[Any, Any, Any]],
) -> dict[str, np.ndarray]:
    """What differs between environments, ``[E]`` by argument: f64, or text where one of
    the values is; NaN or "" of an environment that has it not."""
    facts = [(each.provenance or {}).get(VARIED, {}) for each in environments]
    columns = {}
    for name in dict.fromkeys(itertools.chain(*facts)):
        values = [each.get(name) for each in facts]
        if all(value is None or _is_number(value) for value in values):
            columns[name] = np.array(values, np.float64)
        else:
            columns[name] = np.array(["" if x is None else _text(x) for x in values])
    return columns


def _values(where: str, values: Any) -> dict[str, Any]:
    """Values by what names tell of them."""
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"{where} must be a list of values, got {checks.shown(values)}")
    found: dict[str, Any] = {}
    for value in values:
        text = _text(value)
        if text is None:
            raise TypeError(
                f"{where} must be numbers, texts, functions or lists of them, got "
                f"{checks.shown(value)}"
            )
        if text in found:
            raise ValueError(f"{where} must be different, got {text} twice")
        found[text] = value
    if not found:
        raise ValueError(f"{where} must not be empty")
    return found


def _text(value: Any) -> str | None:
    """A value in a few words; None of what has none."""
    if isinstance(value, Mapping):  # An object in a file.
        value = value.get("make")
    if isinstance(value, list | tuple):
        parts = [_text(each) for each in value]
        return None if None in parts else f"({', '.join(map(str, parts))})"
    if _is_number(value):
        return f"{float(value):.12g}"
    if isinstance(value, str | bool | np.bool_):
        return f"{value}"
    return getattr(value, "__name__", None)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)
