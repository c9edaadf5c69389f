"""Budgeted policies beside the least regret of a consistent one."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits.stats import Record, entry, make_record
from jaxbandits_studies.budgeted.divergences import Losses, losses
from jaxbandits_studies.common.dots import draw_dots
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging import growth
from jaxbandits_studies.judging.board import Board, shipped_cases
from jaxbandits_studies.judging.growth import BEST
from jaxbandits_studies.judging.least import Beside, records
from jaxbandits_studies.judging.page import missed
from jaxbandits_studies.judging.protocols import PROTOCOLS
from jaxbandits_studies.judging.scores import Cell

PROTOCOL = PROTOCOLS["budgeted"]
NAME = "budgeted-least"
BOUND = "c log B"
# Who look at every arm again: a logarithm is proved of the first two where rewards and
# costs are independent, as they are here, and of BTS on coins.
LOOK_AGAIN = ("price TS", "ratio TS", "BTS", "KL-UCB-SC+")
POLICIES = ("share-UCB, anytime", *LOOK_AGAIN)
QUICK = ("rare prize", "cheap and slow")  # two arms, one draw
SHOWN = (0.03, 30.0)  # quotients beyond are drawn there


Cases = Mapping[str, tuple[Mapping[str, Losses], Beside]]


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
    results = {}
    for title, environment in cases.items():
        parts = losses(environment, board.seeds, board.root_seed)
        cells = growth.cells_of(board, title)
        results[title] = parts, Beside(cells, partial(_c, parts))
    datasets = {
        title: xr.Dataset({k: ("seed", x.total()) for k, x in parts.items()})
        for title, (parts, _) in results.items()
    }
    listed = [x for title, each in results.items() for x in _records(title, *each)]
    notes = (
        *_goal_notes(board, results),
        *_policy_notes(results),
        _rival_note(results),
    )
    draw = partial(_picture, results)
    return Outcome(datasets, listed, draw, notes, root_seed=board.root_seed)


def _c(parts: Mapping[str, Losses], budget: int) -> float:
    """The smaller c, of the arms within reach: the mean over draws."""
    return float(parts["independent"].within(budget).mean())


def _records(title: str, parts: Mapping[str, Losses], case: Beside) -> Iterator[Record]:
    """The bound's, and one per policy."""
    bound = {}
    for name, each in parts.items():
        total = each.total()
        one = np.allclose(total, total[0], rtol=1e-9)  # instance for all seeds
        error = None if one else total.std(ddof=1) / len(total) ** 0.5
        bound[f"c_{name}"] = entry(total.mean(), error)
        bound[f"c_{name}_median"] = entry(np.median(total))
        for b in case.horizons:
            bound[f"c_{name}_within_{b}"] = entry(each.within(b).mean())
    yield make_record(NAME, title, BOUND, bound, seeds=0, horizon=0)
    yield from records(NAME, title, case, (*POLICIES, BEST))


def _goal_notes(board: Board, results: Cases) -> Iterator[str]:
    """Where the goal is missed: whether the best rival does less than it must."""
    goal = PROTOCOL.goal
    assert goal is not None
    (candidate,) = goal.candidates
    cells = [cell for cell in board.cells if cell.case in results]
    short = missed(cells, candidate, goal)
    kept = [cell for cell in cells if cell not in short]
    for where, those in ("falls short", short), ("does not fall short", kept):
        yield f"{candidate} {where} in {len(those)} pairs. " + _counted(results, those)
    neither = [
        cell
        for cell in short
        if not any(x is not None and x < 1 for x in _quotients(results, cell, BEST))
    ]
    text = ", ".join(f"{x.case} at {x.horizon:,}" for x in neither)
    yield (
        f"Neither can be said in {len(neither)} pairs in which it falls short"
        f"{f': {text}' if text else ''}."
    )
    both = [
        cell
        for cell in short
        if any(x is not None and x < 1 for x in _quotients(results, cell, candidate))
    ]
    yield (
        f"In {len(both)} of these {len(short)} {candidate} itself has less than "
        "c log B, or grows by less than c."
    )


def _quotients(results: Cases, cell: Cell, policy: str) -> tuple:
    """Over c log B, and of growth over c; None where there is none."""
    _, each = results[cell.case]
    return each.ratio(policy, cell.horizon), each.growth_ratio(policy, cell.horizon)


def _counted(results: Cases, cells: Sequence[Cell]) -> str:
    ratios, growths = zip(*(_quotients(results, x, BEST) for x in cells), strict=True)

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


def _policy_notes(results: Cases) -> Iterator[str]:
    """Growth over c at the largest budget that each has played."""
    for policy in (*POLICIES, BEST):
        last = [case.last(policy)[0] for _, case in results.values()]
        there = np.array([x for x in last if x is not None])
        if there.size:
            yield (
                f"{policy}: growth over c at the largest budget is "
                f"{np.median(there):.2f} in the median of {there.size} cases, "
                f"from {there.min():.2g} to {there.max():.2g}; "
                f"below 1 in {np.sum(there < 1)}."
            )


def _rival_note(results: Cases) -> str:
    """Growth of the best rivals beside that of who gives up no arm, without any c."""
    ratios = []
    for _, each in results.values():
        for budget in each.horizons:
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


def _picture(results: Cases) -> Figure:
    """A row per case, a dot per policy: regret over c log B, and growth over c."""
    last = {
        policy: [
            *zip(*(case.last(policy) for _, case in results.values()), strict=True)
        ]
        for policy in (*POLICIES, BEST)
    }
    panels = {
        r"regret over $c\,\log B$": {policy: x[1] for policy, x in last.items()},
        "growth over $c$": {policy: x[0] for policy, x in last.items()},
    }
    note = "at the largest budget played; at an edge: or beyond"
    return draw_dots([*results], panels, SHOWN, note)
