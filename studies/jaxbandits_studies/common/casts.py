"""Who plays what: the casts of `casts.toml` and the games of `games.toml`."""

import inspect
import math
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module, resources
from typing import Any, NamedTuple

import numpy as np

from jaxbandits import plain
from jaxbandits.laws import thresholds
from jaxbandits.protocol import Environment
from jaxbandits_studies.common.comparison import Contestant
from jaxbandits_studies.common.experiment import Options

PACKAGE = "jaxbandits_studies"
FACTS = ("origin", "horizons", "data", "printed", "deviations")
# What depends on the horizon, by its name in the table.
LENGTHS: dict[str, Callable[[Options], float]] = {
    "T": lambda options: options.horizon,
    "log T": lambda options: float(int(math.log(options.horizon))),
    "T^(2/3)": lambda options: float(max(round(options.horizon ** (2 / 3)), 1)),
}


class Game(NamedTuple):
    """A game as a row of a table has it.

    Attributes:
      make: makes it; from the path of its data, if it has some.
      facts: what the row says beside, by `FACTS`.
    """

    make: Callable[..., Environment]
    facts: Mapping[str, Any]


@cache
def _table(file: str) -> dict[str, dict[str, dict[str, Any]]]:
    return tomllib.loads((resources.files(PACKAGE) / file).read_text(encoding="utf-8"))


def _rows(file: str, setting: str, name: str) -> dict[str, Any]:
    """The rows of a cast or list, with those of others that it names."""
    own, rows = _table(file)[setting][name], {}
    for label, row in own.items():
        if label == "of":
            for other in row:
                rows |= _rows(file, setting, other)
        elif label != "without":
            rows[label] = row
    return {k: v for k, v in rows.items() if k not in own.get("without", ())}


def cast(setting: str, name: str, **own: Callable) -> dict[str, Contestant]:
    """A cast by the name that results show.

    Args:
      setting: of the policies.
      name: of the cast.
      **own: further factories, which the table may name.
    """
    rows = _rows("casts.toml", setting, name)
    return {label: contestant(setting, row, own) for label, row in rows.items()}


def games(setting: str, name: str) -> dict[str, Game]:
    """A list of games by the title that results show."""
    rows = _rows("games.toml", setting, name)
    return {title: game(setting, title, row) for title, row in rows.items()}


def environments(setting: str, name: str) -> dict[str, Environment]:
    """The games of a list, made."""
    return {title: each.make() for title, each in games(setting, name).items()}


def game(setting: str, title: str, given: Any) -> Game:
    """A game as a row of a table has it: a function's name, or that with arguments."""
    values = {"make": given} if isinstance(given, str) else dict(given)
    values = {k: title if v == "{title}" else v for k, v in values.items()}
    make = values.pop("make")
    facts = {k: values.pop(k) for k in FACTS if k in values}
    if "family" in values:
        values["family"] = getattr(thresholds, values["family"])
    modules = f"{PACKAGE}.judging.games", f"{PACKAGE}.datasets", f"jaxbandits.{setting}"
    return Game(partial(first_of(make, *map(import_module, modules)), **values), facts)


def contestant(
    setting: str,
    given: Any,
    own: Mapping[str, Callable] = {},  # noqa: B006
) -> Contestant:
    """A policy as a row of a table has it.

    Args:
      setting: of the policy.
      given: name of a factory, or ``make`` with its options and parameters.
      own: further factories by name.
    """
    values = {"make": given} if isinstance(given, str) else dict(given)
    make = values.pop("make")
    modules = f"jaxbandits.{setting}", f"{PACKAGE}.slips.{setting}"
    factory = own.get(make) or first_of(make, *map(import_module, modules))
    takes = inspect.signature(factory).parameters
    options = {k: values.pop(k) for k in [*values] if k in takes or _is_word(values[k])}
    if "plain" in options:
        options["plain"] = getattr(plain, options["plain"])
    return Contestant(
        partial(factory, **options) if options else factory,
        {k: _number(v) for k, v in values.items()},
    )


def first_of(name: str, *modules: Any) -> Any:
    """What has a name in the first of several modules that has it.

    Raises:
      ValueError: if none has.
    """
    for module in modules:
        if hasattr(module, name):
            return getattr(module, name)
    places = ", ".join(module.__name__ for module in modules)
    raise ValueError(f"make: there is no {name!r} in {places}")


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and value not in LENGTHS


def _number(value: Any) -> Any:
    if isinstance(value, str):
        return LENGTHS[value]
    return np.array(value) if isinstance(value, list) else value
