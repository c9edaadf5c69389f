"""The lists that were fixed before anything was tuned."""

import datetime

import jax
import numpy as np
import pytest

from jaxbandits_studies.budgeted.table import first_instances
from jaxbandits_studies.common.experiment import ROOT_SEED, Options
from jaxbandits_studies.judging.protocol import (
    FINAL_SEED,
    JUDGING_SEED,
    ORIGINS,
    TUNING_SEED,
)
from jaxbandits_studies.judging.protocols import PROTOCOLS
from tests.heavy import in_short
from tests.registered import POLICIES
from tests.tables import each_row

each = pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)


def numbers(environment):
    """What an environment consists of, as something that can be compared."""
    leaves = jax.tree.leaves(environment.setup)
    rows = tuple(np.asarray(leaf).tobytes() for leaf in leaves)
    return environment.game, environment.problem, rows


def test_root_seeds_differ():
    assert len({ROOT_SEED, TUNING_SEED, JUDGING_SEED, FINAL_SEED}) == 4


@each
def test_the_lists_are_those_of_the_protocol(protocol):
    assert datetime.date.fromisoformat(protocol.fixed) == datetime.date(2026, 11, 24)
    without_data = [case for case in protocol.judging.values() if not case.data]
    assert len(without_data) >= 12 and len(protocol.tuning) >= 4
    cases = [*protocol.judging.values(), *protocol.tuning.values()]
    assert {case.origin for case in cases} <= set(ORIGINS)
    for horizons in [protocol.horizons, *filter(None, (c.horizons for c in cases))]:
        assert list(horizons) == sorted(set(horizons))
        assert set(horizons) <= {10**3, 10**4, 10**5, 10**6}
    rivals = [name for name, entrant in protocol.entrants.items() if entrant.rival]
    assert len(rivals) >= 2
    # Those that are ours are named as they are shown.
    assert sorted([*protocol.of_papers, *protocol.variants]) == sorted(rivals)
    assert protocol.of_papers
    assert set(protocol.quick) <= set(protocol.entrants)
    if protocol.goal:
        assert set(protocol.goal.candidates) <= set(protocol.entrants)
        assert all(protocol.entrants[name].ours for name in protocol.goal.candidates)
    for margin in protocol.margins:
        assert {*margin.candidates, margin.rival} <= set(protocol.entrants)
        assert margin.rival not in margin.candidates


@pytest.mark.parametrize("setting", in_short(PROTOCOLS, {"allocation", "censored"}))
def test_nothing_is_tuned_on_what_is_judged(setting, no_data):
    protocol = PROTOCOLS[setting]
    made = [
        numbers(case.environment())
        for cases in (protocol.tuning, protocol.judging)
        for case in cases.values()
        if not case.data
    ]
    assert len(set(made)) == len(made)
    assert set(protocol.tuning).isdisjoint(protocol.judging)


# Of games that are ours: what the best arm or pair is worth, and a sum over all.
WORTH = [
    ("censored", "NegCorr, 10 limits to 1", 0.605427, -84.0380),
    ("censored", "drawn times 1", 0.473407, -38.8379),
    ("censored", "drawn pairs 1", 0.374195, -64.1083),
    ("budgeted", "rare sales", 0.180089, 6.07447),
    ("budgeted", "narrow", 4.32395, 11.0213),
    ("budgeted", "rare bill", 0.3 / 0.115, 0.466),
    ("farewell", "drawn delays 1", 0.0940260, 138.197),
    ("farewell", "heavy tail", 0.355517, 177.010),
    ("farewell", "late prize", 1 / 9.1, 101.45),
]


@each_row("setting, title, best, total", WORTH)
def test_games_are_those_that_were_judged(setting, title, best, total):
    """Leaderboards are not played anew when a game changes by a slip."""
    game = PROTOCOLS[setting].judging[title].environment()
    if setting == "budgeted":
        drawn = jax.tree.map(np.asarray, first_instances(game, 2))
        oracle = game.oracle(drawn)
        found = oracle.ratios.max(), oracle.mean_cost.sum()
    elif setting == "farewell":
        oracle = game.oracle()
        found = oracle.rate, oracle.mean_time.sum()
    else:
        oracle = game.oracle()
        found = oracle.value, oracle.values.sum()
    assert found == pytest.approx((best, total), rel=1e-4)


@each
def test_an_entrant_knows_what_it_says(protocol, no_data):
    problem = next(iter(protocol.judging.values())).environment().problem
    for name, entrant in protocol.entrants.items():
        policy = entrant.factory(problem)
        by_options = [key for key, value in entrant.params.items() if callable(value)]
        for key in by_options:
            assert np.isfinite(entrant.params[key](Options(2, 1_000)))
        assert bool(entrant.knows) == bool(policy.game_params or by_options), name
        assert set(policy.game_params) <= set(entrant.knows), name
        assert set(entrant.params) <= set(getattr(policy.params, "_fields", ())), name


@each
def test_what_is_judged_is_in_the_registry(protocol, no_data):
    """So that it has a twin, a contract and a case of the GPU engine."""
    problem = next(iter(protocol.judging.values())).environment().problem
    registered = [
        maker(problem)
        for name, maker in POLICIES.items()
        if name.startswith(f"{protocol.setting}/")
    ]
    for name, entrant in protocol.entrants.items():
        policy = entrant.factory(problem)
        assert any(policy is other for other in registered), name


def test_a_case_without_its_data_has_no_environment(no_data):
    assert PROTOCOLS["budgeted"].judging["FB-Br"].environment() is None
