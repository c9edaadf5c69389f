"""What is to be drawn: checked names, means, intervals and styles."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from jaxbandits.plots.style import LineStyle, line_style
from jaxbandits.results.lookup import check_params, check_policies
from jaxbandits.results.statistics import interval


class Curve(NamedTuple):
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


def select(
    dataset: xr.Dataset,
    metric: str,
    params: int,
    level: float | None,
    policies: Sequence[str] | None,
    labels: Mapping[str, str] | None,
) -> dict[str, Curve]:
    """The curves of the policies that have a metric. Arguments as in `plot_curves`.

    A policy's style goes by its place in the dataset, so that it looks the same
    whatever else is shown.

    Raises:
      ValueError: naming the argument that is unknown or out of range, or `metric` if
        none of the policies has it.
    """
    labels = labels or {}
    check_params(dataset, params)
    check_policies(dataset, policies or (), "policies")
    check_policies(dataset, labels, "labels")
    found = interval(
        dataset.isel(params=params), metric, 0.95 if level is None else level
    )
    names = dataset["policy"].values.tolist()
    curves = {}
    for name in names if policies is None else policies:
        mean, lower, upper = (part.sel(policy=name).values for part in found)
        if level is None:
            lower = upper = np.full_like(mean, np.nan)
        if not np.isnan(mean).all():
            style = line_style(names.index(name))
            curves[name] = Curve(labels.get(name, name), mean, lower, upper, style)
    if not curves:
        raise ValueError(
            f"metric: no policy of {names if policies is None else list(policies)} "
            f"has {metric!r}"
        )
    return curves


def seeds_note(
    dataset: xr.Dataset,
    level: float | None,
    seeds_quantiles: tuple[float, float] | None = None,
) -> str:
    """What lines, bands and bars are, in words."""
    seeds = dataset.sizes["seed"]
    if seeds == 1:
        return "one seed"
    note = f"mean of {seeds:,} seeds"
    if level is not None:
        note += f", {100 * level:g} % interval"
    if seeds_quantiles is not None:
        low, high = (f"{100 * q:g} %" for q in seeds_quantiles)
        note += f"; thin: {low} and {high} quantiles"
    return note
