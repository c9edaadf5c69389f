"""Regret on the budgeted leaderboard beside the least of any consistent policy."""

from collections.abc import Mapping
from math import log
from typing import Any, NamedTuple

import jax
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from scipy.special import roots_jacobi

from jaxbandits.experiments.budgeted.table import first_instances
from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.experiments.judging.board import Board, shipped
from jaxbandits.experiments.judging.budgeted import PROTOCOL
from jaxbandits.experiments.judging.scores import Cell, missed
from jaxbandits.laws import Bernoulli, Beta, Discrete
from jaxbandits.plots import draw_legend, figure, line_style, readable_ticks
from jaxbandits.protocol import Environment
from jaxbandits.stats import Record, make_record
from jaxbandits.theory.least_ratio import Atoms, LeastPulls, least_pulls

NAME = "budgeted-least"
BEST = "best rival"
# Whose regret is logarithmic where rewards and costs are independent, as they are here.
CONSISTENT = ("ratio TS", "price TS", "BTS", "KL-UCB-SC+")
POLICIES = ("share-UCB, anytime", *CONSISTENT)
DRAWN = (BEST, *POLICIES[:-1])  # in the figure
SHOWN = 100_000  # the budget of the figure, which all have played
QUICK = ("rare prize", "rare bill", "cheap and slow")  # of one instance each
_NODES = 24  # for a Beta law
_LEAST = 1e-2  # growth that less is drawn as


class Asked(NamedTuple):
    """What a case asks of a policy, one number for every instance.

    Attributes:
      pulls: of independent rewards and costs, and what a pull loses, [..., K].
      together: the same, of all joint laws.
      most: pulls that a budget of 1 pays for in the mean, [..., K].
    """

    pulls: LeastPulls
    together: LeastPulls
    most: np.ndarray

    def regret(self, budget: float, together: bool = False) -> np.ndarray:
        """The least regret c log B, but no more pulls of an arm than there is money."""
        found = self.together if together else self.pulls
        pulls = np.minimum(found.pulls * log(budget), budget * self.most)
        return np.sum(found.gaps * pulls, axis=-1)


class Found(NamedTuple):
    """A case: what it asks, and what is on the board, by budget."""

    asked: Asked
    cells: Mapping[int, Cell]

    def least(self, budget: int) -> float:
        """Mean of what is asked of the instances."""
        return float(self.asked.regret(budget).mean())

    def means(self, name: str, best: str | None = None) -> dict[int, float]:
        """Mean regret of a policy, or of each budget's best rival, by budget."""
        return {
            budget: cell.scores[best or cell.best if name == BEST else name].mean
            for budget, cell in self.cells.items()
            if name == BEST or name in cell.scores
        }

    def times(self, name: str) -> dict[int, float]:
        """Mean regret over what is asked, by budget."""
        return {b: mean / self.least(b) for b, mean in self.means(name).items()}

    def growth(self, name: str) -> dict[int, float]:
        """By what regret grows since the budget before, over what is asked to.

        The best rival is that of the larger budget.
        """
        found = {}
        for before, budget in zip([*self.cells][:-1], [*self.cells][1:], strict=True):
            means = self.means(name, self.cells[budget].best)
            if budget in means:
                asked = self.least(budget) - self.least(before)
                found[budget] = (means[budget] - means[before]) / asked
        return found


def least(options: Options) -> Outcome:
    """What the cases of the leaderboard ask of a consistent policy, and what was lost.

    Nothing is played: means are those of the leaderboard that came with the package,
    and the instances those of its seeds.

    Args:
      options: only whether to be quick.

    Raises:
      ValueError: if no leaderboard came with the package.
    """
    board = shipped(PROTOCOL.setting)
    if board is None:
        raise ValueError(f"{NAME} needs the leaderboard, which is not in the package")
    titles = QUICK if options.quick else tuple(PROTOCOL.judging)
    found = {}
    for title in titles:
        environment = PROTOCOL.judging[title].environment()
        if environment is not None:  # its data are there
            asked = asked_of(environment, board)
            found[title] = Found(asked, _cells(board, title))
    datasets = {title: _dataset(each) for title, each in found.items()}
    records = [
        record
        for title, each in found.items()
        for record in _records(title, each, board.seeds)
    ]
    return Outcome(datasets, records, _picture(found), _notes(found))


def asked_of(environment: Environment, board: Board) -> Asked:
    """What the instances of a board's seeds ask."""
    instance = first_instances(environment, board.seeds, board.root_seed)
    instance = jax.tree.map(np.asarray, instance)
    oracle = environment.oracle(instance)
    law, exists = instance.arms.law, ~np.isnan(oracle.gaps)
    rewards, costs = (_atoms(x, exists) for x in (law.reward, law.consumption))
    apart, together = (
        LeastPulls(*(np.where(exists, x, 0.0) for x in least_pulls(rewards, costs, t)))
        for t in (False, True)
    )
    unit = np.asarray(instance.unit, float)[:, None]
    most = np.where(exists, unit / np.where(exists, oracle.mean_cost, 1.0), 0.0)
    return Asked(apart, together, most)


def _atoms(law: Any, exists: np.ndarray) -> Atoms:
    """Laws in float64; of arms that do not exist, the first arm's."""
    law = jax.tree.map(lambda x: np.asarray(x, np.float64), law)
    if isinstance(law, Beta):
        values, chances = _of_beta(law.a, law.b)
    elif isinstance(law, Discrete):
        values, chances = law.values, law.probabilities
    elif isinstance(law, Bernoulli):
        p = law.probability
        values = np.broadcast_to([0.0, 1.0], (*p.shape, 2))
        chances = np.stack([1 - p, p], axis=-1)
    else:
        raise TypeError(f"law: no atoms are known of a {type(law).__name__}")
    chances = chances / chances.sum(axis=-1, keepdims=True)
    return Atoms(
        *(np.where(exists[..., None], x, x[..., :1, :]) for x in (values, chances))
    )


