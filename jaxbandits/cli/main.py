"""The command line: ``jaxbandits list | reproduce | claims | recommend | sweep ...``.

A command imports what it needs when it runs, so that help and errors come at once.
"""

import argparse
import contextlib
import json
import os
import re
import warnings

import jaxbandits
from jaxbandits import checks
from jaxbandits.cli.sweeps import add_sweeps, verify_store
from jaxbandits.console.faults import EXPECTED, is_users
from jaxbandits.console.texts import visible
from jaxbandits_studies.cli.compare import add_compare
from jaxbandits_studies.cli.reproduce import ALL, add_reproduce, play_and_write

LINES = "\n"  # Errors and warnings have several lines at times.
RESULTS = "results"  # the folder where `reproduce` leaves its summaries
_CLAIM = r"[A-Z]{1,2}\d+(\.\d+)*"  # what no store is called; one that is there is meant


def main(arguments: list[str] | None = None) -> int:
    """Run a command; the exit status is 0, or 2 after an error in the input.

    Such an error is said in one line. One that no check has raised is a fault of ours,
    or of a file of yours that was run: it passes, with its traceback.
    """
    options = _parser().parse_args(arguments)
    from jaxbandits.console.printing import say  # which is not needed for help

    try:
        with _plain_warnings():
            return options.command(options)
    except EXPECTED as error:
        if options.traceback or not is_users(error):
            raise
        say(f"jaxbandits: {error}")
        return _leave(2)
    except KeyboardInterrupt:
        say("jaxbandits: interrupted")
        return _leave(130)


def _leave(status: int) -> int:
    """`hosts.leave`, for commands that may have joined no hosts."""
    from jaxbandits.sweeps.hosts import leave

    return leave(status)


@contextlib.contextmanager
def _plain_warnings():
    """Warnings are sentences here, without the line of the source."""
    before = warnings.formatwarning
    warnings.formatwarning = lambda message, *_, **__: (
        f"jaxbandits: {visible(str(message), keep=LINES)}\n"
    )
    try:
        yield
    finally:
        warnings.formatwarning = before


def _parser() -> argparse.ArgumentParser:
    parser, _ = _parser_and_commands()
    return parser


