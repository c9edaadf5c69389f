"""How long experiments take: what was measured, from `minutes.csv` beside this file.

A row is a whole run, one that went on from no other, with the data sets that it can
use (`JAXBANDITS_DATA`). `studies/minutes.py` takes rows from summaries. Those of quick
forms, most of whose time that is, are with compiling; the full runs read most of their
programs from a folder (`JAX_COMPILATION_CACHE_DIR`).
"""

import csv
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from jaxbandits.engine.devices import cores
from jaxbandits_studies.common.experiment import Experiment, Options

NAME = "minutes.csv"


class Timing(NamedTuple):
    """A run of an experiment.

    Attributes:
      experiment: its name.
      seeds, horizon, quick: the options.
      seconds: by the clock.
      processor_seconds: of all cores together, which tell more where the machine had
        other work to do.
      cores: how many it had.
      processor: their model.
      date: ISO 8601.
    """

    experiment: str
    seeds: int
    horizon: int
    quick: bool
    seconds: float
    processor_seconds: float
    cores: int
    processor: str
    date: str

    @property
    def size(self) -> tuple[str, int, int, bool]:
        """What it is a measurement of."""
        return self[:4]


def size_of(experiment: Experiment, options: Options) -> tuple[str, int, int, bool]:
    """Of what size a run with these options is."""
    return experiment.name, options.seeds, options.horizon, options.quick


def measured() -> dict[tuple[str, int, int, bool], Timing]:
    """What the package knows, by size."""
    with (resources.files(__package__) / NAME).open(encoding="utf-8") as file:
        table = pd.read_csv(file)
    rows = map(Timing._make, table.itertuples(index=False, name=None))
    return {row.size: row for row in rows}


def minutes_of(timing: Timing | None) -> float | None:
    """Minutes of one core."""
    return None if timing is None else round(timing.processor_seconds / 60, 2)


def seconds_here(timing: Timing) -> float:
    """Seconds by the clock that a run takes on this machine, if its cores are alike.

    A run that took more by the clock than by the processor had to wait for others.
    """
    alone = min(timing.seconds, timing.processor_seconds)
    return alone * max(1.0, timing.cores / cores())


def timing_in(summary: Mapping[str, Any]) -> Timing:
    """The row that a summary makes.

    Raises:
      ValueError: if it does not say how long its run took.
    """
    options, made = summary["options"], summary["provenance"]
    if "seconds" not in made:
        raise ValueError(f"{summary['experiment']}: the summary has no seconds")
    return Timing(
        summary["experiment"],
        options["seeds"],
        options["horizon"],
        options["quick"],
        made["seconds"],
        made["processor_seconds"],
        len(made["machine"]["devices"]),
        made["machine"]["processor"],
        made["created"][:10],
    )


def is_whole(summary: Mapping[str, Any]) -> bool:
    """Whether its seconds are those of all its runs: none had been played before."""
    return not summary["provenance"].get("found_runs")


def keep(rows: Iterable[Timing], registry: Mapping[str, Experiment]) -> None:
    """Write rows into the file, in place of what was measured at their sizes before."""
    lines = lines_of([*measured().values(), *rows], registry)
    with (Path(__file__).parent / NAME).open("w", encoding="utf-8", newline="") as into:
        csv.writer(into, lineterminator="\n").writerows(lines)


def lines_of(
    rows: Iterable[Timing], registry: Mapping[str, Experiment]
) -> list[list[str]]:
    """Lines of the file: of the registered sizes only, in the registry's order."""
    results = {row.size: row for row in rows}
    sizes = dict.fromkeys(
        size_of(each, options)
        for each in registry.values()
        for options in (each.quick, each.full)
    )
    lines = [[str(x) for x in results[size]] for size in sizes if size in results]
    return [list(Timing._fields), *lines]
