"""Who plays: the casts of `casts.toml`."""

import inspect
import math
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module, resources
from typing import Any

import numpy as np

from jaxbandits import plain
from jaxbandits_studies.common.comparison import Contestant
from jaxbandits_studies.common.experiment import Options

PACKAGE = "jaxbandits_studies"
# What depends on the horizon, by its name in the table.
LENGTHS: dict[str, Callable[[Options], float]] = {
    "T": lambda options: options.horizon,
    "log T": lambda options: float(int(math.log(options.horizon))),
    "T^(2/3)": lambda options: float(max(round(options.horizon ** (2 / 3)), 1)),
}


@cache
def _table() -> dict[str, dict[str, dict[str, Any]]]:
    text = (resources.files(PACKAGE) / "casts.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def cast(setting: str, name: str, **own: Callable) -> dict[str, Contestant]:
    """A cast by the name that results show.

    Args:
      setting: of the policies.
      name: of the cast.
      **own: further factories, which the table may name.
    """
    result: dict[str, Contestant] = {}
    row = _table()[setting][name]
    for label, given in row.items():
        if label == "of":
            for other in given:
                result |= cast(setting, other, **own)
        elif label != "without":
            result[label] = contestant(setting, given, own)
    return {k: v for k, v in result.items() if k not in row.get("without", ())}


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
