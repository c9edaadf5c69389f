"""Budgets that are found out as they end: who plays which game, and for how long."""

import pytest

from jaxbandits_studies.allocation.unknown import GAMES, SERIES
from studies.tests.checks import entry, legend_texts


@pytest.mark.slow
def test_every_game_has_its_cast_and_records(rehearsal):
    outcome, calls = rehearsal("allocation-unknown", seeds=16, horizon=1_000)
    for (policies, game, end), title in zip(calls, GAMES, strict=True):
        assert game.name == title and not game.problem.known
        assert game.problem.cascade == (title == "a round pays once")
        assert end["horizon"] == 1_000 // GAMES[title].shorter
        last = list(policies)[-1]
        # In a rehearsal policy number i has i + 1 in every run.
        assert entry(outcome, title, last, "regret_worst")["mean"] == len(policies)
    assert [x.sizes["seed"] for x in outcome.datasets.values()] == [*4 * [16], 4]
    rows = [[y.get_text() for y in ax.get_yticklabels()] for ax in outcome.figure.axes]
    assert rows == [list(GAMES)[:4], list(GAMES)[4:]]
    assert legend_texts(outcome.figure) == list(SERIES)
