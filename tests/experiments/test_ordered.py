"""Arms in turn: that it costs to plan for another round than the one to come."""

import pytest

from jaxbandits.experiments import REGISTRY, Options
from jaxbandits.experiments.allocation.ordered import (
    BUDGETS,
    GREEDY,
    MEAN,
    MEAN_BUDGET,
    NUM_ARMS,
    THOMPSON,
)
from tests.experiments.checks import entry

NAME = "allocation-ordered"


def test_budgets_have_one_mean():
    for budgets in BUDGETS.values():
        assert sum(budgets) == MEAN * len(budgets)


@pytest.mark.slow
def test_who_plans_for_another_round_loses_more():
    """After 1,000 rounds: 1 to 1.02, 3 and 5, 7 and 8 times as much, by the budget."""
    outcome = REGISTRY[NAME].run(Options(16, 1_000, progress=False))
    games = [f"{NUM_ARMS} arms in turn, {title}" for title in BUDGETS]
    for game, least in zip(games, (None, 2.0, 3.0), strict=True):
        knows = entry(outcome, game, THOMPSON, "regret")["mean"]
        for other in (GREEDY, MEAN_BUDGET):
            share = entry(outcome, game, other, "regret")["mean"] / knows
            assert abs(share - 1) < 0.2 if least is None else share > least, share
