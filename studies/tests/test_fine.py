"""How fine a grid cell Thompson sampling should have, where any limit may be chosen."""

import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.censored.fine import ON_GRIDS, QUICK_SIZES, Z_RCUCB, losses
from studies.tests.checks import assert_readable, check_records, legend_texts


def test_what_a_grid_cannot_have():
    """By hand on five limits; nearly nothing on a thousand, nothing at Indep's 0.5."""
    found = losses(censored.overtime, (5, 10, 1000))
    best = censored.overtime().oracle()
    assert best.limit == pytest.approx(0.382, abs=1e-3)
    assert found[0] == pytest.approx(found[1])  # 0.4 is on both grids
    on_grid = censored.overtime([0.2, 0.4, 0.6, 0.8, 1.0]).oracle()
    assert found[0] == pytest.approx(best.value - on_grid.value)
    assert abs(found[2]) < 1e-3
    # Beyond 0.5 Indep's penalty jumps.
    assert losses(censored.indep, (5,))[0] > 0.05
    np.testing.assert_allclose(losses(censored.indep, (10, 20)), 0, atol=1e-6)


@pytest.mark.slow
def test_the_quick_form_has_records_of_grids_and_z_rcucb():
    outcome = REGISTRY["censored-fine"].run(Options(4, 500, False, quick=True))
    check_records(outcome, "censored-fine")
    on_grids = [f"{name}, {m} limits" for name in ON_GRIDS for m in QUICK_SIZES]
    names = [*on_grids, Z_RCUCB]
    assert [r["policy"] for r in outcome.records] == 2 * names
    assert len(outcome.figure.axes) == 4
    for ax in outcome.figure.axes:
        assert len(ax.lines) == len(ON_GRIDS) + 1
    for panel, metric in ((0, "regret"), (2, "simple_regret")):
        line = outcome.figure.axes[panel].lines[0]
        data = outcome.datasets["overtime"][metric].isel(params=0, checkpoint=-1)
        drawn = data.sel(policy=on_grids[: len(QUICK_SIZES)]).mean("seed")
        np.testing.assert_allclose(line.get_ydata(), drawn)
    assert Z_RCUCB in legend_texts(outcome.figure)
    assert_readable(outcome.figure)
