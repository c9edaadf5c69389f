"""The figures of experiments in a column of a journal, drawn of rehearsals."""

import matplotlib
import pytest

from jaxbandits.plots import style
from jaxbandits_studies import REGISTRY
from tests.plots.crowding import complaints

# Rehearsals have not the metrics or the horizons that these draw, or their data are not
# in the package; or what is computed takes minutes, and has a test of its own.
ELSEWHERE = (
    "leaderboard",
    "allocation-hard",
    "budgeted-fig3d",
    "budgeted-fig3f",
    "budgeted-least",
    "censored-coverage",
    "censored-fig5",
    "censored-fine",
    "censored-least",
    "censored-simple-regret",
    "censored-spread",
    "censored-solver",
    "farewell-least",
)
NAMES = [name for name in REGISTRY if not name.startswith(ELSEWHERE)]


# The longest names, a single panel, rows: of the paper's comparisons those stay.
SHORT = {
    "allocation-cascade",
    "allocation-slopes",
    "budgeted-example2",
    "budgeted-fig1",
    "censored-fig9",
}


def draw(rehearsal, name):
    """What is too long or too near in a figure in a column."""
    with matplotlib.rc_context(style("column")):
        outcome, _ = rehearsal(name)
    return complaints(outcome.figure)


@pytest.mark.parametrize("name", sorted(SHORT))
def test_nothing_overlaps_in_a_column(rehearsal, no_data, name):
    assert draw(rehearsal, name) == []


@pytest.mark.slow
def test_nothing_overlaps_in_all_others(rehearsal, no_data):
    found = {name: draw(rehearsal, name) for name in set(NAMES) - SHORT}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
