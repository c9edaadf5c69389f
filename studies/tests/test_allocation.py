"""The allocation experiments: numbers and figures; few policies are played."""

import gzip

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.allocation import thompson
from jaxbandits_studies import Options
from jaxbandits_studies.allocation.comparisons import CRITEO_FILE as FILE
from jaxbandits_studies.allocation.estimator import estimator, limit_factor
from jaxbandits_studies.allocation.hard import _one_better_arm
from jaxbandits_studies.allocation.parameters import CASES, DRAWS
from jaxbandits_studies.common.data import FOLDER
from jaxbandits_studies.judging.protocol import TUNING_SEED
from jaxbandits_studies.judging.protocols import PROTOCOLS
from studies.tests.checks import assert_readable, check_records, entry, legend_texts


@pytest.fixture
def criteo_log(tmp_path, monkeypatch):
    """A folder of data with the log of 2,000 users and 15 campaigns."""
    rng = np.random.default_rng(3)
    before = rng.geometric(0.4, 2_000) - 1
    rows = [
        f"{user},c{user % 15},{n},{int(user // 15 % 3 > 0)}"
        for user, n in enumerate(before)
    ]
    header = "uid,campaign,exposures_before_click,clicked"
    text = "\n".join([header, *rows])
    (tmp_path / FILE).write_bytes(gzip.compress(text.encode()))
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return tmp_path


@pytest.mark.slow
def test_advertising_with_the_log(rehearsal, criteo_log):
    """Figures 6 and 7 on the file; a folder without it is no mistake."""
    outcome, ((_, game, _),) = rehearsal("allocation-fig7", horizon=77)
    assert list(outcome.datasets) == [game.name] == ["Criteo, K = 15"]
    assert game.setup.budgets.shape == (2_000,)
    assert outcome.notes == (
        "0 of 2,000 users were seen more than 40 times, and count as seen 40 times.",
    )
    outcome, _ = rehearsal("allocation-fig6", horizon=77)
    check_records(outcome, "allocation-fig6")
    assert [r["environment"] for r in outcome.records] == [
        f"campaign c{i}" for i in range(3)
    ]
    for record in outcome.records:
        assert record["seeds"] == 89 and not outcome.notes
        # Geometric: the hazard of a click is .4 whatever was seen.
        assert record["metrics"]["shape"]["mean"] == pytest.approx(1, abs=0.2)
    assert_readable(outcome.figure)
    (criteo_log / FILE).unlink()
    outcome, _ = rehearsal("allocation-fig6", horizon=78)
    assert "Synthetic" in outcome.notes[0]


def test_lengths_reach_the_policies(rehearsal):
    outcome, _ = rehearsal("allocation-fig3", horizon=1_000)
    by_policy = {r["policy"]: r["params"] for r in outcome.records}
    assert by_policy["RA-UCB"]["initial"] == 6
    assert by_policy["RA-ETC, per arm"]["exploration"] == 100
    assert by_policy["RA-UCB, all arms learn"]["initial"] == 6
    assert by_policy["RA-UCB, tuned"] == {"scale": 0.05, "initial": 6, "ratio": 1}


def test_duels_say_who_wins_and_by_how_much(rehearsal):
    # In a rehearsal, policy number i has regret i + 1 in every run.
    outcome, _ = rehearsal("allocation-fig3")
    fair = "fair: explores T^(2/3) in all"
    difference = entry(outcome, fair, "Thompson", "regret_minus_baseline")
    assert difference["mean"] == pytest.approx(4)
    assert f"{fair}: RA-UCB beats Thompson in 100% of runs." in outcome.notes


def test_slopes_are_those_of_logarithms(rehearsal):
    """In a rehearsal regret is ten times as much after ten times the rounds."""
    outcome, _ = rehearsal("allocation-slopes")
    for record in outcome.records:
        assert record["metrics"]["slope"]["mean"] == pytest.approx(1)


def test_radii_have_one_record_per_scale(rehearsal):
    outcome, calls = rehearsal("allocation-radii")
    assert len(calls) == 3 and len(outcome.records) == 13
    scales = [r["params"]["scale"] for r in outcome.records[:5]]
    assert scales == [6.0, 2.0, 1.0, 0.5, 0.25]


