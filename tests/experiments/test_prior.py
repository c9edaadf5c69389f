"""The prior of cell Thompson sampling, on the tuning set alone."""

import numpy as np
import pytest

from jaxbandits import simulate
from jaxbandits.experiments import Options
from jaxbandits.experiments.censored.prior import ENDED, PASSED, QUICK, prior
from jaxbandits.experiments.judging.censored import TUNING
from jaxbandits.experiments.judging.protocol import TUNING_SEED
from jaxbandits.policies import censored as policies
from tests.experiments.checks import assert_readable, check_records, legend_texts


@pytest.fixture(scope="module")
def outcome():
    return prior(Options(3, 40, progress=False, quick=True))


@pytest.mark.slow
def test_every_prior_on_cases_that_are_not_judged(outcome):
    check_records(outcome, "censored-prior")
    assert outcome.root_seed == TUNING_SEED
    names = [f"cell TS, Beta({a:g}, {b:g})" for a in ENDED for b in PASSED]
    found = [(r["environment"], r["policy"]) for r in outcome.records]
    assert found == [(case, name) for case in QUICK for name in names]
    assert set(QUICK) <= set(TUNING)


@pytest.mark.slow
def test_a_prior_by_itself(outcome):
    environment = TUNING[QUICK[0]].environment()
    alone = simulate(
        policies.cell_thompson(environment.problem),
        environment,
        horizon=40,
        seeds=3,
        checkpoints=[40],
        grid={"prior_ended": 2.0, "prior_passed": 5.0},
        root_seed=TUNING_SEED,
    )
    runs = alone["regret"].values.ravel()
    (record,) = (
        r
        for r in outcome.records
        if (r["environment"], r["policy"]) == (QUICK[0], "cell TS, Beta(2, 5)")
    )
    assert record["metrics"]["regret"]["mean"] == pytest.approx(np.mean(runs))
    assert record["metrics"]["regret_worst"]["mean"] == pytest.approx(np.max(runs))


@pytest.mark.slow
def test_the_figure(outcome):
    fig = outcome.figure
    assert [ax.get_title() for ax in fig.axes] == ["mean", "worst run"]
    for ax, metric in zip(fig.axes, ("regret", "regret_worst"), strict=True):
        assert len(ax.lines) == len(QUICK)
        for line, case in zip(ax.lines, QUICK, strict=True):
            rows = [r for r in outcome.records if r["environment"] == case]
            values = [r["metrics"][metric]["mean"] for r in rows[: len(PASSED)]]
            np.testing.assert_allclose(line.get_ydata(), np.maximum(values, 1))
            assert line.get_xdata().tolist() == list(PASSED)
    assert legend_texts(fig) == list(QUICK)
    assert_readable(fig)
