"""Text from data in figures: as it stands, and no formula."""

from functools import partial

import matplotlib
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from matplotlib.text import Text

from jaxbandits import plots
from jaxbandits.console.texts import latex, visible
from jaxbandits.plots.words import symbols, tex, wrapped
from tests.plots.sweeps import sweep
from tests.results.samples import dataset
from tests.tables import each_row

# One text would be a formula, the other is none that can be read.
ONE, OTHER = "Shoes $5 off $10", "_Ba$$in \\$ 5 % socks\n"
DATA = dataset().assign_coords(policy=[ONE, OTHER])
SWEEP = sweep({ONE: [{"a": x, "b": y} for x in (1, 2) for y in (1, 2)]})
FIGURES = {
    "curves": partial(plots.plot_curves, DATA),
    "bars": partial(plots.plot_bars, DATA, "regret", percent=False),
    "ranks": partial(plots.plot_ranks, DATA),
    "sensitivity": partial(plots.plot_sensitivity, SWEEP, x="a", at={"b": 1}),
    "lines": partial(plots.plot_sensitivity, SWEEP, x="a", by="b"),
    "heat map": partial(plots.plot_heat_map, SWEEP, x="a", y="b"),
    "panels": partial(plots.plot_panels, {ONE: DATA, OTHER: DATA}),
    "metric": partial(
        plots.plot_bars, DATA.rename(regret="$cost_$"), "$cost_$", percent=False
    ),
}
LETTERS = "$\\{}_^%&#~[]*<> \n\r\x1bab5é"


def drawn(fig) -> set[str]:
    """The texts of a figure, as Matplotlib sets them; "formula" for a formula."""
    fig.draw_without_rendering()
    found = set()
    for text in fig.findobj(Text):
        shown, formula = text._preprocess_math(text.get_text())
        found.add("formula" if formula and "$t$" not in shown else shown.strip())
    return found


@given(st.text(LETTERS, max_size=20))
@example("$x$")
@example("a\\$b\\$c")
def test_a_text_from_data_is_set_as_it_stands(name):
    text = plots.literal(name)
    assert Text()._preprocess_math(text) == (visible(name), False)
    # The same beside a formula of ours.
    shown, formula = Text()._preprocess_math(f"{text} and $x$")
    assert formula and shown.count("$") - shown.count("\\$") == 2


@each_row("name", FIGURES)
def test_names_in_a_figure_stand_as_they_are(name):
    words = drawn(FIGURES[name]())
    assert "formula" not in words
    if name == "metric":
        assert any("$cost $ at round" in word for word in words)
    else:
        assert ONE in words
    if name in ("curves", "bars", "ranks", "panels"):
        assert "_Ba$$in \\$ 5 % socks\\n" in words


def test_labels_titles_and_curves_of_ours_may_be_formulas():
    fig = plots.plot_panels(
        {"a": DATA, "b": DATA}, labels={ONE: r"$\omega^*$", "a": r"$\rho = 1$"}
    )
    fig.draw_without_rendering()
    assert [ax.get_title() for ax in fig.axes] == [r"(a) $\rho = 1$", "(b) b"]
    (legend,) = fig.legends
    assert legend.get_texts()[0].get_text() == r"$\omega^*$"
    with pytest.raises(ValueError, match="^curves: '\\$\\$' must have formulas"):
        plots.draw_bounds(fig.axes[0], [1, 2], {"$$": [1, 2]})
    with pytest.raises(ValueError, match="^title must have formulas"):
        plots.draw_legend(fig.axes, "$$")


def test_a_bound_that_begins_with_an_underscore_is_in_the_legend():
    (ax,) = plots.plot_curves(DATA).axes
    plots.draw_bounds(ax, [10, 100], {"_bound": [1, 2]})
    texts = plots.draw_legend(ax).get_texts()
    assert [text.get_text().strip() for text in texts][-1] == "_bound"


@given(st.text(LETTERS, max_size=20))
def test_latex_gets_source_for_the_text_and_it_is_escaped_once(name):
    with matplotlib.rc_context({"text.usetex": True}):
        text = plots.literal(name)
    assert text == latex(name) and tex(text) == text
    assert "\n" not in text and not set(text.replace("\\$", "")) & {"$"}


def test_lines_break_at_spaces_between_dollars_of_a_name():
    text = plots.literal("Shoes $5 off $10")
    assert wrapped(text, 1).split("\n") == text.split()


def test_greek_letters_stand_for_their_words_in_names():
    assert symbols("omega*-UCB, rho = 1/4, etas") == "ω*-UCB, ρ = 1/4, etas"
