"""Who waits, beside the least regret of a consistent policy."""

from collections.abc import Iterator, Mapping
from functools import partial
from math import log
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits.protocol import Environment
from jaxbandits.stats import Record, entry, make_record
from jaxbandits_studies.common.dots import draw_dots
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.farewell.constants import of_any_law, of_known_rewards
from jaxbandits_studies.judging import growth
from jaxbandits_studies.judging.board import shipped_cases
from jaxbandits_studies.judging.growth import BEST
from jaxbandits_studies.judging.least import Beside, records
from jaxbandits_studies.judging.protocols import PROTOCOLS

PROTOCOL = PROTOCOLS["farewell"]
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


Cases = Mapping[str, tuple[Constants, Beside]]


def least(options: Options) -> Outcome:
    """c of every judging case, beside regret on the leaderboard and its growth.

    Nothing is played: means are those of the leaderboard that came with the package.

    Args:
      options: only whether to be quick.

    Raises:
      ValueError: if no leaderboard came with the package.
    """
    titles = QUICK if options.quick else tuple(PROTOCOL.judging)
    board, cases = shipped_cases(PROTOCOL, titles, NAME)
    results = {}
    for title, environment in cases.items():
        constants = constants_of(environment)
        cells = growth.cells_of(board, title)
        results[title] = constants, Beside(cells, partial(_c, constants))
    datasets = {
        title: xr.Dataset(constants._asdict())
        for title, (constants, _) in results.items()
    }
    listed = [x for title, each in results.items() for x in _records(title, *each)]
    notes = (*_zero_notes(results), *_policy_notes(results), _reach_note(results))
    return Outcome(datasets, listed, partial(_picture, results), notes)


def constants_of(environment: Environment) -> Constants:
    """Of an environment whose instance is fixed."""
    known, any_law = of_known_rewards(environment), of_any_law(environment)
    time = environment.oracle().mean_time  # type: ignore[misc]
    return Constants(
        known.constant, any_law.constant, float(np.sum(any_law.pulls * time))
    )


def _c(constants: Constants, horizon: int) -> float:
    return constants.any_law


def _records(title: str, constants: Constants, case: Beside) -> Iterator[Record]:
    """The bound's, and one per policy."""
    bound = {"c_known": entry(constants.known), "c_any": entry(constants.any_law)}
    for t in case.horizons:
        bound[f"share_{t}"] = entry(constants.share(t))
    yield make_record(NAME, title, BOUND, bound, seeds=0, horizon=0)
    yield from records(NAME, title, case, (*POLICIES, BEST))


def _zero_notes(results: Cases) -> Iterator[str]:
    """Where c is 0, of either kind, and what hazard TS still loses there."""
    none = [title for title, (each, _) in results.items() if each.any_law == 0]
    known = [title for title, (each, _) in results.items() if each.known == 0]
    yield (
        f"c is 0 in {len(none)} of {len(results)} cases ({', '.join(none)}); if "
        f"rewards are known, in {len(known)} ({', '.join(known)})."
    )
    cases = [results[title][1] for title in none]
    last = [case.growth(POLICY, case.horizons[-1]) for case in cases]
    most = max((x["mean"] for x in last if x), default=0.0)  # type: ignore[type-var]
    yield (
        f"Where c is 0 {POLICY} has grown by at most {most:.2g} per log T since the "
        "horizon before the longest."
    )
    dearer = [
        each.any_law / each.known for each, _ in results.values() if each.known > 0
    ]
    if dearer:
        yield (
            f"c of any law is {np.median(dearer):.2f} times that of known rewards in "
            f"the median of {len(dearer)} cases where this is above 0, and at most "
            f"{max(dearer):.1f} times."
        )


def _policy_notes(results: Cases) -> Iterator[str]:
    """Growth and regret over c, at the longest horizon that each has played."""
    for policy in (*POLICIES, BEST):
        growths, ratios = (
            np.array([x for x in numbers if x is not None])
            for numbers in zip(*_last(results, policy), strict=True)
        )
        if growths.size:
            grown, lost = map(_spread, (growths, ratios))
            yield (
                f"{policy}: growth over c at the longest horizon is {grown}, and below "
                f"1 in {np.sum(growths < 1)}; regret over c log T {lost}."
            )


def _spread(numbers: np.ndarray) -> str:
    """Median, and from where to where."""
    middle, *ends = map(_shown, (np.median(numbers), numbers.min(), numbers.max()))
    return f"{middle} in the median of {numbers.size} cases, from {' to '.join(ends)}"


def _reach_note(results: Cases) -> str:
    """Where the longest horizon is short for what c asks for."""
    shares = {x: each.share(case.horizons[-1]) for x, (each, case) in results.items()}
    far = [f"{x} {share:.2f}" for x, share in shares.items() if share > REACH]
    return (
        f"Cases in which the pulls that c asks for take more than {REACH:g} of the "
        f"time up to the longest horizon: {', '.join(far) or 'none'}."
    )


def _shown(number: float) -> str:
    """Three digits or more."""
    return f"{number:.2f}" if number < 100 else f"{number:,.0f}"


def _last(results: Cases, policy: str) -> list[tuple[float | None, float | None]]:
    """Growth and regret over c of every case, at the longest horizon played."""
    return [case.last(policy) for _, case in results.values()]


def _picture(results: Cases) -> Figure:
    """A row per case with c above 0, a dot per policy."""
    some = {x: each for x, each in results.items() if each[0].any_law > 0}
    last = {x: [*zip(*_last(some, x), strict=True)] for x in (*POLICIES, BEST)}
    panels = {
        r"regret over $c\,\log T$": {policy: x[1] for policy, x in last.items()},
        "growth over $c$": {policy: x[0] for policy, x in last.items()},
    }
    note = "longest horizon; dark line: the bound; at an edge: or beyond"
    return draw_dots([*some], panels, SHOWN, note)