def _of_beta(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss, which integrate polynomials of degree 47 exactly."""
    rule = np.vectorize(
        lambda a, b: roots_jacobi(_NODES, b - 1, a - 1), signature="(),()->(n),(n)"
    )
    # SciPy divides by a + b - 1, though not for what it gives.
    with np.errstate(invalid="ignore", divide="ignore"):
        nodes, weights = rule(a, b)
    return np.clip((nodes + 1) / 2, 0.0, 1.0), weights


def _cells(board: Board, title: str) -> dict[int, Cell]:
    return {cell.horizon: cell for cell in board.cells if cell.case == title}


def _dataset(found: Found) -> xr.Dataset:
    """c of every instance, and what is asked by budget."""
    asked, budgets = found.asked, [*found.cells]
    regrets = [[asked.regret(b, t) for b in budgets] for t in (False, True)]
    return xr.Dataset(
        {
            "c": (("laws", "seed"), [x.constants() for x in asked[:2]]),
            "asked": (("laws", "budget", "seed"), regrets),
        },
        {"laws": ["independent", "joint"], "budget": budgets},
    )


def _records(title: str, found: Found, seeds: int) -> list[Record]:
    """By budget what is asked, and of every policy its regret and growth over it."""
    budgets = [*found.cells]
    metrics = {f"asked_{budget}": found.least(budget) for budget in budgets}
    for budget in budgets:
        joint = float(found.asked.regret(budget, together=True).mean())
        metrics[f"times_joint_{budget}"] = joint / found.least(budget)
    of = {"least": metrics}
    for name in (BEST, *POLICIES):
        times, growth = found.times(name), found.growth(name)
        of[name] = {f"times_{budget}": x for budget, x in times.items()}
        of[name] |= {f"growth_{budget}": x for budget, x in growth.items()}
    return [
        make_record(NAME, title, name, metrics, seeds=seeds, horizon=max(budgets))
        for name, metrics in of.items()
    ]


def _picture(found: Mapping[str, Found]) -> Figure:
    """A row per case: regret over what is asked, and growth over growth."""
    titles = [*found]
    fig, axes = figure(1, 2)
    fig.set_figheight(1.4 + fig.get_figheight() * 0.1 * max(len(titles), 5))
    before = [b for b in found[titles[0]].cells if b < SHOWN][-1]
    labels = "regret over what is asked", f"growth since B = {before:,}"
    for ax, label, of in zip(axes, labels, (Found.times, Found.growth), strict=True):
        ends = [1.0]
        for place, name in enumerate(DRAWN):
            values = [max(of(each, name)[SHOWN], _LEAST) for each in found.values()]
            rows = np.arange(len(titles)) + 0.15 * (place - 2)
            color = line_style(place).color
            ax.plot(values, rows, "osD^v"[place], ms=5, color=color, label=name)
            ends += values
        ax.axvline(1.0, color="0.25", lw=1.2, zorder=1)
        for row in range(len(titles) - 1):
            ax.axhline(row + 0.5, color="0.85", lw=0.8, zorder=0)
        ax.grid(False, axis="y")
        ax.set_yticks(range(len(titles)), titles if ax is axes[0] else [])
        ax.set_ylim(len(titles) - 0.5, -0.5)
        low, high = min(ends) / 1.3, max(ends) * 1.3
        readable_ticks(ax.xaxis, "log", low, high)
        ax.set_xlim(low, high)
        ax.set_xlabel(label)
    note = f"B = {SHOWN:,}; less than {_LEAST:g} is drawn there"
    draw_legend(axes, note, order=list(DRAWN))
    return fig


def _over_consistent(found: Found) -> list[float]:
    """The best rival's growth over the least of the consistent ones, by budget."""
    others = [found.growth(name) for name in CONSISTENT]
    return [
        growth / min(other[budget] for other in others if budget in other)
        for budget, growth in found.growth(BEST).items()
    ]


def _notes(found: Mapping[str, Found]) -> tuple[str, ...]:
    """How often regret grows by less than is asked, and where the goal is missed."""
    candidate, notes = POLICIES[0], []
    for name in (BEST, *POLICIES):
        growths = [x for each in found.values() for x in each.growth(name).values()]
        notes.append(
            f"{name}: grows by less than is asked in {sum(x < 1 for x in growths)} of "
            f"{len(growths)} pairs of a case and a budget of 10,000 or more, by "
            f"{np.median(growths):.2f} times it in the median."
        )
    over = [x for each in found.values() for x in _over_consistent(each)]
    notes.append(
        f"{BEST}: grows by less than any of {', '.join(CONSISTENT)} in "
        f"{sum(x < 1 for x in over)} of {len(over)} pairs, by {np.median(over):.2f} "
        "times what the least of them does in the median."
    )
    short, slower = 0, 0
    for each in found.values():
        growth = each.growth(BEST)
        cells = [x for x in each.cells.values() if x.horizon in growth]
        for cell in missed(cells, candidate, PROTOCOL.goal):
            short += 1
            slower += growth[cell.horizon] < 1
    notes.append(
        f"Where {candidate} misses its goal, {short} such pairs, the best rival grows "
        f"by less than is asked in {slower}."
    )
    return tuple(notes)
