"""Sweeps in files: TOML, checked against ``schema.json``, or a Python module."""

import os
import runpy
import tomllib
import traceback
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from jaxbandits import checks
from jaxbandits.checks.points import Points, Zipped, points_from, zipped
from jaxbandits.console.progress import doing
from jaxbandits.protocol import Entry, Environment
from jaxbandits.simulation import makers
from jaxbandits.simulation._variants import variants
from jaxbandits.simulation.designs import Range, sampled
from jaxbandits.simulation.plan import draft
from jaxbandits.simulation.schema import faults
from jaxbandits.simulation.spec import Spec
from jaxbandits.simulation.until import HalfWidth

INTEGERS = {"seeds", "horizon", "root_seed", "runs_per_instance"}
COUNTS = {"pilot", "at_most", "from", "to"}
_PARTS = ("environments", "policies")


@doing("reading the file of a sweep")
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
        try:
            # Without the mark that editors of Windows begin a file with.
            text = path.read_text("utf-8-sig")
        except ValueError as error:
            raise ValueError(f"SPEC: {path} is not TOML: {error}") from error
        return spec_from_text(text, str(path))._replace(text=text)
    if path.suffix != ".py":
        raise ValueError(f"SPEC: {path} must be a .toml or a .py file")
    names = _names(path)
    if not isinstance(names.get("SPEC"), Spec):
        raise ValueError(f"SPEC: {path} must define SPEC, a jaxbandits.simulation.Spec")
    return names["SPEC"]._replace(text=path.read_text("utf-8"))


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


def spec_from_text(text: str, source: str) -> Spec:
    """A sweep from the text of a TOML file. Raises as `from_table`."""
    try:
        table = tomllib.loads(text)
    except ValueError as error:
        raise ValueError(f"SPEC: {source} is not TOML: {error}") from error
    return from_table(table, source)


def from_table(table: dict[str, Any], source: str = "SPEC") -> Spec:
    """A sweep from the contents of a TOML file.

    Args:
      table: what the file holds.
      source: where it comes from, for errors.

    Raises:
      ValueError: naming the part that is wrong.
    """
    errors, table = checks.Errors(), deepcopy(table)
    wrong = _refused(source, table, errors)
    if "setting" in wrong or not {"setting", "environments", "policies"} <= {*table}:
        errors.check()
    setting = table["setting"]
    table = _with_integers({k: x for k, x in table.items() if k not in wrong})
    if isinstance(table.get("seeds"), dict):
        seeds = table.pop("seeds")
        with errors.part():
            span = "from" in seeds
            table["seeds"] = _span(source, seeds) if span else HalfWidth(**seeds)
    policies, environments = {}, {}
    for name, entry in table.get("policies", {}).items():
        if ("policies", name) not in wrong:
            with errors.part():
                policies[name] = _entry(f"{source}: policies.{name}", setting, entry)
    for name, entry in table.get("environments", {}).items():
        if ("environments", name) not in wrong:
            with errors.part():
                where = f"{source}: environments.{name}"
                made = _environments(where, name, setting, entry)
                if twice := sorted(made.keys() & environments.keys()):
                    raise ValueError(
                        f"{source}: two environments are called {twice[0]!r}"
                    )
                environments |= made
    fields = set(Spec._fields) - {"environments", "policies", "text"}
    others = {name: value for name, value in table.items() if name in fields}
    spec = Spec(policies, environments, **others)
    if errors.all and policies and environments:
        # What else is wrong is said, too; in place of what is known to be stand others.
        if wrong & {"horizon", "budget", "checkpoints"}:
            end = {x: 10**6 for x in ("horizon", "budget") if x in wrong or x in table}
            spec = spec._replace(checkpoints="linear", **end)
        if isinstance(spec.seeds, HalfWidth):
            spec = spec._replace(seeds=spec.seeds.pilot)
        with errors.part():
            draft(spec._replace(text=""))
    errors.check()
    return spec


