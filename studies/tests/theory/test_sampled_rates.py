"""theory/allocation-thompson.md: the bound, the steps of its proof, and runs."""

import bounds
import jax
import numpy as np

from jaxbandits.kernels.allocation import exponential_water_filling
from jaxbandits_studies.theory import sampled_rates
from tests.tables import each_row


def test_the_bound_by_hand():
    found = sampled_rates.bayes_regret_bound([200.0, 800.0], [np.log(4), 0.5], [4, 2])
    one = np.sqrt(0.5 * 4 * np.log(4) * 200) + np.sqrt(0.5 * 2 * 0.5 * 200)
    np.testing.assert_allclose(found, [one, 2 * one])
    # With an order many values cost 1 + log T, and few what they cost without.
    ordered = sampled_rates.bayes_regret_bound(
        200.0, [np.log(1000), 0.5], [1000, 2], ordered=True
    )
    many = np.sqrt(0.5 * (1 + np.log(200)) * np.log(1000) * 200) + 1
    np.testing.assert_allclose(ordered, many + np.sqrt(0.5 * 2 * 0.5 * 200))
    unordered = sampled_rates.bayes_regret_bound(200.0, [np.log(1000), 0.5], [1000, 2])
    assert unordered > 2 * ordered


def test_the_numbers_of_the_page():
    for J, ordered, told in (
        (8, True, [274, 865]),
        (64, True, [388, 1385]),
        (15, False, [428, 1352]),
    ):
        found = sampled_rates.bayes_regret_bound(
            [1e3, 1e4], np.full(3, np.log(J)), np.full(3, J), ordered=ordered
        )
        np.testing.assert_allclose(found, told, atol=0.6)


def test_the_splits_are_those_of_the_library():
    rng = np.random.default_rng(1)
    chance, rate = rng.random((2, 40, 3)) + 0.05
    with jax.enable_x64(True):
        solve = jax.jit(jax.vmap(exponential_water_filling, (0, 0, None)))
        expected = np.asarray(solve(chance, rate, 2.0).allocation)
    np.testing.assert_allclose(bounds.splits(chance, rate, 2.0), expected, atol=1e-9)


@each_row("num_rates, num_chances", [(8, 1), (3, 3)])
def test_runs_are_below_the_bound(num_rates, num_chances):
    """1,000 rounds of 50 instances: a tenth of the bound, and of equal amounts."""
    rounds, values = np.array([1000]), bounds.grid_of_values(num_rates, num_chances)
    regret, equal = (
        bounds.allocation_runs(
            np.random.default_rng(7), values, 50, rounds, uniform=uniform
        ).mean()
        for uniform in (False, True)
    )
    J = values[0].size
    bound = sampled_rates.bayes_regret_bound(
        1000.0, np.full(3, np.log(J)), np.full(3, J), ordered=num_chances == 1
    )
    assert 0 < regret < bound / 10
    assert regret < equal / 3
