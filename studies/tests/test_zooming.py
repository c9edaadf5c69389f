"""Arbitrary limits, recorded runs, and the censored paper's bounds beside the runs."""

import pytest

from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.censored.zooming import ZOOMING
from studies.tests.checks import check_records

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
