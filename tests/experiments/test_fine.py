"""How fine a grid cell Thompson sampling should have, where any limit may be chosen."""

import numpy as np
import pytest

from jaxbandits.experiments.censored.fine import losses
from jaxbandits.settings import censored as settings


def test_what_a_grid_cannot_have():
    """By hand on five limits; nearly nothing on a thousand, nothing at Indep's 0.5."""
    found = losses(settings.overtime, (5, 10, 1000))
    best = settings.overtime().oracle()
    assert best.limit == pytest.approx(0.382, abs=1e-3)
    assert found[0] == pytest.approx(found[1])  # 0.4 is on both grids
    on_grid = settings.overtime([0.2, 0.4, 0.6, 0.8, 1.0]).oracle()
    assert found[0] == pytest.approx(best.value - on_grid.value)
    assert abs(found[2]) < 1e-3
    # Beyond 0.5 Indep's penalty jumps.
    assert losses(settings.indep, (5,))[0] > 0.05
    np.testing.assert_allclose(losses(settings.indep, (10, 20)), 0, atol=1e-6)
