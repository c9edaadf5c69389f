"""Threshold families against SciPy, and the properties that the allocation needs.

Arrays are ``[2 shapes, 4 rates, 9 points]`` wherever families are compared with SciPy,
and nothing of these is compiled as a whole, so that they share what JAX compiles.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxbandits.laws import thresholds
from jaxbandits.laws.thresholds import (
    FAMILIES,
    check_family,
    curves,
    inverse_truncated_mean,
    pdf,
    quantile,
    rise,
    surrogate,
    touch_point,
)
from tests.heavy import HEAVY, in_short, light_first
from tests.tables import assert_refused, each_row, in_both_precisions

pytestmark = pytest.mark.usefixtures("quickly")


class Whole:
    """Discrete Weibull on 1, 2, ..., after appendix A.2."""

    def __init__(self, rate, shape):
        self.rate, self.shape = rate, shape

    def cdf(self, x):
        return -np.expm1(-((self.rate * np.maximum(np.floor(x), 0)) ** self.shape))

    def logcdf(self, x):
        return np.log(self.cdf(x))

    def logpdf(self, x):
        return np.log(self.cdf(x) - self.cdf(x - 1))

    def ppf(self, p):
        return np.ceil((-np.log1p(-p)) ** (1 / self.shape) / self.rate)


def of_scale(law):
    return lambda rate, shape: law(scale=1 / rate)


def of_shape(law):
    return lambda rate, shape: law(shape, scale=1 / rate)


RATES, BETA_RATES = (0.02, 0.3, 2.5, 50.0), (1.0, 1.5, 4.0, 20.0)
# SciPy's law of a rate and a shape, two shapes, rates.
LAWS = {
    "exponential": (of_scale(stats.expon), None, RATES),
    "Weibull": (of_shape(stats.weibull_min), (0.7, 2.5), RATES),
    "gamma": (of_shape(stats.gamma), (0.7, 3), RATES),
    "Lomax": (of_shape(stats.lomax), (1, 2.5), RATES),
    "beta(1, rate)": (lambda rate, shape: stats.beta(1, rate), None, BETA_RATES),
    "beta": (lambda rate, shape: stats.beta(shape, rate), (0.7, 2.5), BETA_RATES),
    "half-normal": (of_scale(stats.halfnorm), None, RATES),
    "Maxwell": (of_scale(stats.maxwell), None, RATES),
    "Nakagami": (of_shape(stats.nakagami), (0.45, 2), RATES),
    "discrete Weibull": (Whole, (0.8, 1.5), (0.3, 0.5, 1.0, 1.5)),
}
CONTINUOUS = [name for name in LAWS if name != "discrete Weibull"]
PROBABILITIES = np.array([1e-9, 1e-5, 1e-3, 0.05, 0.3, 0.6, 0.9, 0.99, 1 - 1e-6])
NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)


FULL = (2, 4, 9)


def parameters(name, dtype):
    """``(rate, shape or None)``, [2, 4, 9] each."""
    _, shape, rate = LAWS[name]
    rate = np.broadcast_to(np.reshape(rate, (1, 4, 1)), FULL)
    if shape is not None:
        shape = np.broadcast_to(np.reshape(shape, (2, 1, 1)), FULL)
        shape = jnp.asarray(shape, dtype)
    return jnp.asarray(rate, dtype), shape


def law_of(name, rate, shape):
    wide = [None if v is None else np.asarray(v, np.float64) for v in (rate, shape)]
    return LAWS[name][0](*wide)


def points(name, dtype):
    """``(x [2, 4, 9], rate, shape, law)``: x at the probabilities above."""
    rate, shape = parameters(name, dtype)
    law = law_of(name, rate, shape)
    return jnp.asarray(law.ppf(PROBABILITIES), dtype), rate, shape, law


def truncated_mean(law, x):
    """``integral of 1 - G(t) / G(x)`` over t in [0, x], by Gauss and Legendre.

    At ``t = x u**4``, as densities may be infinite at 0; for whole thresholds a sum
    up to 64, as stated.
    """
    if isinstance(law, Whole):
        x = np.minimum(x, 64)
        steps = range(64)
        return sum(np.where(j < x, 1 - law.cdf(j) / law.cdf(x), 0) for j in steps)
    total = np.zeros_like(x)
    for u, w in zip((NODES + 1) / 2, WEIGHTS / 2, strict=True):
        total += w * 4 * u**3 * (1 - law.cdf(x * u**4) / law.cdf(x))
    return x * total


@pytest.mark.parametrize("name", light_first(LAWS))
def test_rises_are_those_of_the_cdf(name):
    """From nothing, and between points so close that G does not tell them apart."""
    family = FAMILIES[name]
    low, rate, shape, law = points(name, np.float32)
    found = rise(family, jnp.zeros_like(low), low, rate, shape)
    np.testing.assert_allclose(found, law.cdf(np.asarray(low, float)), rtol=1e-5)
    assert not rise(family, low, low, rate, shape).any()
    assert not rise(family, 0 * low, 0 * low, rate, shape).any()
    high = low * np.float32(1 + 1e-4)
    found = rise(family, low, high, rate, shape)
    x, end = (np.asarray(v, np.float64) for v in (low, high))
    if family.hazard is None:
        np.testing.assert_allclose(found, law.cdf(end) - law.cdf(x), atol=5e-7)
        return
    # The density over so short a way is a parabola.
    nodes = zip(*np.polynomial.legendre.leggauss(3), strict=True)
    exact = sum(w / 2 * law.pdf(x + (end - x) * (u + 1) / 2) for u, w in nodes)
    np.testing.assert_allclose(found, exact * (end - x), rtol=1e-5)


@pytest.mark.parametrize("name", light_first(LAWS))
def test_functions_of_a_family_are_scipys(name):
    """G and the mean by relative errors, logarithms by absolute ones."""
    family = FAMILIES[name]
    x, rate, shape, law = points(name, np.float32)
    exact = np.asarray(x, np.float64)

    def found(function, x=x):
        values = function(x, rate, shape)
        assert values.dtype == np.float32 and values.shape == x.shape
        return np.asarray(values, np.float64)

    close = np.testing.assert_allclose
    close(found(family.cdf), law.cdf(exact), rtol=1e-5)
    np.testing.assert_array_equal(found(family.cdf, 0 * x), 0)
    close(found(family.cdf, 0 * x + 1e15), np.ones(FULL), rtol=1e-6)
    # Small x: the logarithm is large. Large x: it vanishes.
    close(found(family.log_cdf), law.logcdf(exact), rtol=1e-5, atol=1e-5)
    atol = 1e-4 if family.integer else 5e-6
    close(found(family.log_pdf), law.logpdf(exact), rtol=1e-5, atol=atol)
    close(found(family.truncated_mean), truncated_mean(law, exact), rtol=1e-5)


@each_row("name", sorted(HEAVY))
def test_densities_of_heavy_families_are_scipys(name):
    """Without their distribution functions, which XLA takes long for."""
    x, rate, shape, law = points(name, np.float32)
    found = FAMILIES[name].log_pdf(x, rate, shape)
    exact = law.logpdf(np.asarray(x, np.float64))
    np.testing.assert_allclose(found, exact, rtol=1e-5, atol=5e-6)


@in_both_precisions
def test_the_logarithm_of_a_precise_cdf_is_scipys(dtype):
    """From where it is hardly above 0 to where it is 1."""
    assert [name for name, family in FAMILIES.items() if family.precise] == [
        "exponential"
    ]
    x = np.geomspace(1e-28, 1e3, 500).astype(dtype)
    found = np.log(np.asarray(thresholds.exponential.cdf(x, dtype(0.3)), float))
    exact = stats.expon(scale=1 / np.float64(dtype(0.3))).logcdf(x.astype(float))
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(found, exact, rtol=2 * eps, atol=4 * eps)


def test_the_logarithm_of_the_cdf_keeps_its_digits_near_0_and_1():
    """-survival, also where ``1 - survival`` is 1; without a floor for small x."""
    shape = jnp.float32([1.0, 2.5])[:, None]
    v = np.array([1e-20, 1e-3, 5, 20, 60])
    x = jnp.float32(v)[None] ** (1 / shape)
    found = jax.jit(thresholds.weibull.log_cdf)(x, np.float32(1), shape)
    expected = np.log(-np.expm1(-v[:3])).tolist() + (-np.exp(-v[3:])).tolist()
    expected = np.broadcast_to(expected, found.shape)
    np.testing.assert_allclose(found, expected, rtol=3e-5)


def test_truncated_means_of_long_waits_are_stated():
    """Whole thresholds beyond 64 count as 64."""
    family = thresholds.discrete_weibull
    x, rate, shape = jnp.asarray([64.0, 1e4]), jnp.asarray(0.02), jnp.asarray(1.0)
    at = family.truncated_mean(x, rate, shape)
    below = np.arange(64)
    sum_at_64 = np.sum(np.exp(-0.02 * below) - np.exp(-0.02 * 64))
    assert at[0] == pytest.approx(sum_at_64 / -np.expm1(-0.02 * 64), rel=1e-5)
    assert np.isfinite(at[1])


def test_truncated_means_of_lomax_laws_near_shape_1():
    shape, x = np.array([[1 - 1e-5], [1 + 1e-5]]), np.array([[0.5, 3.0, 30.0]])
    with jax.enable_x64(True):
        found = jax.jit(thresholds.lomax.truncated_mean)(x, 1.0, shape)
    expected = truncated_mean(stats.lomax(shape), np.tile(x, (2, 1)))
    np.testing.assert_allclose(found, expected, rtol=1e-7)


TRIPS = [
    ("Lomax", np.float64),
    pytest.param("gamma", np.float32, marks=pytest.mark.slow),
    pytest.param("discrete Weibull", np.float32, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "dtype"), TRIPS)
def test_rates_of_means_and_quantiles_of_probabilities_are_inverses(name, dtype):
    family, shape = FAMILIES[name], LAWS[name][1]
    single = dtype == np.float32
    with jax.enable_x64(not single):
        rates = jnp.asarray(LAWS[name][2], dtype)
        shape = None if shape is None else jnp.asarray(shape[0], dtype)
        law = law_of(name, rates[1], shape)
        x = jnp.asarray(law.ppf(0.6) + family.integer * 3, dtype)
        p = jnp.asarray([1e-4, 0.1, 0.5, 0.93], dtype)

        @jax.jit
        def trips(x, rates, p):
            means = family.truncated_mean(x, rates, shape)
            # Means out of reach lead to the ends.
            means = jnp.concatenate([means[1:3], jnp.asarray([1e-12, 1e12], dtype)])
            back = inverse_truncated_mean(family, means, x, rates[0], rates[3], shape)
            return back, quantile(family, p, rates[1], shape)

        back, ours = map(np.asarray, trips(x, rates, p))
        wanted = np.asarray(rates)[[1, 2, 3, 0]]
        np.testing.assert_allclose(back, wanted, rtol=5e-4 if single else 1e-9)
    ours = ours.astype(np.float64)
    p = np.asarray(p, np.float64)
    if family.integer:
        assert np.all(ours == np.rint(ours)) and np.all(law.cdf(ours) >= p)
        assert np.all(law.cdf(ours - 1) < p)
    else:
        np.testing.assert_allclose(ours, law.ppf(p), rtol=5e-5 if single else 1e-10)


DROPS = np.array([1e-12, 1e-6, 1e-3, 0.1, 0.5, 1, 3, 10, 50])


@pytest.mark.parametrize("name", CONTINUOUS)
def test_fall_inverts_the_marginal(name):
    """``log_pdf(fall(d)) = log_height - d``, beyond the mode, from tiny to large d."""
    family = FAMILIES[name]
    rate, shape = parameters(name, np.float32)
    drop = jnp.float32(np.broadcast_to(DROPS, FULL))
    x = family.fall(drop, rate, shape)
    assert x.dtype == np.float32 and x.shape == drop.shape
    height = family.log_height(rate, shape)
    found = np.asarray(height - family.log_pdf(x, rate, shape), np.float64)
    # Near 1, one step of a float is much of a Beta's marginal; at rate 1 it is flat.
    usable = np.ones(x.shape, bool)
    if "beta" in name:
        usable = (np.asarray(x) < 0.9) & (np.asarray(rate) > 1)
        assert np.sum(usable) >= 30
    wanted = np.asarray(drop, np.float64)[usable]
    np.testing.assert_allclose(found[usable], wanted, rtol=2e-6, atol=4e-5)
    x = np.asarray(x)
    # To rounding: two drops far below it may give one x or its neighbour.
    growth = np.diff(x, axis=2)[usable[..., 1:]]
    assert np.all(growth >= -1e-6 * np.max(x[usable]))
    bounded = np.broadcast_to(family.bounded(LAWS[name][1]), 2)
    heights = np.asarray(
        height - family.log_pdf(points(name, np.float32)[0], rate, shape)
    )
    assert np.all(heights[bounded] >= -4e-5)
    # Nothing is steeper than the height: negative drops lead to the mode.
    mode = np.asarray(family.fall(drop * 0 - 2, rate, shape))[bounded]
    at_zero = np.asarray(family.fall(drop * 0, rate, shape))[bounded]
    np.testing.assert_allclose(mode, at_zero, rtol=1e-6, atol=1e-9)
    assert np.all(mode <= x[bounded] * (1 + 1e-5) + 1e-9)


@each_row("name", ["Weibull", "beta"])
def test_the_slope_of_fall_is_that_of_differences(name):
    family = FAMILIES[name]
    with jax.enable_x64(True):
        _, shape = parameters(name, np.float64)
        rate, drop = np.full(FULL, 3.0), np.broadcast_to([0.02, 0.5, 2.0] * 3, FULL)
        at = jax.jit(partial(family.fall, shape=shape))
        slope_of = jax.jit(lambda inputs, ones: jax.jvp(at, inputs, ones)[1])
        for place in (0, 1):
            inputs = [drop, rate]
            ones = [np.full(FULL, float(k == place)) for k in (0, 1)]
            slope = slope_of(inputs, ones)
            up = at(drop + 1e-6 * ones[0], rate + 1e-6 * ones[1])
            down = at(drop - 1e-6 * ones[0], rate - 1e-6 * ones[1])
            spread = np.asarray(up - down) / 2e-6
            np.testing.assert_allclose(slope, spread, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", in_short(CONTINUOUS, HEAVY - {"beta"}))
def test_a_surrogate_is_consistent_and_its_slopes_monotone(name):
    """Assumption 4.4: consistency, values of at most 1, monotone slopes (i-iii)."""
    family = FAMILIES[name]
    rates = np.array([1.0, 1.3, 2.5, 4.0])
    x = np.linspace(0.01, 0.95, 9) * (1 if "beta" in name else 3)
    with jax.enable_x64(True):
        x = jnp.asarray(np.broadcast_to(x, FULL))
        _, shape = parameters(name, np.float64)
        own = jnp.asarray(np.broadcast_to(rates[:, None], FULL))
        density, same = pdf(family, x, own, shape), family.cdf(x, own, shape)
        values, slopes = [], []
        for other in rates:
            other = jnp.full(FULL, other)
            values.append(np.asarray(surrogate(family, x, own, other, shape)))
            slopes.append(np.asarray(family.scale(own, other, shape) * density))
        same = np.asarray(same)
    values, slopes = np.array(values), np.array(slopes)
    for i in range(rates.size):
        np.testing.assert_allclose(values[i, :, i], same[:, i], atol=1e-12)
    # Its slope is that of the density, scaled the same way round.
    survival = slopes / np.asarray(density) * (1 - same)
    np.testing.assert_allclose(values, 1 - survival, rtol=1e-12, atol=1e-12)
    assert np.all(values <= 1 + 1e-12)
    assert np.all(np.diff(values, axis=-1) >= -1e-12)
    grows, falls = np.diff(slopes, axis=0), np.diff(slopes, axis=2)
    # Where the law does not depend on its rate (x = 0), to rounding.
    assert np.all(grows >= -1e-7 * slopes[1:])
    assert np.all(falls <= 1e-7 * slopes[:, :, 1:])
    # Strictly, so that boosting does something.
    assert np.max(grows) > 0.05 and np.min(falls) < -0.05


@pytest.mark.parametrize("name", light_first(CONTINUOUS))
def test_families_say_whether_they_are_concave_and_bounded(name):
    """The sign of second differences; the other flag, whether SciPy's density ends."""
    family = FAMILIES[name]
    with jax.enable_x64(True):
        rate, shape = parameters(name, np.float64)
        law = law_of(name, rate, shape)
        x = law.ppf(0.95) * np.linspace(0, 1, 9)
        second = np.diff(np.asarray(family.cdf(jnp.asarray(x), rate, shape)), 2)
    # Of the third rate: the first Beta law is uniform.
    concave = np.all(second[:, 2] <= 1e-12, axis=1)
    np.testing.assert_array_equal(
        np.broadcast_to(family.concave(LAWS[name][1]), 2), concave
    )
    with np.errstate(divide="ignore"):
        at_zero = law.pdf(np.zeros(FULL))[:, 2, 0]
    np.testing.assert_array_equal(
        np.broadcast_to(family.bounded(LAWS[name][1]), 2), np.isfinite(at_zero)
    )


