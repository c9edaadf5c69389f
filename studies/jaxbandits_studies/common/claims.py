"""What a check of a claim finds, and when it may be asked."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple

from jaxbandits_studies.common.experiment import Experiment, Options, Outcome


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


def check(kind: Callable[..., Found]) -> Callable[..., Check]:
    """Decorator of a kind of checks: called with all but the outcome it is a check."""

    @wraps(kind)
    def of_arguments(*args: Any, **options: Any) -> Check:
        return lambda outcome: kind(outcome, *args, **options)

    return of_arguments


def is_full(experiment: Experiment, options: Options) -> bool:
    """Whether a run decides: at least the source's seeds, and its own horizon."""
    if options.quick:
        return False
    full = experiment.full
    enough = options.seeds >= full.seeds and options.horizon == full.horizon
    return experiment.fixed or enough


def together(verdicts: Sequence[str]) -> str:
    """The verdict on a statement that consists of several: the worst of theirs, or
    undecided without any."""
    worst = ("fails", "undecided", "vacuous", "holds")
    return min(verdicts, key=worst.index, default="undecided")
