"""The look of all figures: colours, dashes, fonts and sizes, as Matplotlib's settings.

The look of figures is set by Matplotlib's ``rcParams``; the style of this package is a
dictionary of them. Settings that you have changed, by hand or with a style sheet, are
kept; this package sets only the others. `style` makes the dictionary for a width in
print.
"""

from contextlib import AbstractContextManager
from shutil import which
from typing import Any, NamedTuple, cast

import matplotlib
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont

from jaxbandits import checks

# Okabe & Ito (2008), "Color Universal Design", without yellow, which is too pale for
# a line on white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# In units of the line width. The gaps grow, so that a curve drawn over an earlier one
# lets it show through.
DASHES = (
    "solid",
    (0, (4, 2.2)),
    (0, (1, 1.2)),
    (0, (6, 1.5, 1, 1.5)),
    (0, (2.5, 2)),
    (0, (6, 1.5, 1, 1.5, 1, 1.5)),
    (0, (10, 4)),
)
WIDTHS = {"column": 3.25, "text": 6.75}  # inches, of a page with two columns
NARROWEST, WIDEST = 1.5, 60.0  # inches
SCREEN = (6.4, 4.2)  # inches
# A README shows a figure about 830 pixels wide: a row of three panels (1485 pixels)
# shrinks to 56 %, which leaves 12 points at some 14 pixels.
SCREEN_SIZE, PRINT_SIZE = 12.0, 8.0  # points
_GENERIC = ("serif", "sans-serif", "monospace")
_CYCLE = cycler(color=COLORS)


class LineStyle(NamedTuple):
    """How to draw one curve; the fields are arguments of `Axes.plot`."""

    color: str
    linestyle: str | tuple[float, tuple[float, ...]]
    linewidth: float
    zorder: float


def style(
    width: str | float | None = None,
    *,
    font: str | None = None,
    size: float | None = None,
    usetex: bool = False,
) -> dict[str, Any]:
    """Settings of Matplotlib for figures of a width in print.

    Make and save a figure under them, once or from here on::

        with matplotlib.rc_context(plots.style("column")):
            plots.save_figure(plots.plot_curves(data), "regret.pdf")

        matplotlib.rcParams.update(plots.style("text", font="serif"))

    A figure has exactly this width; panels that would be too narrow are placed below
    one another.

    Args:
      width: width of figures: "column" (3.25 inches, a column of a two-column page),
        "text" (6.75), or inches from 1.5 to 60. By default figures are for the screen:
        panels have a fixed size, and a figure is as wide as its panels.
      font: a family that Matplotlib knows, or "serif", "sans-serif", "monospace".
      size: size of the font, in points from 4 to 40; by default 8, on the screen 12.
        Numbers and legends are one point smaller; line widths are proportional.
      usetex: whether LaTeX sets the text; it must be installed.

    Returns:
      Names of ``rcParams`` -> values.

    Raises:
      ValueError: naming the argument that is unknown or out of range, or `usetex` if
        there is no LaTeX.
    """
    wide = _inches(width)
    points = SCREEN_SIZE if wide is None else PRINT_SIZE
    if size is not None:
        points = _within("size", size, 4, 40)
    checks.flag("usetex", usetex)
    if usetex and which("latex") is None:
        raise ValueError("usetex: there is no program `latex`")
    family = ["sans-serif"] if font is None else _family(font)
    formulas = "dejavuserif" if font == "serif" else "dejavusans"
    small = points - 1
    return {
        "axes.axisbelow": True,
        "axes.grid": True,
        "axes.labelsize": points,
        "axes.linewidth": points / 15,
        "axes.prop_cycle": _CYCLE,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": points,
        "errorbar.capsize": points / 3,
        "figure.dpi": 150.0,
        "figure.figsize": list(SCREEN if wide is None else (wide, 0.62 * wide)),
        "figure.titlesize": points,
        "font.family": family,
        "font.size": points,
        "grid.color": "0.9",
        "grid.linewidth": points / 15,
        "hatch.linewidth": points / 15,
        "legend.fontsize": small,
        "legend.frameon": False,
        "legend.title_fontsize": small,
        "lines.linewidth": points / 6,
        "lines.markersize": points / 2,
        "mathtext.fontset": formulas,
        # Type 3, the default, is refused by many publishers.
        "pdf.fonttype": 42,
        # On the screen, overhanging text widens the picture; in print it does not.
        "savefig.bbox": "tight" if wide is None else None,
        "savefig.dpi": 150.0 if wide is None else 300.0,
        "savefig.facecolor": "white",
        "text.usetex": usetex,
        "xtick.labelsize": small,
        "xtick.major.width": points / 15,
        "xtick.minor.width": points / 20,
        "ytick.labelsize": small,
        "ytick.major.width": points / 15,
        "ytick.minor.width": points / 20,
    }


