"""The command ``compare``: a ranking of policies on records of one's own.

Records are pulls in money (the budgeted setting), or, with ``--runtime``, runs of a
solver (the censored setting). It imports what it needs when it runs.
"""

import json
import os
import warnings
from typing import Any

from jaxbandits_studies.cli.reproduce import add_picture, picture_style

# Options by kind of log; all of the first are needed.
_PULLS = {
    "cost": "column with the cost of a pull",
    "budget": "money that a game may spend",
    "group": "column that says which arms compete with one another",
}
_RUNS = {
    "limits": "limits to choose from, as 1,2,5,10 (default: ten quantiles)",
    "timeout": "time after which runs were stopped",
    "cutoff": "column with the time after which each run was stopped",
    "status": "column that says how a run ended: ok, timeout, memout, crash",
    "tolerance": "share by which a stopped run may be shorter than its timeout "
    "(default: 0)",
    "rounds": "rounds of a game (default: 10,000)",
    "unit": "time that costs as much as a reward of 1 pays (default: the longest run "
    "that finished)",
    "penalty": "cost of a stopped run, in multiples of its limit (default: 10)",
}
_KINDS: dict[str, Any] = dict.fromkeys(
    ("budget", "timeout", "tolerance", "unit", "penalty"), float
) | {"rounds": int}
# What the functions call the columns that the command calls otherwise.
_OPTIONS = {"seconds": "--runtime", "configuration": "--arm"}


def add_compare(commands: Any) -> None:
    """Add the command to the parser of the command line."""
    rank = commands.add_parser(
        "compare", help="rank policies on your own log of clicks or solver runs"
    )
    rank.add_argument("csv", metavar="CSV", help="log: a row per pull, or per run")
    rank.add_argument(
        "--arm",
        action="append",
        required=True,
        metavar="COLUMN",
        help="column with the name of the arm; for runs, repeat it if several columns "
        "make up the configuration",
    )
    rank.add_argument(
        "--reward",
        metavar="COLUMN",
        help="column with the reward; for runs in [0, 1] (default: 1 if it finished)",
    )
    rank.add_argument(
        "--runtime",
        metavar="COLUMN",
        help="column with the time that a run took; the log is then one of runs",
    )
    columns = ("cost", "group", "cutoff", "status")
    kinds = {"for a log of pulls": _PULLS, "for a log of runs": _RUNS}
    for title, listed in kinds.items():
        group = rank.add_argument_group(title)
        for name, words in listed.items():
            shown = "COLUMN" if name in columns else name.upper()
            kind = _KINDS.get(name)
            group.add_argument(f"--{name}", type=kind, metavar=shown, help=words)
    rank.add_argument("--sep", help="separator of columns (default: detected)")
    rank.add_argument("--decimal", help="decimal mark, . or , (default: detected)")
    rank.add_argument("--seeds", type=int, help="number of games (default: 200)")
    rank.add_argument(
        "--out",
        default=os.path.join("results", "compare"),
        help="output folder (default: results/compare)",
    )
    rank.add_argument("--json", action="store_true", help="print the records")
    add_picture(rank)
    rank.set_defaults(command=_compare)


def _compare(options: Any) -> int:
    _check(options)
    from matplotlib import rc_context

    from jaxbandits.console.printing import Printer
    from jaxbandits_studies import Options, prepare_folder, write
    from jaxbandits_studies.censored.compare import ROUNDS
    from jaxbandits_studies.common.ranking import SEEDS, ranking_table, ranks

    runs = options.runtime is not None
    style = picture_style(options)
    play = _of_runs(options) if runs else _of_pulls(options)
    folder = prepare_folder(options.out)
    seeds = SEEDS if options.seeds is None else options.seeds
    outcome = play(seeds)
    horizon = (options.rounds or ROUNDS) if runs else options.budget
    with rc_context(style):
        paths = write(
            outcome,
            "compare",
            folder,
            title="Policies on your own records",
            source=options.csv,
            options=Options(seeds, horizon),
            picture=options.format,
        )
    if options.json:
        print(json.dumps(outcome.records))
        return 0
    brings, of = ("gain", "regret") if runs else ("reward", "money left on the table")
    printer = Printer()
    for title, dataset in outcome.datasets.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # They were printed when it was ranked.
            ranking = ranks(dataset, brings)
        printer.print(ranking_table(title, ranking, of))
    for text in (*outcome.notes, *(f"wrote {path}" for path in paths)):
        printer.sentence(text)
    return 0


def _check(options: Any) -> None:
    """Refuse options that do not fit together."""

    from jaxbandits import checks

    def given(names):
        return [f"--{name}" for name in names if getattr(options, name) is not None]

    if options.seeds is not None:
        checks.whole("--seeds", options.seeds, 1)
    if options.budget is not None:
        checks.positive(**{"--budget": options.budget})
    if options.runtime is not None:
        if wrong := given(_PULLS):
            raise ValueError(
                f"{', '.join(wrong)}: for a log of pulls, which has no --runtime"
            )
        return
    if wrong := given(_RUNS):
        raise ValueError(f"{', '.join(wrong)}: for a log of runs (--runtime)")
    needed = ("cost", "reward", "budget")
    missing = [f"--{name}" for name in needed if getattr(options, name) is None]
    if missing:
        raise ValueError(
            f"{', '.join(missing)}: needed for a log of pulls (for a log of runs, "
            "give --runtime)"
        )
    if len(options.arm) > 1:
        raise ValueError("--arm must name one column in a log of pulls, got several")


def _of_pulls(options: Any) -> Any:
    """What plays ``(seeds) -> Outcome`` on pulls in money."""
    from jaxbandits_studies.budgeted.compare import compare
    from jaxbandits_studies.datasets import from_table

    names = ("cost", "reward", "group", "sep", "decimal")
    columns = {name: getattr(options, name) for name in names}
    environments = from_table(options.csv, arm=options.arm[0], **columns)
    return lambda seeds: compare(environments, budget=options.budget, seeds=seeds)


def _of_runs(options: Any) -> Any:
    """What plays ``(seeds) -> Outcome`` on the runs of a solver."""
    from jaxbandits_studies.censored.compare import compare_runs
    from jaxbandits_studies.datasets import load_runs

    names = ("reward", "timeout", "cutoff", "status", "tolerance", "sep", "decimal")
    read = {name: getattr(options, name) for name in names}
    limits = None if options.limits is None else _limits(options.limits)
    try:
        runs = load_runs(
            options.csv, seconds=options.runtime, configuration=options.arm, **read
        )
    except ValueError as error:
        name, colon, words = str(error).partition(":")
        option = _OPTIONS.get(name.split(" ")[0])
        if option is None:
            raise
        raise ValueError(f"{option}{colon}{words}") from None
    given = {name: getattr(options, name) for name in ("rounds", "unit", "penalty")}
    given = {name: value for name, value in given.items() if value is not None}
    name = os.path.basename(options.csv)
    return lambda seeds: compare_runs(name, runs, limits=limits, seeds=seeds, **given)


def _limits(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(
            f"--limits must be numbers, as 1,2,5,10, got {text!r}"
        ) from None
