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
        "paper", help="show what a paper claims and our verdicts; play a claim"
    )
    paper.add_argument(
        "asked",
        metavar="NAME",
        nargs="?",
        help=f"one paper ({', '.join(PAPERS)}), one experiment (censored-fig4), an "
        "entry of the errata (C5) or one claim (C5.1); without it, a line per paper",
    )
    paper.add_argument(
        "--play",
        action="store_true",
        help="play what these claims need, in full; the exit status is 1 if one fails",
    )
    paper.add_argument(
        "--results", default=RESULTS, help=f"folder of your own results ({RESULTS})"
    )
    paper.add_argument("--json", action="store_true", help="print JSON")
    paper.set_defaults(command=_paper)
    advice = commands.add_parser(
        "recommend", help="show which policy to play in a setting"
    )
    advice.add_argument("setting", metavar="SETTING", help=", ".join(PAPERS))
    advice.add_argument(
        "--evidence",
        action="store_true",
        help="print what the policies need and cost, and the leaderboard",
    )
    advice.add_argument("--json", action="store_true", help="print JSON")
    advice.set_defaults(command=_recommend)


def _paper(options: Any) -> int:
    from jaxbandits_studies.statements import STATEMENTS

    results = checks.path("--results", options.results)
    # The default folder need not be there yet, nor one that is played into.
    if options.results != RESULTS and not options.play and not results.is_dir():
        raise FileNotFoundError(f"--results: there is no folder {results}")
    asked = options.asked
    claims = _asked(asked)
    if options.play:
        if asked is None:
            raise ValueError("--play needs a PAPER, an EXPERIMENT or a CLAIM")
        return _play([STATEMENTS[each["id"]] for each in claims], results)
    listed = _with_verdicts(claims, results)
    if options.json:
        print(json.dumps(listed))
    elif asked is None:
        _print_papers(listed)
    elif asked in PAPERS:
        _print_paper(asked, listed)
    else:
        _print_claims(listed)
    return 0


def _asked(asked: str | None) -> list[dict[str, Any]]:
    """What claims say, of those that are asked for; all of them if None.

    Raises:
      ValueError: if there is no such paper, experiment, entry or claim.
    """
    from jaxbandits_studies import REGISTRY
    from jaxbandits_studies.statements import STATEMENTS

    everything = [
        {
            "id": each.id,
            "paper": REGISTRY[each.experiment].setting,
            "text": each.text,
            "source": each.source,
            "published": each.published,
            "experiment": each.experiment,
            "cause": each.cause,
            "stands_on": each.stands_on,
            "command": f"jaxbandits paper {each.id} --play",
        }
        for each in STATEMENTS.values()
    ]
    if asked is None:
        return everything

    def names(claim: dict[str, Any]) -> tuple[str, ...]:
        entry = claim["id"].partition(".")[0]
        return claim["paper"], claim["experiment"], entry, claim["id"]

    claims = [claim for claim in everything if asked in names(claim)]
    if claims:
        return claims
    if asked in REGISTRY:
        raise ValueError(
            f"NAME: no claim is judged by {asked}; `jaxbandits paper "
            f"{REGISTRY[asked].setting}` shows the experiments that judge some"
        )
    known = sorted({name for claim in everything for name in names(claim)})
    raise ValueError(
        f"NAME: there is no paper, experiment or claim {asked!r}{_hint(asked, known)}; "
        "`jaxbandits paper censored` shows the experiments of one paper"
    )


def _hint(asked: str, names: list[str]) -> str:
    """The name that was meant: papers are small letters, claims capitals."""
    small, capital = asked.strip().lower(), asked.strip().upper()
    meant = next((name for name in (small, capital) if name in names), None)
    return checks.hint(meant or asked, names)


def _with_verdicts(claims: list[dict[str, Any]], results: Path) -> list[dict[str, Any]]:
    """The claims with our recorded verdicts and those of summaries in a folder."""
    from jaxbandits_studies import recorded
    from jaxbandits_studies.statements import verdicts_in

    yours, ours = verdicts_in(results), recorded.verdicts()
    return [
        claim | {"recorded": ours.get(claim["id"]), "verdict": yours.get(claim["id"])}
        for claim in claims
    ]


