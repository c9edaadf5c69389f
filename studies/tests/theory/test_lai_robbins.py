"""The nearest rival's divergence: by hand, by the primal, and by a line search."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import rel_entr

from jaxbandits_studies.theory import lai_robbins
from tests.tables import each_row

COIN = [[0.0, 1.0]]


def kl(p, q):
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def coin(p):
    return [[1 - p, p]]


def pairs(reward, reward_chances, cost, cost_chances):
    """All pairs of independent values, as `joint` takes them."""
    values, others = np.meshgrid(reward[0], cost[0], indexing="ij")
    chances = np.outer(reward_chances[0], cost_chances[0])
    return [[*values.ravel()]], [[*others.ravel()]], [[*chances.ravel()]]


def test_known_costs_are_lai_and_robbins():
    """A reward of p at 1/2, where the best arm has 0.8: it has to be told from 0.8."""
    known = {"ratio": [1.6], "lowest_cost": 0.5}
    both = lai_robbins.joint(COIN, [[0.5, 0.5]], coin(0.3), **known)
    apart = lai_robbins.independent(COIN, coin(0.3), [[0.5]], [[1.0]], **known)
    np.testing.assert_allclose([both, apart], kl(0.3, 0.8))
    # In money of another unit nothing changes.
    known = {"ratio": [0.4], "lowest_cost": 2.0}
    again = lai_robbins.joint(COIN, [[2.0, 2.0]], coin(0.3), **known)
    np.testing.assert_allclose(again, both)


@each_row("p, q, ratio", [(0.3, 0.7, 1.6), (0.9, 0.5, 2.5)])
def test_two_coins_are_the_least_sum_of_two_divergences(p, q, ratio):
    """Apart: the least sum of two kl's. Together: fewer rivals are farther off."""
    least = minimize_scalar(
        lambda x: kl(p, ratio * x) + kl(q, x),
        bounds=(p / ratio, min(q, 1 / ratio)),
        method="bounded",
        options={"xatol": 1e-10},
    )
    apart = lai_robbins.independent(COIN, coin(p), COIN, coin(q), [ratio])
    np.testing.assert_allclose(apart, least.fun, rtol=1e-8)
    both = lai_robbins.joint(*pairs(COIN, coin(p), COIN, coin(q)), [ratio])
    assert 0 < both[0] < apart[0]
    gains = np.array([[0, -ratio, 1, 1 - ratio]])
    chances = np.outer(coin(p)[0], coin(q)[0]).reshape(1, -1)
    np.testing.assert_allclose(lai_robbins.above(gains, chances, [0.0])[0], both)


@each_row("level", [0.5, 0.9])
def test_the_dual_is_the_primal(level):
    """With and without mass at the top, where the law has none."""
    values = np.array([0.0, 0.3, 0.7, 1.0])
    chances = np.array([0.5, 0.3, 0.2, 0.0])
    found = minimize(
        lambda q: rel_entr(chances, q).sum(),
        np.full(4, 0.25),
        bounds=[(1e-12, 1)] * 4,
        constraints=[
            {"type": "eq", "fun": lambda q: q.sum() - 1},
            {"type": "ineq", "fun": lambda q: values @ q - level},
        ],
        options={"ftol": 1e-13},
    )
    nearest = lai_robbins.above(values[None], chances[None], [level])
    np.testing.assert_allclose(nearest.divergence, found.fun, rtol=1e-5)
    step = 1e-5
    further = lai_robbins.above(values[None], chances[None], [level + step])
    slope = (further.divergence - nearest.divergence) / step
    np.testing.assert_allclose(nearest.price, slope, rtol=1e-3)


def test_what_needs_no_rival_and_what_has_none():
    law = (COIN * 3, coin(0.5) * 3, [0.2, 0.5, 1.1])
    assert lai_robbins.above(*law).divergence.tolist() == [0, 0, np.inf]
    best = lai_robbins.independent(COIN, coin(0.8), COIN, coin(0.5), [1.6])
    assert best == pytest.approx(0, abs=1e-12)
    none = lai_robbins.independent(COIN, coin(0.8), [[0.5]], [[1.0]], [4.0], 1.0, 0.5)
    assert none == [np.inf]
