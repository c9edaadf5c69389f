"""Styles that differ, figures that need no pyplot, files that are whole."""

import sys
from itertools import combinations
from types import SimpleNamespace

import matplotlib
import pytest
from matplotlib.figure import Figure as BaseFigure

from jaxbandits.plots import figure, line_style, save_figure, share_names, style
from jaxbandits.plots.words import tex, wrapped
from tests.tables import each_row

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def test_seven_curves_differ_without_colour_and_49_with_it():
    first = [line_style(i) for i in range(7)]
    assert len({style.linestyle for style in first}) == 7
    assert len({style.color for style in first}) == 7
    looks = {(style.color, style.linestyle) for style in map(line_style, range(49))}
    assert len(looks) == 49


def test_later_curves_lie_on_top_and_are_not_wider():
    for below, above in combinations(map(line_style, range(7)), 2):
        assert above.zorder > below.zorder
        assert above.linewidth < below.linewidth


def test_colours_are_dark_enough_on_white():
    """A contrast ratio above 2 (WCAG 2.1); yellow has 1.3."""
    for index in range(7):
        channels = matplotlib.colors.to_rgb(line_style(index).color)
        # The sRGB curve, above its linear foot or below.
        red, green, blue = (
            ((c + 0.055) / 1.055) ** 2.4 if c > 0.04045 else c / 12.92 for c in channels
        )
        luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        assert 1.05 / (luminance + 0.05) > 2


def test_figure_has_its_panels_and_leaves_the_settings_alone():
    before = dict(matplotlib.rcParams)
    fig, axes = figure(2, 3)
    assert dict(matplotlib.rcParams) == before
    assert fig.axes == axes and len(axes) == 6
    assert axes[0].xaxis.label.get_size() == 12
    fig.draw_without_rendering()
    assert axes[0].get_xticklabels()[0].get_size() == 11


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    path.write_bytes(b"old")

    def fail(self, target, **options):
        target.write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(BaseFigure, "savefig", fail)
    with pytest.raises(OSError, match="disk full"):
        save_figure(figure()[0], path)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_a_figure_of_pyplot_is_closed(tmp_path, monkeypatch):
    # A stand-in: the real pyplot would choose a backend for the whole test run.
    closed = []
    pyplot = SimpleNamespace(close=closed.append)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    fig, _ = figure()
    save_figure(fig, tmp_path / "a.png")
    assert closed == [fig]


def test_a_figure_shows_itself():
    fig, _ = figure()
    assert fig._repr_png_().startswith(SIGNATURE)


def test_settings_of_ones_own_stand():
    """Those that are changed; the others are the house's."""
    mine = {"font.size": 15.0, "axes.prop_cycle": matplotlib.cycler(color=["red"])}
    with matplotlib.rc_context(mine):
        assert line_style(0).color == line_style(1).color == "red"
        assert line_style(0).linestyle != line_style(1).linestyle
        fig, (ax,) = figure()
        assert not ax.spines["top"].get_visible()
        assert fig.settings["font.size"] == 15 and fig.settings["axes.labelsize"] == 12
    assert line_style(0).color == "#0072B2"


def test_a_style_is_taken_whole():
    """Also where it says what Matplotlib says by default."""
    assert matplotlib.rcParamsDefault["font.size"] == 10
    with matplotlib.rc_context(style(size=10)):
        fig, (ax,) = figure()
    assert ax.xaxis.label.get_size() == 10
    fig.draw_without_rendering()
    assert ax.get_xticklabels()[0].get_size() == 9


@each_row(
    "width, inches, columns", [("column", 3.25, 1), ("text", 6.75, 3), (4, 4.0, 3)]
)
def test_a_figure_is_as_wide_as_is_said(tmp_path, width, inches, columns):
    with matplotlib.rc_context(style(width)):
        fig, axes = figure(1, columns)
        axes[0].set_title("longer than its panel, by far, and then some more")
        axes[0].set_ylabel("a quantity")
    save_figure(fig, tmp_path / "a.png")
    head = (tmp_path / "a.png").read_bytes()[16:20]
    assert int.from_bytes(head) == pytest.approx(300 * inches, abs=1)


def test_panels_that_become_too_narrow_go_below():
    """In blocks: what was one above the other stays so."""
    with matplotlib.rc_context(style(3.25)):
        _, axes = figure(2, 3)
    places = [ax.get_subplotspec() for ax in axes]
    found = [(place.rowspan.start, place.colspan.start) for place in places]
    assert found == [(0, 0), (0, 1), (2, 0), (1, 0), (1, 1), (3, 0)]


def test_names_that_neighbours_have_are_left_out():
    _, axes = figure(2, 2)
    for ax, name in zip(axes, "aaab", strict=True):
        ax.set(xlabel="t", ylabel=name)
    share_names(axes)
    assert [ax.get_xlabel() for ax in axes] == ["", "", "t", "t"]
    assert [ax.get_ylabel() for ax in axes] == ["a", "", "a", "b"]


def test_a_figure_keeps_the_style_it_was_made_in(tmp_path):
    with matplotlib.rc_context(style("column", font="serif")):
        fig, (ax,) = figure()
    fig.draw_without_rendering()
    assert ax.get_xticklabels()[0].get_fontfamily() == ["serif"]
    save_figure(fig, tmp_path / "a.pdf")
    content = (tmp_path / "a.pdf").read_bytes()
    assert b"DejaVuSerif" in content and b"/Type3" not in content
    assert content.startswith(b"%PDF")


def test_latex_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr("jaxbandits.plots._style.which", lambda name: None)
    with pytest.raises(ValueError, match="usetex: there is no program `latex`"):
        style(usetex=True)


def test_words_are_escaped_once_for_latex():
    assert tex("95 % of A_1 & $x_1$ #") == r"95 \% of A\_1 \& $x_1$ \#"
    assert tex(tex("95 %")) == r"95 \%"


def test_lines_break_between_words():
    text = "mean of 200 seeds, $x = 1$ and 95 % of them"
    lines = wrapped(text, 18).split("\n")
    assert lines == ["mean of 200 seeds,", "$x = 1$ and 95 %", "of them"]
    assert wrapped("a\nb", 18) == "a\nb"
    assert wrapped("95 % $x = 1$", 1) == "95 %\n$x = 1$"
    assert wrapped("", 18) == ""
