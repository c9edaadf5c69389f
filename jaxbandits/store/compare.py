"""What differs between the sweep of a store and another one.

A sweep is described by what its numbers depend on but points and seeds. Environments
and policies may be added; everything else has to stay.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from jaxbandits.results import spans
from jaxbandits.results.parts import Block, Part, Row, rows_of
from jaxbandits.results.plain import plain
from jaxbandits.store.request import Json

JAX = ("jax", "jaxlib")
MISSING = "nothing"
Path = tuple[str, ...]
_FEW = 60  # characters of a value that is shown


def changes(stored: Json, wanted: Json) -> list[str]:
    """What differs and cannot, a line each."""
    old, new = dict(_leaves(stored)), dict(_leaves(wanted))
    return [
        f"{'.'.join(path)}: {_shortened(old.get(path, MISSING))} in the store, "
        f"{_shortened(new.get(path, MISSING))} now"
        for path in {**old, **new}
        if old.get(path, MISSING) != new.get(path, MISSING)
        and not (_may_grow(path, stored) or _may_grow(path, wanted))
    ]


def _leaves(value: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[Path, Any]]:
    """What is in no mapping, by its keys from the top."""
    if not isinstance(value, Mapping):
        yield at, value
        return
    for key, each in value.items():
        yield from _leaves(each, (*at, key))


def _may_grow(path: Path, sweep: Json) -> bool:
    """Whether a sweep lacks the environment or the policy of a leaf."""
    part, *keys = path
    if part == "environments":
        return keys[0] not in sweep[part]
    if part != "policies":
        return False
    own = sweep[part].get(keys[0])  # facts, each by environment
    return own is None or (keys[1] in own and keys[2] not in own[keys[1]])


def additions(held: Sequence[Part | Block], more: Sequence[Part]) -> list[str]:
    """What some parts add to those that a store holds, a line each."""
    lines = []
    for number, name in enumerate(("environments", "policies")):
        known = {part.game[number] for part in held}
        asked = dict.fromkeys(part.game[number] for part in more)
        if new := [x for x in asked if x not in known]:
            lines.append(f"{name}: {', '.join(new)}")
    old_rows = _rows(held)
    for policy, rows in _rows(more).items():
        own = old_rows.get(policy, rows)
        if new := [plain(dict(row)) for row in rows if row not in own]:
            lines.append(f"policies.{policy}: points {_shortened(new)}")
    seeds, old = (
        spans.joined(x for part in parts for x in part.seeds) for parts in (more, held)
    )
    if new := spans.without(seeds, old):
        lines.append(f"seeds: {spans.shown(new)}")
    games = dict.fromkeys(part.game for part in more)
    return lines or [f"{policy} on {where}" for where, policy in games]


def _rows(parts: Iterable[Part | Block]) -> dict[str, dict[Row, None]]:
    """Points by policy."""
    result: dict[str, dict[Row, None]] = {}
    for part in parts:
        own = result.setdefault(part.game[1], {})
        own |= dict.fromkeys(rows_of(part.points))
    return result


def accepting(stored: Json, wanted: Json) -> Json:
    """A description with the store's versions of JAX, where those of now are newer
    patches of them (0.12.1 for 0.12.0)."""
    old, new = stored["versions"], wanted["versions"]
    taken = {name: old[name] for name in JAX if _is_patch(old[name], new[name])}
    return wanted | {"versions": new | taken}


def _is_patch(old: str, new: str) -> bool:
    one, other = (re.findall(r"\d+", version) for version in (old, new))
    return one[:2] == other[:2] and [*map(int, one)] <= [*map(int, other)]


def _shortened(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    if len(text) > _FEW and isinstance(value, list):
        return f"{len(value)} of them, from {value[0]} to {value[-1]}"
    return text if len(text) <= _FEW else f"{text[: _FEW - 4]} ..."