def _inches(width: str | float | None) -> float | None:
    if width is None:
        return None
    if isinstance(width, str):
        checks.one_of("width", width, WIDTHS)
        return WIDTHS[width]
    return _within("width", width, NARROWEST, WIDEST)


def _within(name: str, value: Any, least: float, most: float) -> float:
    number = checks.number(name, value)
    if not least <= number <= most:
        raise ValueError(f"{name} must be in [{least:g}, {most:g}], got {number:g}")
    return number


def _family(font: str) -> list[str]:
    if not isinstance(font, str):
        raise TypeError(f"font must be a text, got {checks.shown(font)}")
    if font not in _GENERIC:
        try:
            findfont(FontProperties(family=font), fallback_to_default=False)
        except ValueError:
            raise ValueError(
                f"font must be {', '.join(_GENERIC)} or a family that Matplotlib "
                f"finds, got {font!r}"
            ) from None
    return [font]


def in_force() -> dict[str, Any]:
    """The settings for new figures: yours, and this package's for all others."""
    house = style()
    params, defaults = (
        cast(Any, result)
        for result in (matplotlib.rcParams, matplotlib.rcParamsDefault)
    )
    now = {key: params[key] for key in house}
    if now["axes.prop_cycle"] == _CYCLE:  # made by `style`, and maybe changed since
        return now
    untouched = {
        key: house[key] for key, value in now.items() if value == defaults[key]
    }
    return now | untouched


def under(settings: dict[str, Any]) -> AbstractContextManager[None]:
    """Matplotlib's own context; its stubs want to know the names of settings."""
    return matplotlib.rc_context(cast(Any, settings))


def figure_of(ax: Axes) -> Figure:
    """The whole figure that axes are on."""
    result = ax.get_figure(root=True)
    if result is None:
        raise ValueError("ax: the axes have been removed from their figure")
    return result


def setting(name: str) -> Any:
    """One of the settings in force."""
    return in_force()[name]


def check_axes(ax: Any) -> None:
    """Raise a TypeError if `ax` is neither None nor Matplotlib's axes."""
    if not isinstance(ax, Axes | None):
        raise TypeError(f"ax must be Matplotlib axes, got {ax!r}")


def line_style(index: int) -> LineStyle:
    """The style of curve number `index` (0, 1, ...).

    The first seven differ in colour and, separately, in dashes; the first 49 in at
    least one. Later curves are a little thinner and lie on top, so that equal curves
    stay visible as one inside the other.
    """
    checks.whole("index", index, 0)
    now = in_force()
    colors = now["axes.prop_cycle"].by_key().get("color", list(COLORS))
    turn, place = divmod(index, len(colors))
    thinner = max(1.2 - 0.07 * place, 0.7)
    return LineStyle(
        color=colors[place],
        linestyle=DASHES[(place + turn) % len(DASHES)],
        linewidth=thinner * now["lines.linewidth"],
        zorder=2 + index / 100,
    )
