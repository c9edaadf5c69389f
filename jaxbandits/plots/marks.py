"""Marks in a grid of parameter points: the best point, and points that may be best."""

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from jaxbandits import checks
from jaxbandits.plots._style import setting
from jaxbandits.plots.samples import (
    Samples,
    best_point,
    enough_seeds,
    may_be_best,
)

# Not played: as pale as nothing in the colour map, and hatched.
MISSING: dict[str, Any] = {
    "facecolor": "0.93",
    "edgecolor": "0.7",
    "hatch": "////",
    "linewidth": 0,
}
# White with a black edge shows on every colour. Sizes are those of `lines.markersize`.
_MARK = {"markerfacecolor": "white", "markeredgecolor": "black", "linestyle": "none"}
_BEST: dict[str, Any] = _MARK | {"marker": "*"}
_CLOSE: dict[str, Any] = _MARK | {"marker": "o"}
_BEST_SIZE, _CLOSE_SIZE = 2.1, 0.9


class Best(NamedTuple):
    """Which mean is the best, and the confidence level of the marks.

    Attributes:
      smaller_is_better: as for a regret.
      level: probability in (0, 1) that the marks hold the best point.
    """

    smaller_is_better: bool = True
    level: float = 0.95


def check_best(best: Best | None) -> None:
    """Raise a TypeError or ValueError naming `best` if it is none.

    A level that is none is named too.
    """
    if best is None:
        return
    if not isinstance(best, Best):
        raise TypeError(f"best must be a plots.Best or None, got {checks.shown(best)}")
    checks.flag("best.smaller_is_better", best.smaller_is_better)
    level = checks.number("best.level", best.level)
    if not 0 < level < 1:
        raise ValueError(f"best.level must be in (0, 1), got {level:g}")


def draw_best(
    ax: Axes, cells: np.ndarray, runs: Samples, how: Best, *, shift: tuple[float, float]
) -> None:
    """Draw a star at the best point and dots at those that may be the best.

    They are labelled, for a legend. `cells` int[Y, X] has the number of the point in
    every cell; `shift` is where a mark lies in it, right and up from the middle.
    """

    def draw(points: Any, label: str, look: dict[str, Any], size: float) -> None:
        rows, columns = np.nonzero(np.isin(cells, points))
        look = look | {
            "label": label,
            "markersize": size * setting("lines.markersize"),
            "markeredgewidth": setting("lines.linewidth") / 2,
        }
        ax.plot(columns + shift[0], rows + shift[1], **look)

    best = best_point(runs, how.smaller_is_better)
    if best is None:
        return
    means = int((runs.counts > 0).sum())
    label = f"{'lowest' if how.smaller_is_better else 'highest'} of {means} means"
    least = enough_seeds(runs)
    if ((runs.counts > 0) & (runs.counts < least)).any():
        label += f" of {least:,} seeds or more"
    draw([best], label, _BEST, _BEST_SIZE)
    if runs.counts.max() > 1:  # One seed can tell nothing apart.
        candidates = np.flatnonzero(
            may_be_best(runs, best, how.level, how.smaller_is_better)
        )
        if candidates.size:
            label = f"may be the best ({100 * how.level:g} %)"
            draw(candidates, label, _CLOSE, _CLOSE_SIZE)


def missing_key() -> Patch:
    """The legend entry that explains hatched cells."""
    return Rectangle((0, 0), 0, 0, **MISSING, label="no complete run")
