"""Budgeted policies beside the least regret of a consistent one."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import log
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits.stats import Entry, Record, entry, make_record
from jaxbandits_studies.budgeted.divergences import Losses, losses
from jaxbandits_studies.common.dots import draw_dots
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging import growth
from jaxbandits_studies.judging.board import Board, shipped_cases
from jaxbandits_studies.judging.budgeted import PROTOCOL
from jaxbandits_studies.judging.growth import BEST
from jaxbandits_studies.judging.page import missed
from jaxbandits_studies.judging.scores import Cell, Score

NAME = "budgeted-least"
BOUND = "c log B"
# Who look at every arm again: a logarithm is proved of the first two where rewards and
# costs are independent, as they are here, and of BTS on coins.
LOOK_AGAIN = ("price TS", "ratio TS", "BTS", "KL-UCB-SC+")
POLICIES = ("share-UCB, anytime", *LOOK_AGAIN)
QUICK = ("rare prize", "cheap and slow")  # two arms, one draw
SHOWN = (0.03, 30.0)  # quotients beyond are drawn there


class Found(NamedTuple):
    """A case's losses by class of laws, and its cells on the leaderboard by budget."""

    losses: Mapping[str, Losses]
    cells: Mapping[int, Cell]

    @property
    def budgets(self) -> list[int]:
        """Ascending."""
        return sorted(self.cells)

    def c(self, budget: int) -> float:
        """The smaller c, of the arms within reach: the mean over draws."""
        return float(self.losses["independent"].within(budget).mean())

    def score(self, policy: str, budget: int) -> Score | None:
        """A policy's score, or that of the best rival."""
        return growth.score(self.cells, policy, budget)

    def ratio(self, policy: str, budget: int) -> float | None:
        """Mean regret over c log B; None where no arm is within reach."""
        score, c = self.score(policy, budget), self.c(budget)
        return score.mean / (c * log(budget)) if score and c > 0 else None

    def growth(self, policy: str, budget: int) -> Entry | None:
        """Mean regret per unit of log B since the budget before."""
        return growth.growth(self.cells, policy, budget)

    def growth_ratio(self, policy: str, budget: int) -> float | None:
        """Growth over the c of the arms that were within reach at the budget before."""
        grown, before = self.growth(policy, budget), growth.before(self.cells, budget)
        if grown is None or before is None:
            return None
        c = self.c(before)
        return grown["mean"] / c if c > 0 else None


def least(options: Options) -> Outcome:
    """c of every judging case, beside regret on the leaderboard and its growth.

    Nothing is played: means are those of the leaderboard that came with the package,
    and c is a mean over the same draws of the arms.

    Args:
      options: only whether to be quick.

    Raises:
      ValueError: if no leaderboard came with the package.
    """
    titles = QUICK if options.quick else tuple(PROTOCOL.judging)
    board, cases = shipped_cases(PROTOCOL, titles, NAME)
    found = {}
    for title, environment in cases.items():
        parts = losses(environment, board.seeds, board.root_seed)
        found[title] = Found(parts, growth.cells_of(board, title))
    datasets = {
        title: xr.Dataset({k: ("seed", x.total()) for k, x in each.losses.items()})
        for title, each in found.items()
    }
    records = [
        record for title, each in found.items() for record in _records(title, each)
    ]
    notes = (*_goal_notes(board, found), *_policy_notes(found), _rival_note(found))
    draw = partial(_picture, found)
    return Outcome(datasets, records, draw, notes, root_seed=board.root_seed)


def _records(title: str, found: Found) -> Iterator[Record]:
    """The bound's, and one per policy."""
    bound = {}
    for name, each in found.losses.items():
        total = each.total()
        one = np.allclose(total, total[0], rtol=1e-9)  # instance for all seeds
        error = None if one else total.std(ddof=1) / len(total) ** 0.5
        bound[f"c_{name}"] = entry(total.mean(), error)
        bound[f"c_{name}_median"] = entry(np.median(total))
        for b in found.budgets:
            bound[f"c_{name}_within_{b}"] = entry(each.within(b).mean())
    yield make_record(NAME, title, BOUND, bound, seeds=0, horizon=0)
    for policy in (*POLICIES, BEST):
        metrics = {}
        for b in found.budgets:
            score = found.score(policy, b)
            if score is None:
                continue
            numbers = {
                "ratio": found.ratio(policy, b),
                "growth": found.growth(policy, b),
                "growth_ratio": found.growth_ratio(policy, b),
            }
            for name, value in numbers.items():
                if value is not None:
                    shown = entry(value) if isinstance(value, float) else value
                    metrics[f"{name}_{b}"] = shown
        yield make_record(NAME, title, policy, metrics, seeds=0, horizon=0)


