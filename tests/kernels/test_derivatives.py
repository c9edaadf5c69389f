"""Kernels differentiate rightly, forward and backward, and keep float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import arrays, kernels
from tests.heavy import in_short
from tests.kernels.test_signatures import EXAMPLES
from tests.tables import assert_refused, each_row

pytestmark = pytest.mark.usefixtures("quickly")

NODES = np.arange(9.0)
# By what derivatives are 0 says its docstring; of words, there are none. Those of grids
# are no numbers; what carries slopes is what the solvers' tests are about, and those of
# allocation are beside them.
FLAT = {"bisect", "normal_score", "cell_at", "limit_grid", "split_cells"}
FLAT |= {"implicit_root", "with_slope_of"}
SMOOTH = [name for name in EXAMPLES if "." not in name and name not in FLAT]
# What is unrolled takes XLA longer than its operations one by one.
UNROLLED = {"kl_upper_bound": {"iterations": 50}, "kl_ratio_bound": {}}
# What takes long, and what is much the same as another.
LONG = {"kl_ratio_bound", "crossings", "maximum", "truncated_normal_quantile"}
LONG |= {"beta_logit_from_uniforms", "beyond_mode", "interpolate", "kl_upper_bound"}
LONG |= {"gamma_quantile", "kl_bernoulli"}
LONG |= {"bernstein_interval", "beta_from_uniforms", "beta_from_uniforms_small"}


@pytest.mark.parametrize("name", in_short(SMOOTH, LONG))
def test_derivatives_are_those_of_the_curve(name, rng):
    """By all numbers of a call at once, in some direction; of a mean of the result."""
    args, options = EXAMPLES[name][0]
    leaves, tree = jax.tree.flatten((args, options | UNROLLED.get(name, {})))
    # Of what broadcasts one number: XLA takes longer for arrays.
    leaves = [x[0, 0] if np.ndim(x) == 2 else x for x in leaves]
    way = [rng.uniform(0.5, 1.5, np.shape(x)) for x in leaves]

    def curve(t):
        moved = [
            x if np.asarray(x).dtype.kind != "f" else np.float64(x) * (1 + t * each)
            for x, each in zip(leaves, way, strict=True)
        ]
        args, options = jax.tree.unflatten(tree, moved)
        parts = jax.tree.leaves(getattr(kernels, name)(*args, **options))
        return sum(
            jnp.mean(x * np.arange(1, x.size + 1).reshape(x.shape)) for x in parts
        )

    def looked_at(t, step=1e-6):
        slopes = jax.jvp(curve, (t,), (1.0,))[1], jax.grad(curve)(t)
        return slopes, (curve(t + step) - curve(t - step)) / (2 * step)

    with jax.enable_x64(True):
        looked = looked_at(0.0) if name in UNROLLED else jax.jit(looked_at)(0.0)
        slopes, expected = jax.tree.map(np.asarray, looked)
    assert expected.dtype == np.float64 and abs(expected) > 1e-3
    np.testing.assert_allclose(slopes, expected, rtol=1e-5)


def test_kl_upper_bound_has_the_slopes_of_the_divergence():
    """Of 0.3 and 0.6, implicitly by hand; and at its ends."""
    slopes = jax.jit(jax.grad(kernels.kl_upper_bound, (0, 1)))

    def slope(mean, bound):
        return slopes(np.float32(mean), np.float32(bound))

    bound = 0.3 * np.log(0.3 / 0.6) + 0.7 * np.log(0.7 / 0.4)
    by_bound = 0.6 * 0.4 / (0.6 - 0.3)
    by_mean = -by_bound * (np.log(0.3 / 0.6) - np.log(0.7 / 0.4))
    assert slope(0.3, bound) == pytest.approx((by_mean, by_bound), rel=1e-4)
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
