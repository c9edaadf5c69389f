"""Whether a policy was built for the game that it is to play.

A policy holds the `problem` that it was built from, an environment the one that it is.
They are compared by value, so that games that were made twice are one game.
"""

from typing import Any

import numpy as np

from jaxbandits.checks import shown
from jaxbandits.checks.factory import kind_name
from jaxbandits.protocol import Environment, Policy

POINTS = 1000  # at which functions of a resource are compared


def check_fit(name: str, policy: Policy, environment: Environment) -> None:
    """Refuse a policy that was built for another game.

    What a problem's class calls `beliefs` may differ: an environment cannot know it. A
    policy that shall play another game on purpose has ``problem=None``.

    Args:
      name: of the policy, for the error.
      policy: the policy.
      environment: the environment.

    Raises:
      ValueError: naming both, and what differs.
    """
    mine, its = policy.problem, environment.problem
    if mine is None or its is None:
        return
    if type(mine) is not type(its):
        words = f"for {kind_name(type(mine))}, and the environment"
        words = f"{words} {environment.name!r} is {kind_name(type(its))}"
    elif differing := _differing(mine, its):
        built = [f"{field} = {_words(mine, field)}" for field in differing]
        has = [f"{field} = {_words(its, field)}" for field in differing]
        words = (
            f"for {', '.join(built)}, and the environment {environment.name!r} has "
            f"{', '.join(has)}"
        )
    else:
        return
    raise ValueError(
        f"policies: {name!r} was built {words}; it must be built from "
        "environment.problem (or play another game on purpose: "
        "policy._replace(problem=None))"
    )


def _differing(mine: Any, its: Any) -> list[str]:
    """Names of the fields that differ, beliefs apart."""
    if not hasattr(mine, "_fields"):
        return [] if _same(mine, its, 1.0) else ["problem"]
    span = getattr(its, "max_limit", 1.0)
    beliefs = getattr(mine, "beliefs", ())
    return [
        field
        for field in mine._fields
        if field not in beliefs
        and not _same(getattr(mine, field), getattr(its, field), span)
    ]


def _same(x: Any, y: Any, span: float) -> bool:
    if callable(x) and callable(y):
        return x == y or _same_values(x, y, span)
    try:
        return bool(np.all(x == y))
    except (TypeError, ValueError):
        return False


def _same_values(f: Any, g: Any, span: float) -> bool:
    """Whether two functions of a resource in (0, span] agree."""
    points = span * np.arange(1, POINTS + 1) / POINTS
    try:
        return np.array_equal(np.asarray(f(points)), np.asarray(g(points)))
    except Exception:  # noqa: BLE001 - not functions of a resource: not the same
        return False


def _words(problem: Any, field: str) -> str:
    if not hasattr(problem, "_fields"):
        return shown(problem)
    value = getattr(problem, field)
    name = getattr(value, "__name__", None) or getattr(value, "name", None)
    return name if isinstance(name, str) else shown(value)
