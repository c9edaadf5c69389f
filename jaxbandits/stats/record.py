"""The records of a summary, one per policy, parameter point and environment.

A record is a plain dict, the same in a program and in JSON.
"""

import math
from collections.abc import Mapping
from typing import Any, TypedDict

from jaxbandits import checks
from jaxbandits.results.plain import plain


class Entry(TypedDict):
    """Our result beside the published one; None if a number is not known.

    Attributes:
      mean: our mean.
      sem: standard error of our mean.
      published: number of the source.
    """

    mean: float | None
    sem: float | None
    published: float | None


class Record(TypedDict):
    """The results of a policy.

    Attributes:
      experiment: name of the experiment.
      environment: name of the environment.
      policy: name of the policy, or of what else is compared.
      params: its parameters.
      seeds: number of seeds; 0 only where nothing is played.
      horizon: the last checkpoint, rounds or budget; 0 where nothing is played.
      metrics: entries by the name of the metric.
    """

    experiment: str
    environment: str
    policy: str
    params: dict[str, Any]
    seeds: int
    horizon: float
    metrics: dict[str, Entry]


def entry(
    mean: float | None, sem: float | None = None, published: float | None = None
) -> Entry:
    """An entry of plain numbers; one that is not finite, which JSON lacks, is None.

    Raises:
      TypeError, ValueError: naming the argument that is no number, or `sem` below 0.
    """
    error = _number("sem", sem)
    if error is not None:
        checks.non_negative(sem=error)
    return Entry(
        mean=_number("mean", mean),
        sem=error,
        published=_number("published", published),
    )


def make_record(
    experiment: str,
    environment: str,
    policy: str,
    metrics: Mapping[str, float | Entry],
    *,
    seeds: int,
    horizon: float,
    params: Mapping[str, Any] | None = None,
) -> Record:
    """A record of plain values.

    Args:
      experiment, environment, policy, seeds, horizon: see `Record`.
      metrics: by name an entry, or a number without an error. Of an entry only the
        mean must be there.
      params: parameters; none by default.

    Raises:
      TypeError, ValueError: naming the argument that is of another kind or out of
        range, or the parameter that has no JSON form.
    """
    names = {"experiment": experiment, "environment": environment, "policy": policy}
    for argument, name in names.items():
        checks.text(argument, name)
    checks.non_negative(horizon=checks.number("horizon", horizon))
    # Where nothing is played, as of a bound, there are no seeds either.
    checks.whole("seeds", seeds, 0 if horizon == 0 else 1)
    checks.mapping("metrics", metrics)
    for name in metrics:
        checks.text("metrics: a name", name)
    checks.mapping("params", params or {})
    return Record(
        experiment=experiment,
        environment=environment,
        policy=policy,
        params=plain(dict(params or {}), "params"),
        seeds=int(seeds),
        horizon=plain(horizon, "horizon"),
        metrics={name: _entry(name, value) for name, value in metrics.items()},
    )


def _entry(name: str, value: Any) -> Entry:
    """What a metric was given as, a number or an entry, as an entry."""
    value = value if isinstance(value, Mapping) else {"mean": value}
    if "mean" not in value or not set(value) <= set(Entry.__annotations__):
        raise ValueError(
            f"metrics[{name!r}] must be a number, or have mean, and perhaps sem and "
            f"published, got {checks.shown(value)}"
        )
    with checks.named(f"metrics[{name!r}]"):
        return entry(**value)


def _number(argument: str, value: float | None) -> float | None:
    result = math.nan if value is None else checks.number(argument, value)
    return result if math.isfinite(result) else None
