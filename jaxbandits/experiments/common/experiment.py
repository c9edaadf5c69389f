"""What an experiment is, and how its results are written.

An experiment is a named, runnable figure or table of a paper. Running it gives
datasets, flat records with the paper's numbers beside ours, and a figure.
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import checks
from jaxbandits.atomic import replacing
from jaxbandits.plots import save_figure
from jaxbandits.results import save


class Options(NamedTuple):
    """What a user may change.

    Attributes:
      seeds: how many seeds.
      horizon: number of rounds; in games with a budget, the budget.
      progress: whether to show progress; None if stderr is a terminal.
      quick: whether to leave out what takes long (large instances, say).
    """

    seeds: int
    horizon: int
    progress: bool | None = None
    quick: bool = False


class Outcome(NamedTuple):
    """What an experiment found.

    Attributes:
      datasets: by instance.
      records: flat, one per policy and instance; `summary.json` holds them.
      figure: the picture.
      notes: sentences to print below the table.
    """

    datasets: Mapping[str, xr.Dataset]
    records: list[dict[str, Any]]
    figure: Figure
    notes: tuple[str, ...] = ()


class Experiment(NamedTuple):
    """A figure or table.

    Attributes:
      name: ``<setting>-<figure or table>``.
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
        return self.name.split("-")[0]


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


def write(outcome: Outcome, name: str, folder: Path) -> list[Path]:
    """Write summary, figure and datasets; return their paths."""
    summary = folder / "summary.json"
    with replacing(summary) as temporary:
        Path(temporary).write_text(json.dumps(outcome.records, indent=1) + "\n")
    picture = folder / f"{name}.png"
    save_figure(outcome.figure, picture)
    paths = [summary, picture]
    for instance, dataset in outcome.datasets.items():
        slug = "".join(c if c.isalnum() else "-" for c in instance.lower())
        slug = "-".join(filter(None, slug.split("-")))
        paths.append(folder / f"{name}-{slug}.nc")
        save(dataset, paths[-1])
    return paths
