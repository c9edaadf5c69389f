"""Functions of laws take and return what their signatures say: dtypes, shapes by name.

Thresholds in a traced call, what belongs to the host on the host. What the functions of
a law give is looked at by `check_law`.
"""

import typing
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Real

from jaxbandits import laws
from jaxbandits.arrays.real import Reals
from jaxbandits.laws import thresholds
from jaxbandits.laws.law import expectation_below
from jaxbandits.laws.thresholds import FAMILIES, Threshold
from jaxbandits.protocol import Noise
from tests.laws.test_contract import SHAPES
from tests.shapes import unlike_its_field, unlike_its_signature
from tests.tables import each_row

X = np.float32([[0.2, 0.5, 0.8]])
RATES = np.float32([[1.2], [3.0]])


def traced(call, *args):
    """The texts that `call` gives when its arguments are arrays of JAX."""
    texts = []

    def look():
        arrays = jax.tree.map(lambda x: jnp.asarray(x, jnp.result_type(x)), args)
        texts.extend(call(*arrays))

    jax.eval_shape(look)
    return texts


def of_a_family():
    """Arguments but for the shape of what a family broadcasts, by field."""
    for name in ("cdf", "log_pdf", "log_cdf", "truncated_mean", "fall"):
        yield name, (X, RATES)
    yield "scale", (RATES, RATES + X)
    yield "log_height", (RATES,)


@each_row("name", FAMILIES)
def test_a_family_of_thresholds_is_as_annotated(name):
    family, shape = FAMILIES[name], SHAPES[name]
    hints = typing.get_type_hints(Threshold)

    def call(name, takes, shape, *args):
        # A family may be without a shape, so that the field does not tell arguments.
        told = Callable[[*takes, typing.Any], returns_of(hints[name])]
        return unlike_its_field(getattr(family, name), told, *args, shape)

    shapes = None if shape is None else np.full_like(RATES, shape)  # on the host
    for name, args in of_a_family():
        if getattr(family, name) is not None:
            takes = [Reals] * len(args)
            assert not traced(partial(call, name, takes, shapes), *args)
    noise = np.full(family.words, 2**31, np.uint32)
    takes = [Noise, Real[jax.Array, ""]]
    assert not traced(partial(call, "sample", takes, shape), noise, np.float32(1.2))


def returns_of(hint):
    kinds = [hint, *typing.get_args(hint)]
    callables = [k for k in kinds if typing.get_origin(k) is Callable]
    return typing.get_args(callables[0])[1]


K = np.float32([1.0, 2.0, 3.0])
ROWS = [np.array([0.1, 0.5]), np.array([0.3])]
WEIBULL, KNOWN = thresholds.weibull, np.full_like(RATES, 1.7)
PUBLIC = {
    "cascade_curves": (
        thresholds.cascade_curves,
        *(thresholds.exponential, jnp.asarray(K / 4), jnp.asarray(K)),
    ),
    "check_family": (thresholds.check_family, thresholds.maxwell, [1.0, 2.0], None),
    "curves": (thresholds.curves, WEIBULL, jnp.asarray(K), jnp.asarray(K), 1.7),
    "inverse_truncated_mean": (
        thresholds.inverse_truncated_mean,
        *(WEIBULL, RATES * X / 9, X, 0.5, 8),
        KNOWN,
    ),
    "pdf": (thresholds.pdf, WEIBULL, X, RATES, KNOWN),
    "quantile": (thresholds.quantile, WEIBULL, X, RATES, 1.7),
    "rise": (thresholds.rise, WEIBULL, X, X, RATES, KNOWN),
    "surrogate": (thresholds.surrogate, WEIBULL, X, RATES, 2, KNOWN),
    "touch_point": (thresholds.touch_point, WEIBULL, RATES, KNOWN),
    "empirical_params": (laws.empirical_params, ROWS, ROWS),
    "expectation_below": (
        expectation_below,
        lambda x: np.stack([np.exp(-x), np.exp(-2 * x)]),
        lambda x: x,
        [0.2, 0.5, 0.9],
    ),
    "gaussian_copula": (laws.gaussian_copula, laws.uniform, laws.exponential),
    "product": (laws.product, laws.uniform, laws.exponential),
    "truncated_gaussian_params": (
        laws.truncated_gaussian_params,
        [(0.6, 0.45)],
        [[(0.2, 0.1), (0.1, 0.2)]],
    ),
}


ON_HOST = {
    *("check_family", "empirical_params", "expectation_below"),
    *("gaussian_copula", "product", "truncated_gaussian_params"),
}


@each_row("name", PUBLIC)
def test_a_function_is_as_annotated(name):
    function, *args = PUBLIC[name]
    call = partial(unlike_its_signature, function, *args)
    assert not (call() if name in ON_HOST else traced(call))


def test_no_public_function_is_left_out():
    public = [getattr(room, n) for room in (laws, thresholds) for n in room.__all__]
    functions = {x.__name__ for x in public if hasattr(x, "__code__")}
    assert {*PUBLIC} == functions | {"expectation_below"}
