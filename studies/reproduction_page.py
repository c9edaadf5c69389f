"""What came of the papers' figures and tables at their own size: a page per paper.

`studies/results/NAME/` has the summary and the figure of a full run; the pages say
nothing that those do not say.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jaxbandits.cli.listing import minutes_text
from jaxbandits.stats import record_table
from jaxbandits_studies import REGISTRY, Experiment
from jaxbandits_studies.common.checks_of_runs import MUCH
from jaxbandits_studies.common.writing import SUMMARY
from jaxbandits_studies.minutes import is_whole, timing_in
from jaxbandits_studies.statements import CAUSES, of_experiment, reasons, tally

PAPERS = {
    "censored": 'Bengs & Hüllermeier, "Multi-Armed Bandits with Censored Consumption '
    'of Resources", 2022',
    "allocation": 'Montanari, Fiegel, Pla, Saha & Perchet, "Learning to Allocate '
    'Resources with Censored Feedback"',
    "budgeted": 'Heyden, Arzamasov, Fouché & Böhm, "Budgeted Multi-Armed Bandits with '
    'Asymmetric Confidence Intervals", KDD 2024',
    "farewell": 'Sharoff, Mehta & Ganti, "A Farewell to Arms", 2020',
}
OPEN = 12  # records that are shown without being asked for
BEGUN = "<!-- made by studies/reproduction.py of the summaries below -->"
WORDS = (
    "A claim holds where an interval of 95 % says so for each of its comparisons, and "
    "fails where intervals say so for one that cover 95 % for all together; or both by "
    "three standard errors of a difference. It is undecided else. (Runs before 28 "
    "November 2026 were judged by the wider intervals also where a claim holds: "
    "[B5](errata.md) names what is undecided and might hold today.) A printed "
    "number may be off by a unit of its last digit, as it may be cut or rounded, and "
    "has the standard error of the runs that it is a mean of: that of the printed "
    "deviation, or of ours where none is printed. "
    "Probabilities of truncated Gaussians, which have no closed form, are taken for "
    "shares of 100,000 draws. A claim is vacuous where it would hold for any policy, "
    "as below a bound that exceeds what no policy can. It is not comparable where what "
    "was played is ours and not the authors' (data, delays, a machine, a radius), "
    "whatever was found here. Where the words leave open which form of a policy is "
    "meant, the claim names the one that was played. Words are taken for numbers: "
    "*much*, *not competitive*, *near-optimal* and *works well* for a factor of "
    f"{MUCH:g}; *close*, *comparable* and *almost the same* for at most "
    f"10 % more or less; "
    "*throughout* and *consistently* for the ends of all quarters of the horizon; "
    "*logarithmic* for growth over the last factor of four in rounds that is at most "
    "√2 times that over the factor before (a logarithm's is 1, a square root's 2, a "
    "line's 4), *like a root* for at most √8 times, *nearly linear* for more."
)
FOLDED = 3  # more failures of one cause are shown when asked for


def experiments_of(setting: str) -> list[Experiment]:
    """A paper's, and what we have added to it; without leaderboards."""
    return [
        each
        for each in REGISTRY.values()
        if each.setting == setting and not each.name.startswith("leaderboard-")
    ]


def summaries_in(folder: Path) -> dict[str, dict[str, Any]]:
    """Experiment -> its summary, of the folders that have one."""
    return {
        name: json.loads((folder / name / SUMMARY).read_text(encoding="utf-8"))
        for name in REGISTRY
        if (folder / name / SUMMARY).is_file()
    }


def page(setting: str, summaries: Mapping[str, Mapping[str, Any]]) -> str:
    """The Markdown of a paper's page.

    Args:
      setting: whose paper.
      summaries: experiment -> its summary; others of that setting are named as not
        played.
    """
    experiments = experiments_of(setting)
    played = {e.name: summaries[e.name] for e in experiments if e.name in summaries}
    lines = [
        f"# {setting.capitalize()}: every figure and table, in full",
        "",
        BEGUN,
        "",
        f"{PAPERS[setting]}. What the commands below made of its experiments, and of "
        "ours that look at it closer, at the sizes named: with the paper's seeds and "
        "horizons where it states them. What it prints stands beside our numbers, and "
        "why some differ in [the errata](errata.md). Minutes are those of runs "
        "whose programs had mostly been compiled before (`JAX_COMPILATION_CACHE_DIR`).",
        "",
        *_overview(experiments, played),
    ]
    for experiment in experiments:
        if experiment.name in played:
            lines += _section(experiment, played[experiment.name])
    return "\n".join(lines).rstrip() + "\n"


