"""The command ``reproduce``: a figure or table of a paper, or all of them.

It imports what it needs when it runs, so that help and errors come at once.
"""

import argparse
import contextlib
import json
import os
import signal
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxbandits import checks
from jaxbandits.cli.sweeps import GOES_ON
from jaxbandits.console.faults import EXPECTED, is_users, warn
from jaxbandits.console.progress import announce, duration

if TYPE_CHECKING:
    from jaxbandits_studies import Experiment, Options

ALL = "all"


def add_reproduce(commands) -> None:
    """Add the command to the parser of the command line."""
    reproduce = commands.add_parser(
        "reproduce", help="reproduce a figure or table of a paper"
    )
    reproduce.add_argument(
        "name",
        metavar="NAME",
        help="name of an experiment (`jaxbandits list experiments` shows them), or "
        f"{ALL} for every experiment that is not in the output folder yet",
    )
    reproduce.add_argument(
        "--paper",
        metavar="SETTING",
        help=f"with {ALL}: only the experiments of this paper",
    )
    reproduce.add_argument("--seeds", type=int, help="number of seeds")
    reproduce.add_argument(
        "--horizon", type=int, help="number of rounds, or the budget of a game"
    )
    reproduce.add_argument(
        "--out",
        help=f"output folder (default: results/NAME; with {ALL}: results)",
    )
    reproduce.add_argument(
        "--quick",
        action="store_true",
        help="play few seeds and rounds: most experiments take less than a minute of "
        "one core, and all less than three",
    )
    reproduce.add_argument(
        "--json", action="store_true", help="print the records as JSON"
    )
    add_picture(reproduce)
    reproduce.set_defaults(command=_reproduce)


def add_picture(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--format", default="png", help="format of the figure: png, pdf, svg"
    )
    command.add_argument(
        "--width",
        help="width of the figure: column (3.25 inches), text (6.75), or a number",
    )


def picture_style(options) -> dict:
    """Matplotlib's settings for what is asked; checked before anything is played."""
    from jaxbandits_studies.common.experiment import PICTURES

    checks.one_of("--format", options.format, PICTURES)
    width = options.width
    if width is None:
        return {}
    from jaxbandits.plots import style

    with contextlib.suppress(ValueError):
        width = float(width)
    try:
        return style(width)
    except ValueError as error:
        raise ValueError(f"--{error}") from None


def _reproduce(options) -> int:
    from jaxbandits_studies import REGISTRY

    style = picture_style(options)
    if options.name == ALL:
        return _reproduce_all(options, style)
    name = options.name
    if options.paper is not None:
        raise ValueError(f"--paper goes with the name {ALL}, got {name!r}")
    experiment = REGISTRY.get(name)
    if experiment is None:
        raise ValueError(
            f"NAME: there is no experiment {name!r}{checks.hint(name, REGISTRY)}; "
            "`jaxbandits list experiments` shows them"
        )
    out = os.path.join("results", name) if options.out is None else options.out
    return _reproduce_one(experiment, options, out, style)


def _reproduce_all(options, style: dict[str, Any]) -> int:
    """All experiments but leaderboards, or those of a paper, that are not done.

    What several of them show is played once: they keep their runs in one place.
    """
    from jaxbandits.console.printing import say
    from jaxbandits.registry import SETTINGS
    from jaxbandits_studies import REGISTRY
    from jaxbandits_studies.common.playing import forget_runs
    from jaxbandits_studies.common.writing import is_written

    if options.paper is not None:
        checks.one_of("--paper", options.paper, SETTINGS)
    every = checks.path("--out", "results" if options.out is None else options.out)
    status = 0
    for name, experiment in REGISTRY.items():
        if name.startswith("leaderboard-"):
            continue
        if options.paper not in (None, experiment.setting):
            continue
        out = every / name
        if is_written(name, out, _chosen(experiment, options)):
            say(f"jaxbandits: {name} is in {out} already")
            continue
        try:
            ended = _reproduce_one(experiment, options, out, style, every)
        except EXPECTED as error:  # Of a file of data that is not there, say.
            if options.traceback or not is_users(error):
                raise
            say(f"jaxbandits: {name}: {error}")
            ended = 2
        if ended > 128:
            return ended
        status = max(status, ended)
    if not status:  # Else what failed goes on with them.
        forget_runs(every, options.quick)
    return status


