"""Regret on a leaderboard beside the least regret of a consistent policy.

A bound is c log T (of money, c log B); three studies compute their settings' c.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import log
from typing import NamedTuple

from jaxbandits.stats import Entry, Record, entry, make_record
from jaxbandits_studies.judging import growth
from jaxbandits_studies.judging.scores import Cell, Score


class Beside(NamedTuple):
    """A case's cells on the leaderboard by horizon, and its c.

    Attributes:
      cells: of the case.
      c: regret per log T that a bound asks for at a horizon; 0 where there is no bound.
    """

    cells: Mapping[int, Cell]
    c: Callable[[int], float]

    @property
    def horizons(self) -> list[int]:
        """Ascending."""
        return sorted(self.cells)

    def score(self, policy: str, horizon: int) -> Score | None:
        """A policy's score, or that of the best rival."""
        return growth.score(self.cells, policy, horizon)

    def ratio(self, policy: str, horizon: int) -> float | None:
        """Mean regret over c log T; None where c is 0."""
        score, c = self.score(policy, horizon), self.c(horizon)
        return score.mean / (c * log(horizon)) if score and c > 0 else None

    def growth(self, policy: str, horizon: int) -> Entry | None:
        """Mean regret per unit of log T since the horizon before."""
        return growth.growth(self.cells, policy, horizon)

    def growth_ratio(self, policy: str, horizon: int) -> float | None:
        """Growth over the c of the horizon before."""
        grown, before = self.growth(policy, horizon), growth.before(self.cells, horizon)
        if grown is None or before is None:
            return None
        c = self.c(before)
        return grown["mean"] / c if c > 0 else None  # type: ignore[operator]

    def last(self, policy: str) -> tuple[float | None, float | None]:
        """Growth and regret over c at the longest horizon that a policy has played."""
        played = [t for t in self.horizons if self.score(policy, t) is not None]
        return self.growth_ratio(policy, played[-1]), self.ratio(policy, played[-1])


def records(
    name: str, title: str, case: Beside, policies: Iterable[str]
) -> Iterator[Record]:
    """A record per policy: quotients and growth at every horizon.

    Args:
      name: of the experiment.
      title: of the case.
      case: its cells and its c.
      policies: of the leaderboard.
    """
    for policy in policies:
        metrics = {}
        for t in case.horizons:
            numbers = {
                "ratio": case.ratio(policy, t),
                "growth": case.growth(policy, t),
                "growth_ratio": case.growth_ratio(policy, t),
            }
            for key, value in numbers.items():
                if value is not None:
                    shown = entry(value) if isinstance(value, float) else value
                    metrics[f"{key}_{t}"] = shown
        yield make_record(name, title, policy, metrics, seeds=0, horizon=0)
