"""Lost runs on two coins: the game, and the counts beside those of theory."""

import numpy as np
import pytest

from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.budgeted.lost_runs import ANYTIME, two_coins
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.theory import lost_runs
from studies.tests.checks import entry

NAME = "budgeted-lost-runs"
OPTIONS = Options(400, 1_000, progress=False)


@pytest.fixture(scope="module")
def outcome():
    return REGISTRY[NAME].run(OPTIONS)


def test_the_game_has_one_cost_that_policies_know():
    problem = two_coins().problem
    assert problem.lowest_cost == problem.highest_cost == (0.5, 0.5)
    # Of which the theory's form of z**2 knows.
    assert cast("budgeted", "lost runs")[ANYTIME].factory(problem).params.power == 0.5


@pytest.mark.slow
def test_one_run_in_twenty_is_lost_in_a_thousand_pulls(outcome):
    lost = entry(outcome, "two coins", ANYTIME, "lost")
    # 0.05 times the chance that the other arm does not fall; four standard errors.
    assert abs(lost["mean"] - 0.04) < 4 * np.sqrt(0.04 * 0.96 / OPTIONS.seeds)
    assert entry(outcome, "two coins", "BTS", "lost")["mean"] < 0.01
    least = entry(outcome, "two coins", ANYTIME, "regret_of_lost_runs")["mean"]
    assert least == pytest.approx(0.05 * 0.05 * 999)
    assert entry(outcome, "two coins", ANYTIME, "regret")["mean"] > 0.76 * least


@pytest.mark.slow
def test_a_lost_run_has_lost_the_gap_in_every_pull(outcome):
    data = outcome.datasets["two coins"].isel(params=0, checkpoint=-1)
    pulls = (data["optimal"] * data["rounds"]).sel(policy=ANYTIME).round()
    lost = (pulls <= lost_runs.pulls_until_given_up(1e3, 0.5, 0.9)).values
    regret = data["regret"].sel(policy=ANYTIME).values
    # The means are played in float32.
    expected = 0.05 * (1_000 - pulls.values[lost])
    np.testing.assert_allclose(regret[lost], expected, rtol=1e-6)
    assert np.median(regret[~lost]) < 20 < regret[lost].min()


def test_the_figure_shows_all_policies_and_the_theory(rehearsal):
    outcome, _ = rehearsal(NAME, seeds=8, horizon=1_000)
    (ax,) = outcome.figure.axes
    labels = [line.get_label() for line in ax.lines]
    names = [name.replace("omega", "ω") for name in cast("budgeted", "lost runs")]
    assert labels == [*names, "what lost runs lose, by theory"]
    np.testing.assert_allclose(ax.lines[-1].get_ydata()[-1], 0.05 * 0.05 * 999)
