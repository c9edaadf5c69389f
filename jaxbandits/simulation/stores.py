"""Operations on whole stores: how far they are, merging them, verifying them."""

import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import xarray as xr

from jaxbandits import checks
from jaxbandits.console.faults import warn
from jaxbandits.engine.flags import in_play
from jaxbandits.results import spans
from jaxbandits.results.parts import apart, digest, rows_of
from jaxbandits.simulation.files import spec_from_text
from jaxbandits.simulation.machine import HERE, kind_of
from jaxbandits.simulation.plan import make_plan, with_engines
from jaxbandits.simulation.spec import Spec
from jaxbandits.simulation.stored import InStore, Store
from jaxbandits.store.block_store import BLOCKS, BlockStore
from jaxbandits.store.open import open_store


def merge(stores: Sequence[Any], into: Any) -> xr.Dataset:
    """Make one store of several stores of one sweep.

    Args:
      stores: two or more, with other points, seeds, policies or environments, or with
        other blocks missing.
      into: the new store, which can be played on.

    Raises:
      ValueError: if they hold different sweeps, saying what differs, or other numbers
        of the same block, or moments of the same runs.
      FileExistsError: if there is a store at `into`.
      FileNotFoundError, ValueError: as `open_store`.
    """
    if len(stores) < 2:
        raise ValueError(f"stores must be at least two, got {len(stores)}")
    sources, target = [BlockStore(path) for path in stores], BlockStore(into)
    for source in sources:
        source.examine()
    if target.exists():
        raise FileExistsError(f"into: {target.place.name} exists already")
    first, *others = sources
    for source in others:
        for request in source.requests():
            first.check_same(request)
    if first.keep == "moments":
        blocks = {block.key: block for each in sources for block in each.blocks()}
        if len(apart(blocks.values())) < len(blocks):
            raise ValueError(
                "stores that keep moments must have different seeds, of the same "
                "points in the same blocks at least; these have runs in common"
            )
    for source in sources:
        target.copy(source)
    return open_store(into)


def replay(path: Any, spec: Spec | None, count: int) -> int:
    """Play random blocks of a store again and compare them; return how many.

    The spec of its sweep is by default the text in the store, if that is TOML.

    Raises:
      ValueError: if a bit differs, or if the spec is another sweep's or is not known.
    """
    sink = InStore(Store(path, accept_version=True), HERE)
    store, name = sink.store, sink.store.place.name
    if spec is None:
        words = "does not say in TOML of what sweep it is: give its file (--spec)"
        with checks.named(f"store: {name} {words}"):
            spec = spec_from_text(store.text() or "=", f"the text in {name}")
    sweep = store.sweep()
    spec = spec._replace(engine=sweep["engine"], metrics=sweep["metrics"], seeds=1)
    with in_play():
        plan = with_engines(make_plan(spec), sink.platform, sweep)
        sink.check_same(plan, [*plan.matches])
        blocks = [block for block in store.blocks() if block.game in plan.matches]
        if not blocks:
            games = ", ".join(f"{policy} in {where}" for where, policy in plan.matches)
            raise ValueError(f"spec: {name} has no block of what it plays: {games}")
        if (rest := len(store.blocks()) - len(blocks)) and count:
            warn(
                f"store: {rest} blocks of {name} are of policies or environments that "
                "the spec lacks, and are not among those that are played again: give "
                "a file that has them (--spec)"
            )
        return sink.verify(plan, blocks, count)


_LATELY = 600.0  # seconds
_NEWEST = 20  # blocks whose hosts are named


class Status(NamedTuple):
    """How far a store is, and what it holds. Runs are parameter points times seeds."""

    runs: int
    done: int  # runs that are played
    blocks: int  # in which all runs are
    blocks_done: int
    per_second: float  # runs, in the last ten minutes; 0 if no block is of that time
    left_seconds: float | None  # until all runs are done at that rate
    hosts: list[str]  # that played the newest blocks of the last ten minutes
    processors: list[str]  # kinds that have played, with the widths of their vectors
    extent: dict[str, Any]  # every axis, and what else describes the sweep
    sessions: list[dict[str, Any]]  # who has played, and how many runs each
    text: str  # of the file of the sweep, or ""


def status(path: str | os.PathLike[str], now: float | None = None) -> Status:
    """How far a store is `now`, in seconds since 1970. Raises as `open_store`."""
    store, now = BlockStore(path), time.time() if now is None else now
    asked, times = store.blocks(), store.place.times(BLOCKS)
    made = {name.removesuffix(".npz"): at for name, at in times.items()}
    there = [block for block in asked if block.key in made]
    heads = {block.key: store.head(block.key) for block in there}
    runs, done = (sum(block.size for block in each) for each in (asked, there))
    new = [block for block in there if now - made[block.key] < _LATELY]
    new.sort(key=lambda block: made[block.key])
    rate = 0.0
    for first in new[:1]:
        # The time of a block's file is that of its end.
        begun = made[first.key] - sum(heads[first.key]["seconds"].values())
        rate = sum(block.size for block in new) / max(now - begun, 1e-3)
    played = Counter[str]()
    for block in there:
        played[digest(heads[block.key]["session"])] += block.size
    sessions = store.sessions()
    return Status(
        runs,
        done,
        len(asked),
        len(there),
        rate,
        (runs - done) / rate if rate else None,
        sorted({heads[x.key]["session"].get("host", "") for x in new[-_NEWEST:]}),
        sorted({_processor(entry) for entry in sessions.values()}),
        _extent(store),
        [_session(entry, played[name]) for name, entry in sessions.items()],
        store.text(),
    )


def _processor(session: Mapping[str, Any]) -> str:
    """The processor of a session; "" if the session does not say."""
    if "backend" not in session:
        return ""
    model = f"{session['processor']}, " if session["backend"] == "cpu" else ""
    return model + kind_of(session)


def _extent(store: BlockStore) -> dict[str, Any]:
    """Every axis of a store, and what else describes its sweep, in words."""
    sweep, requests = store.sweep(), store.requests()
    parts = [part for each in requests for part in each.parts]
    points: dict[str, set[Any]] = {}
    for part in parts:
        points.setdefault(part.game[1], set()).update(rows_of(part.points))
    seeds = spans.joined(span for part in parts for span in part.seeds)
    ends, size = sweep["checkpoints"], requests[0].size
    largest = max(block.size for block in store.blocks())
    return {
        "environments": ", ".join(sweep["environments"]),
        "policies": ", ".join(f"{name} ({len(x)})" for name, x in points.items()),
        "seeds": f"{spans.count(seeds)}: {spans.shown(seeds)}",
        "root seed": sweep["root_seed"],
        f"checkpoints ({sweep['checkpoint_kind']})": f"{len(ends)}, to {ends[-1]}",
        "metrics": ", ".join(store.variables()),
        "keeps": store.keep,
        "block": f"{largest} runs or fewer, of at most {size.points} points",
        "engine": sweep["engine"],
        "backend": sweep["platform"],
    }


def _session(entry: Mapping[str, Any], runs: int) -> dict[str, Any]:
    """A session in words."""
    made = entry["versions"]
    accepted = " (accepted)" if entry.get("accepted") else ""
    return {
        "created": entry["created"],
        "runs": runs,
        "versions": f"jaxbandits {made['jaxbandits']}, jax {made['jax']}{accepted}",
        "devices": ", ".join(sorted(set(entry.get("devices", [])))),
        "processor": _processor(entry),
        "host": entry.get("host", ""),
        "job": entry.get("job", ""),
    }
