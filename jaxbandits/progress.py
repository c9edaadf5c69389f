"""Progress on stderr: share done, time left, throughput, memory.

A bar on a terminal; where there is none, as in a batch job, a line a minute.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

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
    show: bool | None,
    total: int,
    title: str,
    rounds: float = 0,
    lines: bool = False,
) -> Iterator[Callable[[int, str], None]]:
    """A function ``report(done, label)`` that advances a bar, or does nothing.

    Args:
      show: whether to draw; None draws if stderr is a terminal.
      total: units of work in all.
      title: stands before the bar.
      rounds: rounds of one seed in a unit of work; above 0 the throughput is shown.
      lines: whether a line a minute takes the place of a bar that is not drawn, unless
        `show` says that there shall be none.
    """
    if not (sys.stderr.isatty() if show is None else show):
        quiet = show is False or not lines
        yield (lambda done, label: None) if quiet else _liner(total, title, rounds)
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


EVERY_SECONDS = 60.0


def _liner(total: int, title: str, rounds: float) -> Callable[[int, str], None]:
    """A function ``report(done, label)`` that prints a line now and then."""
    began = said = monotonic()
    sum_done = 0
    here = psutil.Process()

    def report(done: int, label: str) -> None:
        nonlocal sum_done, said
        sum_done += done
        now = monotonic()
        if now - said < EVERY_SECONDS or not sum_done:
            return
        said, seconds = now, now - began
        parts = [
            f"{title}: {sum_done / total:.1%} after {_clock(seconds)}",
            f"{_clock(seconds * (total - sum_done) / sum_done)} left",
            *(
                [f"{sum_done * rounds / seconds / 1e6:,.2f} M rounds/s"]
                if rounds
                else []
            ),
            decimal(here.memory_info().rss),
        ]
        print(", ".join(parts), file=sys.stderr, flush=True)

    return report


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


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
