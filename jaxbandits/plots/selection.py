"""The contents of a figure: checked names, means, intervals and styles."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from jaxbandits import checks
from jaxbandits.plots._style import LineStyle, line_style
from jaxbandits.plots.runs import whole_seeds
from jaxbandits.plots.words import check_formulas, symbols
from jaxbandits.results.lookup import at_points, check_policies
from jaxbandits.stats.intervals import quiet_interval
from jaxbandits.stats.lookup import metric_values, one_environment
from jaxbandits.stats.replications import replications, shared_instances
from jaxbandits.stats.soundness import warn_of_coverage


class _Curve(NamedTuple):
    """One policy's curve over C checkpoints.

    Attributes:
      label: text of the legend.
      mean: float64[C], over seeds.
      lower: float64[C], lower end of the interval; NaN with one seed.
      upper: float64[C], upper end; NaN with one seed.
      style: colour, dashes, width and depth.
    """

    label: str
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    style: LineStyle

    def from_zero(self) -> "_Curve":
        """The curve with an additional first checkpoint at 0."""

        def longer(values: np.ndarray) -> np.ndarray:
            return np.concatenate([0 * values[:1], values])

        mean, lower, upper = map(longer, (self.mean, self.lower, self.upper))
        return self._replace(mean=mean, lower=lower, upper=upper)


def shown(
    dataset: xr.Dataset,
    metric: str,
    params: int | Mapping[str, int],
    policies: Sequence[str] | None,
) -> xr.Dataset:
    """What a figure with a curve per policy shows. Arguments as in `plot_curves`.

    It has no dimensions ``environment`` and ``params``, and the seeds that all shown
    policies have played.
    """
    return whole_seeds(at_points(one_environment(dataset), params), metric, policies)


def texts_of(labels: Mapping[str, str] | None) -> Mapping[str, str]:
    """`labels`, or none; an error if they are no texts by name that can be drawn."""
    if labels is None:
        return {}
    checks.mapping("labels", labels)
    for name, label in labels.items():
        if not isinstance(label, str):
            raise TypeError(f"labels: {name!r} must have a text, got {label!r}")
        check_formulas(f"labels: {name!r}", label)
    return labels


def names_of(policies: Iterable[str], labels: Mapping[str, str]) -> dict[str, str]:
    """Policy -> its text in a figure, of those that are shown; all differ."""
    texts: dict[str, str] = {}
    for name in policies:
        text = labels[name] if name in labels else symbols(name)
        if not text.strip():
            raise ValueError(f"labels: {name!r} must have a text that is not empty")
        for other, taken in texts.items():
            if text == taken:
                raise ValueError(
                    f"labels must tell policies apart, got {text!r} for {other!r} and "
                    f"{name!r}"
                )
        texts[name] = text
    return texts


def select(
    dataset: xr.Dataset,
    metric: str,
    level: float | None,
    policies: Sequence[str] | None,
    labels: Mapping[str, str] | None,
) -> dict[str, _Curve]:
    """The curves of the policies that have a metric. Arguments as in `plot_curves`.

    The dataset is what `shown` returns. A policy's style goes by its place in the
    dataset, so that it looks the same whatever else is shown.
    """
    labels = texts_of(labels)
    check_policies(dataset, labels, "labels")
    values = metric_values(dataset, metric, gaps=True)
    if np.isinf(values).any():
        raise ValueError(f"metric: {metric!r} is infinite in some run")
    result = quiet_interval(values, 0.95 if level is None else level)
    names = dataset["policy"].values.tolist()
    asked = names if policies is None else list(policies)
    there = result[0].notnull().any("checkpoint")
    drawn = [name for name in asked if there.sel(policy=name)]
    curves = {}
    for name, text in names_of(drawn, labels).items():
        mean, lower, upper = (part.sel(policy=name).values for part in result)
        if level is None:
            lower = upper = np.full_like(mean, np.nan)
        style = line_style(names.index(name))
        curves[name] = _Curve(text, mean, lower, upper, style)
    if not curves:
        raise ValueError(f"metric: no policy of {asked} has {metric!r}")
    if level is not None:
        runs = replications(values.sel(policy=drawn))
        warn_of_coverage(runs, f"the {100 * level:g} % intervals of {metric!r}")
    return curves


def seeds_note(
    dataset: xr.Dataset,
    level: float | None,
    seeds_quantiles: tuple[float, float] | None = None,
    total: int | None = None,
) -> str:
    """The note that explains lines, bands and bars.

    `total` is the number of seeds that there will be, if not all have been played.
    """
    seeds = dataset.sizes["seed"]
    drawn = shared_instances(dataset)
    text = seeds_text([seeds], total or seeds, drawn)
    if seeds == 1:
        return text
    note = f"mean of {text}"
    if level is not None and (drawn is None or np.any(drawn != drawn[0])):
        note += f", {100 * level:g} % interval"
    if seeds_quantiles is not None:
        low, high = (f"{100 * q:g} %" for q in seeds_quantiles)
        note += f"; thin: {low} and {high} quantiles"
    return note


def seeds_text(
    counts: Sequence[int] | np.ndarray, total: int, drawn: np.ndarray | None = None
) -> str:
    """How many seeds were used: "200 seeds", "3 to 150 of 200 seeds", "one seed".

    `counts` are those of every part of a figure, `total` is that of the dataset, and
    `drawn` has the instances that seeds share: "200 seeds on 20 drawn instances".
    """
    low, high = int(min(counts)), int(max(counts))
    used = "one" if high == 1 else f"{high:,}"
    if low < high:
        used = f"{low:,} to {used}"
    if high < total:
        used += f" of {total:,}"
    text = f"{used} seed{'s' if total > 1 else ''}"
    if drawn is not None:
        instances = len(np.unique(drawn))
        text += f" on {instances:,} drawn instance{'s' if instances > 1 else ''}"
    return text
