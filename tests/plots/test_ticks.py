"""Ticks: enough of them, of one kind, and zero where zero is."""

import numpy as np
import pytest

from jaxbandits.plots import figure, readable_ticks
from jaxbandits.plots.ticks import tick_formatter
from tests.tables import each_row


@each_row("high", [30, 300, 3e4, 3e7])
def test_a_log_axis_has_at_least_three_labels(high):
    fig, (ax,) = figure()
    ax.plot([10, high], [1, 1])
    readable_ticks(ax.xaxis, "log", 10, high)
    fig.draw_without_rendering()
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    assert len(ticks) >= (2 if high < 100 else 3)


def test_an_unknown_scale_is_refused():
    with pytest.raises(ValueError, match="x_scale must be .*'cubic'"):
        readable_ticks(figure()[1][0].xaxis, "cubic", 1, 2)


def test_a_logarithmic_axis_begins_above_0():
    for low in (0, -1, np.nan):
        with pytest.raises(ValueError, match="^low must be positive"):
            readable_ticks(figure()[1][0].xaxis, "log", low, 1)


def labels_of(ax, axis="y"):
    """What is written inside the view, by place."""
    ax.figure.draw_without_rendering()
    axis = getattr(ax, f"{axis}axis")
    low, high = axis.get_view_interval()
    places = axis.get_majorticklocs()
    texts = [text.get_text() for text in axis.get_ticklabels()]
    low, high = low * (1 - 1e-9), high * (1 + 1e-9)  # 10.0 ** -5 need not be 1e-5
    return {p: t for p, t in zip(places, texts, strict=True) if low <= p <= high}


def test_zero_lies_at_zero():
    """And what is positive is spaced by its logarithm above."""
    _, (ax,) = figure()
    (line,) = ax.plot([1, 2, 3, 4], [0, 0.002, 0.2, 20])
    readable_ticks(ax.yaxis, "log", 0.002, 20, zero=True)
    ax.set_ylim(0, 30)
    found = labels_of(ax)
    assert list(found.values()) == ["0", "0.001", "0.01", "0.1", "1", "10"]
    heights = ax.transData.transform(line.get_xydata())[:, 1]
    assert heights[0] == pytest.approx(ax.bbox.y0)
    steps = np.diff(heights)
    assert steps[1] == pytest.approx(steps[2]) and steps[0] > 0


def test_without_zeros_a_log_axis_has_no_zero():
    _, (ax,) = figure()
    ax.plot([1, 2], [0.02, 2])
    readable_ticks(ax.yaxis, "log", 0.02, 2)
    assert ax.get_yscale() == "log" and 0 not in labels_of(ax)


def test_small_numbers_make_all_of_an_axis_powers_of_ten():
    _, (ax,) = figure()
    ax.plot([1, 2], [1e-7, 0.1])
    readable_ticks(ax.yaxis, "log", 1e-7, 0.1)
    texts = list(labels_of(ax).values())
    assert len(texts) > 3 and all(t.startswith("$10^{-") for t in texts)
    readable_ticks(ax.yaxis, "linear", 1, 0.1)
    assert set(labels_of(ax).values()) >= {"0", "0.1"}


def test_a_small_number_at_the_edge_counts():
    _, (ax,) = figure()
    ax.plot([1, 2], [1e-5, 1])
    readable_ticks(ax.yaxis, "log", 1e-5, 1)
    ax.set_ylim(1e-5, 1)
    texts = list(labels_of(ax).values())
    assert (texts[0], texts[-1]) == ("$10^{-5}$", "$10^{0}$")


def test_texts_of_single_ticks_by_hand():
    form = tick_formatter()
    form.format_ticks([1e-5, 1])
    assert [form(x) for x in (0, 1, -2e-6)] == ["0", "$10^{0}$", r"$-2 \times 10^{-6}$"]
    assert tick_formatter(percent=True)(0.025) == "2.5 %"


def test_narrow_axes_have_fewer_ticks():
    counts = []
    for width in (6.4, 1.6):
        fig, (ax,) = figure()
        fig.set_figwidth(width)
        ax.plot([0, 100_000], [0, 1])
        readable_ticks(ax.xaxis, "linear", 1, 100_000)
        counts.append(len(labels_of(ax, "x")))
    assert counts[0] >= 5 > counts[1] >= 2


def test_a_log_axis_beyond_a_million_has_powers_of_ten():
    for high, text in ((1e6, "$10^{6}$"), (1e5, "100k")):
        _, (ax,) = figure()
        ax.plot([10, high], [1, 1])
        readable_ticks(ax.xaxis, "log", 10, high)
        assert ax.xaxis.get_major_formatter().format_ticks([10, high])[1] == text
