"""Ours beside the authors' published code, on fixed instances.

The numbers are of studies/authors_budgeted.py, which plays that code unchanged: 40 runs
of each policy on instances of ten arms, for 5,000 cheapest costs. A twin shares our
reading of the paper; this does not.

Regrets have heavy tails, so that means of both are compared with the larger of the two
deviations, as in test_published_budgeted.py. omega-UCB's code skips an arm that has
cost nothing in a fifth of the cases (errata.md, B7); where that matters, on
Br-cheap, it is left out here.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from jaxbandits import laws, simulate
from jaxbandits.budgeted import make_environment
from tests.registered import POLICIES

pytestmark = pytest.mark.slow

FOUND = json.loads(
    (Path(__file__).parents[2] / "tests/reference/authors_budgeted.json").read_text()
)
SEEDS = 256
OUTCOMES = np.array([0, 0.25, 0.5, 0.75, 1])
OTHERWISE = {("Br-cheap", "omega-ucb"), ("Br-cheap", "omega-star-ucb")}
PARAMS = {"budget-ucb": {"log_factor": 2.0}}  # of the code


def game(title):
    """An instance as ours."""
    reward, cost = np.array(FOUND["instances"][title]["params"])
    if reward.ndim == 1:
        law, make = laws.bernoulli, laws.Bernoulli
    elif reward.shape[1] == 2:
        law, make = laws.beta, lambda x: laws.Beta(*x.T)
    else:
        law = laws.discrete
        make = lambda x: laws.Discrete(np.tile(OUTCOMES, (10, 1)), x)  # noqa: E731
    arms = laws.Product(make(reward), make(cost))
    return make_environment(title, laws.product(law, law), arms, unit="cheapest")


@cache
def score(title, name):
    """How many standard errors of the difference ours lies above the authors'."""
    theirs, error = FOUND["instances"][title]["regret"][name]
    environment = game(title)
    policy = POLICIES[f"budgeted/{name}"](environment.problem)
    data = simulate(
        policy.over(**PARAMS.get(name, {})),
        environment,
        budget=FOUND["budget"],
        seeds=SEEDS,
        checkpoints=[FOUND["budget"]],
    )
    ours = data["regret"].values.ravel()
    deviation = max(ours.std(ddof=1), error * FOUND["runs"] ** 0.5)
    allowed = deviation * np.hypot(SEEDS**-0.5, FOUND["runs"] ** -0.5)
    return (ours.mean() - theirs) / allowed


@pytest.mark.parametrize("name", FOUND["instances"]["Br-0"]["regret"])
def test_ours_plays_as_the_published_code(name):
    scores = np.array(
        [score(t, name) for t in FOUND["instances"] if (t, name) not in OTHERWISE]
    )
    # Ten policies: one in a hundred families of tests fails by chance.
    assert stats.chi2.sf(np.sum(scores**2), scores.size) > 0.001, scores
