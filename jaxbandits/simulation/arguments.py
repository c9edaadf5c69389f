"""What `simulate` is given, checked: policies, seeds, ends, points.

Errors name the argument and come before anything is compiled.
"""

from collections.abc import Callable, Iterable, Mapping, Sized
from itertools import islice
from typing import Any

import numpy as np

from jaxbandits import checks
from jaxbandits.checks.points import points_from
from jaxbandits.contract.environment import environment_of, in_words
from jaxbandits.engine.footprint import arrays_on_record
from jaxbandits.engine.schedule import Schedule, resolve_rounds, resolve_spent
from jaxbandits.protocol import Entry, Environment, Policy

MAX_ROUNDS = 2**31 - 2  # rounds are counted in int32
MOST_SEEDS = 10**8  # of one call
MOST_NAMES = 10  # unknown ones that an error shows
MOST_LISTED = 10**6  # of them from an iterator, which may never end


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
        # To NumPy a time is an integer, and what is masked a number.
        checks.numbers("checkpoints", checkpoints)
    last = MAX_ROUNDS
    if horizon is not None:
        last = checks.whole("horizon", horizon, 1, MAX_ROUNDS)
        if budget is None:
            return Schedule(resolve_rounds(checkpoints, last), last)
    if environment.game.spent is None:
        raise ValueError(f"budget: the environment {environment.name!r} spends nothing")
    budget = checks.number("budget", budget)
    checks.positive(budget=budget)
    checks.played(budget=budget)
    if horizon is None and budget > MAX_ROUNDS:
        raise ValueError(
            f"budget must be below 2**31 - 1, the most rounds of a run, got {budget:g};"
            " give a horizon too if a round costs more than 1"
        )
    amounts = resolve_spent(checkpoints, budget)
    checks.played(checkpoints=amounts)
    if environment.game.by_the_clock:
        # Nothing ends before the first unit: a grid starts there.
        checks.at_least_one(budget=budget)
        if isinstance(checkpoints, str):
            amounts = amounts[amounts >= 1]
        checks.at_least_one(checkpoints=amounts)
    return Schedule(amounts, last, by_budget=True)


def seeds_of(seeds: int | Iterable[int], argument: str = "seeds") -> np.ndarray:
    """u32[S] from a count or a list of different indices; errors name `argument`."""
    if isinstance(seeds, int | np.integer) or not isinstance(seeds, Iterable):
        return np.arange(checks.whole(argument, seeds, 1, MOST_SEEDS), dtype=np.uint32)
    no_list = (str, bytes, bytearray, memoryview, Mapping, np.ma.MaskedArray)
    # Of a table Python would take the names of its columns.
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
    if isinstance(seeds, range) and seeds:
        # Before they are listed: no memory has all of them.
        for seed in (seeds[0], seeds[-1]):
            checks.whole(argument, seed, 0, 2**32 - 1)
        if len(seeds) > MOST_SEEDS:
            raise ValueError(
                f"{argument} must be at most {MOST_SEEDS} in one call, got {len(seeds)}"
            )
    kind = getattr(seeds, "dtype", np.dtype(object)).kind
    if isinstance(seeds, range) or kind in "iu":
        # A million of them, without as many objects.
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
    """Fields of an environment's record, arrays, that are to be results.

    Raises:
      TypeError, ValueError: naming `keep`, and what there is on record.
    """
    if isinstance(keep, str) or not isinstance(keep, Iterable):
        raise TypeError(
            f"keep must be names, as in keep=('pulls',), got {checks.shown(keep)}"
        )
    keep = tuple(checks.text("keep: a name", name) for name in keep)
    if len(set(keep)) < len(keep):
        raise ValueError(f"keep must have different names, got {keep}")
    if keep:
        arrays = arrays_on_record(environment)
        for name in keep:
            if name not in arrays:
                raise ValueError(
                    f"keep: {name!r} is no array on record in {environment.name!r}; "
                    f"known are {arrays}"
                )
    return keep


def by_name(
    values: Any, argument: str, is_one: Callable[[Any], bool], what: str
) -> dict[str, Any]:
    """Values by name: one, several with names of their own, or a mapping.

    Args:
      values: what was given.
      argument: its name, for errors.
      is_one: whether something is a single value.
      what: a value must be, for errors.

    Raises:
      ValueError: if there is none, or two have one name.
      TypeError: if a value is of another kind.
    """
    if is_one(values):
        values = [values]
    # A policy is a tuple, and so is an environment.
    one = isinstance(values, str | bytes | Policy | Environment) or callable(values)
    if one or not isinstance(values, Iterable):
        hint = f"; {argument} are made by calling it" if callable(values) else ""
        raise TypeError(
            f"{argument} must be {what}, several, or a mapping from names to them, got "
            f"{in_words(values)}{hint}"
        )
    if not isinstance(values, Mapping):
        # A problem is a tuple, too: of an environment it is what a learner knows.
        if hasattr(values, "_fields"):
            raise TypeError(
                f"{argument} must be {what}, several, or a mapping from names to them, "
                f"got {in_words(values)}"
            )
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
        if not isinstance(name, str) or not name:
            raise TypeError(
                f"{argument} must have strings for names, none of them empty, got "
                f"{checks.shown(name)}"
            )
        checks.label(f"{argument}: a name", name)
    return dict(values)


def _name(value: Any) -> Any:
    """The name that a value has, or what it looks like."""
    if isinstance(value, Entry):
        value = value.policy
    return value.name if hasattr(value, "name") else repr(value)


def environments_of(environments: Any) -> dict[str, Environment]:
    """Environments by name, all of which can be used.

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
    """Policies by name, or functions of a problem, with `Points` or None.

    Raises:
      TypeError, ValueError: as of `by_name`; naming the policy whose points are none.
    """
    # A function has no name of its own.
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
