"""Arbitrary limits, recorded runs, and the censored paper's bounds beside the runs."""

import pytest

from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.censored.zooming import ZOOMING
from studies.tests.checks import assert_readable, check_records, entry

SMALL = Options(8, 1_000, progress=False, quick=True)


@pytest.fixture(scope="module")
def zooming():
    return REGISTRY["censored-simple-regret"].run(SMALL)


@pytest.mark.slow
def test_simple_regret_has_every_policy_and_its_slope(zooming):
    check_records(zooming, "censored-simple-regret")
    names = [r["policy"] for r in zooming.records]
    assert names[:3] == list(ZOOMING)
    assert {"StoOO", "zooming", "RCUCB, 10 limits", "RCUCB, 64 limits"} < set(names)
    data = zooming.datasets["overtime"]
    for record in zooming.records:
        assert "slope" in record["metrics"]
        last = data["simple_regret"].sel(policy=record["policy"])[..., -1]
        found = record["metrics"]["simple_regret"]["mean"]
        assert found == pytest.approx(float(last.mean()))
        on_grid = record["policy"].startswith("RCUCB")
        assert ("points" in record["metrics"]) != on_grid


@pytest.mark.slow
def test_coverage_holds_where_the_largest_limit_is_played():
    """And fails, for the estimate of eq. (9), where small ones are (errata, C8)."""
    outcome = REGISTRY["censored-coverage"].run(Options(200, 1_000, False))
    check_records(outcome, "censored-coverage")
    bound = entry(outcome, "Indep", "RCUCB", "below")["published"]
    for way in ("RCUCB", "largest limit", "smallest limit"):
        assert entry(outcome, "Indep", way, "above")["mean"] <= bound
    assert entry(outcome, "Indep", "largest limit", "below")["mean"] <= bound
    assert entry(outcome, "Indep", "smallest limit", "below")["mean"] > 10 * bound
    assert_readable(outcome.figure)


@pytest.mark.slow
def test_bounds_lie_above_the_regret(tiny):
    outcome = tiny("censored-bounds")
    for instance in ("PosCorr", "NegCorr", "Indep"):
        metrics = next(r for r in outcome.records if r["environment"] == instance)
        metrics = metrics["metrics"]
        for bound in ("Theorem 1, without subtraction", "trivial bound"):
            assert metrics[bound]["mean"] >= metrics["regret"]["mean"]
    styles = {(x.get_color(), x.get_linestyle()) for x in outcome.figure.axes[0].lines}
    assert len(styles) == 5
