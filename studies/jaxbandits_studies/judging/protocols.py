"""The protocols of all settings, from `protocols.toml` beside this file."""

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from jaxbandits_studies.common.casts import contestant, game
from jaxbandits_studies.judging.protocol import Case, Entrant, Goal, Margin, Protocol

FIXED = "2026-11-24"


def _case(setting: str, title: str, row: Mapping[str, Any]) -> Case:
    make, facts = game(setting, title, row)
    horizons = tuple(facts.get("horizons", ()))
    return Case(make, facts["origin"], horizons, facts.get("data"))


def _entrant(setting: str, row: Mapping[str, Any]) -> Entrant:
    values = dict(row)
    said = {k: values.pop(k) for k in Entrant._fields[2:] if k in values}
    said["knows"] = tuple(said.get("knows", ()))
    return Entrant(*contestant(setting, values), **said)


def _protocol(setting: str, table: Mapping[str, Any]) -> Protocol:
    row = dict(table)
    cases = {
        kind: {title: _case(setting, title, each) for title, each in row[kind].items()}
        for kind in ("tuning", "judging")
    }
    entrants = {name: _entrant(setting, x) for name, x in row["entrants"].items()}
    goal, margins = row.get("goal"), row.get("margins", ())
    return Protocol(
        setting,
        FIXED,
        row["by_budget"],
        tuple(row["horizons"]),
        **cases,
        entrants=entrants,
        quick=tuple(row["quick"]),
        goal=goal and Goal(**goal | {"candidates": tuple(goal["candidates"])}),
        margins=tuple(
            Margin(**each | {"candidates": tuple(each["candidates"])})
            for each in margins
        ),
        seen=row["seen"],
        variants=tuple(row["variants"]),
    )


_FILE = resources.files(__package__) / "protocols.toml"
_TABLE = tomllib.loads(_FILE.read_text(encoding="utf-8"))
PROTOCOLS = {setting: _protocol(setting, table) for setting, table in _TABLE.items()}
