"""Progress on the terminal: share done, time left, throughput, memory; on stderr."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil
from rich.console import Console
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
from rich.text import Text


@contextmanager
def reporter(
    show: bool | None, total: int, title: str, rounds: float = 0
) -> Iterator[Callable[[int, str], None]]:
    """A function ``report(done, label)`` that advances a bar, or does nothing.

    Args:
      show: whether to draw; None draws if stderr is a terminal.
      total: units of work in all.
      title: stands before the bar.
      rounds: rounds of one seed in a unit of work; above 0 the throughput is shown.
    """
    if not (sys.stderr.isatty() if show is None else show):
        yield lambda done, label: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        *([_Throughput(rounds)] if rounds else []),
        _PeakMemory(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)

        def report(done, label):
            bar.update(task, advance=done, description=f"{title}: {label}")

        yield report


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
