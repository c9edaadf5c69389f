"""All statements of the papers, and experiments with the verdicts on theirs.

The statements are the rows of `claims.toml` beside this file. One is judged at the
source's own seeds and horizon only: a quick run has no verdict.
"""

import json
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from jaxbandits_studies.common import checks_of_records, checks_of_runs
from jaxbandits_studies.common.claims import Check, Found, is_full
from jaxbandits_studies.common.experiment import Claim, Experiment, Options, Outcome
from jaxbandits_studies.common.playing import noting_stores


def _kinds(module: ModuleType) -> dict[str, Callable[..., Check]]:
    """The functions of a module that make checks, by name."""
    own = {k: f for k, f in vars(module).items() if hasattr(f, "__wrapped__")}
    return {k: f for k, f in own.items() if f.__module__ == module.__name__}


OF_RECORDS, OF_RUNS = map(_kinds, (checks_of_records, checks_of_runs))
NOT_COMPARABLE = "not comparable"
# Verdict -> how several are counted.
VERDICTS = {
    "holds": "hold",
    "fails": "fail",
    "undecided": "undecided",
    "vacuous": "vacuous",
    NOT_COMPARABLE: NOT_COMPARABLE,
}


class Statement(NamedTuple):
    """Something that a source says.

    Attributes:
      id: the entry of errata.md that it is of, and its number there: ``C5.1``.
      text: what it says.
      source: where.
      experiment: name of the one whose outcome decides.
      kind: of check: a key of `OF_RECORDS` or `OF_RUNS`.
      arguments: of that function.
      cause: the entry that explains why it fails, if it does.
      stands_on: the entry that says on what of ours it is checked that is not the
        authors', so that nothing is decided; a key of `STANDS_ON`.
    """

    id: str
    text: str
    source: str
    experiment: str
    kind: str
    arguments: Mapping[str, Any]
    cause: str = ""
    stands_on: str = ""

    @property
    def published(self) -> dict[str, float] | None:
        """Numbers that the source prints, or None where it prints none."""
        if "published" not in self.arguments:
            return None
        return dict.fromkeys(self.arguments["where"], self.arguments["published"])

    @property
    def check(self) -> str:
        """What is looked at; what was found stands as long as this does."""
        return f"{self.kind} {json.dumps(self.arguments)}"

    def find(self, outcome: Outcome) -> Found:
        """What the check finds in an outcome."""
        return (OF_RECORDS | OF_RUNS)[self.kind](**self.arguments)(outcome)

    def claim(self, collected: Found) -> Claim:
        """The claim that comes of it, beside what was found."""
        return Claim(
            self.id,
            self.text,
            self.source,
            NOT_COMPARABLE if self.stands_on else collected.verdict,
            collected.ours,
            collected.verdict,
            self.published,
            self.cause if collected.verdict == "fails" and not self.stands_on else "",
            self.stands_on,
            self.check,
        )


_TABLE = tomllib.loads(
    (resources.files(__package__) / "claims.toml").read_text(encoding="utf-8")
)
CAUSES: dict[str, str] = _TABLE["causes"]
STANDS_ON: dict[str, str] = _TABLE["stands_on"]
STATEMENTS = {row["id"]: Statement(**row) for row in _TABLE["claims"]}
# Experiment -> what its figure is to show, and the claims that decide each.
HEADLINES: dict[str, dict[str, list[str]]] = _TABLE["headlines"]
SMALLER = (
    "The claims of the paper are judged at its own seeds and horizon only (without "
    "--quick)."
)


def of_experiment(name: str) -> list[Statement]:
    """The statements that an experiment decides."""
    return [each for each in STATEMENTS.values() if each.experiment == name]


def verdicts_in(results: Path) -> dict[str, str]:
    """Id -> verdict, of the summaries in a folder's folders; others have none."""
    collected = {}
    for path in sorted(results.glob("*/summary.json")):
        try:
            claims = json.loads(path.read_text(encoding="utf-8"))["claims"]
            collected |= {claim["id"]: claim["verdict"] for claim in claims}
        except (ValueError, KeyError, TypeError):
            continue  # Of another version, or half written by somebody else.
    return collected


def tally(verdicts: Iterable[str]) -> str:
    """How many there are of each verdict: ``3 hold, 1 fails``."""
    collected = Counter(verdicts)
    words = [
        f"{collected[verdict]} {verdict if collected[verdict] == 1 else several}"
        for verdict, several in VERDICTS.items()
        if collected[verdict]
    ]
    return ", ".join(words) or "none"


def reasons(entries: Iterable[str]) -> dict[str, str]:
    """Why claims fail or are not comparable, each reason once and the commonest first.

    Args:
      entries: the cause of each claim, or what it stands on; empty where there is none.

    Returns:
      Entry of errata.md -> how many claims it explains, and the reason.
    """
    causes = {}
    for entry, number in Counter(filter(None, entries)).most_common():
        why = f"{number} {NOT_COMPARABLE}, played with {STANDS_ON.get(entry)}"
        if entry in CAUSES:
            several = "fails" if number == 1 else "fail"
            why = f"{number} {several} for one cause: {CAUSES[entry]}"
        causes[entry] = f"{why} (studies/results/errata.md, {entry})."
    return causes


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
    claims = tuple(each.claim(each.find(outcome)) for each in statements)
    return outcome._replace(claims=claims)
