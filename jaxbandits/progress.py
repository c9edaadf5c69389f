"""Progress on the terminal: share done, elapsed time and time left, on stderr."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


@contextmanager
def reporter(
    show: bool | None, total: int, title: str
) -> Iterator[Callable[[int, str], None]]:
    """A function ``report(done, label)`` that advances a bar, or does nothing.

    Args:
      show: whether to draw; None draws if stderr is a terminal.
      total: units of work in all.
      title: stands before the bar.
    """
    if not (sys.stderr.isatty() if show is None else show):
        yield lambda done, label: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)

        def report(done, label):
            bar.update(task, advance=done, description=f"{title}: {label}")

        yield report
