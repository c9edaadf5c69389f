"""Preferences in place of rewards: what is played, and what ignoring limits costs."""

import pytest

from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.censored.duels import (
    APART,
    BLIND,
    CAST,
    CELLS,
    RUCB,
    SELF,
    SPARRING,
)
from studies.tests.checks import assert_readable, check_records, entry

NAME = "censored-duels"
GAMES = [f"{name}, duels" for name in ("PosCorr", "NegCorr", "Indep")]


def test_what_is_played(rehearsal):
    outcome, _ = rehearsal(NAME, seeds=3, horizon=40, quick=True)
    check_records(outcome, NAME)
    assert [*outcome.datasets] == GAMES
    for dataset in outcome.datasets.values():
        assert dataset["policy"].values.tolist() == [*CAST]
    assert_readable(outcome.figure)


@pytest.mark.slow
def test_who_ignores_limits_learns_slowly_or_what_is_wrong():
    """After 10,000 rounds, by factors half as large as those of 16 seeds."""
    outcome = REGISTRY[NAME].run(Options(8, 10_000, progress=False))
    for game in GAMES:
        regret = {
            name: entry(outcome, game, name, "regret")["mean"] for name in [*CAST]
        }
        for rival in (SELF, SPARRING, RUCB):
            assert regret[CELLS] < 0.5 * regret[rival]
        assert regret[CELLS] < regret[APART] < regret["uniform"]
        assert regret[BLIND] > 0.9 * regret["uniform"]
