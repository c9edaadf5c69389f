"""Progress on stderr: share done, time left, throughput, memory.

A bar where there is a terminal; for the command line, a line a minute where there is
none, in the log of a batch job, say.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil
from rich.filesize import decimal
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from jaxbandits.printing import Printer, say
from jaxbandits.texts import visible

_MINUTE = 60.0  # seconds between lines
_log: "_Log | None" = None  # where lines go, while somebody wants them


@contextmanager
def lines() -> Iterator[None]:
    """Within, progress without a terminal is a line a minute, and not nothing."""
    global _log
    before, _log = _log, _Log()
    try:
        yield
    finally:
        _log = before


@contextmanager
def reporter(
    show: bool | None, total: int, title: str, rounds: float = 0
) -> Iterator[Callable[[int, str], None]]:
    """A function ``report(done, label)`` that advances a bar, or does nothing.

    Args:
      show: whether to draw; None draws if stderr is a terminal, and writes lines if it
        is none and somebody wants `lines`.
      total: units of work in all.
      title: stands before the bar.
      rounds: rounds of one seed in a unit of work; above 0 the throughput is shown.
    """
    if show is None and not sys.stderr.isatty() and _log is not None:
        yield _log.game(total, title)
        return
    if not (sys.stderr.isatty() if show is None else show):
        yield lambda done, label: None
        return
    columns = (
        # A long name is cut, and not the bar.
        TextColumn(
            "{task.description}",
            markup=False,
            table_column=Column(no_wrap=True, max_width=40),
        ),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        *([_Throughput(rounds)] if rounds else []),
        _PeakMemory(),
    )
    with Progress(*columns, console=Printer(stderr=True), transient=True) as bar:
        task = bar.add_task(visible(title), total=total)

        def report(done, label):
            text = visible(f"{title}: {label}")
            bar.update(task, advance=done, description=text)

        yield report


class _Log:
    """Lines about the games of a command, one a minute at most."""

    def __init__(self) -> None:
        self.start = self.last = time.monotonic()
        self.games = 0

    def game(self, total: int, title: str) -> Callable[[int, str], None]:
        """What reports on the next game."""
        self.games += 1
        begun, number, so_far = time.monotonic(), self.games, 0

        def report(done: int, label: str) -> None:
            nonlocal so_far
            so_far += done
            now = time.monotonic()
            if now - self.last < _MINUTE or not so_far:
                return
            self.last = now
            left = (now - begun) * (total - so_far) / so_far
            say(
                f"jaxbandits: game {number}, {title}: {label}: "
                f"{100 * so_far / total:.0f} %, {_minutes(left)} left of it, "
                f"{_minutes(now - self.start)} since the start"
            )

        return report


def _minutes(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class _Throughput(ProgressColumn):
    """Seed-rounds per second."""

    def __init__(self, rounds: float):
        super().__init__()
        self.rounds = rounds

    def render(self, task) -> Text:
        if not task.speed:
            return Text("")
        return Text(f"{task.speed * self.rounds / 1e6:,.2f} M rounds/s")


class _PeakMemory(ProgressColumn):
    """The most memory that the process was seen to have."""

    def __init__(self):
        super().__init__()
        self.process = psutil.Process()
        self.peak = 0  # bytes

    def render(self, task) -> Text:
        self.peak = max(self.peak, self.process.memory_info().rss)
        return Text(decimal(self.peak))
