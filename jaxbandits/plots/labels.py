"""What axes say: names with units, and numbers that people can read."""

from math import log10

import xarray as xr
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

# Metrics whose name does not say enough.
METRIC_LABELS = {
    "regret": "cumulative regret",
    "censored": "share of censored rounds",
    "optimal": "share of optimal choices",
    "realised_regret": "realised regret",
    "rounds": "rounds played",
}
CHECKPOINT_LABELS = {
    "round": "round $t$",
    "spent": "budget spent",
    "share": "share of the budget spent",
}
BUDGET_LABELS = {"farewell": "time $t$"}  # what the budget of a setting is
_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def metric_label(metric: str) -> str:
    """An axis label for a metric."""
    return METRIC_LABELS.get(metric, metric.replace("_", " "))


def checkpoint_label(dataset: xr.Dataset) -> str:
    """An axis label for the checkpoints."""
    kind = dataset.attrs["checkpoint_kind"]
    label = CHECKPOINT_LABELS[kind]
    if kind == "spent":
        label = BUDGET_LABELS.get(dataset.attrs.get("setting"), label)
    return label


def short_number(value: float, digits: int = 6) -> str:
    """`value` to at most `digits` digits, with k, M or G: 100k, 2.5M, 0.05."""
    # Rounded first, so that 999999.9 is 1M and not 1000k.
    value = float(f"{value:.{digits}g}")
    for size, unit in _UNITS:
        if abs(value) >= size:
            return f"{value / size:.{digits}g}{unit}"
    return f"{value:.{digits}g}"


def percentage(share: float) -> str:
    """`share` in percent, to a tenth, below 1 % to two digits: 46.0 %, 0.024 %."""
    return f"{100 * share:.1f} %" if abs(share) >= 0.01 else f"{100 * share:.2g} %"


def readable_ticks(axis: Axis, scale: str, low: float, high: float) -> None:
    """Set the scale of an axis and ticks that suit its range.

    Args:
      axis: ``ax.xaxis`` or ``ax.yaxis``.
      scale: "linear" or "log".
      low: smallest positive value shown.
      high: largest value shown.

    Raises:
      ValueError: if `scale` is neither.
    """
    if scale not in ("linear", "log"):
        raise ValueError(f'{axis.axis_name}_scale: "linear" or "log", got {scale!r}')
    axis.axes.set(**{f"{axis.axis_name}scale": scale})
    if scale == "log":
        # Powers of ten alone would leave a short range with a label or none.
        decades = log10(high / low) if 0 < low < high else 0
        steps = (1, 2, 5) if decades < 1.3 else (1, 3) if decades < 2.8 else (1,)
        axis.set_major_locator(LogLocator(subs=steps))
        axis.set_minor_formatter(NullFormatter())
    else:
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))
