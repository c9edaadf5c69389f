"""The commands ``paper``, what a paper claims and what came of it, and ``recommend``.

They import what they need when they run, so that help and errors come at once.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jaxbandits import checks

RESULTS = "results"  # the folder where `reproduce` leaves its summaries
PAPERS = ("censored", "allocation", "budgeted", "farewell")  # by their settings


def add_papers(commands: Any) -> None:
    """Add both commands to the parser of the command line."""
    paper = commands.add_parser(
        "paper", help="what the papers claim, and the verdicts; play what a claim needs"
    )
    paper.add_argument(
        "asked",
        metavar="PAPER|CLAIM",
        nargs="?",
        help=f"one paper ({', '.join(PAPERS)}), an entry of the errata (C5) or "
        "one claim (C5.1); without it, a line per paper",
    )
    paper.add_argument(
        "--play",
        action="store_true",
        help="play what the claims need, in full; the exit status is 1 if one fails",
    )
    paper.add_argument(
        "--results", default=RESULTS, help=f"folder of your summaries ({RESULTS})"
    )
    paper.add_argument("--json", action="store_true", help="print JSON")
    paper.set_defaults(command=_paper)
    advice = commands.add_parser(
        "recommend", help="which policy to play in a setting, and the evidence"
    )
    advice.add_argument("setting", metavar="SETTING", help="budgeted, say")
    advice.add_argument("--json", action="store_true", help="print JSON")
    advice.set_defaults(command=_recommend)


def _paper(options: Any) -> int:
    from jaxbandits.console.printing import Printer
    from jaxbandits_studies import REGISTRY, recorded
    from jaxbandits_studies.statements import STATEMENTS, of_id, verdicts_in

    results = checks.path("--results", options.results)
    # The default folder need not be there yet, nor one that is played into.
    if options.results != RESULTS and not options.play and not results.is_dir():
        raise FileNotFoundError(f"--results: there is no folder {results}")
    papers = {
        each.id: REGISTRY[each.experiment].setting for each in STATEMENTS.values()
    }
    asked = options.asked
    claims = (
        [each for each in STATEMENTS.values() if asked in (None, papers[each.id])]
        if asked is None or asked in PAPERS
        else of_id(asked)
    )
    if not claims:
        entries = {*STATEMENTS, *(known.partition(".")[0] for known in STATEMENTS)}
        names = sorted(entries | {*PAPERS})
        hint = _hint(asked, names)
        raise ValueError(
            f"PAPER|CLAIM: there is no paper and no claim {asked!r}{hint}; "
            "`jaxbandits paper censored` shows those of one paper"
        )
    if options.play:
        if asked is None:
            raise ValueError("--play needs a PAPER or a CLAIM")
        return _play(claims, results)
    yours, ours = verdicts_in(results), recorded.verdicts()
    listed = [
        {
            "id": each.id,
            "paper": papers[each.id],
            "text": each.text,
            "source": each.source,
            "published": each.published,
            "experiment": each.experiment,
            "cause": each.cause,
            "stands_on": each.stands_on,
            "command": f"jaxbandits paper {each.id} --play",
            "recorded": ours.get(each.id),
            "verdict": yours.get(each.id),
        }
        for each in claims
    ]
    if options.json:
        print(json.dumps(listed))
        return 0
    line = Printer().sentence
    if asked is None:
        for paper in PAPERS:
            _summary([x for x in listed if x["paper"] == paper], f"{paper}: ", line)
        line(f"Your verdicts are those of the summaries in {options.results}.")
        line("`jaxbandits paper censored` lists the claims of one paper.")
        return 0
    for each in listed:
        line(_claim_line(each))
    _summary(listed, "", line, why=True)
    line(f"Your verdicts are those of the summaries in {options.results}.")
    line("`jaxbandits paper CLAIM --play` plays what a claim needs, in full.")
    return 0


def _hint(asked: str, names: list[str]) -> str:
    """The name that was meant: papers are small letters, claims capitals."""
    small, capital = asked.strip().lower(), asked.strip().upper()
    meant = next((name for name in (small, capital) if name in names), None)
    return checks.hint(meant or asked, names)


def _claim_line(listed: dict[str, Any]) -> str:
    recorded = (listed["recorded"] or {}).get("verdict")
    entry = listed["stands_on"] or listed["cause"]
    why = f" ({entry})" if entry and recorded in ("fails", "not comparable") else ""
    own = f"; yours {listed['verdict']}" if listed["verdict"] else ""
    return (
        f"{listed['id']:<7} {(recorded or 'not played') + why + own}: "
        f"{listed['text']} [{listed['source']}; {listed['experiment']}]"
    )


def _summary(listed: list[dict[str, Any]], paper: str, line: Any, why=False) -> None:
    """Print how many claims have which verdict, in recorded full runs and in yours."""
    from jaxbandits_studies.statements import NOT_COMPARABLE, reasons

    recorded = [(each["recorded"] or {}).get("verdict") for each in listed]
    line(f"{paper}recorded, in full runs of ours: {_judged(recorded)}")
    if why:
        explained = ("fails", NOT_COMPARABLE)
        entries = [
            (each["stands_on"] or each["cause"]) if verdict in explained else ""
            for each, verdict in zip(listed, recorded, strict=True)
        ]
        for reason in reasons(entries).values():
            line(f"- {reason}")
    line(f"{paper}yours: {_judged([each['verdict'] for each in listed])}")


def _judged(verdicts: list[str | None]) -> str:
    from jaxbandits_studies.statements import tally

    known = [verdict for verdict in verdicts if verdict]
    return f"{len(known)} of {len(verdicts)} have a verdict: {tally(known)}."


def _play(claims: Iterable[Any], results: Path) -> int:
    """Play the experiments that claims need, in full; 1 if one of the claims fails."""
    from jaxbandits.console.printing import Printer, say
    from jaxbandits_studies import REGISTRY, prepare_folder
    from jaxbandits_studies.cli.reproduce import play_and_write

    asked = {each.id: each for each in claims}
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


def _recommend(options: Any) -> int:
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
