"""What the programs that play a sweep say of it: a file of each, a line an event.

Nobody writes to another's file, and no number depends on one; a line that a killed
program has not finished is passed over.
"""

import json
import os
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from jaxbandits.results.home import Home
from jaxbandits.sweeps.blocks import Block, Share

WORK = "work"  # folder in a store of what is none of the results
FOLDER = f"{WORK}/journal"


class Journal(NamedTuple):
    """Where a program says what it does.

    Attributes:
      begins: ``(block) -> None``.
      ends: ``(block, compiling) -> None``: it is in the store; of its seconds, those of
        compiling.
      fails: ``(block, error) -> None``: nothing, if it was not begun or has ended.
    """

    begins: Callable[[Block], None]
    ends: Callable[[Block, float], None]
    fails: Callable[[Block, BaseException], None]


@contextmanager
def journal(path: Path | Home, who: dict[str, Any]) -> Iterator[Journal]:
    """A new file in the journal of a store; in a bucket, which has no files to which
    lines can be added, there is none.

    Its lines are objects: first `who` with ``pid`` and ``at`` (seconds since 1970),
    then events with ``at`` and ``block`` (see `cell`): ``begins``; ``ends`` with
    ``seconds`` from its beginning, ``compiling`` of them, and ``busy`` processor
    seconds of the whole process meanwhile; ``fails`` with an ``error``; and at last
    ``leaves``.

    Args:
      path: the store.
      who: about this program; it has ``host`` and, if it plays a share, ``share``.
    """
    if isinstance(path, Home):
        yield Journal(lambda block: None, lambda *ended: None, lambda *failed: None)
        return
    pid = os.getpid()
    name = f"{_first(who.get('share'))}{who['host']}-{pid}-{uuid.uuid4().hex[:8]}.jsonl"
    file = path / FOLDER / name
    began: dict[tuple[int, ...], tuple[float, float]] = {}
    writing = threading.Lock()  # Blocks are played side by side.
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", buffering=1) as lines:

        def say(**event: Any) -> None:
            with writing:
                lines.write(json.dumps({"at": round(time.time(), 3)} | event) + "\n")

        def begins(block: Block) -> None:
            began[cell(block)] = time.monotonic(), time.process_time()
            say(event="begins", block=cell(block))

        def ends(block: Block, compiling: float) -> None:
            since, busy = began.pop(cell(block))
            say(
                event="ends",
                block=cell(block),
                seconds=round(time.monotonic() - since, 4),
                compiling=round(compiling, 4),
                busy=round(time.process_time() - busy, 4),
            )

        def fails(block: Block, error: BaseException) -> None:
            lost(cell(block), error)

        def lost(where: tuple[int, ...], error: BaseException) -> None:
            if began.pop(where, None):
                said = f"{type(error).__name__}: {error}".rstrip(": ")
                say(event="fails", block=where, error=said)

        try:
            say(event="enters", pid=pid, **who)
            yield Journal(begins, ends, fails)
            say(event="leaves")
        except BaseException as error:
            with suppress(OSError):  # A full disk takes this no better.
                for where in list(began):
                    lost(where, error)
                say(event="leaves")
            raise


def cell(block: Block) -> tuple[int, ...]:
    """Where a block lies: environment, policy, points from and to, seeds likewise."""
    environment, policy, params, seed = block.place
    return environment, policy, params.start, params.stop, seed.start, seed.stop


class Player(NamedTuple):
    """What a program has said.

    Attributes:
      who: its first line.
      events: the others.
    """

    who: dict[str, Any]
    events: list[dict[str, Any]]


def players(path: Path | Home, share: Share | None = None) -> list[Player]:
    """All that the programs have said that ever played into a store, oldest first; or
    those only that played a share."""
    found: list[Player] = []
    if isinstance(path, Home):
        return found
    for file in (path / FOLDER).glob(f"{_first(share)}*.jsonl"):
        lines = list(_lines(file))
        if lines:
            found.append(Player(lines[0], lines[1:]))
    return sorted(found, key=lambda player: player.who["at"])


def least_begun(
    path: Path | Home, blocks: list[Block], share: Share | None
) -> list[Block]:
    """Blocks in their order, but those last that were begun before and are not there:
    what has ended a program may end this one, too, and so all else is played first."""
    begun = Counter(
        tuple(event["block"])
        for player in players(path, share)
        for event in player.events
        if event["event"] == "begins"
    )
    return sorted(blocks, key=lambda block: begun[cell(block)])


def _first(share: Share | None) -> str:
    """How the files of a share's programs begin, so that they need not read all."""
    return "" if share is None else f"{share.number}-of-{share.of}-"


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text().splitlines():
        with suppress(ValueError):
            yield json.loads(line)
