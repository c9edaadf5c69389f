"""Cell Thompson sampling beside the least regret of a consistent policy."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import plots
from jaxbandits.protocol import Environment
from jaxbandits.stats import Record, entry, make_record
from jaxbandits_studies.censored.constants import of_any_law, of_known_gains
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.board import Board
from jaxbandits_studies.judging.least import Case, Cases, study

NAME = "censored-least"
POLICY = "cell TS"
WITHIN = 2.0  # times c log T, what issue and page ask for
QUICK = ("F.3, n = 5", "trap")  # 50 limits take minutes


class Constants(NamedTuple):
    """c, regret per log T, where cells' mean gains are known, and where nothing is."""

    known: float
    any_law: float

    def c(self, horizon: int) -> float:
        return self.any_law

    def entries(self, horizons: Any = ()) -> dict[str, Any]:
        return {"c_known": entry(self.known), "c_any": entry(self.any_law)}

    def dataset(self) -> xr.Dataset:
        return xr.Dataset(self._asdict())


def least(options: Options) -> Outcome:
    """See `study`: c of Graves & Lai."""
    return study(
        NAME,
        QUICK,
        options,
        bound=lambda environment, board: constants_of(environment),
        records=_records,
        notes=_notes,
        draw=_picture,
    )


def constants_of(environment: Environment) -> Constants:
    """Of an environment on a grid."""
    bounds = (of_known_gains(environment), of_any_law(environment))
    return Constants(*(each.constant for each in bounds))


def _ratios(case: Case) -> dict[int, float]:
    """Mean regret over c log T by horizon, c of any law; none where it is 0."""
    ratios = {t: case.ratio(POLICY, t) for t in case.cells}
    return {t: ratio for t, ratio in ratios.items() if ratio is not None}


def _slope(case: Case) -> Any:
    """Mean regret per unit of log T, between the last two horizons."""
    return case.growth(POLICY, case.horizons[-1])


def _records(title: str, case: Case) -> Iterator[Record]:
    """Both c, and at every horizon the regret and its quotient by c log T."""
    metrics = case.bound.entries() | {"per_log": _slope(case)}
    ratios = _ratios(case)
    for horizon in case.cells:
        score = case.score(POLICY, horizon)
        assert score is not None
        metrics[f"regret_{horizon}"] = entry(score.mean, score.error)
        if horizon in ratios:
            share = ratios[horizon] / score.mean
            metrics[f"ratio_{horizon}"] = entry(ratios[horizon], share * score.error)
    yield make_record(NAME, title, POLICY, metrics, seeds=0, horizon=0)


def _picture(cases: Cases) -> Figure:
    """The quotients against the horizon, and growth per log T against c."""
    fig, (over, beside) = plots.figure(1, 2)
    some = {title: case for title, case in cases.items() if case.bound.any_law > 0}
    values, constants, ends = [WITHIN], [], []
    for place, (title, case) in enumerate(some.items()):
        style = plots.line_style(place)._asdict()
        ratios, c = _ratios(case), case.bound.any_law
        over.plot([*ratios], [*ratios.values()], label=title, **style)
        grown = max(_slope(case)["mean"], 1e-2)
        beside.plot(c, grown, "o", color=style["color"])
        values += ratios.values()
        constants.append(c)
        ends += case.cells
    dots = {"color": "0.25", "linestyle": "dotted", "linewidth": 1}
    over.axhline(WITHIN, **dots)
    plots.readable_ticks(over.xaxis, "log", min(ends), max(ends))
    plots.readable_ticks(over.yaxis, "log", min(values), max(values))
    over.set(xlabel="round $T$", ylabel=r"regret over $c \log T$")
    low, high = min(constants) / 2, max(constants) * 2
    beside.plot([low, high], [low, high], color="0.5", linewidth=1)
    beside.plot([low, high], [WITHIN * low, WITHIN * high], **dots)
    for axis in (beside.xaxis, beside.yaxis):
        plots.readable_ticks(axis, "log", low, high)
    beside.set(xlabel="$c$", ylabel=r"growth per $\log T$")
    plots.draw_legend((over, beside), f"{POLICY}; dotted: {WITHIN:g} times as much")
    return fig


def _notes(board: Board, cases: Cases) -> Iterator[str]:
    """In how many cases the goal is met, and where not."""
    some = {title: each for title, case in cases.items() if (each := _ratios(case))}
    for t in sorted({t for ratios in some.values() for t in ratios}):
        at = {title: ratios[t] for title, ratios in some.items() if t in ratios}
        beyond = {title: ratio for title, ratio in at.items() if ratio > WITHIN}
        text = ", ".join(f"{title} {ratio:.3g}" for title, ratio in beyond.items())
        yield (
            f"T = {t:,}: at most {WITHIN:g} c log T in {len(at) - len(beyond)} of "
            f"{len(at)} cases{f'; more in {text}' if text else ''}."
        )
    growths = [_slope(cases[x])["mean"] / cases[x].bound.any_law for x in some]
    middle, low, high = np.median(growths), min(growths), max(growths)
    yield (
        f"Growth over c, between a case's last two horizons, is {middle:.2f} in the "
        f"median, from {low:.2g} to {high:.3g}."
    )
    none = [title for title, case in cases.items() if case.bound.any_law == 0]
    if none:
        yield f"c is 0, and any regret is infinitely more: {', '.join(none)}."