def _goal_notes(board: Board, found: Mapping[str, Found]) -> Iterator[str]:
    """Where the goal is missed: whether the best rival does less than it must."""
    goal = PROTOCOL.goal
    assert goal is not None
    (candidate,) = goal.candidates
    cells = [cell for cell in board.cells if cell.case in found]
    short = missed(cells, candidate, goal)
    kept = [cell for cell in cells if cell not in short]
    for where, those in ("falls short", short), ("does not fall short", kept):
        yield f"{candidate} {where} in {len(those)} pairs. " + _counted(found, those)
    neither = [
        cell
        for cell in short
        if not any(x is not None and x < 1 for x in _quotients(found, cell, BEST))
    ]
    said = ", ".join(f"{x.case} at {x.horizon:,}" for x in neither)
    yield (
        f"Neither can be said in {len(neither)} pairs in which it falls short"
        f"{f': {said}' if said else ''}."
    )
    both = [
        cell
        for cell in short
        if any(x is not None and x < 1 for x in _quotients(found, cell, candidate))
    ]
    yield (
        f"In {len(both)} of these {len(short)} {candidate} itself has less than "
        "c log B, or grows by less than c."
    )


def _quotients(found: Mapping[str, Found], cell: Cell, policy: str) -> tuple:
    """Over c log B, and of growth over c; None where there is none."""
    each = found[cell.case]
    return each.ratio(policy, cell.horizon), each.growth_ratio(policy, cell.horizon)


def _counted(found: Mapping[str, Found], cells: Sequence[Cell]) -> str:
    ratios, growths = zip(*(_quotients(found, x, BEST) for x in cells), strict=True)

    def below(values: Sequence[float | None]) -> str:
        there = [x for x in values if x is not None]
        return f"in {sum(x < 1 for x in there)} of {len(there)}"

    either = sum(
        any(x is not None and x < 1 for x in pair)
        for pair in zip(ratios, growths, strict=True)
    )
    return (
        f"The best rival has less than c log B {below(ratios)} with an arm within "
        f"reach; its growth is below c {below(growths)} with a budget before; one or "
        f"the other in {either}."
    )


def _policy_notes(found: Mapping[str, Found]) -> Iterator[str]:
    """Growth over c at the largest budget that each has played."""
    for policy in (*POLICIES, BEST):
        last = [_last(each, policy, each.growth_ratio) for each in found.values()]
        there = np.array([x for x in last if x is not None])
        if there.size:
            yield (
                f"{policy}: growth over c at the largest budget is "
                f"{np.median(there):.2f} in the median of {there.size} cases, "
                f"from {there.min():.2g} to {there.max():.2g}; "
                f"below 1 in {np.sum(there < 1)}."
            )


def _rival_note(found: Mapping[str, Found]) -> str:
    """Growth of the best rivals beside that of who gives up no arm, without any c."""
    ratios = []
    for each in found.values():
        for budget in each.budgets:
            rival = each.growth(BEST, budget)
            others = [each.growth(name, budget) for name in LOOK_AGAIN]
            least = min((x["mean"] for x in others if x), default=None)
            if rival and least:
                ratios.append(rival["mean"] / least)
    return (
        f"The best rival grows by less than each of {', '.join(LOOK_AGAIN)} that has "
        f"played in {sum(x < 1 for x in ratios)} of {len(ratios)} pairs with a budget "
        f"before, by {np.median(ratios):.2f} times what the least of them does in the "
        "median."
    )


def _last(found: Found, policy: str, quotient) -> float | None:
    """At the largest budget that a policy has played."""
    played = [b for b in found.budgets if found.score(policy, b) is not None]
    return quotient(policy, played[-1])


def _picture(found: Mapping[str, Found]) -> Figure:
    """A row per case, a dot per policy: regret over c log B, and growth over c."""
    labels = {"ratio": r"regret over $c\,\log B$", "growth_ratio": "growth over $c$"}
    panels = {
        label: {
            policy: [_last(x, policy, getattr(x, name)) for x in found.values()]
            for policy in (*POLICIES, BEST)
        }
        for name, label in labels.items()
    }
    note = "at the largest budget played; at an edge: or beyond"
    return draw_dots([*found], panels, SHOWN, note)
