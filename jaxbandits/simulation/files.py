"""Sweeps in files: TOML with names, numbers and lists, or a Python module.

``schema.json``, which editors read too, lists the keys of a TOML file; its values are
checked by the functions that get them, like the arguments of a call from Python. A
sweep that needs objects (a law, a policy of one's own) is written in Python.
"""

import json
import os
import runpy
import tomllib
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from jaxbandits import checks, registry
from jaxbandits.checks.designs import SCALES, Range, sampled
from jaxbandits.checks.points import MOST, Zipped, points_from, zipped
from jaxbandits.console.progress import doing
from jaxbandits.protocol import Entry, Environment
from jaxbandits.registry import Maker
from jaxbandits.simulation._variants import variants
from jaxbandits.simulation.plan import draft
from jaxbandits.simulation.spec import HalfWidth, Spec

SCHEMA: dict[str, Any] = json.loads(Path(__file__).with_name("schema.json").read_text())
INTEGERS = ("seeds", "horizon", "root_seed", "runs_per_instance")


@doing("reading the file of a sweep")
def read_spec(path: str | os.PathLike[str]) -> Spec:
    """Read a sweep from a file.

    Args:
      path: a ``.toml`` file as in ``schema.json``, or a ``.py`` file that defines
        ``SPEC``, a `Spec`.

    Raises:
      FileNotFoundError: if there is no such file.
      ValueError: naming the parts of the file that are wrong.
    """
    path = checks.path("SPEC", path)
    if path.exists() and not path.is_file():
        raise IsADirectoryError(f"SPEC: {path} is a folder or device, and no file")
    if not path.is_file():
        raise FileNotFoundError(f"SPEC: there is no file {path}")
    if path.suffix == ".toml":
        try:
            # Without the mark that editors of Windows begin a file with.
            text = path.read_text("utf-8-sig")
        except ValueError as error:
            raise ValueError(f"SPEC: {path} is not TOML: {error}") from error
        return spec_from_text(text, str(path))._replace(text=text)
    if path.suffix != ".py":
        raise ValueError(f"SPEC: {path} must be a .toml or a .py file")
    spec = _names(path).get("SPEC")
    if not isinstance(spec, Spec):
        raise ValueError(f"SPEC: {path} must define SPEC, a jaxbandits.simulation.Spec")
    return spec._replace(text=path.read_text("utf-8"))


def _names(path: Path) -> dict[str, Any]:
    """What a Python file defines."""
    try:
        return runpy.run_path(str(path))
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(path)]
        where = f", line {lines[-1]}" if lines else ""
        raise ValueError(
            f"SPEC: {path}{where} ends with {type(error).__name__}: {error}; it must "
            "run to its end and define SPEC"
        ) from error


def spec_from_text(text: str, source: str) -> Spec:
    """A sweep from the text of a TOML file. Raises as `from_table`."""
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # the latter if it is too deep
        raise ValueError(f"SPEC: {source} is not TOML: {error}") from error
    return from_table(table, source)