def test_draws_are_compared_on_cases_that_are_not_judged(rehearsal):
    outcome, calls = rehearsal("allocation-draws")
    assert outcome.root_seed == TUNING_SEED and set(CASES) <= set(
        PROTOCOLS["allocation"].tuning
    )
    names = [thompson(calls[0][1].problem, draws=m).name for m in DRAWS]
    found = [(r["environment"], r["policy"]) for r in outcome.records]
    assert found == [(case, name) for case in CASES for name in names]
    (ax,) = outcome.figure.axes
    lines, dots = ax.lines[: len(CASES)], ax.lines[len(CASES) :]
    for line, dot in zip(lines, dots, strict=True):
        assert line.get_xdata().tolist() == list(DRAWS)
        # In a rehearsal policy number i has i + 1.
        np.testing.assert_allclose(line.get_ydata(), np.arange(len(DRAWS)) + 1)
        assert dot.get_xdata() == [8] and dot.get_ydata() == [4]
    assert legend_texts(outcome.figure) == list(CASES)


def test_hard_games_are_made_for_their_horizons(rehearsal):
    outcome, calls = rehearsal("allocation-hard", horizon=1_000)
    assert [end["horizon"] for _, _, end in calls] == [62, 250, 1_000]
    for _, game, end in calls:
        epsilon = (5 / end["horizon"]) ** (2 / 3) / 12
        arms = _one_better_arm()(jax.random.key(3), jnp.asarray(game.setup.arms))
        rate = np.sort(np.asarray(arms.rate))
        np.testing.assert_allclose(rate[-1] ** 2, epsilon / 2, rtol=1e-5)
        np.testing.assert_allclose(rate[:-1], rate[-1] - epsilon, rtol=1e-5)
        np.testing.assert_array_equal(arms.probability, 1)
    assert len({policies["Thompson"] for policies, _, _ in calls}) == 1
    bound = entry(outcome, calls[2][1].name, "Thompson", "lower bound, Theorem 3.1")
    assert bound["mean"] == pytest.approx(5 ** (2 / 3) * 1_000 ** (1 / 3) / 48)


def test_figure_2_shows_bounds(rehearsal):
    outcome, _ = rehearsal("allocation-fig2", horizon=1_000)
    metrics = outcome.records[0]["metrics"]
    assert metrics["trivial bound"]["mean"] == 10_000
    lower = metrics["lower bound, Theorem 3.1"]["mean"]
    assert lower == pytest.approx(10 ** (2 / 3) * 1_000 ** (1 / 3) / 48)
    assert 1e10 < metrics["upper bound (55), median"]["mean"] < 1e13
    assert metrics["upper bound (56), median"]["mean"] > 1e90


def test_impressions_are_fitted(tiny):
    records = tiny("allocation-fig6").records
    assert [r["environment"] for r in records] == [f"campaign {i}" for i in (1, 2, 3)]


def test_limit_of_the_printed_estimator():
    assert limit_factor(10.0, 0.1) == pytest.approx(2.392, abs=2e-3)
    assert limit_factor(10.0, 1.0) == pytest.approx(1, abs=1e-4)


@pytest.mark.slow
def test_bias_and_coverage():
    """200 repetitions of 1,000 rounds: errors of 3 standard errors are allowed."""
    outcome = estimator(Options(200, 1_000), [(10.0, 0.1)])
    check_records(outcome, "allocation-estimator")
    assert_readable(outcome.figure)
    far = "rate B = 10, x = 0.1 B"

    def found(policy, metric):
        values = entry(outcome, far, policy, metric)
        return values["mean"], values["sem"]

    ratio, error = found("printed", "rate_ratio")
    # The bias of a finite sample is of the order of its variance.
    assert abs(ratio - 2.392) < 3 * error + 0.02
    ratio, error = found("truncated", "rate_ratio")
    assert abs(ratio - 1) < 3 * error + 0.02
    ratio, error = found("printed", "probability_ratio")
    assert abs(ratio - 0.697) < 3 * error + 0.01
    assert found("printed", "rate_coverage")[0] == 0
    coverage = found("truncated", "rate_coverage")[0]
    assert coverage > 0.93 - 3 * np.sqrt(0.95 * 0.05 / 200)
