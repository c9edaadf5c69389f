"""Checks of statements by records, an experiment's table of numbers.

A number with a standard error is compared with three of them, one without as it is. The
printed number has an error of its own, and so have bounds: differences have both.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from jaxbandits_studies.common.claims import Found, check, together
from jaxbandits_studies.common.experiment import Outcome
from jaxbandits_studies.common.overlay import TRIVIAL

ERRORS = 3.0  # standard errors that a difference may be off
Places = Mapping[str, tuple[str, str]]  # name of a number -> environment and policy
Number = tuple[float, float]  # with its standard error, 0 if it has none


@check
def agrees(
    outcome: Outcome,
    metric: str,
    where: Places,
    published: float,
    unit: float,
    *,
    runs: int | None = None,
    deviation: float | None = None,
) -> Found:
    """A check that records say what is printed.

    A number may be off by a unit of its last digit, as it may be cut or rounded, and
    three standard errors of the difference: ours and, of means over runs, theirs.

    Args:
      metric: of the records.
      where: the records, by name of the number.
      published: what is printed of all of them.
      unit: of its last digit.
      runs: over how many it is a mean; None of a number without an error.
      deviation: standard deviation of those runs; ours if it is not printed.
    """
    numbers = _numbers(outcome, metric, where)
    seeds = {(r["environment"], r["policy"]): r["seeds"] for r in outcome.records}
    verdicts = []
    for name, (mean, error) in numbers.items():
        theirs = 0.0
        if runs is not None:
            spread = deviation
            if spread is None:
                spread = error * np.sqrt(seeds[tuple(where[name])])
            theirs = spread / np.sqrt(runs)
        room = 1.0001 * unit + ERRORS * np.hypot(error, theirs)
        verdicts.append("fails" if abs(mean - published) > room else "holds")
    return _found(numbers, verdicts)


@check
def bounded(
    outcome: Outcome,
    environment: str,
    policy: str,
    *,
    above: str | None = None,
    below: str | None = None,
) -> Found:
    """A check that a policy's regret lies below a bound, above another, or both.

    It holds, or fails, where that is so by more than three standard errors. It is
    vacuous where any policy's regret lies there: below an upper bound that exceeds
    `TRIVIAL`.

    Args:
      environment, policy: of the record that has the regret.
      above: the upper bound: a metric of any record of that environment.
      below: the lower bound, likewise.
    """
    here = [r for r in outcome.records if r["environment"] == environment]
    bounds = {name: _number(e) for r in here for name, e in r["metrics"].items()}
    regrets = [r["metrics"]["regret"] for r in here if r["policy"] == policy]
    if not regrets:
        return _found({}, [])
    numbers = {policy: _number(regrets[0])}
    verdicts = []
    for bound, sign in ((above, 1), (below, -1)):
        if bound is not None:
            numbers[bound] = bounds[bound]
            verdicts.append(_larger(numbers[bound], numbers[policy], sign=sign))
    trivial = bounds.get(TRIVIAL, (np.inf, 0.0))
    if above is not None and trivial[0] < numbers[above][0]:
        numbers[TRIVIAL] = trivial
        verdicts.append("vacuous")
    return _found(numbers, verdicts)


@check
def shares(
    outcome: Outcome, metric: str, where: Places, most: float, *, above: bool = False
) -> Found:
    """A check that shares of an experiment's cases are all at most a number.

    One that is larger refutes that by three standard errors (of so many cases that have
    it with just that probability); between, nothing is decided.

    Args:
      metric: of the records, whose seeds are the cases.
      where: the records, by name of the share.
      most: what they are at most.
      above: whether more than that is what is stated.
    """
    numbers = _numbers(outcome, metric, where)
    seeds = {(r["environment"], r["policy"]): r["seeds"] for r in outcome.records}
    no, yes = ("holds", "fails") if above else ("fails", "holds")
    verdicts = []
    for name, (share, _) in numbers.items():
        room = ERRORS * np.sqrt(most * (1 - most) / seeds[tuple(where[name])])
        over = share > most + room
        verdicts.append(no if over else yes if share <= most else "undecided")
    return _found(numbers, verdicts)


@check
def beyond(
    outcome: Outcome, metric: str, where: Places, number: float, *, below: bool = False
) -> Found:
    """A check that numbers are all above one that is given, or all below it.

    Args:
      metric: of the records.
      where: the records, by name of the number.
      number: what they are compared with.
      below: whether they are said to be below it.
    """
    numbers = _numbers(outcome, metric, where)
    sign = -1 if below else 1
    verdicts = [_larger(x, (number, 0.0), sign=sign) for x in numbers.values()]
    return _found(numbers, verdicts)


@check
def beside(
    outcome: Outcome,
    metric: str,
    environment: str,
    policies: Sequence[str],
    base: str,
    *,
    least: float = 0.0,
    most: float = np.inf,
) -> Found:
    """A check that numbers of policies are between multiples of that of another.

    Args:
      metric: of the records.
      environment: of all of them.
      policies: whose numbers.
      base: the other policy.
      least: times its number, at least.
      most: times its number, at most.
    """
    where = {name: (environment, name) for name in (*policies, base)}
    numbers = _numbers(outcome, metric, where)
    verdicts = [
        _larger(numbers[name], numbers[base], times, sign)
        for name in policies
        if numbers
        for times, sign in ((least, 1), (most, -1))
        if times < np.inf
    ]
    return _found(numbers, verdicts)


@check
def spreads(
    outcome: Outcome,
    environments: Sequence[str],
    loose: str,
    steady: Sequence[str],
    *,
    times: float = 1.0,
) -> Found:
    """A check that a policy's regret varies more over seeds than that of others, on
    several games together.

    Standard deviations are added up over the games. That of n runs has the error of
    normal ones, s / sqrt(2 (n - 1)).

    Args:
      environments: the games.
      loose: name of the policy that is said to vary more.
      steady: names of the others.
      times: more than so many times as much as theirs.
    """
    results = {(r["environment"], r["policy"]): r for r in outcome.records}
    numbers = {}
    for name in (loose, *steady):
        played = [results.get((each, name)) for each in environments]
        if any(each is None or each["seeds"] < 2 for each in played):
            return _found({}, [])
        seeds = np.array([each["seeds"] for each in played])
        sems = np.array([each["metrics"]["regret"]["sem"] for each in played])
        deviations = sems * np.sqrt(seeds)
        error = np.linalg.norm(deviations / np.sqrt(2 * (seeds - 1)))
        numbers[name] = float(deviations.sum()), error
    verdicts = [_larger(numbers[loose], numbers[other], times) for other in steady]
    return _found(numbers, verdicts)


@check
def falling(outcome: Outcome, metric: str, places: Sequence[Places]) -> Found:
    """A check that numbers fall strictly, in the order in which they are named.

    Args:
      metric: of the records.
      places: lists each of which is to fall.
    """
    every: dict[str, Number] = {}
    verdicts = []
    for each in places:
        numbers = _numbers(outcome, metric, each)
        every |= numbers
        for one, two in itertools.pairwise(numbers.values()):
            exact = one == two and one[1] == 0
            verdicts.append("fails" if exact else _larger(one, two))
        if not numbers:
            verdicts.append("undecided")
    return _found(every, verdicts)


@check
def best_value(
    outcome: Outcome,
    environment: str,
    policy: str,
    leaf: str,
    best: float,
    *,
    times: float = 1.0,
) -> Found:
    """A check that of a policy's values of a parameter one has the least regret.

    Errors of two values are taken for independent. They are played on the same seeds,
    so that less is decided than could be.

    Args:
      environment, policy: of the records, one per value.
      leaf: the parameter, the only one that varies.
      best: its value.
      times: less than so many times as much as every other value.
    """
    regrets = {
        record["params"][leaf]: _number(record["metrics"]["regret"])
        for record in outcome.records
        if (record["environment"], record["policy"]) == (environment, policy)
    }
    numbers = {f"{leaf} = {value:g}": x for value, x in regrets.items()}
    mine = regrets.pop(best, None)
    others = regrets.values() if mine else ()
    verdicts = [_larger(mine, other, times, -1) for other in others]  # type: ignore[arg-type]
    return _found(numbers, verdicts)


def _numbers(outcome: Outcome, metric: str, where: Places) -> dict[str, Number]:
    """Means of records, by the names of `where`; nothing if one of them is missing."""
    records = {(r["environment"], r["policy"]): r["metrics"] for r in outcome.records}
    entries = {n: records.get(tuple(at), {}).get(metric) for n, at in where.items()}
    if any(entry is None or entry["mean"] is None for entry in entries.values()):
        return {}
    return {name: _number(entry) for name, entry in entries.items()}


def _number(entry: Any) -> Number:
    return entry["mean"], entry["sem"] or 0.0


def _larger(one: Number, other: Number, times: float = 1.0, sign: int = 1) -> str:
    """Whether a number is above a multiple of another, or below it if the sign is -1:
    by more than the room for errors."""
    margin = sign * (one[0] - times * other[0])
    room = ERRORS * np.hypot(one[1], times * other[1])
    return "holds" if margin > room else "fails" if margin < -room else "undecided"


def _found(numbers: Mapping[str, Number], verdicts: Iterable[str]) -> Found:
    return Found(together([*verdicts]), {name: x for name, (x, _) in numbers.items()})
