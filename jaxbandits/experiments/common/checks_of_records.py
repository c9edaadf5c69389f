"""Checks of statements by records, an experiment's table of numbers.

A number with a standard error is compared with three of them, one without as it is.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from jaxbandits.experiments.common.claims import Check, Found, together
from jaxbandits.experiments.common.experiment import Outcome
from jaxbandits.experiments.common.overlay import TRIVIAL

ERRORS = 3.0  # standard errors, beside its rounding, that a printed number may be off


def agrees(
    metric: str,
    where: Mapping[str, tuple[str, str]],
    published: Mapping[str, float],
    rounding: float,
) -> Check:
    """A check that records say what is printed.

    A number may be off by half a unit of its last digit and three standard errors.

    Args:
      metric: of the records.
      where: name of a number -> environment and policy of its record.
      published: name of a number -> what is printed.
      rounding: unit of the last digit.
    """

    def check(outcome: Outcome) -> Found:
        ours, errors = _numbers(outcome, metric, where)
        off = [
            abs(ours[name] - published[name])
            > 1.0001 * (0.5 * rounding + ERRORS * errors[name])
            for name in ours
        ]
        verdict = "fails" if any(off) else "holds" if off else "undecided"
        return Found(verdict, ours)

    return check


def bounded(
    environment: str,
    policy: str,
    *,
    above: str | None = None,
    below: str | None = None,
) -> Check:
    """A check that a policy's regret lies below a bound, above another, or both.

    It holds, or fails, where that is so by more than three standard errors. It is
    vacuous where any policy's regret lies there: below an upper bound that exceeds
    `TRIVIAL`.

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
        ours = {policy: regret}
        verdicts = []
        for bound, sign in ((above, 1), (below, -1)):
            if bound is not None:
                ours[bound] = bounds[bound]
                verdicts.append(_verdict(sign * (bounds[bound] - regret), room))
        if above is not None and bounds.get(TRIVIAL, np.inf) < bounds[above]:
            ours[TRIVIAL] = bounds[TRIVIAL]
            verdicts.append("vacuous")
        return Found(together(verdicts), ours)

    return check


def shares(
    metric: str,
    where: Mapping[str, tuple[str, str]],
    most: float,
    *,
    above: bool = False,
) -> Check:
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
            verdicts.append(no if over else yes if share <= most else "undecided")
        return Found(together(verdicts), ours)

    return check


def beyond(
    metric: str,
    where: Mapping[str, tuple[str, str]],
    number: float,
    *,
    below: bool = False,
) -> Check:
    """A check that numbers are all above one that is given, or all below it.

    Args:
      metric: of the records.
      where: name of a number -> environment and policy of its record.
      number: what they are compared with.
      below: whether they are said to be below it.
    """

    def check(outcome: Outcome) -> Found:
        ours, errors = _numbers(outcome, metric, where)
        sign = -1 if below else 1
        verdicts = [
            _verdict(sign * (ours[name] - number), ERRORS * errors[name])
            for name in ours
        ]
        return Found(together(verdicts), ours)

    return check


def beside(
    metric: str,
    environment: str,
    policies: Sequence[str],
    base: str,
    *,
    least: float = 0.0,
    most: float = np.inf,
) -> Check:
    """A check that numbers of policies are between multiples of that of another.

    Args:
      metric: of the records.
      environment: of all of them.
      policies: whose numbers.
      base: the other policy, whose number has no error.
      least: times its number, at least.
      most: times its number, at most.
    """

    def check(outcome: Outcome) -> Found:
        where = {name: (environment, name) for name in (*policies, base)}
        ours, errors = _numbers(outcome, metric, where)
        verdicts = []
        for name in policies if ours else ():
            room = ERRORS * errors[name]
            verdicts.append(_verdict(ours[name] - least * ours[base], room))
            verdicts.append(_verdict(most * ours[base] - ours[name], room))
        return Found(together(verdicts), ours)

    return check


def falling(metric: str, places: Mapping[str, tuple[str, str]]) -> Check:
    """A check that exact numbers fall strictly, in the order in which they are named.

    Args:
      metric: of the records.
      places: name of a number -> environment and policy of its record.
    """

    def check(outcome: Outcome) -> Found:
        ours, _ = _numbers(outcome, metric, places)
        numbers = list(ours.values())
        pairs = zip(numbers, numbers[1:], strict=False)
        return Found(together(["holds" if a > b else "fails" for a, b in pairs]), ours)

    return check


def _numbers(
    outcome: Outcome, metric: str, where: Mapping[str, tuple[str, str]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Means of records and their standard errors (0 where there is none), by the names
    of `where`; nothing if one of them is missing."""
    records = {(r["environment"], r["policy"]): r["metrics"] for r in outcome.records}
    entries = {name: records.get(at, {}).get(metric) for name, at in where.items()}
    if any(entry is None or entry["mean"] is None for entry in entries.values()):
        return {}, {}
    means = {name: entry["mean"] for name, entry in entries.items()}
    return means, {name: entry["sem"] or 0.0 for name, entry in entries.items()}


def _verdict(margin: float, room: float) -> str:
    """Whether a margin is above 0, by more than the room for errors."""
    return "holds" if margin > room else "fails" if margin < -room else "undecided"
