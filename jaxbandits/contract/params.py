"""Checks of the parameters of a policy, its own and those of points.

Errors name the parameter, and are raised before anything is compiled.
"""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxbandits import checks
from jaxbandits.checks.points import ENDS, Points, points_from
from jaxbandits.engine.schedule import Schedule
from jaxbandits.protocol import Policy

MOST_NAMES = 10  # unknown names that an error shows


def points_of(
    name: str, policy: Policy, points: Points, schedule: Schedule | None, argument: str
) -> Points:
    """Parameter points with all parameters of a policy.

    Args:
      name: of the policy, for errors.
      policy: the policy.
      points: parameters that are not default.
      schedule: of the game, from which policies get their horizon or budget; None if it
        is wrong itself.
      argument: that has the points, for errors.

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
    """Points with all parameters; a NaN takes the default."""
    columns = {}
    for leaf, default in defaults.items():
        given = points.columns.get(leaf, np.full(points.count, np.nan))
        columns[leaf] = np.where(np.isnan(given), default, given)
    return Points(columns, points.count)


def params_of(policy: Policy, given: Any, schedule: Schedule | None, name: str) -> Any:
    """All parameters of a policy, numbers in the precision of play.

    Args:
      policy: the policy.
      given: parameters that are not default, in a mapping or the policy's own type.
      schedule: as for `points_of`.
      name: of the argument that has them, for errors.

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
    """Call the policy's own check of its parameters."""
    if policy.check is not None:
        checks.function(f"policies[{name!r}]: check", policy.check)
    check = policy.check_params
    make = policy.params._replace if policy.params else tuple
    try:
        return check(make(**{x: _shortest(c) for x, c in points.columns.items()}))
    except Exception as error:  # noqa: BLE001 - it may take single numbers only
        result = error
    for number in range(points.count):
        try:
            check(make(**{x: float(c[number]) for x, c in points.columns.items()}))
        except Exception as error:  # noqa: BLE001 - it may raise anything
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
    """One number in place of equal ones, so that errors show a number."""
    same = column.size and np.all(column == column[0])
    return float(column[0]) if same else column


def _defaults(name: str, policy: Policy) -> dict[str, float]:
    """The parameters of a policy as numbers."""
    params = policy.params
    if isinstance(params, type) or not hasattr(params, "_asdict"):
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
    """Parameters that the game sets (`Policy.game_params`), if they are at defaults."""
    defaults = type(policy.params)._field_defaults if policy.game_params else {}
    return {
        leaf
        for leaf in policy.game_params
        if getattr(policy.params, leaf) == defaults.get(leaf)
    }


def defaults_of(policy: Policy, schedule: Schedule) -> dict[str, float]:
    """The parameters that a point leaves out: those of the policy or of the game."""
    params = policy.params._asdict() if policy.params else {}
    end = "budget" if schedule.by_budget else "horizon"
    if end in unset_game_params(policy):
        params[end] = schedule.checkpoints[-1]
    return {leaf: float(value) for leaf, value in params.items()}
