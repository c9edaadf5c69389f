"""One's own records as environments: a row is one pull of an arm, in money.

A pull of an arm replays one of its rows, each with the same probability. Arms may have
any numbers of rows; nothing is weighted or repeated, and the order of rows is nothing.
All rows of a file lie in one array, an arm's one after another: the memory is that of
the rows, however unequal the arms are.
"""

from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from jax import Array

from jaxbandits.budgeted.environment import LEAST_COST, Arms, random_environment
from jaxbandits.checks import kinds
from jaxbandits.laws import Empirical, empirical
from jaxbandits.protocol import Environment, as_given
from jaxbandits_studies.datasets import reading
from jaxbandits_studies.datasets.reading import (
    Allowed,
    look,
    named_as_totals,
    read,
    tell,
)

MOST_MONEY = 1e30  # it, its inverse and their sums are float32
# Of the smallest shape of groups; the next ones are each four times as large.
SHAPE = 64


class Records(NamedTuple):
    """Recorded pulls of one arm, in money.

    Attributes:
      name: of the arm.
      reward: f64[n], smallest first; of equal ones, that of the smallest cost.
      cost: f64[n].
    """

    name: str
    reward: np.ndarray
    cost: np.ndarray


class _Rows(NamedTuple):
    """All rows of a file, sorted, and the arms that they are of.

    Attributes:
      reward, cost: f64[R], in money.
      first, size: i64[A], where an arm's rows begin, and how many they are.
      group: i64[A], positions in `groups`, increasing.
      name: str[A], of the arms; increasing within a group.
      groups: names, increasing.
    """

    reward: np.ndarray
    cost: np.ndarray
    first: np.ndarray
    size: np.ndarray
    group: np.ndarray
    name: np.ndarray
    groups: tuple[str, ...]


def from_table(
    path: str | PathLike[str],
    *,
    arm: str,
    cost: str,
    reward: str,
    group: str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
) -> Environment[Any, Any, Array] | dict[str, Environment[Any, Any, Array]]:
    """Environments of recorded pulls.

    Budgets, spending, rewards and regret are in the file's money. Policies see costs
    and rewards as shares of the file's largest ones. Groups with up to 64 arms share
    one compiled program per policy, larger ones with their like.

    Arms are in the order of their names. With less money than a few pulls of every arm,
    policies that begin with the first one favour names: `jaxbandits.dealt`
    shuffles the arms in every game, as the command ``compare`` does.

    Args:
      path: of a CSV file, plain or compressed, one row per pull (click, say). Lines
        above the header are left out, and so are blanks at the ends of cells and signs
        of currencies, each with a warning. UTF-8, UTF-16 and Windows-1252 are read.
      arm: the column that names the arm.
      cost: the column of what the pull cost, >= 0.
      reward: the column of what it brought, >= 0.
      group: the column that says which arms compete (campaigns), if not all do.
      sep: the character between cells; by default the comma, semicolon, tab or ``|``
        that stands between these columns.
      decimal: the mark before decimals, ``.`` or ``,``; the other one may stand between
        thousands. By default what the first rows show.

    Returns:
      An environment; with `group` one per group, by name. `records_of` gives back what
      was read. ``notes`` of its provenance are the warnings.

    Raises:
      ValueError: naming `path` and the column or arm, if a column is missing, a cell is
        empty, no number or negative, an arm has cost nothing (or next to nothing
        beside the dearest row: its ratio is infinite), or the largest cost or reward
        is above 1e30 or below 1e-30; naming the argument if another has its column,
        or `sep` or `decimal`, if it is no such character.
      TypeError, OSError: as for `load_facebook`.
    """
    named = {"arm": arm, "cost": cost, "reward": reward}
    named |= {} if group is None else {"group": group}
    layout = look(path, named, sep)
    arm, cost, reward = (layout.named[x] for x in ("arm", "cost", "reward"))
    words = [arm] if group is None else [arm, layout.named["group"]]
    if len({cost, reward, *words}) < len(named):
        raise ValueError(
            f"{', '.join(named)} must be columns of their own, got "
            + ", ".join(f"{argument}={column!r}" for argument, column in named.items())
        )
    result = read(
        layout,
        [*dict.fromkeys(words)],
        dict.fromkeys((cost, reward), Allowed(lowest=0.0)),
        decimal,
    )
    largest = {column: float(result.numbers[column].max()) for column in (cost, reward)}
    for column, most in largest.items():
        if not most > 0:
            raise ValueError(f"path: no row of {path} has a {column} above 0")
        if not 1 / MOST_MONEY <= most <= MOST_MONEY:
            raise ValueError(
                f"path: the largest {column} of {path} must be in [{1 / MOST_MONEY:g}, "
                f"{MOST_MONEY:g}], got {most:g}"
            )
    rows = _sorted(result, words, cost, reward)
    means = np.add.reduceat(rows.cost, rows.first) / rows.size
    for place in np.flatnonzero(~(means >= LEAST_COST * largest[cost])):
        where = ""
        if group is not None:
            where = f" of {words[1]} {rows.groups[rows.group[place]]!r}"
        raise ValueError(
            f"path: {arm} {str(rows.name[place])!r}{where} has cost {means[place]:g} "
            f"on average in {path}, and must cost at least {LEAST_COST} of the dearest "
            f"row, {largest[cost]:g}"
        )
    notes = [*result.notes]
    for note in _totals(rows, result, words, cost, reward):
        tell(path, note)
        notes.append(note)
    stem = str(path).rsplit("/", 1)[-1]
    made = _environments(stem, rows, largest[cost], largest[reward], notes)
    return made if group is not None else made[""]


