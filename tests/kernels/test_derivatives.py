"""Kernels differentiate rightly, forward and backward, and keep float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import arrays, kernels
from tests.heavy import in_short
from tests.tables import assert_refused, each_row

NODES = np.arange(9.0)
UNIFORMS = np.array([0.1, 0.4, 0.6, 0.9])

# Of one number, at a point where it is smooth.
CURVES = {
    "bernstein_interval": (
        lambda x: kernels.bernstein_interval(0.5, 0.1, x, 1.0)[1],
        100.0,
    ),
    "beta_from_uniforms": (lambda x: kernels.beta_from_uniforms(0.3, 0.6, x, 3.0), 2.0),
    "beta_from_uniforms_small": (
        lambda x: kernels.beta_from_uniforms_small(UNIFORMS, x, 2.0),
        0.5,
    ),
    "beta_logit_from_uniforms": (
        lambda x: kernels.beta_logit_from_uniforms(UNIFORMS, 0.5, x),
        2.0,
    ),
    "beyond_mode": (lambda x: kernels.beyond_mode(1.2, x), 0.4),
    "crossings": (
        lambda x: kernels.crossings(-((NODES - 3.3) ** 2), 3.3, 0.0, x)[1],
        -2.0,
    ),
    "gamma_quantile": (lambda x: kernels.gamma_quantile(x, 3.0), 0.3),
    "gamma_quantile by shape": (lambda x: kernels.gamma_quantile(0.3, x), 3.0),
    "hoeffding_interval": (lambda x: kernels.hoeffding_interval(0.5, x, 1.0)[1], 10.0),
    "hoeffding_scale": (kernels.hoeffding_scale, 2.0),
    "interpolate": (lambda x: kernels.interpolate(np.sin(NODES / 4), x), 3.3),
    "kl_bernoulli by p": (lambda x: kernels.kl_bernoulli(x, 0.5), 0.3),
    "kl_bernoulli by q": (lambda x: kernels.kl_bernoulli(0.3, x), 0.5),
    "kl_ratio_bound by reward": (lambda x: kernels.kl_ratio_bound(x, 0.5, 0.1), 0.3),
    "kl_ratio_bound by cost": (lambda x: kernels.kl_ratio_bound(0.3, x, 0.1), 0.5),
    "kl_upper_bound by mean": (lambda x: kernels.kl_upper_bound(x, 0.1, 50), 0.3),
    "kl_upper_bound by bound": (lambda x: kernels.kl_upper_bound(0.3, x, 50), 0.1),
    "log_gamma_quantile": (lambda x: kernels.log_gamma_quantile(x, 3.0), 0.3),
    "maximum": (lambda x: kernels.maximum(-((NODES - x) ** 2))[0], 3.3),
    "normal_quantile": (kernels.normal_quantile, 0.3),
    "peeling_scale": (kernels.peeling_scale, 2.0),
    "truncated_exponential_mean": (kernels.truncated_exponential_mean, 0.3),
    "truncated_normal_quantile": (
        lambda x: kernels.truncated_normal_quantile(0.3, x, 0.5, 0.0, 1.0),
        0.4,
    ),
    "wilson_interval": (lambda x: kernels.wilson_interval(x, 10, 4.0)[0], 0.3),
    "wright_omega": (kernels.wright_omega, 1.5),
}


# By what derivatives are 0 says its docstring; of words, there are none.
FLAT = {"bisect", "normal_score"}
GRIDS = {"Grid", "cell_at", "limit_grid", "split_cells"}
CARRIERS = {"implicit_root", "with_slope_of"}  # what the solvers' tests are about


def test_no_public_kernel_is_left_out():
    """Those of allocation have their tests beside them."""
    curves = {name.split()[0] for name in CURVES}
    assert curves | FLAT | GRIDS | CARRIERS == {*kernels.__all__} - {"allocation"}


UNROLLED = {"kl_upper_bound by mean", "kl_upper_bound by bound"}
UNROLLED |= {"kl_ratio_bound by reward", "kl_ratio_bound by cost"}
# What takes long.
LONG = {"kl_ratio_bound by reward", "kl_ratio_bound by cost", "crossings", "maximum"}
# And what is much the same as another argument.
LONG |= {"kl_upper_bound by bound", "kl_bernoulli by q", "beta_from_uniforms"}
LONG |= {"truncated_normal_quantile", "bernstein_interval"}
LONG |= {"beta_from_uniforms_small"}  # whose logit is not


@pytest.mark.parametrize("name", in_short(CURVES, LONG))
def test_derivatives_are_those_of_the_curve(name):
    function, x = CURVES[name]
    with jax.enable_x64(True):

        def looked_at(x):
            step = 1e-6 * x
            ends = function(x - step), function(x + step)
            forward = jax.jvp(function, (x,), (1.0,))[1]
            return ends, step, forward, jax.grad(function)(x)

        # What is unrolled takes XLA longer than its operations one by one.
        once = looked_at if name in UNROLLED else jax.jit(looked_at)
        ends, step, *slopes = jax.tree.map(np.asarray, once(x))
        # Python numbers are float64 here, and so is what comes of them.
        assert ends[0].dtype == ends[1].dtype == np.float64
        slope = float(ends[1] - ends[0]) / (2 * step)
        np.testing.assert_allclose(slopes, slope, rtol=1e-5)


def test_kl_upper_bound_has_the_slopes_of_its_ends():
    slope = jax.jit(jax.grad(kernels.kl_upper_bound, (0, 1)))
    assert slope(0.3, 0.0) == (1.0, 0.0)
    assert slope(0.3, 100.0) == pytest.approx((0.0, 0.0), abs=1e-4)
    assert slope(0.9999, 100.0) == (0.0, 0.0)


X = np.array([3.0, 1.0, 4.0, 1.5, 9.0], np.float32)
SELECTIONS = {
    "pick": lambda x: arrays.pick(x, 2),
    "put": lambda x: arrays.put(2 * x, 1, x[0]),
    "of the largest": lambda x: arrays.pick(x * x, arrays.first_argmax(x)),
    "of a random largest": lambda x: arrays.pick(
        x, arrays.random_argmax(x, np.uint32(2**31))
    ),
    "tally": lambda x: arrays.tally(jnp.zeros(5, jnp.int32), 1) * x,
}
JACOBIANS = {
    "pick": np.eye(5)[2],
    "of the largest": 18 * np.eye(5)[4],
    "of a random largest": np.eye(5)[4],
    "tally": np.diag(np.eye(5)[1]),
}
JACOBIANS["put"] = 2 * np.eye(5)
JACOBIANS["put"][1] = np.eye(5)[0]


@each_row("name", SELECTIONS)
def test_a_selection_has_the_derivatives_of_what_it_selects(name):
    """In a batch, backward; forward is what JAX makes that of."""
    slopes = jax.jit(jax.vmap(jax.jacrev(SELECTIONS[name])))(jnp.stack([X, X]))
    np.testing.assert_array_equal(slopes, np.stack([JACOBIANS[name]] * 2))


def test_numbers_of_python_and_lists_will_do():
    listed = jax.eval_shape(lambda: kernels.hoeffding_interval([0.3], [5], [1]))
    assert listed[0].shape == (1,)
    told = jax.jit(lambda: kernels.wilson_interval(1, 3, 2, low=0.0, high=1.5))()
    assert told[0] < 1
    # What is given in float32 stays there.
    with jax.enable_x64(True):
        mean = np.float32(0.3)
        kept = jax.eval_shape(lambda x: kernels.wilson_interval(x, 5, 4.0), mean)
    assert kept[0].dtype == np.float32


def test_what_must_be_an_integer_is_named():
    assert_refused(
        [
            (lambda: arrays.pick(X, 1.5), "^index must be"),
            (lambda: arrays.put(X, 1.5, 0.0), "^index must be"),
            (lambda: arrays.tally(jnp.zeros(3, jnp.int32), 1.0), "^index must be"),
            (lambda: arrays.one_hot(0.5, 3), "^index must be"),
            (lambda: arrays.threefry((0.5, 1), (0, 0)), "^key must be"),
            (lambda: arrays.threefry((0, 1), (0.5, 0)), "^counter must be"),
            (lambda: arrays.unit_interval(0.5), "^word must be"),
        ],
        TypeError,
    )


def test_a_choice_that_does_not_move_has_second_derivatives():
    """`window` takes six nodes whose place no number moves."""
    curvature = jax.jacfwd(jax.jacfwd(lambda x: kernels.interpolate(NODES**3, x)))
    assert jax.jit(curvature)(np.float32(3.3)) == pytest.approx(6 * 3.3, rel=1e-4)