def _chosen(experiment: "Experiment", options) -> "Options":
    """Seeds and horizon."""
    chosen = experiment.quick if options.quick else experiment.full
    if options.seeds is not None:
        chosen = chosen._replace(seeds=checks.whole("--seeds", options.seeds, 1))
    if options.horizon is not None:
        chosen = chosen._replace(horizon=checks.whole("--horizon", options.horizon, 1))
    return chosen


def _reproduce_one(
    experiment: "Experiment",
    options,
    out: str | Path,
    style: dict[str, Any],
    runs: Path | None = None,
) -> int:
    chosen = _chosen(experiment, options)
    if experiment.fixed and (options.seeds or options.horizon):
        warn(f"--seeds and --horizon have no effect on {experiment.name}")
    from jaxbandits_studies import prepare_folder

    folder = prepare_folder(out)
    _announce(experiment, chosen, folder)
    # That its own seeds are few is what a quick form is.
    few = options.quick and chosen == experiment.quick and not experiment.fixed
    from jaxbandits.simulation.fill import StoppedError

    try:
        with _coverage_is_not_asked(few):
            outcome, paths = play_and_write(
                experiment, chosen, folder, style, options.format, runs
            )
    except StoppedError as error:
        from jaxbandits.console.printing import say

        say(f"jaxbandits: SIGTERM: {error}; {GOES_ON}")
        return 128 + signal.SIGTERM
    if options.json:
        print(json.dumps(outcome.records))
        return 0
    from jaxbandits.cli.table import records_table
    from jaxbandits.console.printing import Printer
    from jaxbandits_studies.cli.verdict import verdict_lines

    printer = Printer()
    table = outcome.table
    if table is None:
        table = records_table(outcome.records, experiment.title, printer.width)
    printer.print(table)
    notes = [*outcome.notes]
    if few:
        notes.append("Intervals from so few seeds are not sure (docs/statistics.md).")
    for text in (*notes, *verdict_lines(experiment.name, outcome.claims)):
        printer.item(text)
    summary, picture, *others = paths
    beside = f"{len(others)} tables and datasets" if others else "nothing else"
    printer.sentence(f"Numbers: {summary} (beside it: {beside})")
    printer.sentence(f"Figure: {picture}")
    return 0


def _announce(experiment: "Experiment", chosen: "Options", folder: Path) -> None:
    """Say what is played, how long it takes on this machine, and where it goes."""
    from jaxbandits_studies import minutes

    announce(experiment.title)
    end = "B" if experiment.setting in ("budgeted", "farewell") else "T"
    size = f"{chosen.seeds:,} seeds, {end} = {chosen.horizon:,}, "
    timing = minutes.measured().get(minutes.size_of(experiment, chosen))
    takes = "time not known"
    if timing is not None:
        takes = f"about {duration(minutes.seconds_here(timing))} here"
    announce(f"{'' if experiment.fixed else size}{takes}, into {folder}")


@contextlib.contextmanager
def _coverage_is_not_asked(few: bool):
    """No warnings that intervals rest on few seeds, where there are as few as asked."""
    from jaxbandits.stats import CoverageWarning

    with warnings.catch_warnings():
        if few:
            warnings.simplefilter("ignore", CoverageWarning)
        yield


def play_and_write(experiment, options, folder, style, picture, runs=None):
    """Run an experiment and write what it found; the outcome and the paths.

    Its runs are kept in `runs`, and stay there for others; if that is None, in its own
    folder until it is written.
    """
    from matplotlib import rc_context

    from jaxbandits_studies import write
    from jaxbandits_studies.common.playing import forget_runs
    from jaxbandits_studies.statements import play

    with rc_context(style):
        outcome = play(experiment, options._replace(folder=runs or folder))
        paths = write(
            outcome,
            experiment.name,
            folder,
            title=experiment.title,
            source=experiment.source,
            options=options,
            picture=picture,
        )
    if runs is None:
        forget_runs(folder, options.quick, outcome.stores)
    return outcome, paths
