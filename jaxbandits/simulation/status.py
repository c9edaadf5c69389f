"""How far a store is, who has played it, and what it holds."""

import os
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from jaxbandits.results import spans
from jaxbandits.results.parts import digest, rows_of
from jaxbandits.simulation.site import kind_of
from jaxbandits.store.block_store import (
    BLOCKS,
    BlockStore,
    variables_of,
)

_LATELY = 600.0  # seconds
_NEWEST = 20  # blocks that say who is at work


class Status(NamedTuple):
    """How far a store is.

    Attributes:
      runs: parameter points times seeds in all, of all policies and environments.
      done: those of them that are played.
      blocks: in how many blocks all runs are.
      blocks_done: those of them that are there.
      per_second: runs, of the last ten minutes; 0 if there is no block of that time.
      left_seconds: until all is done at that rate; None without a rate.
      hosts: machines that have played the newest blocks of the last ten minutes.
      processors: kinds of processors, with their vector widths, that have played.
    """

    runs: int
    done: int
    blocks: int
    blocks_done: int
    per_second: float
    left_seconds: float | None
    hosts: list[str]
    processors: list[str]


def status(path: str | os.PathLike[str], now: float | None = None) -> Status:
    """How far a store is, by names and times of its files.

    Args:
      path: the store.
      now: seconds since 1970.

    Raises:
      FileNotFoundError, ValueError: as `open_store`.
    """
    store, now = BlockStore(path), time.time() if now is None else now
    asked, times = store.blocks(), store.place.times(BLOCKS)
    made = {name.removesuffix(".npz"): at for name, at in times.items()}
    runs = sum(block.size for block in asked)
    there = [block for block in asked if block.key in made]
    done = sum(block.size for block in there)
    new = [block for block in there if now - made[block.key] < _LATELY]
    new.sort(key=lambda block: made[block.key])
    rate = 0.0
    for first in new[:1]:
        # It was begun before its time is known.
        begun = made[first.key] - sum(store.head(first.key)["seconds"].values())
        rate = sum(block.size for block in new) / max(now - begun, 1e-3)
    hosts = {store.head(x.key)["session"].get("host", "") for x in new[-_NEWEST:]}
    return Status(
        runs,
        done,
        len(asked),
        len(there),
        rate,
        (runs - done) / rate if rate else None,
        sorted(hosts),
        sorted({processor(entry) for entry in store.sessions().values()}),
    )


def processor(who: Mapping[str, Any]) -> str:
    """What a session was played on; "" of one that does not say."""
    if "backend" not in who:
        return ""
    model = f"{who['processor']}, " if who["backend"] == "cpu" else ""
    return model + kind_of(who)


def show(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a store holds, as JSON can hold it.

    Args:
      path: the store.

    Returns:
      ``extent`` (of every axis, and what else describes the sweep), ``sessions`` (who
      has played, and how many runs) and ``text`` (of the file of the sweep, or "").
    """
    store = BlockStore(path)
    requests = store.requests()
    sweep, there = store.sweep(), store.played()
    parts = [part for each in requests for part in each.parts]
    counts = Counter[str]()
    for block in store.blocks():
        if block.key in there:
            counts[digest(store.head(block.key)["session"])] += block.size
    points: dict[str, set[Any]] = {}
    for part in parts:
        points.setdefault(part.game[1], set()).update(rows_of(part.points))
    seeds = spans.joined(span for part in parts for span in part.seeds)
    ends, size = sweep["checkpoints"], requests[0].size
    extent = {
        "environments": ", ".join(sweep["environments"]),
        "policies": ", ".join(f"{name} ({len(x)})" for name, x in points.items()),
        "seeds": f"{spans.count(seeds)}: {spans.shown(seeds)}",
        "root seed": sweep["root_seed"],
        f"checkpoints ({sweep['checkpoint_kind']})": f"{len(ends)}, to {ends[-1]}",
        "metrics": ", ".join(variables_of(requests)),
        "keeps": store.keep,
        "block": f"{size.runs} runs, of at most {size.points} points",
        "engine": sweep["engine"],
        "backend": sweep["platform"],
    }
    entries = []
    for name, entry in store.sessions().items():
        made = entry["versions"]
        accepted = " (accepted)" if entry.get("accepted") else ""
        entries.append(
            {
                "created": entry["created"],
                "runs": counts[name],
                "versions": f"jaxbandits {made['jaxbandits']}, jax {made['jax']}"
                + accepted,
                "devices": ", ".join(sorted(set(entry.get("devices", [])))),
                "processor": processor(entry),
                "host": entry.get("host", ""),
                "job": entry.get("job", ""),
            }
        )
    text = next((each.text for each in requests if each.text), "")
    return {"extent": extent, "sessions": entries, "text": text}
