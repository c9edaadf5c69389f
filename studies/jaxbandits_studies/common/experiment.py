"""What an experiment is.

An experiment is a named, runnable figure or table of a paper. Running it gives
datasets, flat records with the paper's numbers beside ours, and a figure.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jaxbandits import checks

if TYPE_CHECKING:  # The table of experiments is read before these are loaded.
    import xarray as xr
    from matplotlib.figure import Figure

    from jaxbandits.console.printing import Table
    from jaxbandits.stats import Record

PICTURES = ("png", "pdf", "svg")  # formats of a figure
ROOT_SEED = 0  # of every experiment but leaderboards


def amount(value: float) -> str:
    """A number for people: ``31,682``, ``0.5542``."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


class Options(NamedTuple):
    """What a user may change.

    Attributes:
      seeds: how many seeds.
      horizon: number of rounds; in games with a budget, the budget.
      progress: whether to say what is compiled and played, see `Machine`.
      quick: whether to leave out what takes long (large environments, say).
      folder: where an experiment that can be interrupted keeps what it has played; in
        memory if None.
    """

    seeds: int
    horizon: int
    progress: bool | None = None
    quick: bool = False
    folder: Path | None = None


class Claim(NamedTuple):
    """Something that a source says, beside what the runs say.

    Attributes:
      id: of the claim.
      text: what it says.
      source: where.
      verdict: what was found, or ``not comparable`` where that stands on what is ours
        and not the authors'.
      ours: our numbers, by what they are of.
      found: ``holds``, ``fails``, ``undecided`` or ``vacuous`` (whatever is played).
      published: the source's numbers, or None where it prints none.
      cause: entry of errata.md that explains why it fails, if one does.
      stands_on: entry that says what of ours a claim that is not comparable stands on.
      check: kind and arguments of the check that found that.
    """

    id: str
    text: str
    source: str
    verdict: str
    ours: Mapping[str, float]
    found: str
    published: Mapping[str, float] | None = None
    cause: str = ""
    stands_on: str = ""
    check: str = ""

    @property
    def reason(self) -> str:
        """Entry of errata.md that says why it fails or is not comparable."""
        return self.cause or self.stands_on

    @property
    def sentence(self) -> str:
        """For a terminal."""
        ours = ", ".join(f"{name} {amount(x)}" for name, x in self.ours.items())
        here = f", here {self.found}" if self.stands_on else ""
        why = f", studies/results/errata.md, {self.reason}" if self.reason else ""
        statement = f"{self.id}: {self.text} ({self.source})"
        return f"{statement}: {self.verdict}{here} ({ours}){why}."


class Outcome(NamedTuple):
    """What an experiment found.

    Attributes:
      datasets: by environment.
      records: one per policy and environment.
      draw: makes the picture; called when everything else is written.
      notes: sentences to print below the table.
      claims: of the source, and whether they hold.
      pages: further files of text, by name.
      table: what a terminal shows where the records are too many.
      root_seed: of the runs.
      spent: what it took in this process: ``seconds``, and ``processor_seconds`` of all
        cores together, which tell more of a machine that had other work to do. It is
        less than all if some ``found_runs`` had been played before.
      stores: where its runs are kept until they are written.
    """

    datasets: Mapping[str, "xr.Dataset"]
    records: list["Record"]
    draw: Callable[[], "Figure"]
    notes: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    pages: Mapping[str, str] = {}
    table: "Table | None" = None
    root_seed: int = ROOT_SEED
    spent: Mapping[str, float] = {}
    stores: tuple[Path, ...] = ()

    @property
    def figure(self) -> "Figure":
        """The picture, drawn anew."""
        return self.draw()


class Experiment(NamedTuple):
    """A figure or table.

    Attributes:
      name: ``<setting>-<figure or table>``, or ``leaderboard-<setting>``.
      title: one line.
      source: where it stands in the paper.
      run: ``Options -> Outcome``.
      full: seeds and horizon of the paper.
      quick: a small form, for a first look and for tests.
      fixed: whether no game is played, so that seeds and horizon have no effect.
    """

    name: str
    title: str
    source: str
    run: Callable[[Options], Outcome]
    full: Options
    quick: Options
    fixed: bool = False

    @property
    def setting(self) -> str:
        """The setting it belongs to."""
        first, second = self.name.split("-")[:2]
        return second if first == "leaderboard" else first


def prepare_folder(path: str | os.PathLike) -> Path:
    """Create the output folder and make sure that it can be written to.

    Raises:
      ValueError: if it cannot; called before any computing.
    """
    folder = checks.path("out", path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".write-test-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ValueError(f"out: cannot write to {folder}: {error}") from error
    return folder
