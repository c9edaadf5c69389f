"""All statements of the papers, and experiments with the verdicts on theirs."""

import json
import time
from pathlib import Path

from jaxbandits.experiments.allocation import claims as allocation
from jaxbandits.experiments.budgeted import claims as budgeted
from jaxbandits.experiments.censored import claims as censored
from jaxbandits.experiments.common.claims import Statement, is_full
from jaxbandits.experiments.common.experiment import Experiment, Options, Outcome
from jaxbandits.experiments.common.playing import noting_stores
from jaxbandits.experiments.farewell import claims as farewell

STATEMENTS: dict[str, Statement] = {
    statement.id: statement
    for part in (censored, allocation, budgeted, farewell)
    for statement in part.STATEMENTS
}
SMALLER = (
    "What the paper claims of this is not judged: that takes its seeds and horizon "
    "(without --quick)."
)


def of_experiment(name: str) -> list[Statement]:
    """The statements that an experiment decides."""
    return [each for each in STATEMENTS.values() if each.experiment == name]


def of_id(asked: str) -> list[Statement]:
    """Statements by their id, or all of an entry of docs/errata.md: ``C5``."""
    return [
        each
        for each in STATEMENTS.values()
        if asked in (each.id, each.id.partition(".")[0])
    ]


def verdicts_in(results: Path) -> dict[str, str]:
    """Id -> verdict, of the summaries in a folder's folders; others have none."""
    found = {}
    for path in sorted(results.glob("*/summary.json")):
        try:
            claims = json.loads(path.read_text(encoding="utf-8"))["claims"]
            found |= {claim["id"]: claim["verdict"] for claim in claims}
        except (ValueError, KeyError, TypeError):
            continue  # Of another version, or half written by somebody else.
    return found


def play(experiment: Experiment, options: Options) -> Outcome:
    """Run an experiment; judge what the papers say of it, if the run is a full one."""
    clocks = {"seconds": time.perf_counter, "processor_seconds": time.process_time}
    begun = {name: clock() for name, clock in clocks.items()}
    with noting_stores() as kept:
        outcome = experiment.run(options)
    spent = {k: round(clock() - begun[k], 1) for k, clock in clocks.items()}
    spent["found_runs"] = sum(kept.values())
    outcome = outcome._replace(spent=spent, stores=tuple(kept))
    statements = of_experiment(experiment.name)
    if not statements:
        return outcome
    if not is_full(experiment, options):
        return outcome._replace(notes=(*outcome.notes, SMALLER))
    claims = tuple(statement.judge(outcome) for statement in statements)
    return outcome._replace(claims=claims)
