"""Arms in turn: that it costs to plan for another round than the one to come."""

import pytest

from jaxbandits import allocation, simulate
from jaxbandits.registry import POLICIES
from jaxbandits_studies.allocation.comparisons import (
    LEAST_UNITS,
    MEAN_UNITS,
    MOST_UNITS,
    NUM_TURNS,
    TURN_BUDGETS,
)


def test_budgets_have_one_mean():
    for budgets in TURN_BUDGETS.values():
        assert sum(budgets) == MEAN_UNITS * len(budgets)


@pytest.mark.slow
def test_who_plans_for_another_round_loses_more():
    arms = allocation.simulation(NUM_TURNS, float(MEAN_UNITS), LEAST_UNITS, MOST_UNITS)
    game = allocation.ordered(arms, (*TURN_BUDGETS.values(),)[-1])
    names = ["thompson", "thompson-greedy", "thompson-mean"]
    policies = {name: POLICIES[f"ordered/{name}"](game.problem) for name in names}
    data = simulate(policies, game, horizon=1_000, seeds=32, checkpoints=[1_000])
    regret = data["regret"].mean("seed").isel(checkpoint=-1, params=0)
    share = regret / regret.sel(policy="thompson")
    found = [float(share.sel(policy=name)) for name in names[1:]]
    assert min(found) > 4, found  # 11.3 and 11.1
