"""Regret on a leaderboard beside the least regret of a consistent policy.

A bound is c log T (of money, c log B); three studies compute their settings' c. Nothing
is played: means are those of the leaderboard that came with the package.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import hypot, log
from typing import Any, NamedTuple, Protocol

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import plots
from jaxbandits.protocol import Environment
from jaxbandits.stats import Entry, Record, entry, make_record
from jaxbandits_studies.common.drawing import draw_rows
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.board import Board, shipped_cases
from jaxbandits_studies.judging.protocols import PROTOCOLS
from jaxbandits_studies.judging.scores import Cell, Score

BEST = "best rival"
MARKS = "osD^vP"
ROW = 0.27  # inches
APART = 0.13  # of a row, from one policy's dots to the next one's


class Bound(Protocol):
    """What is computed of a case."""

    def c(self, horizon: int) -> float:
        """Regret per log T that is asked for at a horizon; 0 where there is none."""

    def entries(self, horizons: Sequence[int]) -> dict[str, Entry]:
        """For its record."""

    def dataset(self) -> xr.Dataset:
        """All of it."""


class Case(NamedTuple):
    """A case's bound, and its cells on the leaderboard by horizon."""

    bound: Any
    cells: Mapping[int, Cell]

    @property
    def horizons(self) -> list[int]:
        """Ascending."""
        return sorted(self.cells)

    def before(self, horizon: int) -> int | None:
        """The horizon before."""
        return max((t for t in self.cells if t < horizon), default=None)

    def score(self, policy: str, horizon: int, at: int | None = None) -> Score | None:
        """A policy's score at a horizon.

        For `BEST` that of the cell's best rival; in the cell `at`, if that is given.
        """
        name = self.cells[horizon].best if policy == BEST else policy
        return self.cells[at or horizon].scores.get(name)

    def ratio(self, policy: str, horizon: int) -> float | None:
        """Mean regret over c log T; None where c is 0."""
        score, c = self.score(policy, horizon), self.bound.c(horizon)
        return score.mean / (c * log(horizon)) if score and c > 0 else None

    def growth(self, policy: str, horizon: int) -> Entry | None:
        """Mean regret per unit of log T since the horizon before.

        Its error takes the runs at both for independent.
        """
        earlier = self.before(horizon)
        if earlier is None:
            return None
        new, old = (self.score(policy, horizon, at) for at in (horizon, earlier))
        if not (new and old):
            return None
        apart = log(horizon / earlier)
        return entry((new.mean - old.mean) / apart, hypot(new.error, old.error) / apart)

    def growth_ratio(self, policy: str, horizon: int) -> float | None:
        """Growth over the c of the horizon before."""
        grown, before = self.growth(policy, horizon), self.before(horizon)
        if grown is None or before is None:
            return None
        c = self.bound.c(before)
        return grown["mean"] / c if c > 0 else None  # type: ignore[operator]

    def last(self, policy: str) -> tuple[float | None, float | None]:
        """Growth and regret over c at the longest horizon that a policy has played."""
        played = [t for t in self.horizons if self.score(policy, t) is not None]
        return self.growth_ratio(policy, played[-1]), self.ratio(policy, played[-1])


Cases = Mapping[str, Case]


def study(
    name: str,
    quick: Sequence[str],
    options: Options,
    *,
    bound: Callable[[Environment, Board], Bound],
    records: Callable[[str, Case], Iterable[Record]],
    notes: Callable[[Board, Cases], Iterable[str]],
    draw: Callable[[Cases], Figure],
) -> Outcome:
    """c of every judging case, beside regret on the leaderboard and its growth.

    Args:
      name: of the experiment: that of its setting, and ``-least``.
      quick: the cases of a first look.
      options: only whether to be quick.
      bound: of a case.
      records: of its title and itself.
      notes: on all cases.
      draw: the figure.

    Raises:
      ValueError: if no leaderboard came with the package.
    """
    protocol = PROTOCOLS[name.removesuffix("-least")]
    titles = quick if options.quick else tuple(protocol.judging)
    board, games = shipped_cases(protocol, titles, name)
    cases = {
        title: Case(
            bound(game, board),
            {cell.horizon: cell for cell in board.cells if cell.case == title},
        )
        for title, game in games.items()
    }
    return Outcome(
        {title: case.bound.dataset() for title, case in cases.items()},
        [record for title, case in cases.items() for record in records(title, case)],
        partial(draw, cases),
        tuple(notes(board, cases)),
        root_seed=board.root_seed,
    )


def records_beside(
    name: str, label: str, policies: Iterable[str], title: str, case: Case
) -> Iterator[Record]:
    """The bound's record, by its label, and one per policy: quotients and growth."""
    every = {label: case.bound.entries(case.horizons)}
    for policy in policies:
        every[policy] = {}
        for t in case.horizons:
            numbers = {
                "ratio": case.ratio(policy, t),
                "growth": case.growth(policy, t),
                "growth_ratio": case.growth_ratio(policy, t),
            }
            every[policy] |= {
                f"{key}_{t}": entry(value) if isinstance(value, float) else value
                for key, value in numbers.items()
                if value is not None
            }
    for policy, metrics in every.items():
        yield make_record(name, title, policy, metrics, seeds=0, horizon=0)


def last_of(cases: Cases, policy: str) -> tuple[list[Any], list[Any]]:
    """Growth and regret over c, case by case, as of `Case.last`."""
    growths, ratios = zip(*(case.last(policy) for case in cases.values()), strict=True)
    return [*growths], [*ratios]


def draw_dots(
    cases: Cases,
    policies: Sequence[str],
    bound: str,
    shown: tuple[float, float],
    note: str,
) -> Figure:
    """A row per case and a dot per policy: regret over the bound, and growth over c.

    Args:
      cases: by title.
      policies: whose; the dots of the last one are hollow.
      bound: as the label has it.
      shown: ends of the logarithmic axes; what is beyond is drawn there.
      note: for the legend.
    """
    fig, axes = plots.figure(1, 2)
    # As high as its rows, whether panels stand side by side or not.
    spec = axes[0].get_subplotspec()
    blocks = spec.get_gridspec().nrows if spec else 1
    fig.set_size_inches(fig.get_figwidth(), blocks * (0.7 + ROW * len(cases)))
    last = {policy: last_of(cases, policy) for policy in policies}
    labels = {1: f"regret over {bound}", 0: "growth over $c$"}
    for ax, (which, label) in zip(axes, labels.items(), strict=True):
        for place, policy in enumerate(policies):
            lower = APART * (place - (len(policies) - 1) / 2)
            numbers = enumerate(last[policy][which])
            dots = [(x, row + lower) for row, x in numbers if x is not None]
            ax.plot(
                np.clip([x for x, _ in dots], *shown),
                [row for _, row in dots],
                MARKS[place],
                color=plots.line_style(place).color,
                markersize=5,
                markerfacecolor="none" if place == len(policies) - 1 else None,
                label=policy,
            )
        ax.axvline(1.0, color="0.25", linewidth=1, zorder=1)
        draw_rows(ax, [*cases])
        plots.readable_ticks(ax.xaxis, "log", *shown)
        ax.set_xlabel(label)
    plots.draw_legend(axes, note)
    return fig