def test_sharpness_by_hand():
    found = [FAMILIES[x].sharpness(4.0) for x in ("exponential", "Weibull", "gamma")]
    assert found == [1, 4, 2]
    found = [FAMILIES["gamma"].sharpness(0.5), FAMILIES["half-normal"].sharpness(None)]
    assert found == [1, 2]


@each_row("name", ["Weibull", "Lomax"])
def test_the_tangent_from_0_touches_at_the_touch_point(name):
    """``x G'(x) = G(x)`` by SciPy, beyond the mode; 0 for concave curves."""
    family = FAMILIES[name]
    with jax.enable_x64(True):
        rate, shape = parameters(name, np.float64)
        shape = jnp.maximum(shape, 1.5)
        touch = np.asarray(touch_point(family, rate, shape))
        mode = np.asarray(family.fall(jnp.zeros_like(rate), rate, shape))
    if name == "Lomax":
        np.testing.assert_array_equal(touch, 0)
        return
    law = law_of(name, rate, shape)
    assert np.all(touch > mode) and np.all(mode > 0)
    np.testing.assert_allclose(touch * law.pdf(touch), law.cdf(touch), rtol=1e-9)


def test_touch_points_compile_in_silence(capfd):
    """XLA once told every user of a sigmoid that its simplifier was stuck."""
    shape = np.full(3, 2.625, np.float32)
    jax.jit(lambda rate: touch_point(FAMILIES["Weibull"], rate, shape)).lower(
        jnp.ones(3)
    ).compile()
    assert "circular" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "name", light_first(["Weibull", "gamma", "Lomax", "beta(1, rate)"])
)
def test_derivatives_by_the_rate_are_those_of_differences(name):
    """Of G and the log density, backward: finite, and those of differences.

    Not for `beta`: JAX has no derivative of the incomplete beta function by its
    second parameter.
    """
    family = FAMILIES[name]
    with jax.enable_x64(True):
        x, rate, shape, _ = points(name, np.float64)
        step = 1e-6 * rate

        def at(rate):
            return family.cdf(x, rate, shape), family.log_pdf(x, rate, shape)

        @jax.jit
        def each(rate):
            """Both slopes in one program: by each function's cotangent of ones."""
            here, back = jax.vjp(at, rate)
            ones, none = jnp.ones_like(rate), jnp.zeros_like(rate)
            slopes = back((ones, none))[0], back((none, ones))[0]
            return slopes, at(rate + step), at(rate - step)

        for found, up, down in zip(*each(rate), strict=True):
            spread = (np.asarray(up) - np.asarray(down)) / (2 * np.asarray(step))
            found, spread = np.asarray(found) * rate, spread * rate
            np.testing.assert_allclose(found, spread, rtol=2e-6, atol=1e-8)


