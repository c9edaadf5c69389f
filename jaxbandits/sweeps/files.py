"""Sweeps in files: TOML, checked against ``schema.json``, or a Python module."""

import difflib
import inspect
import json
import os
import runpy
import tomllib
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import numpy as np

from jaxbandits import checks, policies, settings
from jaxbandits.points import points_from, zipped
from jaxbandits.protocol import Environment, Policy
from jaxbandits.sweeps.spec import Entry, Spec
from jaxbandits.sweeps.until import HalfWidth

INTEGERS = {"seeds", "horizon", "root_seed", "runs_per_instance"}
SCHEMA = json.loads(Path(__file__).with_name("schema.json").read_text())


def read_spec(path: str | os.PathLike) -> Spec:
    """Read a sweep from a file.

    Args:
      path: a ``.toml`` file as in ``schema.json``, or a ``.py`` file that defines
        ``SPEC``, a `Spec`.

    Raises:
      FileNotFoundError: if there is no such file.
      ValueError: naming the part of the file that is wrong.
    """
    path = checks.path("SPEC", path)
    if not path.is_file():
        raise FileNotFoundError(f"SPEC: there is no file {path}")
    if path.suffix == ".toml":
        return from_table(_table(path), str(path))
    if path.suffix != ".py":
        raise ValueError(f"SPEC: {path} must be a .toml or a .py file")
    names = _names(path)
    if not isinstance(names.get("SPEC"), Spec):
        raise ValueError(f"SPEC: {path} must define SPEC, a jaxbandits.sweeps.Spec")
    return names["SPEC"]


def _names(path: Path) -> dict[str, Any]:
    """What a Python file defines."""
    try:
        return runpy.run_path(str(path))
    except (Exception, SystemExit) as error:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == str(path)
        ]
        where = f", line {lines[-1]}" if lines else ""
        raise ValueError(
            f"SPEC: {path}{where} ends with {type(error).__name__}: {error}; it must "
            "run to its end and define SPEC"
        ) from error


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:  # The text, or its encoding.
        raise ValueError(f"SPEC: {path} is not TOML: {error}") from error


def from_table(table: dict[str, Any], source: str = "SPEC") -> Spec:
    """A sweep from the contents of a TOML file.

    Args:
      table: what the file holds.
      source: where it comes from, for errors.

    Raises:
      ValueError: naming the part that is wrong.
    """
    checker = jsonschema.Draft202012Validator(SCHEMA)
    error = jsonschema.exceptions.best_match(checker.iter_errors(table))
    if error is not None:
        where = ".".join(map(str, error.absolute_path))
        message = f"{where}: {error.message}" if where else error.message
        allowed = error.schema.get("description")
        if error.validator == "additionalProperties":
            allowed = f"known are {', '.join(error.schema['properties'])}"
        raise ValueError(f"{source}: {message}" + (f" ({allowed})" if allowed else ""))
    table = _with_integers(table)
    setting = table["setting"]
    makers = getattr(settings, setting), getattr(policies, setting)
    if isinstance(table.get("seeds"), dict):
        table |= {"seeds": HalfWidth(**table["seeds"])}
    fields = set(Spec._fields) - {"environments", "policies"}
    return Spec(
        policies={
            name: _entry(f"{source}: policies.{name}", makers[1], entry)
            for name, entry in table["policies"].items()
        },
        environments={
            name: _environment(f"{source}: environments.{name}", makers[0], entry)
            for name, entry in table["environments"].items()
        },
        **{name: value for name, value in table.items() if name in fields},
    )


def _with_integers(table: dict[str, Any]) -> dict[str, Any]:
    """1e6 is a float in TOML; where the schema wants an integer it is taken for one."""
    whole = {name: _integer(value) for name, value in table.items() if name in INTEGERS}
    return table | whole


def _integer(value: Any) -> Any:
    if isinstance(value, list):
        return [_integer(one) for one in value]
    if isinstance(value, dict):  # of a half-width
        counts = {k: _integer(x) for k, x in value.items() if k in ("pilot", "at_most")}
        return value | counts
    return int(value) if isinstance(value, float) else value


def _environment(where: str, module: ModuleType, entry: dict) -> Environment:
    known = {
        name: function
        for name, function in _functions(module)
        if inspect.signature(function).return_annotation is Environment
    }
    make = _chosen(where, known, entry["make"])
    return _called(where, make, _hashable(entry.get("arguments", {})))


def _entry(where: str, module: ModuleType, entry: dict) -> Entry:
    known = {
        name: function
        for name, function in _functions(module)
        if _makes_policies(inspect.signature(function))
    }
    make = _chosen(where, known, entry["make"])
    arguments = _hashable(entry.get("arguments", {}))
    _bound(where, make, "problem", **arguments)
    _check_kinds(where, make, arguments)
    grids = (
        {
            leaf: _values(f"{where}.{part}.{leaf}", values)
            for leaf, values in entry.get(part, {}).items()
        }
        for part in ("cross", "zip")
    )
    crossed, rows = grids
    points = points_from(zipped(rows, crossed), where)
    return Entry(partial(make, **arguments), points)


def _makes_policies(signature: inspect.Signature) -> bool:
    kinds = Policy, inspect.Signature.empty
    first = next(iter(signature.parameters), None)
    return first == "problem" and signature.return_annotation in kinds


def _functions(module: ModuleType):
    for name in module.__all__:
        if inspect.isfunction(inspect.unwrap(getattr(module, name))):
            yield name, getattr(module, name)


def _chosen(where: str, known: dict[str, Callable], name: str) -> Callable:
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, 1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    raise ValueError(
        f"{where}.make: {name!r} is unknown{hint}; known are {', '.join(sorted(known))}"
    )


def _bound(where: str, make: Callable, *args, **kwargs) -> None:
    try:
        inspect.signature(make).bind(*args, **kwargs)
    except TypeError as error:
        known = [x for x in inspect.signature(make).parameters if x != "problem"]
        raise ValueError(
            f"{where}.arguments: {error}; known are {', '.join(known) or 'none'}"
        ) from error


def _called(where: str, make: Callable, arguments: dict) -> Any:
    _bound(where, make, **arguments)
    _check_kinds(where, make, arguments)
    try:
        return make(**arguments)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}.arguments: {error}") from error
    except Exception as error:  # A mistake that the maker does not foresee.
        raise ValueError(
            f"{where}.arguments: {type(error).__name__}: {error}"
        ) from error


def _check_kinds(where: str, make: Callable, arguments: dict) -> None:
    """Objects cannot be written in a file."""
    for name in arguments:
        parameter = inspect.signature(make).parameters.get(name)
        kind = getattr(parameter, "annotation", inspect.Parameter.empty)
        if inspect.isclass(kind) and kind.__module__.startswith("jaxbandits."):
            raise ValueError(
                f"{where}.arguments.{name}: a {kind.__name__} cannot be written in "
                "TOML; take a .py file"
            )


def _hashable(value: Any) -> Any:
    """Lists as tuples, which factories can be cached by."""
    if isinstance(value, dict):
        return {name: _hashable(item) for name, item in value.items()}
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _values(where: str, values: Any) -> list[float]:
    if not isinstance(values, dict):
        return values if isinstance(values, list) else [values]
    ends = values["from"], values["to"]
    log = values.get("scale") == "log"
    if not np.isfinite(ends).all() or (log and min(ends) <= 0):
        limits = "positive and finite on a log scale" if log else "finite"
        raise ValueError(f"{where}: from and to must be {limits}, got {ends}")
    space = np.geomspace if log else np.linspace
    return space(*ends, int(values["points"])).tolist()