def _print_papers(listed: list[dict[str, Any]]) -> None:
    from jaxbandits.console.printing import Printer

    item = Printer().item
    item("Claims of the papers, and the verdicts of our full runs")
    for paper in PAPERS:
        item(_counted(paper, [each for each in listed if each["paper"] == paper]), 14)
    item("")
    item("jaxbandits paper censored       why claims fail, and counts per experiment")
    item("jaxbandits paper censored-fig4  the claims of one experiment, one by one")


def _print_paper(paper: str, listed: list[dict[str, Any]]) -> None:
    from jaxbandits.console.printing import Printer
    from jaxbandits_studies.statements import NOT_COMPARABLE, reasons

    item = Printer().item
    item(_counted(paper, listed), 14)
    entries = [
        each["stands_on"] or each["cause"]
        for each in listed
        if (each["recorded"] or {}).get("verdict") in ("fails", NOT_COMPARABLE)
    ]
    for reason in reasons(entries).values():
        item(f"- {reason}")
    item("")
    experiments = dict.fromkeys(each["experiment"] for each in listed)
    widest = max(map(len, experiments))
    for name in experiments:
        claims = [each for each in listed if each["experiment"] == name]
        item(_counted(name, claims, widest), widest + 2)
    item("")
    item(f"jaxbandits paper {next(iter(experiments))}  shows its claims one by one")


def _print_claims(listed: list[dict[str, Any]]) -> None:
    from jaxbandits.console.printing import Printer
    from jaxbandits_studies.common.experiment import amount
    from jaxbandits_studies.statements import reasons

    item, entries = Printer().item, []
    for each in listed:
        recorded = each["recorded"] or {}
        verdict = recorded.get("verdict", "not played")
        entry = each["stands_on"] or each["cause"]
        if entry and verdict not in ("holds", "not played"):
            verdict += f" ({entry})"
            entries.append(entry)
        own = f", yours {each['verdict']}" if each["verdict"] else ""
        item(f"{each['id']:<7}{verdict}{own}: {each['text']} [{each['source']}]", 7)
        if ours := recorded.get("ours"):
            values = (f"{name} = {amount(value)}" for name, value in ours.items())
            item(f"       ours: {'; '.join(values)}", 9)
    for reason in reasons(entries).values():
        item(f"- {reason}")
    if len(listed) > 1:
        item("jaxbandits paper CLAIM --play  plays what a claim needs, in full")
    else:
        item(f"{listed[0]['command']}  plays what it needs, in full")


def _counted(name: str, listed: list[dict[str, Any]], width: int = 12) -> str:
    """``censored-fig4  29 claims: 11 hold, 18 fail; yours: 11 hold, 18 fail``."""
    from jaxbandits_studies.statements import tally

    recorded = [each["recorded"]["verdict"] for each in listed if each["recorded"]]
    yours = [each["verdict"] for each in listed if each["verdict"]]
    claims = "claim " if len(listed) == 1 else "claims"
    text = f"{name:<{width}}  {len(listed):>3} {claims}: {tally(recorded)}"
    if missing := len(listed) - len(recorded):
        text += f", {missing} not played"
    return text + (f"; yours: {tally(yours)}" if yours else "")


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
    setting = options.setting
    if setting not in PAPERS:  # said before anything is loaded
        raise ValueError(
            f"SETTING must be one of {', '.join(PAPERS)}, got {setting!r}"
            f"{checks.hint(setting, PAPERS)}"
        )
    from jaxbandits.console.printing import Printer
    from jaxbandits_studies.judging.advice import ADVICE, as_data, proof

    if options.json:
        print(json.dumps(as_data(setting)))
        return 0
    printer, advice = Printer(), ADVICE[setting]
    printer.item(advice.game)
    for choice in advice.choices:
        printer.item(f"If {choice.when}:")
        printer.sentence(f"    {choice.call}")
    if not options.evidence:
        printer.item(
            f"With `from jaxbandits import {setting}`, `problem = env.problem`."
        )
        printer.item(f"Why: jaxbandits recommend {setting} --evidence")
        return 0
    from jaxbandits_studies.judging.board import shipped
    from jaxbandits_studies.judging.leaderboard import PROTOCOLS, standings_table

    for text in ("", advice.caution, "", proof(setting), ""):
        printer.item(text, indent=0)
    if board := shipped(setting):
        printer.print(standings_table(board, PROTOCOLS[setting]))
    return 0
