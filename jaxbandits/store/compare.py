"""What differs between the sweep of a store and another one.

A sweep is described by what its numbers depend on but points and seeds. Environments
and policies may be added; everything else has to stay.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jaxbandits.results import spans
from jaxbandits.results.parts import Block, Game, Part, Row, rows_of
from jaxbandits.results.plain import plain
from jaxbandits.store.request import Json

JAX = ("jax", "jaxlib")
MISSING = "nothing"
_FEW = 60  # characters of a value that is shown


def changes(stored: Json, wanted: Json) -> list[str]:
    """What differs and cannot, a line each."""
    return _differences(_fixed(stored, wanted), _fixed(wanted, stored))


def additions(held: Sequence[Part | Block], more: Sequence[Part]) -> list[str]:
    """What some parts add to those that a store holds, a line each."""
    lines = []
    for number, name in enumerate(("environments", "policies")):
        known = {part.game[number] for part in held}
        asked = dict.fromkeys(part.game[number] for part in more)
        if new := [x for x in asked if x not in known]:
            lines.append(f"{name}: {', '.join(new)}")
    for policy, rows in _rows(more).items():
        old = _rows(held).get(policy, rows)
        if new := [plain(dict(row)) for row in rows if row not in old]:
            lines.append(f"policies.{policy}: points {_shortened(new)}")
    seeds, old = (
        spans.joined(x for part in parts for x in part.seeds) for parts in (more, held)
    )
    if new := spans.without(seeds, old):
        lines.append(f"seeds: {spans.shown(new)}")
    return lines or [f"{policy} on {where}" for where, policy in _games(more)]


def _rows(parts: Iterable[Part | Block]) -> dict[str, dict[Row, None]]:
    """Points by policy."""
    result: dict[str, dict[Row, None]] = {}
    for part in parts:
        own = result.setdefault(part.game[1], {})
        own |= dict.fromkeys(rows_of(part.points))
    return result


def _games(parts: Iterable[Part]) -> list[Game]:
    return [*dict.fromkeys(part.game for part in parts)]


def accepting(stored: Json, wanted: Json) -> Json:
    """A description with the store's versions of JAX, where those of now are newer
    patches of them (0.12.1 for 0.12.0)."""
    old, new = stored["versions"], wanted["versions"]
    taken = {name: old[name] for name in JAX if _is_patch(old[name], new[name])}
    return wanted | {"versions": new | taken}


def _is_patch(old: str, new: str) -> bool:
    one, other = (re.findall(r"\d+", version) for version in (old, new))
    return one[:2] == other[:2] and [*map(int, one)] <= [*map(int, other)]


def _fixed(description: Json, other: Json) -> Json:
    """What may not change: all but environments and policies that only one has."""
    environments = _shared(description["environments"], other["environments"])
    policies = {}
    for name, entry in _shared(description["policies"], other["policies"]).items():
        policies[name] = {
            what: _shared(own, other["policies"][name].get(what, own))
            for what, own in entry.items()
        }
    return description | {"environments": environments, "policies": policies}


def _shared(values: Mapping[str, Any], others: Mapping[str, Any]) -> Json:
    return {name: value for name, value in values.items() if name in others}


def _differences(stored: Any, wanted: Any, at: str = "") -> list[str]:
    if isinstance(stored, Mapping) and isinstance(wanted, Mapping):
        return [
            line
            for key in dict.fromkeys([*stored, *wanted])
            for line in _differences(
                stored.get(key, MISSING),
                wanted.get(key, MISSING),
                f"{at}.{key}" if at else key,
            )
        ]
    if stored == wanted:
        return []
    return [f"{at}: {_shortened(stored)} in the store, {_shortened(wanted)} now"]


def _shortened(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    if len(text) > _FEW and isinstance(value, list):
        return f"{len(value)} of them, from {value[0]} to {value[-1]}"
    return text if len(text) <= _FEW else f"{text[: _FEW - 4]} ..."