def _sorted(result: reading.Read, words: list[str], cost: str, reward: str) -> _Rows:
    """Rows by group, arm, reward and cost: whatever their order in the file."""

    def ranked(column):
        names = np.array(result.words[column].names)
        order = np.argsort(names)
        ranks = np.empty(len(names), np.int64)
        ranks[order] = np.arange(len(names))
        return names[order], ranks[result.words[column].codes]

    names, arm = ranked(words[0])
    groups, group = ranked(words[1]) if words[1:] else (np.array([""]), 0 * arm)
    values = result.numbers[reward], result.numbers[cost]
    order = np.lexsort((values[1], values[0], arm, group))
    arm, group = arm[order], group[order]
    starts = np.flatnonzero(np.diff(arm, prepend=-1) | np.diff(group, prepend=-1))
    return _Rows(
        values[0][order],
        values[1][order],
        starts,
        np.diff(starts, append=len(order)),
        group[starts],
        names[arm[starts]],
        tuple(groups.tolist()),
    )


def _totals(
    rows: _Rows, result: reading.Read, words: list[str], cost: str, reward: str
) -> list[str]:
    """Notes on arms that look like the sum of others."""
    names = dict.fromkeys(x for c in words for x in result.words[c].names)
    notes = named_as_totals(names, "arm or group")
    if notes or len(result.rows) < 3:
        return notes
    last = [result.numbers[column][-1] for column in (cost, reward)]
    others = [result.numbers[column][:-1].sum() for column in (cost, reward)]
    if np.allclose(last, others, rtol=1e-6) and last[0] > 0:
        arm = result.words[words[0]]
        notes.append(
            f"the last row ({arm.names[arm.codes[-1]]!r}) is the sum of all others: if "
            "it is a total, take it out of the file"
        )
    return notes


def _environments(
    stem: str, rows: _Rows, dearest: float, most: float, notes: list[str]
) -> dict[str, Environment[Any, Any, Array]]:
    """One per group, by name."""
    reward, cost = rows.reward / most, rows.cost / dearest
    means = [np.add.reduceat(x, rows.first) / rows.size for x in (reward, cost)]
    starts = np.flatnonzero(np.diff(rows.group, prepend=-1))
    sizes = np.diff(starts, append=len(rows.group))
    made: dict[str, Environment] = {}
    shapes: dict[int, Environment] = {}
    for name, start, size in zip(rows.groups, starts, sizes, strict=True):
        # Few shapes, so that groups share programs, none of them too large.
        shape = SHAPE
        while shape < size:
            shape *= 4
        num_arms = min(shape, int(sizes.max()))
        part, end = slice(start, start + size), (0, num_arms - size)
        law = Empirical(
            reward,
            cost,
            np.pad(rows.size[part], end, constant_values=1).astype(np.int32),
            np.pad(rows.first[part], end).astype(np.int32),
            np.pad(means[0][part], end),
            # Arms that do not exist need a cost.
            np.pad(means[1][part], end, constant_values=1.0),
        )
        if num_arms not in shapes:
            shapes[num_arms] = random_environment(
                stem, empirical, as_given, None, num_arms, unit=1 / dearest, worth=most
            )
        like = shapes[num_arms]
        made[name] = like._replace(
            name=f"{stem} {name}".strip(),
            setup=Arms(law, np.int32(size)),
            provenance=like.provenance
            | {
                "arms": rows.name[part].tolist(),
                "rows": rows.size[part].tolist(),
                "largest_cost": dearest,
                "notes": notes,
            },
        )
    return made


@kinds
def records_of(environment: Environment) -> list[Records]:
    """What `from_table` has read of an environment's arms, in money.

    Raises:
      ValueError: if the environment is not of `from_table`.
    """
    facts = environment.provenance or {}
    if "largest_cost" not in facts:
        raise ValueError(f"environment: {environment.name!r} is not of from_table")
    law = environment.setup.law
    parts = [slice(i, i + n) for i, n in zip(law.first, law.runs, strict=True)]
    return [
        Records(
            name,
            facts["worth"] * law.reward[part],
            facts["largest_cost"] * law.consumption[part],
        )
        for name, part in zip(facts["arms"], parts, strict=False)
    ]
