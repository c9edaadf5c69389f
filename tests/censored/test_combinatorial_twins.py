"""Policies that choose several arms in a round choose as their float64 twins do."""

from functools import cache, partial

import jax
import numpy as np
import pytest

from jaxbandits import censored
from tests.censored.twins import PENALTY_MAX, cost, penalty
from tests.games import timed_coins
from tests.policies.followed import Case, assert_follows, twin_tests
from tests.reference import censored_policies as of_pairs
from tests.reference import combinatorial_policies as twins
from tests.tables import for_all

ROUNDS = 600
K, SIZE, LIMITS = 5, 2, (0.3, 0.5, 0.7)


TWO = (K, LIMITS, cost, penalty)


def _case(entry, twin, every=1, **params):
    return Case(f"combinatorial/{entry}", twin, params, every)


def _sum(pairs, **options):
    return lambda: twins.SumOfIndices(pairs(*TWO, **options), SIZE)


_cucb = partial(_sum, twins.PairsAsArms, penalty_max=PENALTY_MAX)
CASES = {
    "rcucb": _case("rcucb", _sum(twins.OptimisticPairs)),
    "rcucb, gain part": _case(
        "rcucb", _sum(twins.OptimisticPairs, penalty_radius=0), penalty_radius=0.0
    ),
    "cell-thompson": _case(
        "cell-thompson", _sum(of_pairs.CellThompson, least=-cost(1.0)), every=5
    ),
    "cucb": _case("cucb", _cucb()),
    "cucb, alpha": _case("cucb", _cucb(alpha=3.0), alpha=3.0),
    "super-arms-as-arms": _case(
        "super-arms-as-arms",
        partial(twins.SuperArmsAsArms, of_pairs.UCB, TWO, PENALTY_MAX, SIZE),
    ),
    "uniform": _case("uniform", lambda: twins.Uniform(of_pairs.PairPolicy(*TWO), SIZE)),
}


@cache
def game():
    """Arms that are alike enough for the choice to stay open."""
    problem = censored.running_example(K, LIMITS)
    pairs = timed_coins(problem, np.linspace(0.4, 0.6, K), np.full(K, 3.0))
    return censored.combinatorial(pairs, SIZE)


def assert_chooses_as_its_twin(label, dtype="float32"):
    wide = dtype == "float64"
    slack, share = (1e-11, 0.995) if wide else (2e-5, 0.98)
    with jax.enable_x64(wide):
        *_, choices = assert_follows(
            CASES[label], game(), ROUNDS, share=share, slack=slack
        )
    assert len(choices) > 4  # or the twin's agreement would say nothing


SHORT = [(label,) for label in CASES]
TestTwins = twin_tests("combinatorial", CASES, assert_chooses_as_its_twin, SHORT, SHORT)


@pytest.mark.slow
def test_index_policies_choose_as_their_twins_in_float64():
    labels = "rcucb", "rcucb, gain part", "cucb", "super-arms-as-arms"
    for_all(assert_chooses_as_its_twin, [(label, "float64") for label in labels])