def _parser_and_commands():
    """The parser, and those of the commands by name."""
    parser = argparse.ArgumentParser(
        prog="jaxbandits",
        description="Simulate resource-constrained bandits with censored feedback.",
    )
    parser.add_argument(
        "--version", action="version", version=f"jaxbandits {jaxbandits.__version__}"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    listing = commands.add_parser("list", help="experiments, policies and environments")
    listing.add_argument(
        "setting", metavar="SETTING", nargs="?", help="those of one setting only"
    )
    listing.add_argument("--json", action="store_true", help="for programs")
    listing.set_defaults(command=_list)
    info = commands.add_parser("info", help="versions and devices")
    info.add_argument("--json", action="store_true", help="for programs")
    info.set_defaults(command=_info)
    advice = commands.add_parser(
        "recommend", help="which policy to play in a setting, and the evidence"
    )
    advice.add_argument("setting", metavar="SETTING", help="budgeted, say")
    advice.add_argument("--json", action="store_true", help="for programs")
    advice.set_defaults(command=_recommend)
    add_reproduce(commands)
    claims = commands.add_parser("claims", help="what the papers say, and the verdicts")
    claims.add_argument("--json", action="store_true", help="for programs")
    claims.set_defaults(command=_claims)
    verify = commands.add_parser(
        "verify", help="play what a claim needs, or read a store again"
    )
    verify.add_argument(
        "what",
        metavar="CLAIM|STORE",
        help="of `jaxbandits claims`: C5.1, or C5; or a store",
    )
    verify.add_argument(
        "--blocks",
        type=int,
        metavar="N",
        default=0,
        help="of a store: and play N random blocks again, to compare all bits",
    )
    verify.add_argument(
        "--spec",
        metavar="SPEC",
        help="of a store: its sweep, where the store has none in TOML",
    )
    verify.set_defaults(command=_verify)
    for command in (claims, verify):
        command.add_argument(
            "--results", default=RESULTS, help=f"folder of summaries ({RESULTS})"
        )
    add_compare(commands)
    add_sweeps(commands)
    completion = commands.add_parser(
        "completion", help="print a script that completes words in your shell"
    )
    completion.add_argument("shell", metavar="SHELL", help="bash, zsh, fish, ...")
    completion.set_defaults(command=_completion)
    for command in commands.choices.values():
        command.add_argument(
            "--traceback", action="store_true", help="where an error came from, in full"
        )
    return parser, commands.choices


def _list(options) -> int:
    from jaxbandits.console.printing import Printer, Table
    from jaxbandits.registry import ENVIRONMENTS, POLICIES, SETTINGS, setting_of
    from jaxbandits_studies import REGISTRY, minutes

    asked = options.setting
    if asked is not None:
        checks.one_of("SETTING", asked, SETTINGS)
    timings = minutes.measured()
    experiments = [
        {
            "name": e.name,
            "setting": e.setting,
            "title": e.title,
            "source": e.source,
            "seeds": e.full.seeds,
            "horizon": e.full.horizon,
            "minutes": {
                form: minutes.minutes_of(timings.get(minutes.size_of(e, options)))
                for form, options in (("quick", e.quick), ("full", e.full))
            },
        }
        for e in REGISTRY.values()
        if asked in (None, e.setting)
    ]
    makers = {
        kind: {n: m for n, m in entries.items() if asked in (None, setting_of(n))}
        for kind, entries in (("policies", POLICIES), ("environments", ENVIRONMENTS))
    }
    if options.json:
        names = {kind: list(entries) for kind, entries in makers.items()}
        print(json.dumps({"experiments": experiments} | names))
        return 0
    printer = Printer()
    table = Table("experiment", "what it shows", "source", title="Experiments")
    table.caption = (
        "quick, full: minutes of one core, where they were measured; full with most "
        "programs compiled before"
    )
    for form in ("quick", "full"):
        table.add_column(form, justify="right")
    for e in experiments:
        spent = map(minutes.shown, e["minutes"].values())
        table.add_row(e["name"], e["title"], e["source"], *spent)
    printer.print(table)
    for kind, entries in makers.items():
        printer.print(_makers_table(kind.capitalize(), entries))
    return 0


def _makers_table(title, makers):
    """What can be named in a file, what it is made by, and with what."""
    from jaxbandits.console.printing import Table

    table = Table("name", "factory", "arguments", title=title)
    for name, maker in makers.items():
        fixed = [f"{key} = {_shown(value)}" for key, value in maker.arguments.items()]
        given = [f"{key} = ?" for key in maker.needs]
        table.add_row(name, maker.factory.__name__, ", ".join(fixed + given))
    return table


def _shown(value) -> str:
    return value.__name__ if callable(value) else checks.shown(value).split(" (")[0]


def _completion(options) -> int:
    from jaxbandits.registry import SETTINGS
    from jaxbandits_studies import REGISTRY
    from jaxbandits_studies.statements import STATEMENTS

    checks.installed("SHELL: completion", "shtab", "completion")
    import shtab

    checks.one_of("SHELL", options.shell, shtab.SUPPORTED_SHELLS)
    parser, commands = _parser_and_commands()
    names = {
        "name": [*REGISTRY, ALL],
        "setting": list(SETTINGS),
        "paper": list(SETTINGS),
    }
    names["shell"] = list(shtab.SUPPORTED_SHELLS)
    names |= {"format": ["png", "pdf", "svg"], "id": list(STATEMENTS)}
    for command in commands.values():
        for action in command._actions:
            action.choices = names.get(action.dest, action.choices)
            if action.dest in ("spec", "csv"):
                action.complete = shtab.FILE
    print(shtab.complete(parser, options.shell))
    return 0


def _info(options) -> int:
    import jax

    from jaxbandits.console.printing import Printer, Table
    from jaxbandits.results import provenance

    facts = provenance(devices=[str(d) for d in jax.devices()])
    if options.json:
        print(json.dumps(facts))
        return 0
    table = Table(show_header=False)
    for key, value in facts.items():
        table.add_row(key, json.dumps(value) if isinstance(value, dict) else str(value))
    Printer().print(table)
    return 0


def _recommend(options) -> int:
    from jaxbandits.console.printing import Printer
    from jaxbandits_studies.judging.advice import ADVICE, as_data, paragraphs
    from jaxbandits_studies.judging.board import shipped
    from jaxbandits_studies.judging.leaderboard import PROTOCOLS, standings_table

    setting = checks.one_of("SETTING", options.setting, ADVICE)
    if options.json:
        print(json.dumps(as_data(setting)))
        return 0
    printer = Printer()
    for paragraph in (f"jaxbandits.{ADVICE[setting].code}", *paragraphs(setting)):
        printer.print(paragraph)
        printer.print()
    if board := shipped(setting):
        printer.print(standings_table(board, PROTOCOLS[setting]))
    return 0


def _claims(options) -> int:
    from jaxbandits.console.printing import Printer, Table
    from jaxbandits_studies import recorded
    from jaxbandits_studies.statements import (
        NOT_COMPARABLE,
        STATEMENTS,
        reasons,
        tally,
        verdicts_in,
    )

    results = checks.path("--results", options.results)
    # By default there need not be any yet.
    if options.results != RESULTS and not results.is_dir():
        raise FileNotFoundError(f"--results: there is no folder {results}")
    yours, ours = verdicts_in(results), recorded.verdicts()
    listed = [
        {
            "id": each.id,
            "text": each.text,
            "source": each.source,
            "published": each.published,
            "experiment": each.experiment,
            "cause": each.cause,
            "stands_on": each.stands_on,
            "command": f"jaxbandits verify {each.id}",
            "recorded": ours.get(each.id),
            "verdict": yours.get(each.id),
        }
        for each in STATEMENTS.values()
    ]
    if options.json:
        print(json.dumps(listed))
        return 0

    def judged(verdicts: list[str | None]) -> str:
        found = [verdict for verdict in verdicts if verdict]
        return f"{len(found)} of {len(verdicts)} have a verdict: {tally(found)}."

    printer = Printer(160)
    table = Table("id", "claim", "source", "experiment", "recorded", "yours")
    recorded_ones = [(each["recorded"] or {}).get("verdict") for each in listed]
    explained, why = ("fails", NOT_COMPARABLE), []
    for each, verdict in zip(listed, recorded_ones, strict=True):
        row = (each["id"], each["text"], each["source"], each["experiment"])
        why.append(each["stands_on"] or each["cause"] if verdict in explained else "")
        shown = f"{verdict} ({why[-1]})" if why[-1] else verdict or ""
        table.add_row(*row, shown, each["verdict"] or "")
    printer.print(table)
    printer.sentence(f"Recorded, in full runs of ours: {judged(recorded_ones)}")
    for reason in reasons(why).values():
        printer.sentence(f"- {reason}")
    own = [each["verdict"] for each in listed]
    printer.sentence(f"Yours, in {options.results}: {judged(own)}")
    printer.sentence("`jaxbandits verify ID` plays what a claim needs, in full.")
    return 0


def _verify(options) -> int:
    if os.path.exists(options.what) or not re.fullmatch(_CLAIM, options.what):
        name = options.what.strip().upper()
        if not os.path.exists(options.what) and re.fullmatch(_CLAIM, name):
            raise ValueError(
                f"CLAIM|STORE: there is no store {options.what!r} and no claim of that "
                f"name (did you mean {name!r}?)"
            )
        return verify_store(options)
    if options.blocks or options.spec is not None:
        raise ValueError(
            f"--blocks and --spec are of a store; {options.what} is the name of a claim"
        )
    results = checks.path("--results", options.results)
    from jaxbandits.console.printing import Printer, say
    from jaxbandits_studies import REGISTRY, prepare_folder
    from jaxbandits_studies.statements import STATEMENTS, of_id

    asked = {each.id: each for each in of_id(options.what)}
    if not asked:
        entries = {*STATEMENTS, *(known.partition(".")[0] for known in STATEMENTS)}
        raise ValueError(
            f"CLAIM: there is no claim {options.what!r}"
            f"{checks.hint(options.what, sorted(entries))}; "
            "`jaxbandits claims` shows them"
        )
    verdicts, printer = [], Printer()
    for name in dict.fromkeys(each.experiment for each in asked.values()):
        experiment = REGISTRY[name]
        full = experiment.full
        size = "" if experiment.fixed else f" ({full.seeds:,} seeds, {full.horizon:,})"
        say(f"jaxbandits: playing {name}{size}")
        folder = prepare_folder(results / name)
        outcome, _ = play_and_write(experiment, full, folder, {}, "png")
        for claim in outcome.claims:
            if claim.id in asked:
                printer.sentence(claim.sentence)
                verdicts.append(claim.verdict)
    return 1 if "fails" in verdicts else 0
