"""Normal rewards: the law against SciPy's, and who takes it (draws: test_contract)."""

import numpy as np
import pytest
from scipy import stats

from jaxbandits import budgeted, laws
from tests.tables import each_row

MEAN, DEVIATION = np.array([0.25, -3.0]), np.array([2.0, 0.5])
NORMAL = laws.Normal(MEAN, DEVIATION)
REWARDS = laws.product(laws.normal, laws.uniform)
COSTS = laws.Uniform(np.zeros(2), np.ones(2))


def test_moments_are_those_of_scipy():
    exact = stats.norm(MEAN[:, None], DEVIATION[:, None])
    x = np.array([-4.0, 0.0, 0.3, 7.0])
    np.testing.assert_allclose(laws.normal.cdf(NORMAL, x), exact.cdf(x), rtol=1e-12)
    p = np.tile([0.001, 0.5, 0.9], (2, 1))
    found = laws.normal.quantile(NORMAL, p)
    np.testing.assert_allclose(found, exact.ppf(p), rtol=1e-12)
    np.testing.assert_array_equal(laws.normal.mean(NORMAL), MEAN)
    np.testing.assert_array_equal(laws.normal.sigma(NORMAL), DEVIATION)


@each_row(
    "mean, deviation, says",
    [
        ([0.5, np.inf], [1.0, 1.0], "mean"),
        ([0.5, 0.5], [1.0, 0.0], "deviation must be positive"),
        ([0.5, 1.1], [1.0, 1.0], "the reward law must have its means in"),
    ],
)
def test_parameters_out_of_range_are_refused(mean, deviation, says):
    rewards = laws.Normal(np.array(mean), np.array(deviation))
    with pytest.raises(ValueError, match=says):
        REWARDS.check(laws.Product(rewards, COSTS))


def test_a_consumption_is_not_normal():
    law = laws.product(laws.uniform, laws.normal)
    with pytest.raises(ValueError, match="the consumption law"):
        law.check(laws.Product(COSTS, NORMAL))


def test_who_needs_rewards_in_the_unit_interval_refuses():
    with pytest.raises(ValueError, match="reward: a copula needs rewards in"):
        laws.gaussian_copula(laws.normal, laws.uniform)
    rewards = laws.Normal(np.full(2, 0.5), DEVIATION)
    with pytest.raises(ValueError, match="law: the rewards of normal x uniform do not"):
        budgeted.make_environment("normal", REWARDS, laws.Product(rewards, COSTS))
