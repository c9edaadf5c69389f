"""Two arms in a round: what is played, and that lumping them costs."""

import pytest

from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.censored.super_arms import CAST, CELLS, LUMPED, SIZE
from studies.tests.checks import assert_readable, check_records, entry

NAME = "censored-combinatorial"
GAMES = [f"{name}, {SIZE} arms a round" for name in ("PosCorr", "NegCorr", "Indep")]


def test_what_is_played(rehearsal):
    outcome, _ = rehearsal(NAME, seeds=3, horizon=40, quick=True)
    check_records(outcome, NAME)
    assert [*outcome.datasets] == GAMES
    for dataset in outcome.datasets.values():
        assert dataset["policy"].values.tolist() == [*CAST]
    assert_readable(outcome.figure)


@pytest.mark.slow
def test_who_lumps_arms_learns_next_to_nothing():
    """After 2,000 rounds: 405 super arms have been played five times each."""
    outcome = REGISTRY[NAME].run(Options(8, 2_000, progress=False))
    for game in GAMES:
        lumped = entry(outcome, game, LUMPED, "regret")["mean"]
        uniform = entry(outcome, game, "uniform", "regret")["mean"]
        assert lumped > 0.8 * uniform
        assert entry(outcome, game, CELLS, "regret")["mean"] < 0.5 * lumped
