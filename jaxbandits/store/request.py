"""Requests to a store: what shall be played, and into which blocks it is cut.

A request lists parts: points of a policy in an environment, each on some seeds. A part
is cut into blocks of few seeds and, if possible, all points, and the blocks of the
first seeds come first: so the first layer of blocks has some seeds of everything. The
key of a block digests all that its numbers depend on. So a block has the same name
whoever plays it.

Later requests may add environments and policies to a sweep; whatever else describes the
sweep must stay.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from jaxbandits.checks.points import Points
from jaxbandits.results import spans
from jaxbandits.results.parts import Game, Part, digest, read, written

Json = dict[str, Any]
FORMAT = 4
WHOLE = 64  # engines play so many runs together: blocks have a multiple, if possible


class Size(NamedTuple):
    """The most runs (points times seeds), and the most points, of a block."""

    runs: int
    points: int


class Request(NamedTuple):
    """A request to a store."""

    sweep: Json  # what numbers depend on, see `simulation.plan.describe`
    parts: list[Part]  # that shall be in the store
    size: Size  # of blocks
    keep: str  # "runs" or "moments"
    variables: dict[str, tuple[int, ...]]  # shapes of values beyond the dims of a sweep
    text: str = ""  # of the file of the sweep
    at: float = 0.0  # seconds since 1970 when it was made

    def as_json(self) -> Json:
        """As JSON can hold it; an entry of parts has all environments that share it."""
        rows: dict[str, Json] = {}
        for (environment, policy), points, seeds, _ in self.parts:
            new = {"policy": policy, "points": written(points), "seeds": seeds}
            row = rows.setdefault(digest(new), {"environments": [], **new})
            row["environments"].append(environment)
        return {"format": FORMAT, **self._asdict(), "parts": [*rows.values()]}

    def blocks(self) -> list[Part]:
        """The blocks of all parts, those of the first seeds first."""
        fixed = {k: x for k, x in self.sweep.items() if k not in _BY_NAME}
        kept = digest([fixed, self.keep])
        result = []
        pieces: dict[int, list[tuple[Points, str]]] = {}
        for game, points, seeds, _ in self.parts:
            about = digest([kept, *_about(self.sweep, game)])
            most = _even(points.count, min(self.size.points, self.size.runs))
            length = _even(spans.count(seeds), max(self.size.runs // most, 1))
            if id(points) not in pieces:
                pieces[id(points)] = _pieces(points, most)
            for layer, own in enumerate(spans.parts(seeds, length)):
                for piece, own_points in pieces[id(points)]:
                    key = f"{about}{own_points}{own}".encode()
                    key = hashlib.sha256(key).hexdigest()[:32]
                    result.append((layer, Part(game, piece, own, key)))
        return [block for _, block in sorted(result, key=lambda pair: pair[0])]


_BY_NAME = ("environments", "policies")  # entries of a description that may grow


def request_from(content: Json) -> Request:
    """The request that `Request.as_json` has written."""
    result = []
    for row in content["parts"]:
        points = read(row["points"])
        own = tuple((int(start), int(stop)) for start, stop in row["seeds"])
        result += [Part((e, row["policy"]), points, own) for e in row["environments"]]
    fields = {name: content[name] for name in Request._fields}
    fields["variables"] = {x: tuple(y) for x, y in content["variables"].items()}
    return Request(**fields | {"parts": result, "size": Size(*content["size"])})


def merged(sweeps: Iterable[Json]) -> Json:
    """The description of a sweep with the environments and policies of all requests."""
    first, *others = sweeps
    result: Json = json.loads(json.dumps(first))
    for each in others:
        for name, entry in each["environments"].items():
            result["environments"].setdefault(name, entry)
        for name, entry in each["policies"].items():
            own = result["policies"].setdefault(name, {})
            for what, by_environment in entry.items():
                own[what] = by_environment | own.get(what, {})
    return result


def _about(sweep: Json, game: Game) -> list[Any]:
    """All that the numbers of a game depend on among environments and policies."""
    environment, policy = game
    entry = sweep["policies"][policy]
    own = {what: by_environment[environment] for what, by_environment in entry.items()}
    return [environment, sweep["environments"][environment], policy, own]


def _even(total: int, most: int) -> int:
    """The size of equal parts of at most `most`, a multiple of `WHOLE` if possible."""
    size = -(-total // -(-total // most))
    whole = min(-(-size // WHOLE), most // WHOLE) * WHOLE
    return whole if whole > 0 and size < total else size


def _pieces(points: Points, most: int) -> list[tuple[Points, str]]:
    """At most so many points at a time, and the digest of each piece."""
    starts = range(0, points.count, most)
    pieces = [points.at(slice(start, start + most)) for start in starts]
    return [(piece, digest(written(piece))) for piece in pieces]


JAX = ("jax", "jaxlib")
MISSING = "nothing"
Path = tuple[str, ...]
_FEW = 60  # characters of a value in an error
_MOST = 10  # parts that an error lists


def changes(stored: Json, wanted: Json) -> list[str]:
    """Differences of two descriptions that one store cannot hold, a line each."""
    old, new = dict(_leaves(stored)), dict(_leaves(wanted))
    return [
        f"{'.'.join(path)}: {_shortened(old.get(path, MISSING))} in the store, "
        f"{_shortened(new.get(path, MISSING))} now"
        for path in {**old, **new}
        if old.get(path, MISSING) != new.get(path, MISSING)
        and not (_may_grow(path, stored) or _may_grow(path, wanted))
    ]


def _leaves(value: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[Path, Any]]:
    """Values that are no mappings, with their keys from the top."""
    if not isinstance(value, Mapping):
        yield at, value
        return
    for key, each in value.items():
        yield from _leaves(each, (*at, key))


def _may_grow(path: Path, sweep: Json) -> bool:
    """Whether a leaf belongs to an environment or policy that a sweep lacks."""
    part, *keys = path
    if part == "environments":
        return keys[0] not in sweep[part]
    if part != "policies":
        return False
    own = sweep[part].get(keys[0])  # facts, each by environment
    return own is None or (keys[1] in own and keys[2] not in own[keys[1]])


def additions(more: Sequence[Part]) -> list[str]:
    """Parts that a store lacks, a line each."""
    lines = [
        f"{part.name}: {part.points.count} points, seeds {spans.shown(part.seeds)}"
        for part in more[:_MOST]
    ]
    rest = len(more) - len(lines)
    return lines + [f"and {rest:,} more policies in environments"] * (rest > 0)


def accepting(stored: Json, wanted: Json) -> Json:
    """A description with the store's versions of JAX in place of newer patches."""
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