def from_table(table: dict[str, Any], source: str = "SPEC") -> Spec:
    """A sweep from the table of a TOML file; errors begin with the `source`.

    Raises:
      ValueError: naming all parts that are wrong, with their places.
    """
    errors, setting = checks.Errors(), table.get("setting", "")

    def read(where: str, function: Callable[..., Any], *given: Any) -> Any:
        """The result of a function, or None after an error, which gets its place."""
        with errors.part(), _of(where):
            return function(*given)

    def entries(part: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Place, name and table of each entry that has the key ``make``."""
        values, place = table.get(part, {}), SCHEMA["properties"][part]
        if part in table:
            read(f"{source}: {part}", _check_table, values)
        for name, entry in values.items() if isinstance(values, dict) else ():
            where = f"{source}: {part}.{name}"
            read(where, _check_keys, entry, place["additionalProperties"])
            if isinstance(entry, dict) and "make" in entry:
                yield where, name, entry

    read(source, _check_keys, table, SCHEMA)
    if "setting" in table:
        read(source, checks.one_of, "setting", setting, registry.SETTINGS)
    if setting not in registry.SETTINGS:
        errors.check()
    policies: dict[str, Entry] = {}
    for where, name, entry in entries("policies"):
        policy = read(where, _maker, registry.policies(), setting, entry)
        points = read(where, lambda entry: points_from(_grid(entry)), entry)
        if policy is not None and points is not None:
            policies[name] = Entry(policy, points)
    environments: dict[str, Environment] = {}
    for where, name, entry in entries("environments"):
        read(where, _add_environments, environments, name, setting, entry)
    fields = {name: table[name] for name in Spec._fields[2:-1] if name in table}
    fields |= {name: _whole(fields[name]) for name in INTEGERS if name in fields}
    if isinstance(seeds := fields.get("seeds"), dict):
        fields["seeds"] = read(f"{source}: seeds", _seeds, seeds) or 1
    spec = Spec(policies, environments, **fields)
    if policies and environments:
        read(source, draft, spec._replace(text=""))
    errors.check()
    return spec


@contextmanager
def _of(where: str) -> Iterator[None]:
    """Put a place in the file before the errors of a user."""
    errors, placed = checks.Errors(), checks.Errors()
    with errors.part():
        yield
    for each in errors.all:
        with placed.part():
            raise ValueError(f"{where}: {each}") from each
    placed.check()


def _check_table(value: Any) -> None:
    if not isinstance(value, dict) or not value:
        raise TypeError(f"must be a table, not empty, got {checks.shown(value)}")


def _check_keys(table: Any, place: Mapping[str, Any]) -> None:
    """Require known keys of a table, and all keys that the schema requires."""
    _check_table(table)
    errors, known = checks.Errors(), place["properties"]
    for name in table.keys() - known.keys():
        with errors.part():
            hint = checks.hint(name, known)
            raise ValueError(f"{name!r} is unknown{hint}; known are {', '.join(known)}")
    for name in place.get("required", ()):
        if name not in table:
            with errors.part():
                raise ValueError(f"{name!r} is missing")
    errors.check()


def _whole(value: Any) -> Any:
    """Make floats without a fraction integers: 1e6 is a float in TOML."""
    if isinstance(value, list):
        return [_whole(each) for each in value]
    if isinstance(value, dict):  # of a half-width, or from one seed to another
        return {name: _whole(each) for name, each in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _seeds(table: dict[str, Any]) -> range | HalfWidth:
    """Seeds from one number to another, or a half-width."""
    if not {"from", "to"} & table.keys():
        _check_keys(table, SCHEMA["$defs"]["half_width"])
        return HalfWidth(**table)
    _check_keys(table, SCHEMA["$defs"]["seed_range"])
    start = checks.whole("from", table["from"], 0)
    return range(start, checks.whole("to", table["to"], start) + 1)


def _add_environments(
    known: dict[str, Environment], name: str, setting: str, entry: dict[str, Any]
) -> None:
    """Add an environment, or one for each combination of crossed and zipped values."""
    maker = _maker(registry.environments(), setting, entry)

    def make(**chosen: Any) -> Environment:
        try:
            made = maker(**_arguments(chosen))
        except Exception as error:
            own = isinstance(error, TypeError | ValueError | OSError)
            words = str(error) if own else f"{type(error).__name__}: {error}"
            if isinstance(error, TypeError):
                words += f"; it takes {', '.join(signature(maker.factory).parameters)}"
            raise ValueError(f"arguments: {words}") from error
        if not isinstance(made, Environment):
            raise ValueError(f"{entry['make']!r} makes several with these arguments")
        return made

    grid = _grid(entry)
    made = variants(name, make, grid) if any(grid) else {name: make()}
    if twice := sorted(made.keys() & known.keys()):
        raise ValueError(f"two environments are called {twice[0]!r}")
    known |= made


def _maker(entries: Mapping[str, Maker], setting: str, entry: dict[str, Any]) -> Maker:
    """What an entry names, with its arguments.

    A function that is called by its own name has no arguments of the registry's.
    """
    own = {n: m for n, m in entries.items() if registry.setting_of(n) == setting}
    known = {m.factory.__name__: Maker(m.factory) for m in own.values()} | own
    name = entry["make"]
    if not isinstance(name, str) or name not in known:
        # A name with a slash may be an entry of the registry.
        of_a_kind = sorted(x for x in known if ("/" in x) == ("/" in str(name)))
        raise ValueError(
            f"make: {name!r} is unknown{checks.hint(name, known)}; known are "
            + ", ".join(of_a_kind)
        )
    given = _arguments(entry.get("arguments", {}))
    return Maker(known[name].factory, {**known[name].arguments, **given})


def _arguments(table: dict[str, Any]) -> dict[str, Any]:
    """Arguments of a file; lists become tuples, which caches of factories need."""
    checks.mapping("arguments", table)
    return {name: _argument(name, value) for name, value in table.items()}


def _argument(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        raise TypeError(
            f"arguments: {name} must be a number, a text or a list; what takes an "
            "object is written in a Python file (docs/sweep-files.md)"
        )
    if isinstance(value, list):
        return tuple(_argument(name, each) for each in value)
    return value


def _grid(entry: dict[str, Any]) -> Zipped:
    """The grid of what an entry samples, zips and crosses."""
    parts = []
    for part in ("zip", "cross"):
        columns = entry.get(part, {})
        if part in entry:
            with _of(part):
                _check_table(columns)
        parts.append({x: _values(f"{part}.{x}", v) for x, v in columns.items()})
    grid = zipped(*parts)
    if "sample" in entry:
        if "zip" in entry:
            raise ValueError("zip and sample exclude each other")
        with _of("sample"):
            grid = _design(entry["sample"], grid.crossed)
    fixed = entry.get("arguments")
    fixed = fixed if isinstance(fixed, dict) else {}  # else `_maker` refuses it
    first = "sample" if "sample" in entry else "zip"
    for part, own in ((first, grid.columns), ("cross", grid.crossed)):
        if both := sorted(own.keys() & fixed.keys()):
            raise ValueError(f"{both} are both in arguments and in {part}")
    return grid


def _design(table: Any, crossed: Any) -> Zipped:
    """A grid of points that spread evenly."""
    place = SCHEMA["$defs"]["design"]
    _check_keys(table, place)
    place, ranges = place["properties"]["ranges"]["additionalProperties"], {}
    with _of("ranges"):
        _check_table(table["ranges"])
    for leaf, span in table["ranges"].items():
        with _of(f"ranges.{leaf}"):
            _check_keys(span, place)
        words = {x: span[x] for x in ("scale", "whole") if x in span}
        ranges[leaf] = Range(span["from"], span["to"], **words)
    whole = {x: _whole(table[x]) for x in ("points", "seed") if x in table}
    return sampled(**{**table, **whole, "ranges": ranges}, crossed=crossed)


def _values(where: str, values: Any) -> Any:
    """A list as it is, or numbers from one to another."""
    if not isinstance(values, dict):
        return values
    with _of(where):
        _check_keys(values, SCHEMA["$defs"]["spaced"])
        ends = [checks.number(x, values[x]) for x in ("from", "to")]
        count = checks.whole("points", _whole(values["points"]), 2, MOST)
        log = checks.one_of("scale", values.get("scale", "linear"), SCALES) == "log"
        if not np.isfinite([*ends, ends[1] - ends[0]]).all() or (
            log and min(ends) <= 0
        ):
            limits = "positive and finite on a log scale" if log else "finite"
            raise ValueError(f"from and to must be {limits}, got {ends}")
    low, high = ends
    space: Any = np.geomspace if log else np.linspace
    return space(low, high, count).tolist()
