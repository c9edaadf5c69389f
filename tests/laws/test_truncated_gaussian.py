"""The truncated bivariate Gaussian: moments, sampler and refusals."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.censored.instances import gaussian_covariance
from jaxbandits.laws import truncated_gaussian, truncated_gaussian_params
from jaxbandits.laws._truncated_gaussian import CONSUMPTION_ERROR
from tests.reference import exact
from tests.reference import laws as reference
from tests.reference.words import spell
from tests.tables import assert_refused, each_row

LIMITS = np.linspace(0.1, 0.9, 10)
SWEEP = np.array([0.0, 0.8])
ARMS = {  # means, x of eq. (33), sigma: arms of E.2, F.2 and F.3
    "PosCorr": ([(0.6, 0.45), (0.5, 0.5)], [0.2, 0.6], 0.2),
    "NegCorr": ([(0.9, 0.8), (0.8, 0.8)], 2 * [-0.2], 0.2),
    "F.2": (np.stack([0.9 * (1 - SWEEP), 0.3 + 0.7 * SWEEP], 1), 2 * [0.2], 0.2),
    "F.3": (np.stack([0.9 * (1 - SWEEP), 0 * SWEEP], 1), 2 * [0.2], 0.1),
}
CORNERS = np.array([2.0**-24, 0.5, 1 - 2.0**-24])


def cost(x):
    return x / 10


def arms(name):
    mean, x, scale = ARMS[name]
    return np.asarray(mean, float), gaussian_covariance(x, scale)


@pytest.fixture(scope="module")
def params():
    """``params(name)``, fitted once."""
    return {name: truncated_gaussian_params(*arms(name)) for name in ARMS}.__getitem__


draw = jax.jit(jax.vmap(truncated_gaussian.sample, (0, None, None)))


def draws(params, noise, arm):
    params = jax.tree.map(jnp.float32, params)
    return map(np.asarray, draw(spell(noise, "uu"), params, jnp.int32(arm)))


@each_row("name", ARMS)
def test_moments_are_those_of_quadrature(name, params):
    moments = truncated_gaussian.moments(params(name), LIMITS, cost)
    for arm, (mean, covariance) in enumerate(zip(*arms(name), strict=True)):
        law = exact.TruncatedGaussianPair(mean, covariance)
        within = [law.within(tau) for tau in LIMITS]
        reward = [law.gain(tau, np.zeros_like) for tau in LIMITS]
        gain = [law.gain(tau, cost) for tau in LIMITS]
        np.testing.assert_allclose(moments.probability[arm], within, atol=1e-10)
        np.testing.assert_allclose(moments.reward[arm], reward, atol=1e-10)
        ours = moments.reward[arm] - moments.cost[arm]
        np.testing.assert_allclose(ours, gain, atol=1e-10)


def test_moments_in_another_box_are_those_of_quadrature():
    """Limits below, on, between and beyond the ends of the consumption's interval.

    The consumption spreads more than the reward.
    """
    mean, covariance = np.array([[0.6, 0.5]]), np.array([[[0.04, 0.02], [0.02, 0.09]]])
    box = (0.1, 0.2), (0.9, 0.7)
    limits = np.array([0.1, 0.2, 0.4, 0.7, 5.0])
    other = truncated_gaussian_params(mean, covariance, *box)
    moments = truncated_gaussian.moments(other, limits, cost)
    law = exact.TruncatedGaussianPair(mean[0], covariance[0], *box)
    within = [law.within(tau) for tau in limits]
    gain = [law.gain(tau, cost) for tau in limits]
    np.testing.assert_allclose(moments.probability[0], within, atol=1e-10)
    ours = moments.reward[0] - moments.cost[0]
    np.testing.assert_allclose(ours, gain, atol=1e-10)
    np.testing.assert_array_equal(moments.probability[0, [0, 1]], 0)
    np.testing.assert_array_equal(moments.probability[0, 3:], 1)


@each_row("name", ARMS)
def test_sampler_equals_the_reference(name, params, tape):
    ends = np.stack(np.meshgrid(CORNERS, CORNERS), axis=-1).reshape(-1, 2)
    for arm in range(len(ARMS[name][1])):
        noise = np.concatenate([tape(60, 2, seed=arm), ends]).astype(np.float32)
        reward, consumption = draws(params(name), noise, arm)
        mean, covariance = (x[arm] for x in arms(name))
        truth = np.array(
            [
                reference.truncated_gaussian_pair(u, mean, covariance)
                for u in noise.astype(float)
            ]
        )
        error = np.max(np.abs(consumption - truth[:, 1]))
        assert error <= CONSUMPTION_ERROR
        # The reward's conditional law moves with the consumption.
        assert np.max(np.abs(reward - truth[:, 0])) <= CONSUMPTION_ERROR
        assert np.all((reward >= 0) & (reward <= 1))
        assert np.all((consumption >= 0) & (consumption <= 1))
        if name != "F.3":  # where the stated bound is generous
            assert error <= 3e-6


MEAN, IDENTITY = np.full((2, 2), 0.5), np.stack(2 * [0.2 * np.eye(2)])


def entries(a, b, c, d):
    return np.broadcast_to(np.array([[a, b], [c, d]]), (2, 2, 2))


def test_what_is_no_gaussian_in_a_box_is_refused():
    def box(lower, upper):
        return lambda: truncated_gaussian.check(
            truncated_gaussian_params(MEAN, IDENTITY, lower, upper)
        )

    rows = [
        (partial(truncated_gaussian_params, mean, covariance), says)
        for mean, covariance, says in (
            (MEAN[0], IDENTITY, r"mean must have shape \[K, 2\]"),
            (np.zeros((2, 3)), IDENTITY, r"mean must have shape \[K, 2\]"),
            (MEAN, IDENTITY[0], "covariance must have shape"),
            (MEAN * np.nan, IDENTITY, "mean must be finite"),
            (MEAN, entries(0.2, 0.1, 0.0, 0.2), "symmetric and positive definite"),
            (MEAN, entries(0.2, 0.2, 0.2, 0.2), "symmetric and positive definite"),
            (MEAN, entries(0.2, 0.0, 0.0, -0.2), "symmetric and positive definite"),
            (MEAN, entries(np.nan, 0.0, 0.0, 0.2), "covariance must be finite"),
            (MEAN + 50, IDENTITY, "leave some mass in the box"),
            (MEAN - 50, IDENTITY, "leave some mass in the box"),
            (MEAN, entries(0.2, 0.1998, 0.1998, 0.2), "too sharply"),
        )
    ]
    rows += [
        (box((0, 0), (1, 0)), "lower must lie below upper"),
        (box((0.5, 0), (0.5, 1)), "lower must lie below upper"),
        (box((-0.1, 0.0), (1.0, 1.0)), "keep the reward"),
        (box((0.0, 0.0), (1.1, 1.0)), "keep the reward"),
        (box((0.0, -0.1), (1.0, 1.0)), "lower"),
    ]
    assert_refused(rows, ValueError)


def test_negative_scales_are_refused(params):
    good = params("PosCorr")
    truncated_gaussian.check(good)
    for name in ("reward_scale", "consumption_scale"):
        with pytest.raises(ValueError, match=name):
            truncated_gaussian.check(good._replace(**{name: -good.reward_scale}))


def test_a_narrow_law_is_sampled(tape):
    # Most of the box lies beyond what any uniform reaches.
    mean = np.array([(0.9, 0.1)] * 2)
    covariance = 0.001 * np.array([np.eye(2), [[1, 0.4], [0.4, 2]]])
    params = truncated_gaussian_params(mean, covariance)
    noise = tape(69, 2)  # as many as above, where the sampler has been compiled
    for arm in range(2):
        reward, consumption = draws(params, noise, arm)
        expected = np.array(
            [
                reference.truncated_gaussian_pair(u, mean[arm], covariance[arm])
                for u in np.asarray(noise, np.float64)
            ]
        )
        np.testing.assert_allclose(reward, expected[:, 0], atol=2e-5)
        np.testing.assert_allclose(consumption, expected[:, 1], atol=2e-6)
