"""What share-UCB believes of variances and correlations, by hand."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.budgeted import make_problem
from jaxbandits.budgeted.policies.ranges import ranges_of
from jaxbandits.budgeted.policies.shrunk import (
    joint_share,
    shrunk_correlation,
    shrunk_eta,
)
from tests.tables import each_row


def eta_of(*arms, pooled=True):
    """Ten pulls of the prior beside what every arm has shown."""
    shown = ([f(x) for x in arms] for f in (len, np.mean, lambda x: np.var(x) * len(x)))
    eta = jax.jit(shrunk_eta, static_argnums=4)
    return np.asarray(eta(*map(np.float32, shown), np.float32(10), pooled))


QUIET = [0.375, 0.625] * 20  # squares 40/64; 39 * 0.25 + (40/64)/40 at most
OWN = 0.625 / (39 / 4 + 1 / 64)
TOGETHER = (1 + 0.625) / (1 + 39 / 4 + 1 / 64)


def test_an_arm_that_has_shown_no_variance_borrows_none():
    constant = [0.5] * 40
    found = eta_of(QUIET, constant)
    assert found == pytest.approx([(10 * TOGETHER + 39 * OWN) / 49, 10 / 49], rel=1e-5)
    # It lends none either: beside another that is constant nothing changes.
    assert eta_of(QUIET, constant, constant)[:2] == pytest.approx(found)
    # What rounding leaves is no variance.
    assert eta_of(QUIET, [0.5, 0.5 + 1e-6] * 20)[1] == pytest.approx(10 / 49, rel=1e-4)


def test_an_arm_of_one_pull_borrows_variance():
    """It can show no variance, and zeros or ones say nothing of it."""
    assert eta_of(QUIET, [0.5])[1] == pytest.approx(TOGETHER, rel=1e-5)
    assert eta_of(QUIET, [1.0])[1] == pytest.approx(TOGETHER, rel=1e-5)
    assert eta_of(QUIET, [1.0, 1.0])[1] == 1


def test_unpooled_an_arm_has_its_own_variance():
    found = eta_of(QUIET, [0.5], pooled=False)
    assert found == pytest.approx([(10 + 39 * OWN) / 49, 1], rel=1e-5)


@each_row(
    "product, squares, correlation",
    [
        (6.0, (4.0, 9.0), 0.0),  # 1, ten times, and ten times -1
        (-6.0, (4.0, 9.0), -1.0),
        (0.0, (4.0, 9.0), -0.5),
        (0.0, (0.0, 9.0), -1.0),  # known of neither
        (6.1, (4.0, 9.0), 0.0),  # by rounding above 1
    ],
)
def test_shrunk_correlations_by_hand(product, squares, correlation):
    numbers = (jnp.array([x], float) for x in (11.0, product, *squares))
    found = shrunk_correlation(*numbers, jnp.float32(10))
    assert np.asarray(found) == pytest.approx([correlation])


def share_of(correlation, mean_reward, mean_cost, problem=None):
    """After so many pulls that one more of each outcome is nothing, with eta = 1."""
    means = SimpleNamespace(
        count=jnp.full(1, 1e7),
        mean_reward=jnp.array([mean_reward]),
        mean_cost=jnp.array([mean_cost]),
    )
    ranges, one = ranges_of(problem or make_problem(1)), jnp.ones(1)
    return float(joint_share(ranges, means, one, one, jnp.array([correlation]))[0])


def test_the_share_of_a_box():
    # Deviations of 1 and 2 times the means 1/2 and 1/5.
    assert share_of(-1.0, 0.5, 0.2) == 1
    assert share_of(0.0, 0.5, 0.2) == pytest.approx(5 / 9, rel=1e-5)
    assert share_of(1.0, 0.5, 0.2) == pytest.approx(1 / 9, rel=1e-5)
    assert share_of(1.0, 0.3, 0.3) == pytest.approx(0, abs=1e-6)


def test_ranges_are_those_of_the_money():
    """Costs in [1, 3] of mean 2 deviate by half of it, rewards in [0, 2] by all."""
    problem = make_problem(1, 1.0, 3.0, 0.0, 2.0)
    assert share_of(0.0, 1.0, 2.0, problem) == pytest.approx(5 / 9, rel=1e-5)
