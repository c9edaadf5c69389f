"""Cell Thompson sampling beside the least regret of a consistent policy."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits.plots import draw_legend, figure, line_style, readable_ticks
from jaxbandits.protocol import Environment
from jaxbandits.stats import Entry, Record, entry, make_record
from jaxbandits_studies.censored.constants import of_any_law, of_known_gains
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging import growth
from jaxbandits_studies.judging.board import shipped_cases
from jaxbandits_studies.judging.least import Beside
from jaxbandits_studies.judging.protocols import PROTOCOLS

PROTOCOL = PROTOCOLS["censored"]
NAME = "censored-least"
POLICY = "cell TS"
WITHIN = 2.0  # times c log T, what issue and page ask for
QUICK = ("F.3, n = 5", "trap")  # 50 limits take minutes


class Constants(NamedTuple):
    """c, regret per log T, where cells' mean gains are known, and where nothing is."""

    known: float
    any_law: float


class Case(NamedTuple):
    """A case's constants, and its cells on the leaderboard."""

    constants: Constants
    beside: Beside

    def ratios(self) -> dict[int, float]:
        """Mean regret over c log T by horizon, c of any law; none where it is 0."""
        ratios = {t: self.beside.ratio(POLICY, t) for t in self.beside.cells}
        return {t: ratio for t, ratio in ratios.items() if ratio is not None}

    def slope(self) -> Entry:
        """Mean regret per unit of log T, between the last two horizons."""
        results = self.beside.growth(POLICY, self.beside.horizons[-1])
        assert results is not None  # Boards have several horizons of a case.
        return results


def least(options: Options) -> Outcome:
    """c of Graves & Lai for every judging case, beside the regret on the board.

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
        constants, cells = constants_of(environment), growth.cells_of(board, title)
        results[title] = Case(constants, Beside(cells, partial(_c, constants)))
    datasets = {
        title: xr.Dataset(each.constants._asdict()) for title, each in results.items()
    }
    records = [_record(title, each) for title, each in results.items()]
    return Outcome(datasets, records, partial(_picture, results), _notes(results))


def constants_of(environment: Environment) -> Constants:
    """Of an environment on a grid."""
    bounds = (of_known_gains(environment), of_any_law(environment))
    return Constants(*(each.constant for each in bounds))


def _c(constants: Constants, horizon: int) -> float:
    return constants.any_law


def _record(title: str, results: Case) -> Record:
    """Both c, and at every horizon the regret and its quotient by c log T."""
    known, any_law = map(entry, results.constants)
    metrics = {"c_known": known, "c_any": any_law, "per_log": results.slope()}
    ratios = results.ratios()
    for horizon in results.beside.cells:
        score = results.beside.score(POLICY, horizon)
        assert score is not None
        metrics[f"regret_{horizon}"] = entry(score.mean, score.error)
        if horizon in ratios:
            share = ratios[horizon] / score.mean
            metrics[f"ratio_{horizon}"] = entry(ratios[horizon], share * score.error)
    return make_record(NAME, title, POLICY, metrics, seeds=0, horizon=0)


def _picture(results: Mapping[str, Case]) -> Figure:
    """The quotients against the horizon, and growth per log T against c."""
    fig, (over, beside) = figure(1, 2)
    some = {x: each for x, each in results.items() if each.constants.any_law > 0}
    for place, (title, each) in enumerate(some.items()):
        style = line_style(place)._asdict()
        ratios = each.ratios()
        over.plot([*ratios], [*ratios.values()], label=title, **style)
        c = each.constants.any_law
        grown = max(each.slope()["mean"], 1e-2)
        beside.plot(c, grown, "o", color=style["color"])
    values = [x for each in some.values() for x in each.ratios().values()]
    constants = [each.constants.any_law for each in some.values()]
    ends = [t for each in some.values() for t in each.beside.cells]
    over.axhline(WITHIN, color="0.25", linestyle="dotted", linewidth=1)
    readable_ticks(over.xaxis, "log", min(ends), max(ends))
    readable_ticks(over.yaxis, "log", min(*values, WITHIN), max(*values, WITHIN))
    over.set(xlabel="round $T$", ylabel=r"regret over $c \log T$")
    low, high = min(constants) / 2, max(constants) * 2
    beside.plot([low, high], [low, high], color="0.5", linewidth=1)
    beside.plot(
        [low, high],
        [WITHIN * low, WITHIN * high],
        color="0.25",
        linestyle="dotted",
        linewidth=1,
    )
    for axis in (beside.xaxis, beside.yaxis):
        readable_ticks(axis, "log", low, high)
    beside.set(xlabel="$c$", ylabel=r"growth per $\log T$")
    draw_legend((over, beside), f"{POLICY}; dotted: {WITHIN:g} times as much")
    return fig


def _notes(results: Mapping[str, Case]) -> tuple[str, ...]:
    """In how many cases the goal is met, and where not."""
    some = {title: each.ratios() for title, each in results.items() if each.ratios()}
    horizons = sorted({t for ratios in some.values() for t in ratios})
    notes = []
    for t in horizons:
        at = {title: ratios[t] for title, ratios in some.items() if t in ratios}
        beyond = {title: ratio for title, ratio in at.items() if ratio > WITHIN}
        text = ", ".join(f"{title} {ratio:.3g}" for title, ratio in beyond.items())
        notes.append(
            f"T = {t:,}: at most {WITHIN:g} c log T in {len(at) - len(beyond)} of "
            f"{len(at)} cases{f'; more in {text}' if text else ''}."
        )
    growths = [
        results[title].slope()["mean"] / results[title].constants.any_law
        for title in some
    ]
    middle, low, high = np.median(growths), min(growths), max(growths)
    notes.append(
        f"Growth over c, between a case's last two horizons, is {middle:.2f} in the "
        f"median, from {low:.2g} to {high:.3g}."
    )
    none = [title for title, each in results.items() if each.constants.any_law == 0]
    if none:
        notes.append(f"c is 0, and any regret is infinitely more: {', '.join(none)}.")
    return tuple(notes)
