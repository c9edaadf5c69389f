"""Lines of a metric against a parameter: values, intervals and looks."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.colors import to_hex

from jaxbandits.plots._style import line_style, setting
from jaxbandits.plots.labels import value_labels
from jaxbandits.plots.points import cells, coordinates
from jaxbandits.plots.samples import Samples, t_interval
from jaxbandits.plots.words import literal

MARKERS = "osD^vPX*"


class Response(NamedTuple):
    """A metric against the parameter.

    Attributes:
      label: text of the legend.
      x: float64[N], values of the parameter; empty for a policy without it.
      mean: float64[N], or [1] without the parameter; NaN where no run was played.
      lower: lower end of the interval, as `mean`; NaN with one seed.
      upper: upper end.
      counts: int, as `mean`: seeds that were used.
      samples: as many replications as there are at every point.
      style: arguments of `Axes.plot`.
    """

    label: str
    x: np.ndarray
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    counts: np.ndarray
    samples: list[np.ndarray]
    style: dict[str, Any]


def responses(
    dataset: xr.Dataset,
    runs: Samples,
    name: str,
    x: str,
    by: str | None,
    at: Mapping[str, float],
    level: float | None,
    labels: Mapping[str, str],
) -> list[Response]:
    """The lines of policy `name`, from the lowest value of `by` to the highest.

    `runs` are those of the policy; other arguments as in `plot_sensitivity`.
    """
    if by is not None:
        points = cells(dataset, name, (by, x), at)
        values = sorted({value for value, _ in points})
        looks = zip(values, value_labels(values), _sequence(len(values)), strict=True)
        return [
            _response(
                runs,
                {at_x: point for (of, at_x), point in points.items() if of == value},
                level,
                text,
                style,
            )
            for value, text, style in looks
        ]
    label = labels.get(name, literal(name))
    place = dataset["policy"].values.tolist().index(name)
    style = line_style(place)._asdict()
    if x not in coordinates(dataset, name):
        everywhere = cells(dataset, name, (), at).get(())
        points = {} if everywhere is None else {np.nan: everywhere}
        return [_response(runs, points, level, label, style)]
    points = {at_x: point for (at_x,), point in cells(dataset, name, (x,), at).items()}
    style |= {"marker": MARKERS[place % len(MARKERS)]}
    return [_response(runs, points, level, label, style)]


def _sequence(count: int) -> list[dict[str, Any]]:
    """Looks in an order, from dark to light; the lightest is too pale for white."""
    colors = matplotlib.colormaps["viridis"](np.linspace(0, 0.87, count))
    return [
        {
            "color": to_hex(color),
            "marker": MARKERS[place % len(MARKERS)],
            "linewidth": 0.9 * setting("lines.linewidth"),
            "zorder": 2 + place / 100,
        }
        for place, color in enumerate(colors)
    ]


def _response(
    runs: Samples,
    points: Mapping[float, int],
    level: float | None,
    label: str,
    style: dict[str, Any],
) -> Response:
    """`points` are by the value of the parameter; NaN for a policy without it."""
    x = np.array(sorted(points))
    chosen = [points[value] for value in sorted(points)]
    samples = [runs.replications(point) for point in chosen]
    results = [t_interval(sample, level or 0.95) for sample in samples]
    mean, lower, upper = np.array(results).reshape(-1, 3).T
    if level is None:
        lower = upper = np.full_like(mean, np.nan)
    x = x[~np.isnan(x)]
    counts = runs.counts[chosen]
    return Response(label, x, mean, lower, upper, counts, samples, style)
