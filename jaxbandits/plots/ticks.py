"""Ticks of one kind: few, on round numbers, zero where zero is."""

from collections.abc import Sequence
from math import floor, log10
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import (
    Formatter,
    Locator,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)

from jaxbandits.checks import flag, instance, number, one_of
from jaxbandits.plots.labels import short_number
from jaxbandits.plots.words import tex

SCALES = ("linear", "log")
_MOST = 5  # intervals between ticks of a linear axis
_SMALLEST, _LARGEST = 1e-4, 1e6  # that a logarithmic axis writes out: 0.0001, 100k
_SHORT = 0.3  # decades: there may be no 1, 2 or 5 in it
_ZERO_ROOM = 0.6  # decades between zero and the first power of ten


class Round(MaxNLocator):
    """Round numbers, as many as there is room for: few, so that their widths stay."""

    def __init__(self) -> None:
        super().__init__(_MOST, steps=[1, 2, 2.5, 5, 10])

    def tick_values(self, vmin: float, vmax: float) -> Any:
        if self.axis is not None:
            self.set_params(nbins=int(np.clip(self.axis.get_tick_space(), 2, _MOST)))
        return super().tick_values(vmin, vmax)


class _Short(Formatter):
    """`short_number`; powers of ten for all if one of them would be 1e-05.

    A logarithmic axis that goes beyond a million has powers of ten, too.
    """

    def __init__(self, percent: bool = False) -> None:
        self._percent = percent
        self._powers = False

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        sizes = np.abs(np.asarray(values, np.float64))
        if self.axis is not None:  # Ticks that are not seen do not count.
            low, high = np.sort(self.axis.get_view_interval())
            slack = 1e-9 * np.abs(values)  # 10.0 ** -5 need not be 1e-05
            sizes = sizes[(values >= low - slack) & (values <= high + slack)]
        small = sizes[sizes > 0].min(initial=1.0) < 0.999 * _SMALLEST
        scaled = isinstance(self.axis, Axis) and self.axis.get_scale() != "linear"
        large = scaled and sizes.max(initial=0.0) > 0.999 * _LARGEST
        self._powers = bool(small or large) and not self._percent
        return [self(value) for value in values]

    def __call__(self, value: float, pos: int | None = None) -> str:
        text = self._text(value)
        return tex(text) if matplotlib.rcParams["text.usetex"] else text

    def _text(self, value: float) -> str:
        if self._percent:
            return f"{short_number(100 * value)} %"
        if not self._powers or value == 0:
            return short_number(value)
        exponent = floor(log10(abs(value)) + 1e-9)
        digits = f"{value / 10.0**exponent:.3g}"
        factor = {"1": "", "-1": "-"}.get(digits, rf"{digits} \times ")
        return f"${factor}10^{{{exponent}}}$"


def readable_ticks(
    axis: Axis, scale: str, low: float, high: float, *, zero: bool = False
) -> None:
    """Set the scale of an axis and ticks that suit its range.

    Args:
      axis: ``ax.xaxis`` or ``ax.yaxis``.
      scale: "linear" or "log".
      low: smallest positive value shown.
      high: largest value shown.
      zero: whether there are zeros to show on a logarithmic axis. It is then linear
        from 0 to the power of ten that no positive value lies below, and 0 is a tick.

    Raises:
      ValueError: if `scale` is neither, or `low` not positive on a logarithmic axis.
    """
    instance("axis", axis, Axis, "of Matplotlib, as ax.xaxis")
    one_of(f"{_name(axis)}_scale", scale, SCALES)
    if not number("low", low) > 0 and scale == "log":
        raise ValueError(f"low must be positive for the scale log, got {low}")
    number("high", high)
    flag("zero", zero)
    set_scale = getattr(axis.axes, f"set_{_name(axis)}scale")
    if scale == "log" and zero and 0 < low <= high:
        start = 10.0 ** floor(log10(low) + 1e-9)
        set_scale("symlog", linthresh=start, linscale=_ZERO_ROOM)
        axis.set_minor_locator(NullLocator())
    else:
        set_scale(scale)
        axis.set_major_locator(tick_locator(scale, low, high))
    if scale == "log":
        axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(tick_formatter())


def _name(axis: Axis) -> str:
    return "x" if axis is axis.axes.xaxis else "y"


def tick_locator(scale: str, low: float, high: float) -> Locator:
    """Places of ticks; arguments as in `readable_ticks`."""
    if scale == "log":
        # Powers of ten alone would leave a short range with a label or none.
        decades = log10(high / low) if 0 < low < high else 0
        if 0 < decades < _SHORT:  # without one of these, Matplotlib crowds its own
            return Round()
        steps = (1, 2, 5) if decades < 1.3 else (1, 3) if decades < 2.8 else (1,)
        return LogLocator(subs=steps)
    return Round()


def tick_formatter(percent: bool = False) -> Formatter:
    """Texts of ticks; of shares in percent, if asked."""
    return _Short(percent)
