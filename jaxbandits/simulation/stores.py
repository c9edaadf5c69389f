"""What is done with whole stores: how far they are, put together, played again."""

import os
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import xarray as xr

from jaxbandits.engine.flags import in_play
from jaxbandits.engine.run import Clock
from jaxbandits.results import spans
from jaxbandits.results.parts import Block, apart, digest, rows_of
from jaxbandits.simulation.files import spec_from_text
from jaxbandits.simulation.fill import Played
from jaxbandits.simulation.machine import HERE, Machine, kind_of, machine_of
from jaxbandits.simulation.plan import Plan, make_plan, with_engines
from jaxbandits.simulation.spec import Spec
from jaxbandits.simulation.workers import check_worker, player_for
from jaxbandits.store.block_store import (
    BLOCKS,
    BlockStore,
    stored_arrays,
    variables_of,
)
from jaxbandits.store.open import open_store


def merge(stores: Sequence[Any], into: Any) -> xr.Dataset:
    """Put together what several stores of one sweep hold.

    Args:
      stores: two or more, of the same sweep with other points, seeds, policies or
        environments, or other blocks missing.
      into: the new store, which can be played on.

    Raises:
      ValueError: if they are of different sweeps, saying what differs; if they hold
        other numbers of the same block; or if they keep moments of the same runs.
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


def replayed(
    store: BlockStore, plan: Plan, asked: list[Block], count: int, machine: Machine
) -> int:
    """Play blocks again, of those that are there; nothing is written.

    Args:
      store: the store.
      plan: the plan, settled.
      asked: which blocks may be played again.
      count: how many, drawn anew in every call.
      machine: what to play on.

    Returns:
      How many blocks were compared.

    Raises:
      ValueError: if a block differs, naming its place and the variable.
    """
    there = store.played()
    known = [block for block in asked if block.key in there]
    chosen = random.sample(known, min(count, len(known)))
    kept, different = {"rounds", *variables_of(store.requests())}, []

    def compare(block: Block, result: Played, clock: Clock) -> None:
        del clock
        values = {**result.metrics, "rounds": result.rounds}
        own = {name: x for name, x in values.items() if name in kept}
        for name, again in stored_arrays(own, store.keep).items():
            stored = store.read(block.key, name)
            if stored is None or stored.tobytes() != again.tobytes():
                seeds = f"seeds {block.seeds}"
                different.append(f"{name} of {' '.join(block.game)}, {seeds}")

    player_for(store, plan, chosen, machine).play(compare)
    if different:
        raise ValueError(
            f"store: {store.place.name} holds other numbers than this machine and "
            f"program give: {'; '.join(different)}"
        )
    return len(chosen)


def replay(path: Any, spec: Spec | None, count: int) -> int:
    """Play blocks of a store again, by itself.

    Args:
      path: the store.
      spec: of its sweep; by default from the text in the store, if that is TOML.
      count: of blocks.

    Returns:
      How many blocks were compared.

    Raises:
      ValueError: if a bit differs, if the spec is another sweep's, or if it is unknown.
    """
    store, machine = BlockStore(path), machine_of(HERE)
    if spec is None:
        text = next((each.text for each in store.requests() if each.text), "=")
        try:
            spec = spec_from_text(text, f"the text in {store.place.name}")
        except ValueError as error:
            raise ValueError(
                f"store: {store.place.name} does not say in TOML of what sweep it is, "
                f"so its file must be given (--spec): {error}"
            ) from error
    sweep = store.sweep()
    spec = spec._replace(engine=sweep["engine"], metrics=sweep["metrics"], seeds=1)
    platform = machine.devices[0].platform
    with in_play():
        plan = with_engines(make_plan(spec), platform, sweep)
        games = [*plan.matches]
        check_worker(store, plan, platform, True, games)
        asked = [block for block in store.blocks() if block.game in plan.matches]
        return replayed(store, plan, asked, count, machine)


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
