"""Styles that differ, figures that need no pyplot, files that are whole."""

import sys
from itertools import combinations
from types import SimpleNamespace

import matplotlib
import pytest
from matplotlib.figure import Figure as BaseFigure

from jaxbandits.plots import figure, line_style, save_figure

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


def test_saved_figure_is_a_png_and_alone(tmp_path):
    fig, _ = figure()
    save_figure(fig, tmp_path / "a.png")
    content = (tmp_path / "a.png").read_bytes()
    assert content.startswith(SIGNATURE) and len(content) > 1000
    assert list(tmp_path.iterdir()) == [tmp_path / "a.png"]


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


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match="path: there is no folder"):
        save_figure(figure()[0], tmp_path / "nowhere" / "a.png")


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
