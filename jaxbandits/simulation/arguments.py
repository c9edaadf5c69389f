"""Checks of the arguments of `simulate`.

Errors name the argument, and are raised before anything is compiled.
"""

from collections.abc import Callable, Iterable, Mapping, Sized
from itertools import islice
from typing import Any

import numpy as np

from jaxbandits import checks
from jaxbandits.checks.points import points_from
from jaxbandits.contract.environment import environment_of, in_words
from jaxbandits.engine.footprint import arrays_on_record
from jaxbandits.engine.schedule import Schedule, resolved
from jaxbandits.protocol import Entry, Environment, Policy

MOST_SEEDS = 10**8  # of one call
MOST_LISTED = 10**6  # seeds of an iterator, which may have no end


def schedule_of(
    environment: Environment,
    horizon: int | None,
    budget: float | None,
    checkpoints: Any,
) -> Schedule:
    """The schedule of a game with a horizon, a budget, or both; see `simulate`."""
    if horizon is None and budget is None:
        raise ValueError("give horizon or budget")
    if not isinstance(checkpoints, str):
        # NumPy would take a time for an integer, and a masked value for a number.
        checks.numbers("checkpoints", checkpoints)
    last = checks.MOST_ROUNDS
    if horizon is not None:
        last = checks.whole("horizon", horizon, 1, checks.MOST_ROUNDS)
        if budget is None:
            return Schedule(resolved(checkpoints, last), last)
    if environment.game.spent is None:
        raise ValueError(f"budget: the environment {environment.name!r} spends nothing")
    budget = checks.number("budget", budget)
    checks.positive(budget=budget)
    checks.played(budget=budget)
    if horizon is None and budget > checks.MOST_ROUNDS:
        raise ValueError(
            f"budget must be below 2**31 - 1, the most rounds of a run, got {budget:g};"
            " give a horizon too if a round costs more than 1"
        )
    amounts = resolved(checkpoints, budget, by_budget=True)
    checks.played(checkpoints=amounts)
    if environment.game.by_the_clock:
        # No round ends before the first unit, or between two.
        if isinstance(checkpoints, str):
            amounts = np.unique(np.maximum(np.floor(amounts), 1))
        for name, times in (("budget", budget), ("checkpoints", amounts)):
            checks.at_least_one(**{name: times})
            if np.any(np.mod(times, 1)):
                raise ValueError(
                    f"{name} must be in whole units of time in {environment.name!r}, "
                    f"got {checks.shown(times)}"
                )
    return Schedule(amounts, last, by_budget=True)


def seeds_of(seeds: int | Iterable[int], argument: str = "seeds") -> np.ndarray:
    """u32[S] from a count or a list of different indices; errors name `argument`."""
    if isinstance(seeds, int | np.integer) or not isinstance(seeds, Iterable):
        return np.arange(checks.whole(argument, seeds, 1, MOST_SEEDS), dtype=np.uint32)
    no_list = (str, bytes, bytearray, memoryview, Mapping, np.ma.MaskedArray)
    # Iterating over a table gives the names of its columns.
    if isinstance(seeds, no_list) or getattr(seeds, "ndim", 1) != 1:
        raise TypeError(
            f"{argument} must be an integer or a list of them, got "
            f"{checks.shown(seeds)}"
        )
    if not isinstance(seeds, Sized):
        seeds = list(islice(seeds, MOST_LISTED + 1))
        if len(seeds) > MOST_LISTED:
            raise ValueError(
                f"{argument} must end: at most {MOST_LISTED} of an iterator, give a "
                "list or a range for more"
            )
        if not seeds:
            raise ValueError(
                f"{argument} must have at least one, and this iterator has none left: "
                "give a list, which can be read again"
            )
    if isinstance(seeds, range) and seeds:
        # Checked before they are listed: no memory may hold them all.
        for seed in (seeds[0], seeds[-1]):
            checks.whole(argument, seed, 0, 2**32 - 1)
        if len(seeds) > MOST_SEEDS:
            raise ValueError(
                f"{argument} must be at most {MOST_SEEDS} in one call, got {len(seeds)}"
            )
    kind = getattr(seeds, "dtype", np.dtype(object)).kind
    if isinstance(seeds, range) or kind in "iu":
        # Without a Python object for each of a million seeds.
        indices = np.asarray(seeds)
        for end in (indices.min(), indices.max()) if indices.size else ():
            checks.whole(argument, end, 0, 2**32 - 1)
    else:
        indices = np.array([checks.whole(argument, s, 0, 2**32 - 1) for s in seeds])
    if not indices.size or not np.diff(np.sort(indices)).all():
        raise ValueError(
            f"{argument} must be different integers in [0, 2**32), at least one"
        )
    return indices.astype(np.uint32)


