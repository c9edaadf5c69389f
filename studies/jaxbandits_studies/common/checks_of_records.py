"""Checks of statements by records, an experiment's table of numbers.

A number with a standard error is compared with three of them, one without as it is. The
printed number has an error of its own, and so have bounds: differences have both.
"""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from jaxbandits_studies.common.claims import Check, Found, together
from jaxbandits_studies.common.experiment import Outcome
from jaxbandits_studies.common.overlay import TRIVIAL

ERRORS = 3.0  # standard errors that a difference may be off


def agrees(
    metric: str,
    where: Mapping[str, tuple[str, str]],
    published: float,
    unit: float,
    *,
    runs: int | None = None,
    deviation: float | None = None,
) -> Check:
    """A check that records say what is printed.

    A number may be off by a unit of its last digit, as it may be cut or rounded, and
    three standard errors of the difference: ours and, of means over runs, theirs.

    Args:
      metric: of the records.
      where: name of a number -> environment and policy of its record.
      published: what is printed of all of them.
      unit: of its last digit.
      runs: over how many it is a mean; None of a number without an error.
      deviation: standard deviation of those runs; ours if it is not printed.
    """

    def check(outcome: Outcome) -> Found:
        ours, errors = _numbers(outcome, metric, where)
        seeds = {(r["environment"], r["policy"]): r["seeds"] for r in outcome.records}
        verdicts = []
        for name in ours:
            theirs = 0.0
            if runs is not None:
                spread = deviation
                if spread is None:
                    spread = errors[name] * np.sqrt(seeds[tuple(where[name])])
                theirs = spread / np.sqrt(runs)
            room = 1.0001 * unit + ERRORS * np.hypot(errors[name], theirs)
            off = abs(ours[name] - published) > room
            verdicts.append("fails" if off else "holds")
        return Found(together(verdicts), ours)

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
        bounds = {name: e for r in here for name, e in r["metrics"].items()}
        results = [r["metrics"]["regret"] for r in here if r["policy"] == policy]
        if not results:
            return Found("undecided", {})
        regret, error = results[0]["mean"], results[0]["sem"] or 0.0
        ours = {policy: regret}
        verdicts = []
        for bound, sign in ((above, 1), (below, -1)):
            if bound is not None:
                ours[bound] = bounds[bound]["mean"]
                room = ERRORS * np.hypot(error, bounds[bound]["sem"] or 0.0)
                verdicts.append(_verdict(sign * (ours[bound] - regret), room))
        trivial = bounds.get(TRIVIAL, {"mean": np.inf})["mean"]
        if above is not None and trivial < ours[above]:
            ours[TRIVIAL] = trivial
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
            record = records.get(tuple(place))
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
      base: the other policy.
      least: times its number, at least.
      most: times its number, at most.
    """

    def check(outcome: Outcome) -> Found:
        where = {name: (environment, name) for name in (*policies, base)}
        ours, errors = _numbers(outcome, metric, where)
        verdicts = []
        for name in policies if ours else ():
            for times, sign in ((least, 1), (most, -1)):
                if times < np.inf:
                    margin = sign * (ours[name] - times * ours[base])
                    room = ERRORS * np.hypot(errors[name], times * errors[base])
                    verdicts.append(_verdict(margin, room))
        return Found(together(verdicts), ours)

    return check


def spreads(
    environments: Sequence[str],
    loose: str,
    steady: Sequence[str],
    *,
    times: float = 1.0,
) -> Check:
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

    def check(outcome: Outcome) -> Found:
        results = {(r["environment"], r["policy"]): r for r in outcome.records}
        ours, errors = {}, {}
        for name in (loose, *steady):
            played = [results.get((each, name)) for each in environments]
            if any(each is None or each["seeds"] < 2 for each in played):
                return Found("undecided", {})
            seeds = np.array([each["seeds"] for each in played])
            sems = np.array([each["metrics"]["regret"]["sem"] for each in played])
            deviations = sems * np.sqrt(seeds)
            ours[name] = float(deviations.sum())
            errors[name] = np.linalg.norm(deviations / np.sqrt(2 * (seeds - 1)))
        verdicts = [
            _verdict(
                ours[loose] - times * ours[other],
                ERRORS * np.hypot(errors[loose], times * errors[other]),
            )
            for other in steady
        ]
        return Found(together(verdicts), ours)

    return check


def falling(metric: str, places: Sequence[Mapping[str, tuple[str, str]]]) -> Check:
    """A check that numbers fall strictly, in the order in which they are named.

    Args:
      metric: of the records.
      places: lists each of which is to fall: name of a number -> environment and policy
        of its record.
    """

    def check(outcome: Outcome) -> Found:
        ours: dict[str, float] = {}
        verdicts = []
        for each in places:
            numbers, errors = _numbers(outcome, metric, each)
            ours |= numbers
            for one, two in itertools.pairwise(numbers):
                fall = numbers[one] - numbers[two]
                room = ERRORS * np.hypot(errors[one], errors[two])
                equal = fall == room == 0
                verdicts.append("fails" if equal else _verdict(fall, room))
            if not numbers:
                verdicts.append("undecided")
        return Found(together(verdicts), ours)

    return check


def best_value(
    environment: str, policy: str, leaf: str, best: float, *, times: float = 1.0
) -> Check:
    """A check that of a policy's values of a parameter one has the least regret.

    Errors of two values are taken for independent. They are played on the same seeds,
    so that less is decided than could be.

    Args:
      environment, policy: of the records, one per value.
      leaf: the parameter, the only one that varies.
      best: its value.
      times: less than so many times as much as every other value.
    """

    def check(outcome: Outcome) -> Found:
        regrets = {
            record["params"][leaf]: record["metrics"]["regret"]
            for record in outcome.records
            if (record["environment"], record["policy"]) == (environment, policy)
        }
        ours = {f"{leaf} = {value:g}": e["mean"] for value, e in regrets.items()}
        mine, verdicts = regrets.pop(best, None), []
        for other in regrets.values() if mine else ():
            room = ERRORS * np.hypot(mine["sem"] or 0.0, times * (other["sem"] or 0.0))
            verdicts.append(_verdict(times * other["mean"] - mine["mean"], room))
        return Found(together(verdicts), ours)

    return check


def _numbers(
    outcome: Outcome, metric: str, where: Mapping[str, tuple[str, str]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Means of records and their standard errors (0 where there is none), by the names
    of `where`; nothing if one of them is missing."""
    records = {(r["environment"], r["policy"]): r["metrics"] for r in outcome.records}
    entries = {n: records.get(tuple(at), {}).get(metric) for n, at in where.items()}
    if any(entry is None or entry["mean"] is None for entry in entries.values()):
        return {}, {}
    means = {name: entry["mean"] for name, entry in entries.items()}
    return means, {name: entry["sem"] or 0.0 for name, entry in entries.items()}


def _verdict(margin: float, room: float) -> str:
    """Whether a margin is above 0, by more than the room for errors."""
    return "holds" if margin > room else "fails" if margin < -room else "undecided"
