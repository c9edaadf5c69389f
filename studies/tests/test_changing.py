"""Arms that change: the curves, and the memory beside them."""

import numpy as np
import pytest

from jaxbandits.budgeted import discounted_omega_ucb, s_br_changing
from jaxbandits_studies.budgeted.changing import DEFAULT, MEMORIES
from studies.tests.checks import entry

NAME = "budgeted-changing"
FADING, STILL = "discounted omega-UCB", "omega-UCB, rho = 1/4"
FIVE, ONE = "S-Br-10, 5 phases", "S-Br-10, 1 phase"


@pytest.fixture
def outcome(rehearsal):
    return rehearsal(NAME, seeds=3, horizon=40, quick=True)[0]


def test_what_was_played(outcome):
    assert set(outcome.datasets) == {
        x + y for x in (FIVE, ONE) for y in ("", ", memory")
    }
    runs = outcome.datasets[FIVE]["regret"].isel(checkpoint=-1, params=0)
    found = entry(outcome, FIVE, STILL, "regret")["mean"]
    assert found == pytest.approx(runs.sel(policy=STILL).mean().item())
    memories = outcome.datasets[f"{ONE}, memory"]
    assert memories["param_memory"].values.ravel().tolist() == [250.0, 500.0]
    assert memories["policy"].values.tolist() == [FADING]


def test_the_figure(outcome):
    curves, memory = outcome.figure.axes
    # The ends of phases behind the curves: of 40 units of money, every 8.
    lines = [{*line.get_xdata()} for line in curves.lines]
    ends = [end for ends in lines if len(ends) == 1 for end in ends]
    assert ends == [8, 16, 24, 32]
    still, faded = outcome.datasets[FIVE], outcome.datasets[f"{FIVE}, memory"]
    line, level = memory.lines[0], memory.lines[2]
    np.testing.assert_allclose(
        line.get_ydata(), faded["regret"].mean("seed").values.ravel()
    )
    last = still["regret"].isel(checkpoint=-1, params=0).sel(policy=STILL)
    np.testing.assert_allclose(level.get_ydata(), last.mean("seed").item())


def test_the_default_memory_is_among_those_that_are_shown():
    default = discounted_omega_ucb(s_br_changing(2).problem).params.memory
    assert default == DEFAULT and default in MEMORIES
