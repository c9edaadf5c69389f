"""How far a store is, who is at it, and what it holds."""

import itertools
import json
import os
import socket
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import psutil

from jaxbandits.results.dataset import Place
from jaxbandits.results.home import place_of
from jaxbandits.results.reading import Sessions
from jaxbandits.results.store import (
    check_store,
    keeps_moments,
    sessions,
    stored_shapes,
)
from jaxbandits.sweeps.blocks import Block, pieces
from jaxbandits.sweeps.identity import counts_in
from jaxbandits.sweeps.journal import Player, players
from jaxbandits.sweeps.ragged import played_by
from jaxbandits.sweeps.site import kind_of

# Where nobody can look whether a process is there it counts as lost after so long
# without a word, or after some blocks' time if that is longer.
_SILENT_SECONDS = 600.0
_SILENT_BLOCKS = 10
# By how much a clock may have been put forward while a process ran.
_CLOCK_SECONDS = 60.0
# How many seeds each point plays, by numbers of environment and policy.
_Counts = dict[tuple[int, int], np.ndarray]


class Status(NamedTuple):
    """How far a store is.

    Attributes:
      runs: parameter points times seeds in all, of all policies and environments.
      done: those of them that are played.
      running: blocks that somebody plays now.
      lost: blocks that were begun by programs that are no more, and not yet played.
      failed: blocks that ended with an error and are not yet played.
      programs: who are at work.
      per_second: runs, of those who are at work; 0 before one of them has done a block.
      left_seconds: until all is done at that rate; None without a rate.
      errors: what was said last of blocks that failed, by error.
      processors: kinds of processors, with their vector widths, that have played.
    """

    runs: int
    done: int
    running: int
    lost: int
    failed: int
    programs: int
    per_second: float
    left_seconds: float | None
    errors: dict[str, int]
    processors: list[str]


def status(path: str | os.PathLike, now: float | None = None) -> Status:
    """How far a store is.

    Args:
      path: the store.
      now: seconds since 1970.

    Raises:
      FileNotFoundError, ValueError: as `open_store`.
    """
    path, now = place_of(path), time.time() if now is None else now
    description = json.loads(check_store(path)["spec"])
    played = sessions(path)
    counts = _counts(description)
    runs, done = sum(int(own.sum()) for own in counts.values()), 0
    for who in _blocks(played, description):
        done += int((who > 0).sum())
    everybody = players(path)
    at_work = [player for player in everybody if _lives(player, now)]
    running = [block for player in at_work for block in _under_way(player)]
    lost, failed, errors = set(), set(), {}
    for player in everybody:
        if player not in at_work:
            lost |= set(_under_way(player))
        for event in player.events:
            if event["event"] == "fails" and _missing(played, counts, event["block"]):
                failed.add(tuple(event["block"]))
                errors[event["error"]] = errors.get(event["error"], 0) + 1
    rate = sum(_rate(player, counts, now) for player in at_work)
    return Status(
        runs,
        done,
        len(running),
        sum(_missing(played, counts, b) for b in lost - set(running) - failed),
        len(failed - set(running)),
        len(at_work),
        rate,
        (runs - done) / rate if rate else None,
        errors,
        sorted({processor(player.who) for player in everybody}),
    )


def processor(who: Mapping[str, Any]) -> str:
    """What a program or session was played on; "" of one that does not say."""
    if "backend" not in who:
        return ""
    model = f"{who['processor']}, " if who["backend"] == "cpu" else ""
    return model + kind_of(who)


def _under_way(player: Player) -> list[tuple[int, ...]]:
    """Blocks that a program has begun, and of which it has said nothing more."""
    found = {}
    for event in player.events:
        if "block" in event:
            found[tuple(event["block"])] = event["event"]
    return [block for block, last in found.items() if last == "begins"]


def _lives(player: Player, now: float) -> bool:
    if player.events and player.events[-1]["event"] == "leaves":
        return False
    if player.who["host"] == socket.gethostname():
        return _is_there(player.who["pid"], player.who["at"])
    times = [e["seconds"] for e in player.events if e["event"] == "ends"]
    silent = max(_SILENT_SECONDS, _SILENT_BLOCKS * max(times, default=0.0))
    return now - (player.events or [player.who])[-1]["at"] < silent


