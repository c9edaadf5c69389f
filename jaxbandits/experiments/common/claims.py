"""What a source says, as data, and whether an experiment's outcome agrees.

A `Statement` names the experiment that it is of and looks at its outcome. It is judged
at the source's own seeds and horizon only: a quick run has no verdict.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import ttest_ind

from jaxbandits.experiments.common.experiment import (
    Claim,
    Experiment,
    Options,
    Outcome,
)
from jaxbandits.stats import final, paired_difference

LEVEL = 0.95  # of a verdict's interval, or of several together
ERRORS = 3.0  # standard errors, beside its rounding, that a printed number may be off


class Found(NamedTuple):
    """What a check found.

    Attributes:
      verdict: ``holds``, ``fails`` or ``undecided``.
      ours: our numbers, by what they are of.
    """

    verdict: str
    ours: Mapping[str, float]


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
    check: Callable[[Outcome], Found]
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


def below(
    environment: str,
    ours: str,
    rivals: Sequence[str],
    *,
    metric: str = "regret",
    above: bool = False,
) -> Callable[[Outcome], Found]:
    """A check that a policy has less regret at the end than each of its rivals.

    By the intervals of the paired differences, which hold together with probability
    95 % (Bonferroni): the statement holds if all lie below 0, fails if one lies above,
    and is undecided else, or if the environment was not played.

    Args:
      environment: whose dataset.
      ours: name of the policy.
      rivals: names of others.
      metric: what there is less of.
      above: whether more of it is what is stated.
    """

    def check(outcome: Outcome) -> Found:
        dataset = outcome.datasets.get(environment)
        if dataset is None:
            return Found("undecided", {})
        end = dataset.isel(checkpoint=[-1])
        level = 1 - (1 - LEVEL) / len(rivals)
        verdicts = []
        for rival in rivals:
            found = paired_difference(end, metric, ours, rival, level)
            low, high = (float(x.values.ravel()[0]) for x in (found[1], found[2]))
            if above:
                low, high = -high, -low
            # Comparisons with NaN, of one seed, are False.
            verdicts.append("holds" if high < 0 else "fails" if low > 0 else "")
        verdict = _together(verdicts)
        means = final(dataset, metric).mean("seed").isel(params=0)
        names = (ours, *rivals)
        return Found(verdict, {name: float(means.sel(policy=name)) for name in names})

    return check


def varies_more(
    environment: str, loose: str, steady: Sequence[str]
) -> Callable[[Outcome], Found]:
    """A check that a policy's regret varies more over seeds than that of others.

    By Brown and Forsythe: Welch intervals of the difference of mean distances from the
    median at the end, which hold together with probability 95 %. Its numbers are
    standard deviations.

    Args:
      environment: whose dataset.
      loose: name of the policy that is said to vary more.
      steady: names of the others.
    """

    def check(outcome: Outcome) -> Found:
        dataset = outcome.datasets.get(environment)
        if dataset is None or dataset.sizes["seed"] < 2:
            return Found("undecided", {})
        ends = final(dataset, "regret").isel(params=0)
        level = 1 - (1 - LEVEL) / len(steady)
        distances = {
            name: np.abs(runs - np.median(runs))
            for name in (loose, *steady)
            for runs in [ends.sel(policy=name).values]
        }
        verdicts = []
        for other in steady:
            test = ttest_ind(distances[loose], distances[other], equal_var=False)
            low, high = test.confidence_interval(level)
            verdicts.append("holds" if low > 0 else "fails" if high < 0 else "")
        spread = ends.std("seed", ddof=1)
        numbers = {name: float(spread.sel(policy=name)) for name in distances}
        return Found(_together(verdicts), numbers)

    return check


def bounded(
    environment: str, policy: str, *, above: str, below: str | None = None
) -> Callable[[Outcome], Found]:
    """A check that a policy's regret lies below a bound, and above another if named.

    It holds, or fails, where that is so by more than three standard errors.

    Args:
      environment, policy: of the record that has the regret.
      above: the upper bound: a metric of any record of that environment.
      below: the lower bound, likewise.
    """

    def check(outcome: Outcome) -> Found:
        here = [r for r in outcome.records if r["environment"] == environment]
        bounds = {name: e["mean"] for r in here for name, e in r["metrics"].items()}
        found = [r["metrics"]["regret"] for r in here if r["policy"] == policy]
        if not found:
            return Found("undecided", {})
        regret, room = found[0]["mean"], ERRORS * (found[0]["sem"] or 0.0)
        ours = {policy: regret, above: bounds[above]}
        margins = [bounds[above] - regret]
        if below is not None:
            ours[below] = bounds[below]
            margins.append(regret - bounds[below])
        verdicts = [
            "holds" if margin > room else "fails" if margin < -room else ""
            for margin in margins
        ]
        return Found(_together(verdicts), ours)

    return check


def _together(verdicts: Sequence[str]) -> str:
    """Of a statement that consists of several; an empty one is not decided."""
    if "fails" in verdicts:
        return "fails"
    return "holds" if all(verdicts) else "undecided"


def agrees(
    metric: str,
    where: Mapping[str, tuple[str, str]],
    published: Mapping[str, float],
    rounding: float,
) -> Callable[[Outcome], Found]:
    """A check that records say what is printed.

    A number may be off by half a unit of its last digit and three standard errors.

    Args:
      metric: of the records.
      where: name of a number -> environment and policy of its record.
      published: name of a number -> what is printed.
      rounding: unit of the last digit.
    """

    def check(outcome: Outcome) -> Found:
        entries = {
            (record["environment"], record["policy"]): record["metrics"].get(metric)
            for record in outcome.records
        }
        ours, off = {}, []
        for name, place in where.items():
            found = entries.get(place)
            if found is None or found["mean"] is None:
                return Found("undecided", ours)
            ours[name] = found["mean"]
            room = 0.5 * rounding + ERRORS * (found["sem"] or 0.0)
            off.append(abs(found["mean"] - published[name]) > 1.0001 * room)
        return Found("fails" if any(off) else "holds", ours)

    return check


def shares(
    metric: str,
    where: Mapping[str, tuple[str, str]],
    most: float,
    *,
    above: bool = False,
) -> Callable[[Outcome], Found]:
    """A check that shares of an experiment's cases are all at most a number.

    One that is larger refutes that by three standard errors (of so many cases that have
    it with just that probability); between, nothing is decided.

    Args:
      metric: of the records, whose seeds are the cases.
      where: name of a share -> environment and policy of its record.
      most: what they are at most.
      above: whether more than that is what is stated.
    """

    def check(outcome: Outcome) -> Found:
        records = {(r["environment"], r["policy"]): r for r in outcome.records}
        ours, verdicts = {}, []
        for name, place in where.items():
            record = records.get(place)
            share = None if record is None else record["metrics"][metric]["mean"]
            if record is None or share is None:
                return Found("undecided", ours)
            ours[name] = share
            room = ERRORS * float(np.sqrt(most * (1 - most) / record["seeds"]))
            over = share > most + room
            no, yes = ("holds", "fails") if above else ("fails", "holds")
            verdicts.append(no if over else yes if share <= most else "")
        return Found(_together(verdicts), ours)

    return check


def numbered(entry: str, statements: Sequence[Statement]) -> list[Statement]:
    """The statements with ids ``<entry>.1``, ``<entry>.2``, ..."""
    return [
        each._replace(id=f"{entry}.{i}") for i, each in enumerate(statements, start=1)
    ]
