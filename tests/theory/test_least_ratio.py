"""The least regret with budgets: hand values, SciPy's optima, and what must hold."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import rel_entr

from jaxbandits.theory.least_ratio import Atoms, LeastPulls, least_pulls


def kl(p, q):
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def coins(mean):
    mean = np.asarray(mean, float)
    zero = np.zeros_like(mean)
    return Atoms(np.stack([zero, zero + 1], -1), np.stack([1 - mean, mean], -1))


def sure(values):
    values = np.asarray(values, float)[..., None]
    return Atoms(values, np.ones_like(values))


def drawn(rng, *shape):
    chances = rng.uniform(size=(*shape, 3))
    return Atoms(
        rng.uniform(0.05, 1, (*shape, 3)), chances / chances.sum(-1, keepdims=True)
    )


def test_costs_of_1_are_the_bound_of_lai_and_robbins():
    """A lower cost is rarer than a higher reward, and a gain is the coin, less 1/2."""
    rewards, costs = coins([0.5, 0.3, 0.5]), sure([1.0, 1.0, 1.0])
    for together in (False, True):
        found = least_pulls(rewards, costs, together)
        np.testing.assert_allclose(found.gaps, [0, 0.2, 0])
        np.testing.assert_allclose(found.pulls, [0, 1 / kl(0.3, 0.5), 0], rtol=1e-6)


def test_coins_against_a_search():
    r, c = np.array([0.4, 0.3, 0.1]), np.array([0.5, 0.6, 0.9])
    found = least_pulls(coins(r), coins(c))
    best = 0.8
    for arm in (1, 2):
        nearest = minimize_scalar(
            lambda mu, arm=arm: kl(r[arm], mu) + kl(c[arm], mu / best),
            bounds=(r[arm], best * c[arm]),
            method="bounded",
            options={"xatol": 1e-12},
        )
        assert found.pulls[arm] == pytest.approx(1 / nearest.fun, rel=1e-8)
    np.testing.assert_allclose(found.gaps, best * c - r, atol=1e-15)
    assert found.constants() == pytest.approx(found.gaps @ found.pulls)


@pytest.mark.parametrize("seed", range(3))
def test_joint_laws_against_the_nearest_law_itself(seed):
    """The primal problem, with an outcome more: 1 for nothing."""
    rng = np.random.default_rng(seed)
    rewards, costs = drawn(rng, 2), drawn(rng, 2)
    found = least_pulls(rewards, costs, together=True)
    price = np.max(rewards.means() / costs.means())
    (arm,) = np.flatnonzero(found.pulls)
    gains = np.append(
        np.subtract.outer(rewards.values[arm], price * costs.values[arm]), 1.0
    )
    p = np.append(np.outer(rewards.chances[arm], costs.chances[arm]), 0.0)
    nearest = minimize(
        lambda q: rel_entr(p, q).sum(),
        np.append(0.5 * p[:-1], 0.5),
        bounds=[(1e-9, 1)] * len(p),
        constraints=[
            {"type": "eq", "fun": lambda q: q.sum() - 1},
            {"type": "ineq", "fun": lambda q: gains @ q},
        ],
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    assert nearest.success
    assert found.pulls[arm] == pytest.approx(1 / nearest.fun, rel=1e-4)


def test_more_laws_ask_for_more_pulls():
    rng = np.random.default_rng(5)
    rewards, costs = drawn(rng, 20, 4), drawn(rng, 20, 4)
    apart, joint = (least_pulls(rewards, costs, together) for together in (False, True))
    assert isinstance(joint, LeastPulls)
    worse = apart.gaps > 0
    assert worse.sum() == 60 and np.all((apart.pulls > 0) == worse)
    assert np.all(apart.pulls <= joint.pulls * (1 + 1e-9))
    assert np.any(apart.pulls[worse] < 0.99 * joint.pulls[worse])
    # An instance is what it is alone.
    one = least_pulls(*(Atoms(*(x[3] for x in law)) for law in (rewards, costs)))
    np.testing.assert_allclose(one.pulls, apart.pulls[3], rtol=1e-9)
    np.testing.assert_allclose(one.constants(), apart.constants()[3], rtol=1e-9)


def test_no_reward_is_no_loss():
    found = least_pulls(coins([0.0, 0.0]), coins([0.2, 0.4]))
    assert np.all(found.gaps == 0) and np.all(found.pulls == 0)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"rewards": (1, 2)}, "rewards must be"),
        ({"rewards": coins([0.5, 0.4])._replace(values=[2.0, 0.5])}, "rewards must be"),
        ({"costs": Atoms([[0.5]], [[0.7]])}, r"costs.chances must sum to 1, got \[0.7"),
        ({"costs": coins([0.0, 0.5])}, "costs must have means above 0"),
    ],
)
def test_what_is_out_of_range_is_refused(change, named):
    arms = {"rewards": coins([0.5, 0.4]), "costs": coins([0.5, 0.4])}
    with pytest.raises((TypeError, ValueError), match=f"^{named}"):
        least_pulls(**arms | change)
