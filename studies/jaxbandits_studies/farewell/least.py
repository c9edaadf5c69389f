"""Who waits, beside the least regret of a consistent policy."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import log
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits.protocol import Environment
from jaxbandits.stats import Entry, entry
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.farewell.constants import of_any_law, of_known_rewards
from jaxbandits_studies.judging.board import Board
from jaxbandits_studies.judging.least import (
    BEST,
    Cases,
    draw_dots,
    last_of,
    records_beside,
    study,
)

NAME = "farewell-least"
BOUND = "c log T"
POLICY = "hazard TS"
# Hazard TS, and three more that come back to every pair.
POLICIES = (POLICY, "BTS", "UCB-SC+", "Wait-UCB")
QUICK = ("Figure 1b", "Figure 2c", "second-price auction")
SHOWN = (0.1, 1_000.0)  # quotients beyond are drawn there
REACH = 0.1  # of the time


class Constants(NamedTuple):
    """What is computed of a case.

    Attributes:
      known: c, regret per log T, if rewards are known.
      any_law: c if nothing is.
      hours: time per log T of the pulls that c asks for, if nothing is known.
    """

    known: float
    any_law: float
    hours: float

    def share(self, horizon: int) -> float:
        """Of the time that these pulls take up to a horizon."""
        return self.hours * log(horizon) / horizon

    def c(self, horizon: int) -> float:
        return self.any_law

    def entries(self, horizons: Sequence[int]) -> dict[str, Entry]:
        shares = {f"share_{t}": entry(self.share(t)) for t in horizons}
        return {"c_known": entry(self.known), "c_any": entry(self.any_law)} | shares

    def dataset(self) -> xr.Dataset:
        return xr.Dataset(self._asdict())


def least(options: Options) -> Outcome:
    """See `study`."""
    return study(
        NAME,
        QUICK,
        options,
        bound=lambda environment, board: constants_of(environment),
        records=partial(records_beside, NAME, BOUND, (*POLICIES, BEST)),
        notes=_notes,
        draw=_draw,
    )


def constants_of(environment: Environment) -> Constants:
    """Of an environment whose instance is fixed."""
    known, any_law = of_known_rewards(environment), of_any_law(environment)
    time = environment.oracle().mean_time  # type: ignore[misc]
    return Constants(
        known.constant, any_law.constant, float(np.sum(any_law.pulls * time))
    )


def _notes(board: Board, cases: Cases) -> Iterator[str]:
    """Where c is 0, of either kind, and what hazard TS still loses there.

    Then growth and regret over c at the longest horizon that each policy has played,
    and where that is short for what c asks for.
    """
    bounds = {title: case.bound for title, case in cases.items()}
    none = [title for title, each in bounds.items() if each.any_law == 0]
    known = [title for title, each in bounds.items() if each.known == 0]
    yield (
        f"c is 0 in {len(none)} of {len(cases)} cases ({', '.join(none)}); if "
        f"rewards are known, in {len(known)} ({', '.join(known)})."
    )
    free = [cases[title] for title in none]
    last = [case.growth(POLICY, case.horizons[-1]) for case in free]
    most = max((x["mean"] for x in last if x), default=0.0)  # type: ignore[type-var]
    yield (
        f"Where c is 0 {POLICY} has grown by at most {most:.2g} per log T since the "
        "horizon before the longest."
    )
    dearer = [each.any_law / each.known for each in bounds.values() if each.known > 0]
    if dearer:
        yield (
            f"c of any law is {np.median(dearer):.2f} times that of known rewards in "
            f"the median of {len(dearer)} cases where this is above 0, and at most "
            f"{max(dearer):.1f} times."
        )
    for policy in (*POLICIES, BEST):
        growths, ratios = (
            np.array([x for x in numbers if x is not None])
            for numbers in last_of(cases, policy)
        )
        if growths.size:
            yield (
                f"{policy}: growth over c at the longest horizon is {_spread(growths)}"
                f", and below 1 in {np.sum(growths < 1)}; regret over c log T "
                f"{_spread(ratios)}."
            )
    shares = {x: case.bound.share(case.horizons[-1]) for x, case in cases.items()}
    far = [f"{x} {share:.2f}" for x, share in shares.items() if share > REACH]
    yield (
        f"Cases in which the pulls that c asks for take more than {REACH:g} of the "
        f"time up to the longest horizon: {', '.join(far) or 'none'}."
    )


def _spread(numbers: np.ndarray) -> str:
    """Median, and from where to where."""
    middle, *ends = map(_shown, (np.median(numbers), numbers.min(), numbers.max()))
    return f"{middle} in the median of {numbers.size} cases, from {' to '.join(ends)}"


def _shown(number: float) -> str:
    """Three digits or more."""
    return f"{number:.2f}" if number < 100 else f"{number:,.0f}"


def _draw(cases: Cases) -> Figure:
    """The cases with c above 0."""
    some = {title: case for title, case in cases.items() if case.bound.any_law > 0}
    note = "longest horizon; dark line: the bound; at an edge: or beyond"
    return draw_dots(some, (*POLICIES, BEST), r"$c\,\log T$", SHOWN, note)
