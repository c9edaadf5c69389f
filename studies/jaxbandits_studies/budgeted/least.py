"""Budgeted policies beside the least regret of a consistent one."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import xarray as xr

from jaxbandits.protocol import Environment
from jaxbandits.stats import Entry, entry
from jaxbandits_studies.budgeted.divergences import Losses, losses
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.board import Board
from jaxbandits_studies.judging.least import (
    BEST,
    Cases,
    draw_dots,
    last_of,
    records_beside,
    study,
)
from jaxbandits_studies.judging.protocols import PROTOCOLS
from jaxbandits_studies.judging.scores import Cell, missed

NAME = "budgeted-least"
BOUND = "c log B"
# Who look at every arm again: a logarithm is proved of the first two where rewards and
# costs are independent, as they are here, and of BTS on coins.
LOOK_AGAIN = ("price TS", "ratio TS", "BTS", "KL-UCB-SC+")
POLICIES = ("share-UCB, anytime", *LOOK_AGAIN)
QUICK = ("rare prize", "cheap and slow")  # two arms, one draw
SHOWN = (0.03, 30.0)  # quotients beyond are drawn there


class Bounds(NamedTuple):
    """c by class of laws, draw by draw of the arms: the board's draws."""

    parts: Mapping[str, Losses]

    @classmethod
    def of(cls, environment: Environment, board: Board) -> "Bounds":
        return cls(losses(environment, board.seeds, board.root_seed))

    def c(self, budget: int) -> float:
        """The smaller c, of the arms within reach: the mean over draws."""
        return float(self.parts["independent"].within(budget).mean())

    def entries(self, budgets: Sequence[int]) -> dict[str, Entry]:
        bound = {}
        for name, each in self.parts.items():
            total = each.total()
            one = np.allclose(total, total[0], rtol=1e-9)  # instance for all seeds
            error = None if one else total.std(ddof=1) / len(total) ** 0.5
            bound[f"c_{name}"] = entry(total.mean(), error)
            bound[f"c_{name}_median"] = entry(np.median(total))
            for b in budgets:
                bound[f"c_{name}_within_{b}"] = entry(each.within(b).mean())
        return bound

    def dataset(self) -> xr.Dataset:
        return xr.Dataset({k: ("seed", x.total()) for k, x in self.parts.items()})


def least(options: Options) -> Outcome:
    """See `study`: c is a mean over the draws of the arms that the board has."""
    every = (*POLICIES, BEST)
    return study(
        NAME,
        QUICK,
        options,
        bound=Bounds.of,
        records=partial(records_beside, NAME, BOUND, every),
        notes=_notes,
        draw=partial(
            draw_dots,
            policies=every,
            bound=r"$c\,\log B$",
            shown=SHOWN,
            note="at the largest budget played; at an edge: or beyond",
        ),
    )


def _notes(board: Board, cases: Cases) -> Iterator[str]:
    """Where the goal is missed: whether the best rival does less than it must.

    Then growth over c at the largest budget that each policy has played.
    """
    goal = PROTOCOLS["budgeted"].goal
    assert goal is not None
    (candidate,) = goal.candidates
    cells = [cell for cell in board.cells if cell.case in cases]
    short = missed(cells, candidate, goal)
    kept = [cell for cell in cells if cell not in short]
    for where, those in ("falls short", short), ("does not fall short", kept):
        yield f"{candidate} {where} in {len(those)} pairs. " + _counted(cases, those)
    neither = [cell for cell in short if not _below(cases, cell, BEST)]
    text = ", ".join(f"{x.case} at {x.horizon:,}" for x in neither)
    yield (
        f"Neither can be said in {len(neither)} pairs in which it falls short"
        f"{f': {text}' if text else ''}."
    )
    both = sum(_below(cases, cell, candidate) for cell in short)
    yield (
        f"In {both} of these {len(short)} {candidate} itself has less than "
        "c log B, or grows by less than c."
    )
    for policy in (*POLICIES, BEST):
        there = np.array([x for x in last_of(cases, policy)[0] if x is not None])
        if there.size:
            yield (
                f"{policy}: growth over c at the largest budget is "
                f"{np.median(there):.2f} in the median of {there.size} cases, "
                f"from {there.min():.2g} to {there.max():.2g}; "
                f"below 1 in {np.sum(there < 1)}."
            )
    yield _rival_note(cases)


def _quotients(cases: Cases, cell: Cell, policy: str) -> tuple:
    """Over c log B, and of growth over c; None where there is none."""
    case = cases[cell.case]
    return case.ratio(policy, cell.horizon), case.growth_ratio(policy, cell.horizon)


def _below(cases: Cases, cell: Cell, policy: str) -> bool:
    """Whether one of the two is below 1."""
    return any(x is not None and x < 1 for x in _quotients(cases, cell, policy))


def _counted(cases: Cases, cells: Sequence[Cell]) -> str:
    def below(values: Sequence[float | None]) -> str:
        there = [x for x in values if x is not None]
        return f"in {sum(x < 1 for x in there)} of {len(there)}"

    ratios, growths = zip(*(_quotients(cases, x, BEST) for x in cells), strict=True)
    either = sum(_below(cases, cell, BEST) for cell in cells)
    return (
        f"The best rival has less than c log B {below(ratios)} with an arm within "
        f"reach; its growth is below c {below(growths)} with a budget before; one or "
        f"the other in {either}."
    )


def _rival_note(cases: Cases) -> str:
    """Growth of the best rivals beside that of who gives up no arm, without any c."""
    ratios = []
    for case in cases.values():
        for budget in case.horizons:
            rival = case.growth(BEST, budget)
            others = [case.growth(name, budget) for name in LOOK_AGAIN]
            least = min((x["mean"] for x in others if x), default=None)
            if rival and least:
                ratios.append(rival["mean"] / least)
    return (
        f"The best rival grows by less than each of {', '.join(LOOK_AGAIN)} that has "
        f"played in {sum(x < 1 for x in ratios)} of {len(ratios)} pairs with a budget "
        f"before, by {np.median(ratios):.2f} times what the least of them does in the "
        "median."
    )
