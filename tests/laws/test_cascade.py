"""Curves of rounds that pay once, and their optimum."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import allocation
from jaxbandits.kernels.allocation import SOLVED, water_filling
from jaxbandits.laws.thresholds import FAMILIES, cascade_curves
from tests.reference.allocation_families import make_laws
from tests.reference.allocation_oracle import cascade_oracle
from tests.tables import each_row

FALLING = [("exponential", None), ("Lomax", 0.8), ("Weibull", 0.6), ("gamma", 0.5)]
X = np.geomspace(1e-3, 30, 400)


@pytest.mark.slow
def test_families_say_whose_hazard_falls():
    """As the families say: no false promise, and no family that could is left out."""
    with jax.enable_x64(True):
        for family in FAMILIES.values():
            for shape in (0.6, 1.0, 1.7) if family.shaped else (None,):
                if family.integer:
                    assert not family.falling_hazard(shape)
                    continue
                survival = 1 - np.asarray(family.cdf(X, 1.0, shape))
                x, survival = X[survival > 1e-4], survival[survival > 1e-4]
                hazard = np.exp(np.asarray(family.log_pdf(x, 1.0, shape))) / survival
                falls = np.all(np.diff(hazard) <= 1e-8 * hazard[1:])
                assert bool(family.falling_hazard(shape)) == falls, (family.name, shape)


def test_the_marginal_is_inverted(shape=0.8):
    family = FAMILIES["Lomax"]
    weight, rate = np.float32([0.1, 0.5, 0.9, 0.999]), np.float32([0.1, 1.0, 3.0, 0.4])
    curves = cascade_curves(family, weight, rate, shape)
    drop = jnp.float32([0.3, 2.0, 0.01, 1.0])
    fall = jax.jit(curves.fall)
    x = fall(drop)
    _, slope = jax.jvp(curves.value, (x,), (jnp.ones_like(x),))
    np.testing.assert_allclose(jnp.log(slope), curves.log_height - drop, atol=2e-5)
    # And its derivative is that of the inverse function.
    _, growth = jax.jvp(fall, (drop,), (jnp.ones_like(drop),))
    expected = (fall(drop + 0.01) - fall(drop - 0.01)) / 0.02
    np.testing.assert_allclose(growth, expected, rtol=2e-2)


@jax.jit
def fall_of(weight, rate, drop):
    return cascade_curves(FAMILIES["exponential"], weight, rate).fall(drop)


@jax.jit
def filled(weight, rate, budget):
    return water_filling(cascade_curves(FAMILIES["exponential"], weight, rate), budget)


@each_row("drop", [1.0, 19.9, 20.1, 40.0])
def test_far_down_the_exponential_by_hand(drop):
    """Where ``w rate / ((1 - w) exp(rate x) + w)`` is ``w rate exp(-drop)``."""
    weight, rate = np.array([0.3, 0.9, 0.999]), np.array([0.1, 1.0, 5.0])
    found = fall_of(*map(np.float32, (weight, rate, np.full(3, drop))))
    expected = np.log((np.exp(drop) - weight) / (1 - weight)) / rate
    np.testing.assert_allclose(found, expected, rtol=2e-5)


def test_two_equal_arms_by_hand():
    """Each gets half, and 1 - (1 - p (1 - exp(-1)))^2 is the chance of a success."""
    solution = filled(np.float32([0.5, 0.5]), np.float32([0.5, 0.5]), 4.0)
    np.testing.assert_allclose(solution.allocation, [2, 2], rtol=1e-6)
    chance = 1 - (1 - 0.5 * (1 - np.exp(-1))) ** 2
    assert -np.expm1(-float(solution.value)) == pytest.approx(chance, rel=1e-6)


def test_a_sure_arm_is_filled_alone():
    """With w = 1 its marginal stays at its rate: nobody below that gets anything."""
    solution = filled(np.float32([1.0, 0.5]), np.float32([1.0, 1.9]), 3.0)
    np.testing.assert_allclose(solution.allocation, [3, 0], atol=1e-3)


@pytest.mark.slow
@each_row("name, shape", FALLING)
def test_the_optimum_is_that_of_the_twin(name, shape, rng):
    family, K, budget = FAMILIES[name], 4, 6.0
    problem = allocation.make_problem(
        family, K, budget, shape=shape, lowest=0.01, highest=2.0, cascade=True
    )
    solve = jax.jit(lambda *arms: allocation.solve(problem, *arms, budget))
    laws = make_laws(name.lower(), (shape or 1.0,) * K)
    for _ in range(5):
        p, rate = rng.uniform(0.05, 1, K), rng.uniform(0.02, 0.6, K)

        def none(x, p=p, rate=rate):
            return sum(
                np.log1p(-w * law.cdf(max(v, 0.0), r))
                for law, w, r, v in zip(laws, p, rate, x, strict=True)
            )

        found = none(cascade_oracle(laws, p, rate, budget))
        solution = solve(*(jnp.asarray(each, jnp.float32) for each in (p, rate)))
        assert solution.status == SOLVED
        x = np.asarray(solution.allocation, float)
        assert x.sum() == pytest.approx(budget, rel=1e-5) and np.all(x >= 0)
        assert float(solution.value) == pytest.approx(-np.expm1(found), rel=1e-5)
        assert none(x) <= found + 1e-6
        assert float(solution.bound) >= float(solution.value) * (1 - 1e-6)


@each_row("name, shape", [("half-normal", None), ("Weibull", 1.5), ("gamma", (0.5, 2))])
def test_families_whose_hazard_grows_are_refused(name, shape):
    with pytest.raises(ValueError, match="cascade needs a family whose hazard rate"):
        allocation.make_problem(
            FAMILIES[name], 2, 5.0, shape=shape, lowest=0.1, highest=1, cascade=True
        )
