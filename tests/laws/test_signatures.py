"""Laws take and return what their fields and signatures say: dtypes, shapes by name.

Samplers and thresholds in a traced call; what belongs to the host on the host.
"""

import typing
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Real, Shaped

from jaxbandits import laws
from jaxbandits.arrays.real import Reals
from jaxbandits.laws import thresholds
from jaxbandits.laws.law import JointLaw, Law, exact_params, expectation_below
from jaxbandits.laws.thresholds import FAMILIES, Threshold
from jaxbandits.protocol import Noise
from tests.laws.test_contract import JOINT, SHAPES, UNIVARIATE
from tests.shapes import unlike_its_field, unlike_its_signature
from tests.tables import each_row

POINTS = np.array([[0.1, 0.3, 0.4], [0.6, 0.8, 0.9]])
X = np.float32([[0.2, 0.5, 0.8]])
RATES = np.float32([[1.2], [3.0]])


def words(law):
    return jnp.full((law.words,), 2**31, jnp.uint32)


def traced(call, *args):
    """The texts that `call` gives when its arguments are arrays of JAX."""
    texts = []

    def look():
        arrays = jax.tree.map(lambda x: jnp.asarray(x, jnp.result_type(x)), args)
        texts.extend(call(*arrays))

    jax.eval_shape(look)
    return texts


def of_arms(params):
    return jax.tree.leaves(params)[0].shape[0]


def cost(x):
    return 0.5 * x


def host_calls(law, params):
    """Arguments of every function of a law but its sampler, by field."""
    num_arms = of_arms(params)
    yield "mean", (params,)
    yield "support", (params,)
    for points in (POINTS, POINTS[0], np.asarray(0.3)):
        yield "cdf", (params, points)
    yield "quantile", (params, np.tile(POINTS.ravel(), (num_arms, 1)))
    yield "atoms", (params,)
    yield "sigma", (params,)
    yield "moments", (params, np.array([0.2, 0.5, 0.9]), cost)
    yield "means", (params,)
    yield "highest", (params,)
    yield "steps", (params, cost)
    yield "supports", (params,)


def unlike_its_fields(law, params):
    """What functions of a univariate or joint law are not as its fields say."""
    hints, texts = typing.get_type_hints(type(law)), []
    arms = ("params", jax.tree.leaves(params)[0], Shaped[np.ndarray, "K ..."])
    for name, args in host_calls(law, params):
        if getattr(law, name, None) is not None:
            held = getattr(law, name)
            texts.extend(unlike_its_field(held, hints[name], *args, also=arms))
    sample, averages = hints["sample"], "means" if isinstance(law, JointLaw) else "mean"

    def draw(params, *arm):
        return unlike_its_field(law.sample, sample, words(law), params, *arm)

    def average(params):
        return unlike_its_field(getattr(law, averages), hints[averages], params)

    exact = exact_params(law, params)
    if isinstance(law, JointLaw):
        texts.extend(traced(draw, exact, np.int32(0)))
    else:
        texts.extend(traced(draw, jax.tree.map(lambda x: x[0], exact)))
    if getattr(law, averages) is not None:
        several = jax.tree.map(lambda x: np.stack([x, x, x]), params)
        texts.extend(traced(average, several))
    return texts


@each_row("name", UNIVARIATE | JOINT)
def test_a_law_is_as_annotated(name):
    assert not unlike_its_fields(*(UNIVARIATE | JOINT)[name])


def test_all_functions_of_laws_are_called():
    for kind, examples in ((Law, UNIVARIATE), (JointLaw, JOINT)):
        params = next(iter(examples.values()))[1]
        called = {name for name, _ in host_calls(None, params)} | {"sample"}
        held = {
            k
            for k, hint in typing.get_type_hints(kind).items()
            if "Callable" in str(hint)
        }
        # What goes wrong is an error, what comes out goes to `sample`; what makes one
        # law of several is tested beside `empirical`.
        assert held - called - {"per_arm", "join"} == {"check", "exact"}


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


LAW, PARAMS = UNIVARIATE["beta"]


@each_row(
    "broken, says",
    [
        ({}, None),
        ({"mean": lambda p: np.mean(p.a)}, "the result is float64[]"),
        ({"cdf": lambda p, x: LAW.cdf(p, x).T}, "the result is float64["),
        ({"quantile": lambda p, u: u[0]}, "the result is float64[6]"),
        ({"sample": lambda noise, p: noise[0]}, "the result is uint32[]"),
        ({"sample": lambda noise, p: p.a * jnp.ones(2)}, "the result is float32[2]"),
        ({"support": lambda p: (p.a, p.a[:1])}, "the result[1] is float64[1]"),
    ],
)
def test_what_is_not_as_annotated_is_found(broken, says):
    texts = unlike_its_fields(LAW._replace(**broken), PARAMS)
    assert bool(texts) == (says is not None)
    assert says is None or texts[0].startswith(says)
