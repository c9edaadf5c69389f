"""What runs say of the entrants of a case at a horizon, and over all of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from jaxbandits_studies.judging.playing import METRIC
from jaxbandits_studies.judging.protocol import Entrant, Goal

ONE_REWARD = 1.0  # regrets below it count as equal: they are less than a reward
HIGH = 0.95  # quantile


class Score(NamedTuple):
    """Regret of an entrant in a cell.

    Attributes:
      mean, error: over seeds, and its standard error.
      median, high, worst: of the runs; `high` is the 95 % quantile.
      minus, minus_error: mean difference to the best rival on the same seeds.
    """

    mean: float
    error: float
    median: float
    high: float
    worst: float
    minus: float
    minus_error: float


class Cell(NamedTuple):
    """A case at a horizon.

    Attributes:
      case: title.
      horizon: rounds or budget.
      best: the rival with the smallest mean.
      best_high: the rivals' smallest 95 % quantile.
      scores: by entrant.
    """

    case: str
    horizon: int
    best: str
    best_high: float
    scores: Mapping[str, Score]

    def ratio(self, name: str) -> float:
        """Mean regret over that of the best rival, both at least a reward."""
        return self.times(name, self.best)

    def times(self, name: str, other: str) -> float:
        """Mean regret over another's, both at least a reward."""
        return _over(self.scores[name].mean, self.scores[other].mean)

    def high_ratio(self, name: str) -> float:
        """95 % quantile over the smallest of the rivals, both at least a reward."""
        return _over(self.scores[name].high, self.best_high)


class Standing(NamedTuple):
    """An entrant over all cells that it has played, beside the best of some others.

    Attributes:
      name: of the entrant.
      cells: how many.
      held: in how many of them it is within a factor of the best mean and of the
        smallest 95 % quantile.
      below: in how many of them its mean is smaller than that of the best, or equal.
      median, worst: of its ratios of means, both at least a reward.
      worst_high: the largest of its ratios of quantiles.
    """

    name: str
    cells: int
    held: int
    below: int
    median: float
    worst: float
    worst_high: float

    @classmethod
    def of(
        cls, name: str, ratios: Sequence[tuple[float, float]], within: float
    ) -> "Standing":
        """Of its ratios of means and of quantiles, cell by cell."""
        means, highs = zip(*ratios, strict=True)
        held = sum(max(pair) <= within for pair in ratios)
        below = sum(mean <= 1 for mean in means)
        middle = float(np.median(means))
        return cls(name, len(ratios), held, below, middle, max(means), max(highs))

    @property
    def share(self) -> float:
        """Of the cells in which the factor holds."""
        return self.held / self.cells


def beside(
    cells: Iterable[Cell], name: str, others: Sequence[str], within: float = 1.0
) -> Standing:
    """An entrant beside that of the others which is best in the cell.

    Args:
      cells: of a board.
      name: of the entrant.
      others: to whom it is compared; the best mean and the smallest 95 % quantile may
        be of two of them.
      within: the factor of `Standing.held`.
    """
    pairs = []
    for cell in cells:
        if name in cell.scores:
            those = [cell.scores[other] for other in others if other in cell.scores]
            mean = max(_over(cell.scores[name].mean, score.mean) for score in those)
            high = max(_over(cell.scores[name].high, score.high) for score in those)
            pairs.append((mean, high))
    return Standing.of(name, pairs, within)


def _over(value: float, best: float) -> float:
    return max(value, ONE_REWARD) / max(best, ONE_REWARD)


def cell_of(
    case: str, horizon: int, dataset: xr.Dataset, entrants: Mapping[str, Entrant]
) -> Cell:
    """The scores of a case at a horizon, of `play_case`'s dataset."""
    runs = dataset[METRIC].isel(params=0, checkpoint=-1).transpose("policy", "seed")
    by_name = dict(zip(runs["policy"].values.tolist(), runs.values, strict=True))
    rivals = [name for name in by_name if entrants[name].rival]
    best = min(rivals, key=lambda name: by_name[name].mean())
    scores = {name: _score(each, by_name[best]) for name, each in by_name.items()}
    best_high = min(scores[name].high for name in rivals)
    return Cell(case, horizon, best, best_high, scores)


def _score(runs: np.ndarray, best: np.ndarray) -> Score:
    root = np.sqrt(len(runs))
    apart = runs - best
    ddof = min(1, len(runs) - 1)
    numbers = (
        runs.mean(),
        runs.std(ddof=ddof) / root,
        np.median(runs),
        np.quantile(runs, HIGH),
        runs.max(),
        apart.mean(),
        apart.std(ddof=ddof) / root,
    )
    return Score(*map(float, numbers))


def standings(cells: Iterable[Cell], within: float) -> list[Standing]:
    """All entrants beside the best rivals; those first that are near it most often."""
    ratios: dict[str, list[tuple[float, float]]] = {}
    for cell in cells:
        for name in cell.scores:
            pair = cell.ratio(name), cell.high_ratio(name)
            ratios.setdefault(name, []).append(pair)
    results = [Standing.of(name, pairs, within) for name, pairs in ratios.items()]
    return sorted(results, key=lambda s: (-s.share, s.median))


def missed(cells: Iterable[Cell], name: str, goal: Goal) -> list[Cell]:
    """The cells in which an entrant is farther off than the goal's factor."""
    return [
        cell
        for cell in cells
        if name in cell.scores
        and max(cell.ratio(name), cell.high_ratio(name)) > goal.within
    ]