@each_row("name", ["exponential", "Weibull", "Lomax"])
def test_derivatives_at_zero_are_finite(name):
    """G(0, rate) is 0 for all rates; dG/dx is the height where that is finite."""
    family = FAMILIES[name]
    rate, shape = parameters(name, np.float32)
    x = jnp.zeros(FULL)
    by_rate, by_x = jax.jit(
        lambda r: (
            jax.vjp(lambda r: family.cdf(x, r, shape), r)[1](x + 1)[0],
            jax.jvp(lambda x: family.cdf(x, r, shape), [x], [x + 1])[1],
        )
    )(rate)
    np.testing.assert_array_equal(by_rate, 0)
    if name != "Weibull":
        height = jnp.exp(family.log_height(rate, shape))
        np.testing.assert_allclose(by_x, height, rtol=1e-5)


def test_curves_by_hand():
    """What kernels get: weights multiply, and arms without weight have no height."""
    weight, rate = jnp.asarray([0.5, 0.0, 1.0]), jnp.asarray([1.0, 2.0, 0.5])
    x = jnp.asarray([1.0, 1.0, 2.0])

    @jax.jit
    def numbers(weight, rate, x):
        found = curves(thresholds.weibull, weight, rate, np.array([2.0, 2.0, 1.0]))
        return found.value(x), found.log_height, found.touch, found.fall(0 * x)

    value, log_height, touch, mode = numbers(weight, rate, x)
    expected = np.array([0.5, 0, 1]) * -np.expm1(-np.array([1, 4, 1]))
    np.testing.assert_allclose(value, expected, rtol=1e-6)
    assert log_height[1] == -jnp.inf
    assert log_height[2] == pytest.approx(np.log(0.5))
    assert touch[2] == 0 and touch[0] > 1 / np.sqrt(2)
    np.testing.assert_allclose(mode[0], 1 / np.sqrt(2), rtol=1e-5)


def test_rates_and_shapes_out_of_range_are_named():
    rows = [
        (lambda f=family, x=rate: check_family(f, x, 2.0), "^rate must be")
        for family in FAMILIES.values()
        for rate in (0.0, -1.0, np.nan, np.inf, [1.0, 0.0])
    ]
    for family in FAMILIES.values():
        for shape in (None, 0.0, -2.0, np.nan, np.inf, [1.0, -1.0]):
            if family.shaped:
                call = partial(check_family, family, 1.0, shape)
                rows.append((call, "^shape must be positive"))
            else:
                check_family(family, 1.0, shape)
    for family in (thresholds.beta_shaped, thresholds.beta_one):
        call = partial(check_family, family, [2.0, 0.9], 0.5)
        rows.append((call, "^rate must be at least 1 .*beta"))
        check_family(family, [1.0, 3.0], 0.5)
    assert_refused(rows, ValueError)


def test_the_registry_has_every_family_by_its_name():
    assert len(FAMILIES) == 10 and set(LAWS) == set(FAMILIES)
    assert all(name == family.name for name, family in FAMILIES.items())
