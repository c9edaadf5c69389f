"""The figures of experiments in a column of a journal, drawn of rehearsals."""

import matplotlib
import pytest

from jaxbandits.experiments import REGISTRY
from jaxbandits.plots import style
from tests.heavy import in_short
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
    "censored-least",
    "censored-simple-regret",
    "censored-spread",
    "censored-solver",
    "farewell-least",
)
NAMES = [name for name in REGISTRY if not name.startswith(ELSEWHERE)]
# Their rehearsals are long, or their figure is another's with other numbers: of the
# paper's comparisons those stay that have the longest names, and a single panel.
LONG = {
    "allocation-fig5",
    "allocation-ordered",
    "allocation-estimator",
    "allocation-families",
    "allocation-fig3",
    "allocation-fig6",
    "allocation-fig7",
    "allocation-radii",
    "allocation-mg",
    "allocation-oracle",
    "allocation-tuning",
    "allocation-unknown",
    "allocation-fig1",
    "allocation-fig4",
    "budgeted-bounds",
    "budgeted-changing",
    "budgeted-fig3",
    "budgeted-fig3a",
    "budgeted-fig3b",
    "budgeted-fig3c",
    "budgeted-fig6",
    "budgeted-forgetting",
    "budgeted-joint",
    "budgeted-recommendation",
    "budgeted-shrunk",
    "budgeted-table1",
    "budgeted-fig4",
    "budgeted-share",
    "censored-bounds",
    "censored-combinatorial",
    "censored-duels",
    "censored-fig1",
    "censored-fig2",
    "censored-fig4",
    "censored-fig6",
    "censored-fig7",
    "censored-fig8",
    "censored-fine",
    "censored-grids",
    "censored-prior",
    "censored-radii",
    "censored-recommendation",
    "censored-ts-updates",
    "farewell-applications",
    "farewell-bounds",
    "farewell-coverage",
    "farewell-crossover",
    "farewell-prior",
    "farewell-fig1",
    "farewell-fig2",
    "farewell-radius",
    "farewell-readings",
    "farewell-side",
}


@pytest.mark.parametrize("name", in_short(NAMES, LONG))
def test_nothing_overlaps_in_a_column(rehearsal, no_data, name):
    with matplotlib.rc_context(style("column")):
        outcome, _ = rehearsal(name)
    assert complaints(outcome.figure) == []