def _is_there(pid: int, at: float) -> bool:
    """Whether the process that had a number then still runs: one that was made later
    has only been given the same number."""
    try:
        process = psutil.Process(pid)
        ended = process.status() == psutil.STATUS_ZOMBIE
        return not ended and process.create_time() < at + _CLOCK_SECONDS
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True


def _rate(player: Player, counts: _Counts, now: float) -> float:
    """Runs per second since a program began."""
    begun = [e["at"] for e in player.events if e["event"] == "begins"]
    ended = [e["block"] for e in player.events if e["event"] == "ends"]
    runs = sum(_block(counts, cell).size for cell in ended)
    return runs / max(now - begun[0], 1e-3) if begun else 0.0


def _counts(description: Mapping[str, Any]) -> _Counts:
    own = counts_in(description).values()
    policies = len(description["policies"])
    return {divmod(number, policies): x for number, x in enumerate(own)}


def _block(counts: _Counts, cell: Any) -> Block:
    """A block of a journal, see `journal.cell`."""
    environment, policy, first, last, begin, end = cell
    place = Place(environment, policy, slice(first, last), slice(begin, end))
    return Block(("", ""), place, played_by(counts[environment, policy], *place[2:]))


def _missing(played: Sessions, counts: _Counts, cell: Any) -> bool:
    block = _block(counts, cell)
    return bool(block.missing(played[block.place]).any())


def _blocks(played: Sessions, description: Mapping[str, Any]) -> Iterator[np.ndarray]:
    """Who played the blocks of a store, one by one: all may not fit into memory."""
    points = [each["points"]["count"] for each in description["policies"].values()]
    environments = range(len(description["environments"]))
    for environment, (policy, count) in itertools.product(
        environments, enumerate(points)
    ):
        for params in pieces(count, played.chunks[2]):
            for seed in pieces(played.shape[3], played.chunks[3]):
                yield played[Place(environment, policy, params, seed)]


def show(path: str | os.PathLike) -> dict[str, Any]:
    """What a store holds, as JSON can hold it.

    Args:
      path: the store.

    Returns:
      ``extent`` (of every axis, and what else describes the sweep), ``sessions`` (who
      has played, and how many runs) and ``text`` (of the file of the sweep, or "").
    """
    stored = check_store(path)
    described = json.loads(stored["spec"])
    played = sessions(path)
    size = played.chunks[-2:]
    counts = Counter[int]()
    for block in _blocks(played, described):
        who, many = np.unique(block, return_counts=True)
        counts.update(dict(zip(who.tolist(), many.tolist(), strict=True)))
    seeds, ends = described["seeds"], described["checkpoints"]
    each = sorted({x for own in counts_in(described).values() for x in own.tolist()})
    seeds = seeds if isinstance(seeds, int) else f"{len(seeds)} that are listed"
    if len(each) > 1:
        seeds = f"{seeds}, of which points have {each[0]} to {each[-1]}"
    extent = {
        "environments": ", ".join(described["environments"]),
        "policies": ", ".join(
            f"{name} ({entry['points']['count']})"
            for name, entry in described["policies"].items()
        ),
        "seeds": seeds,
        "root seed": described["root_seed"],
        f"checkpoints ({described['checkpoint_kind']})": f"{len(ends)}, to {ends[-1]}",
        "metrics": ", ".join(stored_shapes(path)),
        "keeps": "moments" if keeps_moments(path) else "runs",
        "block": f"{size[0]} points x {size[1]} seeds",
        "engine": described["engine"],
        "backend": described["platform"],
    }
    entries = [
        {
            "created": entry["created"],
            "runs": counts[number],
            "versions": _versions(entry),
            "devices": ", ".join(sorted(set(entry.get("devices", [])))),
            "processor": processor(entry),
            "host": entry.get("host", ""),
            "job": entry.get("job", ""),
        }
        for number, entry in enumerate(json.loads(stored["sessions"]), 1)
    ]
    return {"extent": extent, "sessions": entries, "text": stored.get("text", "")}


def _versions(entry: dict[str, Any]) -> str:
    made = entry["versions"]
    accepted = " (accepted)" if entry.get("accepted") else ""
    return f"jaxbandits {made['jaxbandits']}, jax {made['jax']}{accepted}"
