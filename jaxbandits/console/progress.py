"""Progress on stderr, for work that takes longer than two seconds.

On a terminal it is a bar. Elsewhere a line is written when a step (a program is
compiled, a policy is played) has taken two seconds, then a line a minute with the share
done and the time left. A last line says how long work of a minute or more took.
"""

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

SWITCH = "JAXBANDITS_PROGRESS"  # an environment variable; "off" silences by default
PATIENCE = 2.0  # seconds before the first line
MINUTE = 60.0  # seconds between two lines about one step
_LESS_OFTEN = 4  # factor of the time before the line about each further step
_LOOK = 0.2  # seconds between two looks at the clock


class Report:
    """The progress of work: its steps, the share done, and the time left.

    Attributes:
      parts: units of work by part; each part has a speed of its own.
      title: of the work.
      at_once: how many parts are worked on at a time.
    """

    def __init__(
        self, parts: Mapping[str, float] = {}, title: str = "", at_once: int = 1
    ):
        self.parts, self.title, self.at_once = parts, title, at_once
        self.compiling, self.playing = Counter[str](), Counter[str]()  # seconds by part
        self._done, self._timed = Counter[str](), Counter[str]()  # units
        self._begun = self._last = time.monotonic()
        # The step of each thread, and since when it does it.
        self._phases: dict[int, tuple[str, float]] = {}
        self._spoken: set[str] = set()

    @contextmanager
    def phase(self, what: str) -> Iterator[None]:
        """Record that this thread does a step: ``compiling RCUCB in Indep``."""
        thread = threading.get_ident()
        before = self._phases.get(thread)
        self._phases[thread] = what, time.monotonic()
        try:
            yield
        finally:
            del self._phases[thread]
            if before is not None:
                self._phases[thread] = before[0], time.monotonic()

    def advance(
        self, part: str, done: float, playing: float | None, compiling: float = 0.0
    ) -> None:
        """Count units of a part as done.

        Args:
          part: name of the part.
          done: number of units.
          playing: seconds that the units took; None if they were done before.
          compiling: seconds of compiling before.
        """
        self._done[part] += done
        if playing is not None:
            self.compiling[part] += compiling
            self.playing[part] += playing
            self._timed[part] += done

    @property
    def share(self) -> float:
        """The share of the units that is done."""
        return sum(self._done.values()) / max(sum(self.parts.values()), 1)

    @property
    def speed(self) -> float:
        """Units per second of play; 0 before a unit is done."""
        return self.at_once * _ratio(self._timed, self.playing)

    def left(self) -> float | None:
        """Seconds until all units are done; None before a unit is done.

        Every part is taken to go on at its own speed. A part that has not begun is
        taken to need compiling, and to have the mean speed of the others.
        """
        if not any(self._timed.values()):
            return None
        usual, seconds = _ratio(self.playing, self._timed), 0.0
        compiling = sum(self.compiling.values()) / len(self._timed)
        for part, units in self.parts.items():
            own = part in self._timed and self._timed[part] > 0
            each = self.playing[part] / self._timed[part] if own else usual
            seconds += each * (units - self._done[part])
            seconds += 0 if part in self._done else compiling
        return seconds / self.at_once

    def status(self, what: str = "") -> str:
        """``30% of Indep, about 40 s left``; the time since the start at first.

        Args:
          what: the present step; if it has the title, the title is not repeated.
        """
        of = "" if self.title in what else f" of {self.title}"
        words = [f"{self.share:.0%}{of}"] if self.parts else []
        if (left := self.left()) is not None:
            words.append(f"about {duration(left)} left")
        else:
            words.append(f"{duration(time.monotonic() - self._begun)} since the start")
        return ", ".join(words)

    def look(self) -> None:
        """Write the lines that are due."""
        now = time.monotonic()
        for what, since in [*self._phases.values()]:
            # Ever less often, or a thousand short steps would write as many lines.
            gap = min(MINUTE, PATIENCE * _LESS_OFTEN ** len(self._spoken))
            fresh = what not in self._spoken and now - since >= PATIENCE
            if now - self._last >= (gap if fresh else MINUTE):
                _line(f"{what}: {self.status(what)}" if self._spoken else f"{what} ...")
                self._spoken.add(what)
                self._last = now

    def close(self) -> None:
        """Write the last line, if the work took a minute or more."""
        spent = time.monotonic() - self._begun
        if self.parts and spent >= MINUTE:
            compiling = sum(self.compiling.values())
            each = f"{duration(compiling)} compiling, "
            each += f"{duration(sum(self.playing.values()))} playing"
            parted = f" ({each})" if compiling else ""
            _line(f"{self.title}: {duration(spent)}{parted}")


@contextmanager
def reporting(show: bool | None, report: Report, rounds: float = 0) -> Iterator[Report]:
    """The report, which is shown meanwhile.

    Args:
      show: whether to show it; None for yes unless ``JAXBANDITS_PROGRESS=off``.
      report: the report.
      rounds: of one seed in a unit of work; if it is above 0, a bar has the throughput.
    """
    if not _wanted(show):
        yield report
    elif report.parts and sys.stderr.isatty():
        with _bar(report, rounds):
            yield report
    else:
        ended = threading.Event()

        def watch():
            while not ended.wait(_LOOK):
                report.look()

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield report
            report.close()
        finally:
            ended.set()
            watcher.join()


@contextmanager
def doing(what: str, show: bool | None = None) -> Iterator[None]:
    """Report a step that may take longer than two seconds."""
    with reporting(show, Report()) as report, report.phase(what):
        yield


def announce(text: str) -> None:
    """Write a line, unless ``JAXBANDITS_PROGRESS=off``."""
    if _wanted(None):
        _line(text)


def _wanted(show: bool | None) -> bool:
    return os.environ.get(SWITCH) != "off" if show is None else show


def duration(seconds: float) -> str:
    """``56 s``, ``3 min``, ``1.5 h``, ``12 days``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 3e5 else f"{seconds / 86400:.0f} days"


def _ratio(parts: Counter, others: Counter) -> float:
    return sum(parts.values()) / max(sum(others.values()), 1e-9)


def _line(text: str) -> None:
    from jaxbandits.console.printing import say

    say(f"jaxbandits: {text}")


@contextmanager
def _bar(report: Report, rounds: float) -> Iterator[None]:
    """A bar on a terminal."""
    import resource

    from rich.filesize import decimal
    from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn
    from rich.text import Text

    from jaxbandits.console.printing import Printer
    from jaxbandits.console.texts import visible

    unit = 1 if sys.platform == "darwin" else 1024

    class Facts(ProgressColumn):
        """The step, share, time left, throughput and largest memory."""

        def render(self, task) -> Text:
            peak = unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            task.completed = report.share
            words = [what for what, _ in [*report._phases.values()]][:1]
            words.append(report.status(*words))
            if rounds and report.speed:
                words.append(f"{report.speed * rounds / 1e6:,.2f} M rounds/s")
            return Text(visible(", ".join([*words, decimal(peak)])))

    columns = SpinnerColumn(), BarColumn(bar_width=20), Facts()
    with Progress(*columns, console=Printer(stderr=True), transient=True) as bar:
        bar.add_task("", total=1.0)
        yield