def _refused(source: str, table: dict[str, Any], errors: checks.Errors) -> set:
    """What the schema refuses: keys, or pairs of a part and the name of an entry.

    What it refuses beside the `make` and `arguments` of a policy is taken out of the
    table, so that the rest of the entry is looked at, too.
    """
    wrong = set[Any]()
    for fault in [*faults(table)]:
        part, *rest = fault.path or ("",)
        keys = set(rest[1:2])
        message = f"{'.'.join(map(str, fault.path))}: {fault.text}"
        allowed = fault.allowed
        if fault.unknown:
            keys = keys or {*fault.unknown}
            message += checks.hint(fault.unknown[0], fault.known)
            allowed = f"known are {', '.join(fault.known)}"
        message = message.removeprefix(": ") + (f" ({allowed})" if allowed else "")
        with errors.part():
            raise ValueError(f"{source}: {message}")
        if part == "policies" and rest and keys and not keys & {"make", "arguments"}:
            entry = table[part][rest[0]]
            for key in keys & entry.keys():
                del entry[key]
        else:
            wrong.add((part, rest[0]) if rest and part in _PARTS else part)
    return wrong


def _span(source: str, ends: dict[str, int]) -> range:
    """All seeds from one to another."""
    if ends["to"] < ends["from"]:
        raise ValueError(
            f"{source}: seeds: to must be at least from = {ends['from']}, got "
            f"{ends['to']}"
        )
    return range(ends["from"], ends["to"] + 1)


def _with_integers(table: dict[str, Any]) -> dict[str, Any]:
    """1e6 is a float in TOML; where the schema wants an integer it is taken for one."""
    whole = {name: _integer(value) for name, value in table.items() if name in INTEGERS}
    return table | whole


def _integer(value: Any) -> Any:
    if isinstance(value, list):
        return [_integer(one) for one in value]
    if isinstance(value, dict):  # of a half-width, or from one seed to another
        counts = {k: _integer(x) for k, x in value.items() if k in COUNTS}
        return value | counts
    return int(value) if isinstance(value, float) else value


def _environments(where: str, name: str, setting: str, entry: dict) -> dict[str, Any]:
    """An environment, or one for each combination of what is crossed and zipped."""
    if not {"cross", "zip"} & entry.keys():
        return {name: makers.environment(where, setting, entry)}
    fixed = entry.get("arguments", {})
    grid = _grid(where, entry)
    for part, columns in (("zip", grid.columns), ("cross", grid.crossed)):
        if both := sorted(columns.keys() & fixed.keys()):
            raise ValueError(f"{where} has {both} both in arguments and in {part}")

    def make(**chosen: Any) -> Environment:
        return makers.environment(where, setting, entry | {"arguments": fixed | chosen})

    try:
        return variants(name, make, grid)
    except (TypeError, ValueError) as error:
        if isinstance(error, checks.SeveralError) or str(error).startswith(where):
            raise
        raise ValueError(f"{where}: {error}") from error


def _entry(where: str, setting: str, entry: dict) -> Entry:
    errors, points, policy = checks.Errors(), None, None
    with errors.part():
        policy = makers.policy(where, setting, entry)
    with errors.part():
        points = _points(where, entry)
    errors.check()
    return Entry(policy, points)


def _points(where: str, entry: dict) -> Points:
    grid = _grid(where, entry)
    if "sample" in entry:
        if "zip" in entry:
            raise ValueError(f"{where}: zip and sample exclude each other")
        grid = _design(f"{where}.sample", entry["sample"], grid.crossed)
    return points_from(grid, where)


def _grid(where: str, entry: dict) -> Zipped:
    """What an entry zips and crosses."""
    rows, crossed = (
        {x: _values(f"{where}.{part}.{x}", v) for x, v in entry.get(part, {}).items()}
        for part in ("zip", "cross")
    )
    return zipped(rows, crossed)


def _design(where: str, design: dict, crossed: Any) -> Zipped:
    """A grid of points that spread evenly."""
    ranges = {
        leaf: Range(
            span["from"],
            span["to"],
            **{x: span[x] for x in span.keys() & {"scale", "whole"}},
        )
        for leaf, span in design["ranges"].items()
    }
    options = design | {x: int(design[x]) for x in ("points", "seed") if x in design}
    try:
        return sampled(**options | {"ranges": ranges}, crossed=crossed)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from error


def _values(where: str, values: Any) -> Any:
    if not isinstance(values, dict):
        return values
    ends = [checks.number(f"{where}: {x}", values[x]) for x in ("from", "to")]
    log = values.get("scale") == "log"
    if not np.isfinite([*ends, ends[1] - ends[0]]).all() or (log and min(ends) <= 0):
        limits = "positive and finite on a log scale" if log else "finite"
        given = values["from"], values["to"]
        raise ValueError(f"{where}: from and to must be {limits}, got {given}")
    space = np.geomspace if log else np.linspace
    return space(*ends, int(values["points"])).tolist()
