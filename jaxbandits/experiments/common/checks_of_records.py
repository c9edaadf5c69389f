"""Checks of statements by records, an experiment's table of numbers.

A number with a standard error is compared with three of them, one without as it is.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from jaxbandits.experiments.common.claims import Found, together
from jaxbandits.experiments.common.experiment import Outcome

ERRORS = 3.0  # standard errors, beside its rounding, that a printed number may be off


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
        ours, off = {}, []
        for name, place in where.items():
            mean, error = _entry(outcome, place, metric)
            if mean is None:
                return Found("undecided", ours)
            ours[name] = mean
            room = 0.5 * rounding + ERRORS * error
            off.append(abs(mean - published[name]) > 1.0001 * room)
        return Found("fails" if any(off) else "holds", ours)

    return check


def bounded(
    environment: str,
    policy: str,
    *,
    above: str | None = None,
    below: str | None = None,
) -> Callable[[Outcome], Found]:
    """A check that a policy's regret lies below a bound, above another, or both.

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
        ours = {policy: regret}
        verdicts = []
        for bound, sign in ((above, 1), (below, -1)):
            if bound is not None:
                ours[bound] = bounds[bound]
                verdicts.append(_verdict(sign * (bounds[bound] - regret), room))
        return Found(together(verdicts), ours)

    return check


def beyond(
    metric: str,
    where: Mapping[str, tuple[str, str]],
    number: float,
    *,
    below: bool = False,
) -> Callable[[Outcome], Found]:
    """A check that numbers are all above one that is given, or all below it.

    Args:
      metric: of the records.
      where: name of a number -> environment and policy of its record.
      number: what they are compared with.
      below: whether they are said to be below it.
    """

    def check(outcome: Outcome) -> Found:
        found = {name: _entry(outcome, place, metric) for name, place in where.items()}
        if any(mean is None for mean, _ in found.values()):
            return Found("undecided", {})
        sign = -1 if below else 1
        verdicts = [
            _verdict(sign * (mean - number), ERRORS * sem)
            for mean, sem in found.values()
        ]
        ours = {name: mean for name, (mean, _) in found.items()}
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
) -> Callable[[Outcome], Found]:
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
        entries = {
            name: _entry(outcome, (environment, name), metric)
            for name in (*policies, base)
        }
        ours = {name: mean for name, (mean, _) in entries.items()}
        if any(mean is None for mean in ours.values()):
            return Found("undecided", {})
        verdicts = []
        for name in policies:
            mean, room = ours[name], ERRORS * entries[name][1]
            verdicts.append(_verdict(mean - least * ours[base], room))
            verdicts.append(_verdict(most * ours[base] - mean, room))
        return Found(together(verdicts), ours)

    return check


def falling(
    metric: str, places: Mapping[str, tuple[str, str]]
) -> Callable[[Outcome], Found]:
    """A check that exact numbers fall strictly, in the order in which they are named.

    Args:
      metric: of the records.
      places: name of a number -> environment and policy of its record.
    """

    def check(outcome: Outcome) -> Found:
        ours = {
            name: _entry(outcome, place, metric)[0] for name, place in places.items()
        }
        if any(number is None for number in ours.values()):
            return Found("undecided", {})
        numbers = list(ours.values())
        ordered = all(a > b for a, b in zip(numbers, numbers[1:], strict=False))
        return Found("holds" if ordered else "fails", ours)

    return check


def _entry(outcome: Outcome, place: tuple[str, str], metric: str):
    """Mean and standard error (0 if there is none) of a record; None, 0 without it."""
    for record in outcome.records:
        if (record["environment"], record["policy"]) == place:
            entry = record["metrics"].get(metric)
            if entry is not None and entry["mean"] is not None:
                return entry["mean"], entry["sem"] or 0.0
    return None, 0.0


def _verdict(margin: float, room: float) -> str:
    """Whether a margin is above 0, by more than the room for errors."""
    return "holds" if margin > room else "fails" if margin < -room else "undecided"


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
            verdicts.append(no if over else yes if share <= most else "undecided")
        return Found(together(verdicts), ours)

    return check
