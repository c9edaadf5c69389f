"""One's own records as environments: a row is one pull of an arm, in money.

A pull of an arm replays one of its rows, each with the same probability. Arms may have
any numbers of rows; nothing is weighted or repeated.
"""

from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jax import Array

from jaxbandits.checks import text
from jaxbandits.laws import empirical, empirical_params
from jaxbandits.protocol import Environment, as_given
from jaxbandits.settings.budgeted.environment import LEAST_COST, Arms, budgeted
from jaxbandits.settings.tables import coerced, read_csv

MOST_MONEY = 1e30  # it, its inverse and their sums are float32


class Records(NamedTuple):
    """Recorded pulls of one arm, in money.

    Attributes:
      name: of the arm.
      reward: f64[n].
      cost: f64[n].
    """

    name: str
    reward: np.ndarray
    cost: np.ndarray


def from_table(
    path: str | PathLike[str],
    *,
    arm: str,
    cost: str,
    reward: str,
    group: str | None = None,
) -> Environment[Any, Any, Array] | dict[str, Environment[Any, Any, Array]]:
    """Environments of recorded pulls.

    Budgets, spending, rewards and regret are in the file's money. Policies see costs
    and rewards as shares of the file's largest ones. All groups share one compiled
    program per policy.

    Args:
      path: of a CSV file, plain or compressed, one row per pull (click, say).
      arm: the column that names the arm.
      cost: the column of what the pull cost, >= 0.
      reward: the column of what it brought, >= 0.
      group: the column that says which arms compete (campaigns), if not all do.

    Returns:
      An environment; with `group` one per group, by name. `records_of` gives back what
      was read.

    Raises:
      ValueError: naming `path` and the column or arm, if a column is missing, a cell is
        empty, no number or negative, an arm has cost nothing (or next to nothing
        beside the dearest row: its ratio is infinite), or the largest cost or reward
        is above 1e30 or below 1e-30; naming the argument if another has its column.
      TypeError, OSError: as for `settings.budgeted.load_facebook`.
    """
    table = _read(path, arm, cost, reward, group)
    largest = {column: float(table[column].max()) for column in (cost, reward)}
    for column, most in largest.items():
        if not most > 0:
            raise ValueError(f"path: no row of {path} has a {column} above 0")
        if not 1 / MOST_MONEY <= most <= MOST_MONEY:
            raise ValueError(
                f"path: the largest {column} of {path} must be in [{1 / MOST_MONEY:g}, "
                f"{MOST_MONEY:g}], got {most:g}"
            )
    keys = table[group] if group is not None else pd.Series("", table.index)
    parts = {
        name: [
            Records(key, *(rows[c].to_numpy(np.float64) for c in (reward, cost)))
            for key, rows in part.groupby(arm, sort=True)
        ]
        for name, part in table.groupby(keys, sort=True)
    }
    for name, arms in parts.items():
        for each in arms:
            if not each.cost.mean() >= LEAST_COST * largest[cost]:
                where = f" of {group} {name!r}" if group is not None else ""
                raise ValueError(
                    f"path: {arm} {each.name!r}{where} has cost {each.cost.mean():g} "
                    f"on average in {path}, and must cost at least {LEAST_COST} of "
                    f"the dearest row, {largest[cost]:g}"
                )
    stem = str(path).rsplit("/", 1)[-1]
    made = {
        name: _environment(f"{stem} {name}".strip(), arms, size, largest, cost, reward)
        for size in [_capacity(parts)]
        for name, arms in parts.items()
    }
    return made if group is not None else made[""]


def _read(
    path: str | PathLike[str], arm: str, cost: str, reward: str, group: str | None
) -> pd.DataFrame:
    named = {"arm": arm, "cost": cost, "reward": reward}
    named |= {} if group is None else {"group": group}
    for argument, column in named.items():
        text(argument, column)
    columns = [cost, reward, *dict.fromkeys(x for x in (arm, group) if x)]
    if len(set(columns)) < len(columns):
        raise ValueError(
            "cost and reward must be columns of their own, got "
            + ", ".join(f"{argument}={column!r}" for argument, column in named.items())
        )
    table = read_csv(path, dtype=str, keep_default_na=False)
    for argument, column in named.items():
        if column not in table.columns:
            raise ValueError(
                f"{argument}: {path} has no column {column!r}, but "
                + ", ".join(map(str, table.columns))
            )
    if table.empty:
        raise ValueError(f"path: {path} has no rows")
    table = table[list(dict.fromkeys(named.values()))].copy()
    for column in (arm, group):
        if column is not None:
            _refuse(path, table[column], table[column].str.strip() == "", "empty")
    for column in (cost, reward):
        values = coerced(table[column])
        bad = ~(np.isfinite(values) & (values >= 0))
        _refuse(path, table[column], bad, "no numbers >= 0")
        table[column] = values
    return table


def _refuse(
    path: str | PathLike[str], column: pd.Series, bad: pd.Series, what: str
) -> None:
    """Require that no cell of a column is bad."""
    if bad.any():
        # Not the line: empty ones are no rows, and a quoted cell may have several.
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"path: {int(bad.sum())} cells of column {column.name!r} of {path} are "
            f"{what}, first {column.iloc[row]!r} in row {row + 1} below the header"
        )


def _capacity(parts: dict[str, list[Records]]) -> tuple[int, int]:
    """Arms of the largest group, and rows of the longest arm."""
    return (
        max(len(arms) for arms in parts.values()),
        max(each.cost.size for arms in parts.values() for each in arms),
    )


def _environment(
    name: str,
    arms: list[Records],
    size: tuple[int, int],
    largest: dict[str, float],
    cost: str,
    reward: str,
) -> Environment[Any, Any, Array]:
    num_arms, rows = size
    # Arms that do not exist need a cost, and all groups one shape.
    missing = Records("", np.zeros(1), np.full(1, largest[cost]))
    filled = arms + [missing] * (num_arms - len(arms))
    shares = [
        [np.pad(x, (0, rows - x.size)) / most for x in columns]
        for most, columns in (
            (largest[reward], [each.reward for each in filled]),
            (largest[cost], [each.cost for each in filled]),
        )
    ]
    params = empirical_params(*map(np.stack, shares))
    params = params._replace(runs=np.array([a.cost.size for a in filled], np.int32))
    return budgeted(
        name,
        empirical,
        as_given,
        Arms(params, np.int32(len(arms))),
        num_arms,
        unit=1 / largest[cost],
        worth=largest[reward],
        provenance={
            "arms": [each.name for each in arms],
            "rows": [each.cost.size for each in arms],
            "largest_cost": largest[cost],
        },
    )


def records_of(environment: Environment) -> list[Records]:
    """What `from_table` has read of an environment's arms, in money.

    Raises:
      ValueError: if the environment is not of `from_table`.
    """
    facts = environment.provenance or {}
    if "largest_cost" not in facts:
        raise ValueError(f"environment: {environment.name!r} is not of from_table")
    law = environment.setup.law
    return [
        Records(name, facts["worth"] * reward[:n], facts["largest_cost"] * cost[:n])
        for name, n, reward, cost in zip(
            facts["arms"], facts["rows"], law.reward, law.consumption, strict=False
        )
    ]
