"""What a source says, as data, and whether an experiment's outcome agrees.

A `Statement` names the experiment that it is of and has a check, which looks at its
outcome: at the runs (`checks_of_runs`) or at the records (`checks_of_records`). It is
judged at the source's own seeds and horizon only: a quick run has no verdict.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from jaxbandits.experiments.common.experiment import (
    Claim,
    Experiment,
    Options,
    Outcome,
)


class Found(NamedTuple):
    """What a check found.

    Attributes:
      verdict: ``holds``, ``fails``, ``undecided`` or, of what holds whatever is played,
        ``vacuous``.
      ours: our numbers, by what they are of.
    """

    verdict: str
    ours: Mapping[str, float]


Check = Callable[[Outcome], Found]


class Statement(NamedTuple):
    """Something that a source says.

    Attributes:
      id: the entry of docs/errata.md that it is of, and its number there: ``C5.1``.
      text: what it says.
      source: where.
      experiment: name of the one whose outcome decides.
      check: looks at that outcome, of a full run.
      published: numbers that the source prints, or None where it prints none.
    """

    id: str
    text: str
    source: str
    experiment: str
    check: Check
    published: Mapping[str, float] | None = None

    def judge(self, outcome: Outcome) -> Claim:
        """The claim that comes of it, beside an outcome."""
        verdict, ours = self.check(outcome)
        told = (self.text, self.source, verdict, ours, self.published)
        return Claim(*told, id=self.id)


def is_full(experiment: Experiment, options: Options) -> bool:
    """Whether a run decides: at least the source's seeds, and its own horizon."""
    if options.quick:
        return False
    full = experiment.full
    enough = options.seeds >= full.seeds and options.horizon == full.horizon
    return experiment.fixed or enough


def numbered(entry: str, statements: Sequence[Statement]) -> list[Statement]:
    """The statements with ids ``<entry>.1``, ``<entry>.2``, ..."""
    return [
        each._replace(id=f"{entry}.{i}") for i, each in enumerate(statements, start=1)
    ]


def together(verdicts: Sequence[str]) -> str:
    """The verdict on a statement that consists of several: the worst of theirs, or
    undecided without any."""
    worst = ("fails", "undecided", "vacuous", "holds")
    return min(verdicts, key=worst.index, default="undecided")
