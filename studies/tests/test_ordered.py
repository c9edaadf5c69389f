"""Arms in turn: that it costs to plan for another round than the one to come."""

import pytest

from jaxbandits import allocation, simulate
from jaxbandits.registry import POLICIES
from jaxbandits_studies.allocation.ordered import BUDGETS, LEAST, MEAN, MOST, NUM_ARMS


def test_budgets_have_one_mean():
    for budgets in BUDGETS.values():
        assert sum(budgets) == MEAN * len(budgets)


@pytest.mark.slow
def test_who_plans_for_another_round_loses_more():
    arms = allocation.simulation(NUM_ARMS, float(MEAN), LEAST, MOST)
    game = allocation.ordered(arms, (*BUDGETS.values(),)[-1])
    names = ["thompson", "thompson-greedy", "thompson-mean"]
    policies = {name: POLICIES[f"ordered/{name}"](game.problem) for name in names}
    data = simulate(policies, game, horizon=1_000, seeds=32, checkpoints=[1_000])
    regret = data["regret"].mean("seed").isel(checkpoint=-1, params=0)
    share = regret / regret.sel(policy="thompson")
    found = [float(share.sel(policy=name)) for name in names[1:]]
    assert min(found) > 4, found  # 11.3 and 11.1
