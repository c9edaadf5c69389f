"""Exact tables: optimal pairs and what the paper prints of them."""

import pytest

from jaxbandits import censored
from jaxbandits_studies.censored.grids import GRIDS, exact_table
from tests.tables import naming

# Where the optimal limit lies on linspace(0.1, 0.9, 10), {0.5, 0.9} and
# linspace(0.1, 0.9, 20).
SECTION_5_1, M1, M2 = censored.equidistant(10), censored.M1, censored.equidistant(20)
LIMIT = {SECTION_5_1: 0.455556, M1: 0.5, M2: 0.478947}
# From independent float64 integrals: optimal arm (counted from 1) and its 1 - P(tau*).
CENSORING = {
    "Indep": (1, {SECTION_5_1: 0.4404, M1: 0.4066, M2: 0.4222}),
    "NegCorr": (2, {SECTION_5_1: 0.7637, M1: 0.7186, M2: 0.7405}),
    "PosCorr": (1, {SECTION_5_1: 0.5087, M1: 0.4537, M2: 0.4797}),
}
VALUE = {"Indep": 0.41657, "PosCorr": 0.21434, "NegCorr": 0.12013}  # Section 5.1.
PRINTED = {
    "Indep": {SECTION_5_1: 0.4404, M1: 0.4066, M2: 0.4222},
    "NegCorr": {SECTION_5_1: 0.7631, M1: 0.7189, M2: 0.7559},
    "PosCorr": {SECTION_5_1: 0.6116, M1: 0.5584, M2: 0.5851},
}


@pytest.fixture(scope="session")
def rows():
    """``rows(limits, instance)``: the row of the exact table."""
    table = {(GRIDS[r["table"]][0], r["environment"]): r for r in exact_table()}
    return lambda limits, instance: table[limits, instance]


def test_a_row_per_grid_and_instance():
    assert len(set(GRIDS)) == 5
    assert [len(limits) for limits, _ in GRIDS.values()] == [10, 10, 2, 20, 20]


def test_optimal_pairs_are_the_independent_ones(rows):
    for instance in CENSORING:
        for limits in LIMIT:
            with naming((instance, limits)):
                row = rows(limits, instance)
                arm, censoring = CENSORING[instance]
                assert row["arm"] == arm
                assert row["limit"] == pytest.approx(LIMIT[limits], abs=1e-6)
                # Four digits: 0.42227 is cut off and not rounded, in the paper too.
                assert row["censoring"] == pytest.approx(censoring[limits], abs=1e-4)
                assert row["published"] == PRINTED[instance][limits]
        value = rows(SECTION_5_1, instance)["value"]
        assert value == pytest.approx(VALUE[instance], abs=1e-5)