def _overview(experiments: list[Experiment], played: Mapping[str, Any]) -> list[str]:
    claims = [claim for each in played.values() for claim in each["claims"]]
    stated = sum(len(of_experiment(each.name)) for each in experiments)
    lines = []
    if stated:
        lines += [f"Of {stated} claims {len(claims)} are judged: {_tally(claims)}.", ""]
        why = reasons(map(_reason, claims)).values()
        lines += [*(f"- {_linked(reason)}" for reason in why), ""]
        lines += [WORDS, ""]
    lines += [
        "| experiment | what it shows | seeds × horizon | minutes of a core | claims |",
        "|---|---|---|---|---|",
    ]
    for each in experiments:
        summary = played.get(each.name)
        if summary is None:
            size = _size(each.full.seeds, each.full.horizon, each.fixed)
            lines.append(
                f"| {each.name} | {each.title} | {size} | not played in full yet | |"
            )
            continue
        options = summary["options"]
        size = _size(options["seeds"], options["horizon"], each.fixed)
        minutes = minutes_text(timing_in(summary).processor_seconds / 60)
        if not is_whole(summary):
            minutes = "with runs that were there"
        tallied = _tally(summary["claims"]) if summary["claims"] else ""
        link = f"[{each.name}](#{each.name})"
        lines.append(f"| {link} | {each.title} | {size} | {minutes} | {tallied} |")
    return [*lines, ""]


def _tally(claims: list[Mapping[str, Any]]) -> str:
    return tally(claim["verdict"] for claim in claims)


def _size(seeds: int, horizon: int, fixed: bool) -> str:
    return "exact" if fixed else f"{seeds:,} × {horizon:,}"


def _section(experiment: Experiment, summary: Mapping[str, Any]) -> list[str]:
    name = experiment.name
    made, options = summary["provenance"], summary["options"]
    timing = timing_in(summary)
    revision = (made.get("git") or {}).get("revision", "")[:7]
    facts = [
        f"{options['seeds']:,} seeds",
        f"horizon {options['horizon']:,}",
        f"root seed {options['root_seed']}",
    ]
    if experiment.fixed:
        facts = ["nothing is drawn"]
    rest = "" if is_whole(summary) else ", beside runs that were there"
    facts += [
        f"{minutes_text(timing.processor_seconds / 60)} minutes of a core{rest} "
        f"({timing.processor}, {timing.cores} cores)",
        f"JAX {made['versions']['jax']}",
        f"revision {revision}",
        timing.date,
    ]
    lines = [
        f"## {name}",
        "",
        f"{summary['title']} *({_linked(summary['source'])})*",
        "",
        f"    jaxbandits reproduce {name}",
        "",
        "; ".join(facts) + ".",
        "",
        f"![{summary['title']}]({name}/{name}.webp)",
        "",
        *(f"- {_linked(note)}" for note in summary["notes"]),
        *([""] if summary["notes"] else []),
        *_claims(summary["claims"]),
    ]
    records = summary["records"]
    if not records:
        return lines
    table = record_table(records).rstrip()
    if len(records) <= OPEN:
        return [*lines, table, ""]
    summed = f"<summary>All {len(records)} records</summary>"
    return [*lines, "<details markdown>", summed, "", table, "", "</details>", ""]


def _claims(claims: list[Mapping[str, Any]]) -> list[str]:
    """A table of those that speak for themselves, and one per reason for the others."""
    groups: dict[str, list[Mapping[str, Any]]] = {"": []}
    for claim in claims:
        groups.setdefault(_reason(claim), []).append(claim)
    lines = _claims_table(groups.pop(""))
    for entry, reason in reasons(map(_reason, claims)).items():
        table = _claims_table(groups[entry])
        if entry in CAUSES and len(groups[entry]) > FOLDED:
            summary = f"<summary>{reason}</summary>"
            lines += ["<details markdown>", summary, "", *table, "</details>", ""]
        else:
            lines += [_linked(reason), "", *table]
    return lines


def _reason(claim: Mapping[str, Any]) -> str:
    return claim["cause"] or claim["stands_on"]


def _claims_table(claims: list[Mapping[str, Any]]) -> list[str]:
    if not claims:
        return []
    printed = any(claim["published"] for claim in claims)
    heads = ["", "the paper says", "verdict", "ours", *["the paper's"] * printed]
    rows = [heads, ["---"] * len(heads)]
    for claim in claims:
        statement = f"{_cell(claim['text'])} ({_cell(claim['source'])})"
        verdict = f"**{claim['verdict']}**"
        if claim["stands_on"]:
            verdict += f" (here: {claim['found']})"
        row = [claim["id"], statement, verdict, _numbers(claim["ours"])]
        rows.append(row + [_numbers(claim["published"] or {})] * printed)
    return [*(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows), ""]


def _numbers(numbers: Mapping[str, float]) -> str:
    if len(numbers) == 1:
        (value,) = numbers.values()
        return f"{value:,.4g}"
    return "; ".join(f"{_cell(name)}: {value:,.4g}" for name, value in numbers.items())


def _linked(text: str) -> str:
    """With links to the pages that it names."""
    text = re.sub(r"\bdocs/([\w/-]+\.md)", r"[docs/\1](../../docs/\1)", text)
    record = r"\bstudies/results/([\w/-]+\.md)"
    return re.sub(record, r"[studies/results/\1](\1)", text)


def _cell(text: str) -> str:
    return text.replace("|", r"\|")
