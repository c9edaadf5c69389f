"""What a policy loses if one of its parameters is chosen otherwise: on the tuning set.

No case of a leaderboard is played here, so that whoever chooses by these curves has not
looked at what is judged.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jaxbandits.checks.points import zipped
from jaxbandits.plots import (
    draw_legend,
    figure,
    line_style,
    readable_ticks,
    share_names,
)
from jaxbandits.plots.labels import parameter_label
from jaxbandits.plots.words import symbols
from jaxbandits.protocol import Policy
from jaxbandits.stats import Record, entry, final, summary_records
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.common.playing import end_of, play
from jaxbandits_studies.judging.protocol import TUNING_SEED, Protocol
from jaxbandits_studies.judging.scores import ONE_REWARD

QUICK_CASES = 2
METRIC = "regret"
DRAWN = {"mean regret": "mean", "worst run": "max"}  # of a row -> over seeds


class Subject(NamedTuple):
    """A policy of which parameters were chosen.

    Attributes:
      factory: makes it from what the learner knows.
      values: by parameter, what is tried in its place while the others stay at their
        defaults; the default is among them.
    """

    factory: Callable[[Any], Policy]
    values: Mapping[str, Sequence[float]]


class Point(NamedTuple):
    """Parameters of a subject: its defaults, but for one of them (or for none).

    Attributes:
      changed: name of that parameter; empty at the defaults.
      params: all that are varied.
    """

    changed: str
    params: Mapping[str, float]


def choices(
    name: str, protocol: Protocol, subjects: Mapping[str, Subject], options: Options
) -> Outcome:
    """Mean regret and worst run of every subject, one parameter varied at a time.

    Args:
      name: of the experiment.
      protocol: of the setting, with its tuning set.
      subjects: by the name that results show.
      options: seeds and horizon (or budget).
    """
    cases = protocol.tuning
    if options.quick:
        cases = {title: cases[title] for title in [*cases][:QUICK_CASES]}
    datasets, records, points = {}, [], {}
    for title, case in cases.items():
        environment = case.environment()
        policies = {
            label: subject.factory(environment.problem)
            for label, subject in subjects.items()
        }
        points = {
            label: points_of(policies[label], subject.values)
            for label, subject in subjects.items()
        }
        dataset = play(
            {
                label: policies[label].over(zipped(columns(each)))
                for label, each in points.items()
            },
            environment,
            options,
            checkpoints=[options.horizon],
            root_seed=TUNING_SEED,
            **end_of(environment, options.horizon),
        )
        datasets[title] = dataset
        records += _records(name, title, dataset, points)
    shown = (datasets, subjects, points, options, protocol.by_budget)
    return Outcome(datasets, records, partial(_picture, *shown), root_seed=TUNING_SEED)


def points_of(policy: Policy, values: Mapping[str, Sequence[float]]) -> list[Point]:
    """The defaults, then parameter by parameter the values that differ from its own."""
    default = {name: float(getattr(policy.params, name)) for name in values}
    others = [
        Point(name, default | {name: float(value)})
        for name, listed in values.items()
        for value in listed
        if value != default[name]
    ]
    return [Point("", default), *others]


def columns(points: Sequence[Point]) -> dict[str, list[float]]:
    """The values of every parameter, point by point."""
    names = points[0].params
    return {name: [point.params[name] for point in points] for name in names}


def _records(
    name: str, title: str, dataset: xr.Dataset, points: Mapping[str, list[Point]]
) -> list[Record]:
    """A record per subject and point, with the worst run; named by what differs."""
    result = summary_records(dataset, name, environment=title, metrics=[METRIC])
    places = [
        (label, i, point)
        for label, each in points.items()
        for i, point in enumerate(each)
    ]
    at_end = final(dataset, METRIC)
    for record, (label, i, point) in zip(result, places, strict=True):
        worst = at_end.sel(policy=label).isel(params=i).max().item()
        record["metrics"][f"{METRIC}_worst"] = entry(worst)
        if point.changed:
            value = point.params[point.changed]
            record["policy"] = f"{label}, {point.changed} = {value:g}"
    return result


def _picture(
    datasets: Mapping[str, xr.Dataset],
    subjects: Mapping[str, Subject],
    points: Mapping[str, list[Point]],
    options: Options,
    by_budget: bool,
) -> Figure:
    """Rows of panels: the mean and the worst run of a subject; a column a parameter.

    With one parameter alone the worst run stands beside the mean.
    """
    across = max(len(subject.values) for subject in subjects.values())
    shape = (1, len(DRAWN)) if across == 1 else (len(DRAWN), across)
    fig, axes = figure(len(subjects) * shape[0], shape[1])
    panels = iter(axes)
    for label, subject in subjects.items():
        for drawn, over_seeds in DRAWN.items():
            row = [next(panels) for _ in range(across)]
            for ax in row[len(subject.values) :]:
                ax.remove()
            shown = {
                case: getattr(final(dataset, METRIC), over_seeds)("seed")
                .sel(policy=label)
                .values
                for case, dataset in datasets.items()
            }
            for ax, parameter in zip(row, subject.values, strict=False):
                _draw(ax, parameter, points[label], shown)
                ax.set(title=symbols(label), xlabel=parameter_label(parameter))
            row[0].set_ylabel(drawn)
    share_names(fig.axes)
    end = f"{'a budget of' if by_budget else 'T ='} {options.horizon:,}"
    draw_legend(fig.axes, f"{end}, {options.seeds:,} seeds; the dots: the defaults")
    return fig


def _draw(
    ax: Axes, parameter: str, points: Sequence[Point], shown: Mapping[str, np.ndarray]
) -> None:
    """A line per case over a parameter, with a dot at its default."""
    varied = [i for i, point in enumerate(points) if point.changed in ("", parameter)]
    varied.sort(key=lambda i: points[i].params[parameter])
    x = [points[i].params[parameter] for i in varied]
    default = varied.index(0)
    for place, (case, values) in enumerate(shown.items()):
        y, style = np.maximum(values[varied], ONE_REWARD), line_style(place)._asdict()
        ax.plot(x, y, label=case, **style)
        ax.plot(x[default], y[default], "o", color=style["color"], ms=6, zorder=4)
    # All parameters of a row on one scale: that of all its points.
    every = np.maximum(np.stack([*shown.values()]), ONE_REWARD)
    low, high = every.min() / 1.1, every.max() * 1.1
    ax.set_ylim(low, high)
    readable_ticks(ax.yaxis, "log", low, high)
    if min(x) > 0:
        ax.set_xscale("log")
    ax.set_xticks(x, [tick(value) for value in x])
    ax.minorticks_off()


def tick(value: float) -> str:
    """A short name: 1/16 in place of 0.0625, and three digits otherwise."""
    fraction = Fraction(value)
    if value < 1 and fraction.denominator in (2, 4, 8, 16):
        return str(fraction)
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"
