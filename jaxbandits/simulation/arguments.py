"""What `simulate` is given, checked: policies, seeds, ends, points.

Errors name the argument and come before anything is compiled.
"""

from collections.abc import Callable, Iterable, Mapping, Sized
from itertools import islice
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxbandits import checks
from jaxbandits.checks.factory import kind_name
from jaxbandits.checks.points import ENDS, Points, points_from
from jaxbandits.engine.footprint import arrays_on_record
from jaxbandits.engine.schedule import Schedule, resolve_rounds, resolve_spent
from jaxbandits.protocol import Actions, Entry, Environment, Game, Policy
from jaxbandits.results.plain import plain

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


def environment_of(environment: Any) -> Environment:
    """An environment whose name, numbers and facts can be used.

    Raises:
      TypeError, ValueError: naming what is wrong.
    """
    if not isinstance(environment, Environment):
        hint = "; call the factory" if callable(environment) else ""
        raise TypeError(
            "environment must be an Environment (censored.indep(), for "
            f"example), got {_kind(environment)}{hint}"
        )
    if not isinstance(environment.name, str) or not environment.name:
        raise TypeError(
            f"environment.name must be a string, got {checks.shown(environment.name)}"
        )
    checks.label("environment.name", environment.name)
    owner = f"environment {environment.name!r}"
    game = environment.game
    checks.instance(f"{owner}: game", game, Game, "of jaxbandits")
    checks.whole(f"{owner}: words", game.words, 0)
    checks.flag(f"{owner}: by_the_clock", game.by_the_clock)
    needed = "sample", "init", "view", "step", "record", "metrics"
    parts = {part: getattr(game, part) for part in needed}
    parts["tables"] = environment.tables
    optional = {"spent": game.spent}
    optional |= {"judge": environment.judge, "oracle": environment.oracle}
    parts |= {part: each for part, each in optional.items() if each is not None}
    for part, function in parts.items():
        checks.function(f"{owner}: {part}", function)
    if game.actions is not None:
        source = "of jaxbandits.protocol"
        checks.instance(f"{owner}: actions", game.actions, Actions, source)
    if not isinstance(environment.provenance, Mapping | None):
        raise TypeError(
            f"{owner}: provenance must be a mapping or None, got "
            f"{checks.shown(environment.provenance)}"
        )
    checks.check_setup(f"{owner}: setup", environment.setup, optional=True)
    plain(environment.provenance or {}, f"{owner}: provenance")
    return environment


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
            f"{_kind(values)}{hint}"
        )
    if not isinstance(values, Mapping):
        # A problem is a tuple, too: of an environment it is what a learner knows.
        if hasattr(values, "_fields"):
            raise TypeError(
                f"{argument} must be {what}, several, or a mapping from names to them, "
                f"got {_kind(values)}"
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
            raise TypeError(f"{argument}[{name!r}] must be {what}, got {_kind(value)}")
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


def _kind(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, Policy | Environment):
        return f"the {type(value).__name__} {value.name!r}"
    if callable(value) and hasattr(value, "__name__"):
        return f"the function {value.__name__}"
    if hasattr(value, "_fields") and hasattr(value, "num_arms"):
        return f"{kind_name(type(value))}; give the environment that it is of"
    return checks.shown(value)


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


def points_of(
    name: str, policy: Policy, points: Points, schedule: Schedule | None, argument: str
) -> Points:
    """Parameter points with all leaves of a policy.

    Args:
      name: of the policy, for errors.
      policy: the policy.
      points: leaves that are not default.
      schedule: of the game, for what the policy must be told of it; None if it is
        wrong itself.
      argument: what gave the points, for errors.

    Raises:
      ValueError, TypeError: naming the argument or the parameter.
    """
    defaults = _defaults(name, policy)
    if not isinstance(policy.game_params, tuple) or not set(policy.game_params) <= set(
        defaults
    ):
        raise TypeError(
            f"policies[{name!r}]: game_params must be a tuple of names of its "
            f"parameters, got {checks.shown(policy.game_params)}"
        )
    if unknown := sorted(points.columns.keys() - defaults.keys()):
        near, more = checks.hint(unknown[0], defaults), len(unknown) - MOST_NAMES
        few = f"{unknown[:MOST_NAMES]}" + (f" and {more:,} more" if more > 0 else "")
        raise ValueError(f"{argument} has no {few}; it has {list(defaults)}{near}")
    free = {
        leaf
        for leaf in defaults
        if leaf not in points.columns or np.isnan(points.columns[leaf]).any()
    }
    if schedule is not None:
        end = "budget" if schedule.by_budget else "horizon"
        for leaf in free & unset_game_params(policy) - {end}:
            how = f"in {argument}: {{{leaf!r}: ...}}"
            if argument.startswith("policies["):
                how = f"by with_params({leaf}=...) or over({leaf}=...)"
            raise ValueError(
                f"policies[{name!r}] must know the {leaf}, and this game is played for "
                f"a {end}: give it {how}"
            )
        defaults = defaults_of(policy, schedule)
    full = filled(points, defaults)
    columns = full.columns
    if policy.check is not None or policy.params:
        try:
            _check(name, policy, full)
        except (ValueError, TypeError):
            # Each parameter beside the defaults of the others, so that all are named.
            errors = checks.Errors()
            for leaf in points.columns:
                alone = {x: np.full(points.count, y) for x, y in defaults.items()}
                alone[leaf] = columns[leaf]
                with errors.part():
                    _check(name, policy, full._replace(columns=alone))
            errors.check()
            raise
    for leaf, values in columns.items():
        owner = f"{argument}: {leaf}"
        if np.any(np.isnan(values)):
            raise ValueError(f"{owner} must be a number, got NaN")
        checks.multiplied(**{owner: _shortest(values)})
    return full


def filled(points: Points, defaults: Mapping[str, float]) -> Points:
    """Points with all parameters, from what differs from defaults."""
    columns = {}
    for leaf, default in defaults.items():
        given = points.columns.get(leaf, np.full(points.count, np.nan))
        columns[leaf] = np.where(np.isnan(given), default, given)
    return Points(columns, points.count)


def params_of(policy: Policy, given: Any, schedule: Schedule | None, name: str) -> Any:
    """All parameters of a policy, numbers in the precision of play.

    Args:
      policy: the policy.
      given: those that are not default: a mapping, or of the type of the policy's own.
      schedule: as of `points_of`.
      name: of the argument that gave them, for errors.

    Raises:
      ValueError, TypeError: naming the argument or the parameter.
    """
    if not isinstance(given, Mapping | None) and type(given) is not type(policy.params):
        raise TypeError(
            f"{name} must be {type(policy.params).__name__} of {policy.name!r} or a "
            f"mapping from names to numbers, got {checks.shown(given)}"
        )
    points = points_from(given or None, name)
    if points.count > 1:
        raise ValueError(f"{name} must be single numbers, got {points.count} points")
    row = points_of(policy.name, policy, points, schedule, name).row(0)
    numbers = {leaf: jnp.asarray(value, float) for leaf, value in row.items()}
    return type(policy.params)(**numbers) if row else policy.params


def _check(name: str, policy: Policy, points: Points) -> None:
    """The policy's own opinion of its parameters."""
    if policy.check is not None:
        checks.function(f"policies[{name!r}]: check", policy.check)
    check = policy.check_params
    make = policy.params._replace if policy.params else tuple
    try:
        return check(make(**{x: _shortest(c) for x, c in points.columns.items()}))
    except Exception as error:  # noqa: BLE001 - a check of single numbers, perhaps
        result = error
    for number in range(points.count):
        try:
            check(make(**{x: float(c[number]) for x, c in points.columns.items()}))
        except Exception as error:  # noqa: BLE001 - whatever the policy's check raises
            result = error
            break
    else:
        return None
    own = "positional argument" not in str(result)
    if isinstance(result, ValueError | TypeError) and own:
        raise result
    raise ValueError(
        f"policies[{name!r}]: check must take params, and raise a ValueError where "
        f"they are out of range; it failed: {result!r}"
    ) from result


def _shortest(column: np.ndarray) -> Any:
    """A number that all points have as such, for errors that show it."""
    same = column.size and np.all(column == column[0])
    return float(column[0]) if same else column


def _defaults(name: str, policy: Policy) -> dict[str, float]:
    """The policy's own parameters, a number each."""
    params = policy.params
    if not hasattr(params, "_asdict"):
        if isinstance(params, tuple) and not params:
            return {}
        raise TypeError(
            f"policies[{name!r}]: params must be a NamedTuple of numbers, got "
            f"{checks.shown(params)}"
        )
    for leaf, value in params._asdict().items():
        if leaf not in ENDS:
            checks.unrounded(f"policies[{name!r}]: params.{leaf}", value)
    return {
        leaf: checks.number(f"policies[{name!r}]: params.{leaf}", value)
        for leaf, value in params._asdict().items()
    }


def unset_game_params(policy: Policy) -> set[str]:
    """Parameters that the game sets (`Policy.game_params`), still with defaults."""
    defaults = type(policy.params)._field_defaults if policy.game_params else {}
    return {
        leaf
        for leaf in policy.game_params
        if getattr(policy.params, leaf) == defaults.get(leaf)
    }


def defaults_of(policy: Policy, schedule: Schedule) -> dict[str, float]:
    """A policy's parameters where a point leaves them out: its own, or the game's."""
    params = policy.params._asdict() if policy.params else {}
    end = "budget" if schedule.by_budget else "horizon"
    if end in unset_game_params(policy):
        params[end] = schedule.checkpoints[-1]
    return {leaf: float(value) for leaf, value in params.items()}