def keep_of(keep: Iterable[str], environment: Environment) -> tuple[str, ...]:
    """Names of arrays on an environment's record that shall be results.

    Raises:
      TypeError, ValueError: naming `keep`, and what there is on record.
    """
    keep = names_of("keep", keep)
    if len(set(keep)) < len(keep):
        raise ValueError(f"keep must have different names, got {keep}")
    arrays = arrays_on_record(environment) if keep else []
    for name in keep:
        if name not in arrays:
            raise ValueError(
                f"keep: {name!r} is no array on record in {environment.name!r}; known "
                f"are {arrays}"
            )
    return keep


def names_of(argument: str, names: Any) -> tuple[str, ...]:
    """Checked names, given any iterable of them."""
    if isinstance(names, str) or not checks.is_iterable(names):
        raise TypeError(
            f"{argument} must be a list of names, got {checks.shown(names)}"
        )
    return tuple(checks.text(f"{argument}: a name", name) for name in names)


def by_name(
    values: Any, argument: str, is_one: Callable[[Any], bool], what: str
) -> dict[str, Any]:
    """Values by name: of a single value, several values with names, or a mapping.

    Errors call the argument by its name, and a value by `what` it must be.

    Raises:
      ValueError: if there is no value, or two have one name.
      TypeError: if a value is of another kind.
    """
    if is_one(values):
        values = [values]
    # Policies, environments and their problems are tuples.
    one = isinstance(values, str | bytes) or hasattr(values, "_fields")
    if one or callable(values) or not checks.is_iterable(values):
        hint = f"; {argument} are made by calling it" if callable(values) else ""
        raise TypeError(
            f"{argument} must be {what}, several, or a mapping from names to them, got "
            f"{in_words(values)}{hint}"
        )
    if not isinstance(values, Mapping):
        values = list(values)
        names = [_name(value) for value in values]
        if len(set(map(repr, names))) < len(names):
            raise ValueError(
                f"{argument} must have different names, got {names}; pass a mapping"
            )
        values = dict(zip(names, values, strict=True))
    if not values:
        raise ValueError(f"{argument} must not be empty")
    for name, value in values.items():
        if not is_one(value):
            raise TypeError(
                f"{argument}[{name!r}] must be {what}, got {in_words(value)}"
            )
        checks.label(f"{argument}: a name", name)
    return dict(values)


def _name(value: Any) -> Any:
    """The name of a value, or its repr."""
    if isinstance(value, Entry):
        value = value.policy
    return value.name if hasattr(value, "name") else repr(value)


def environments_of(environments: Any) -> dict[str, Environment]:
    """Checked environments by name.

    Raises:
      TypeError, ValueError: as of `by_name`, and of `environment_of`.
    """
    named = by_name(
        environments,
        "environments",
        lambda value: isinstance(value, Environment),
        "an Environment",
    )
    errors = checks.Errors()
    for environment in named.values():
        with errors.part():
            environment_of(environment)
    errors.check()
    return named


def policies_of(policies: Any) -> dict[str, Entry]:
    """Policies, or functions that make one, by name, with their `Points` or None.

    Raises:
      TypeError, ValueError: as of `by_name`; naming the policy whose points are none.
    """
    # Only a mapping gives a function a name.
    mapped = isinstance(policies, Mapping)
    named = by_name(
        [policies] if isinstance(policies, Entry) else policies,
        "policies",
        lambda value: isinstance(value, Policy | Entry) or (mapped and callable(value)),
        "a Policy (or, in a mapping from names, a function that makes one)",
    )
    entries = {}
    for name, value in named.items():
        policy, grid = value if isinstance(value, Entry) else (value, None)
        points = grid if grid is None else points_from(grid, f"policies[{name!r}]")
        entries[name] = Entry(policy, points)
    return entries
