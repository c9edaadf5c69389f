"""The definition of a threshold family: laws of the resource that an arm needs.

``G(x, rate)``, the probability that x suffices, does not decrease in the rate
(Assumption 2.2 of the allocation paper). The rate is the only unknown number of an
arm's law; the shape, if any, is known. A family is one file: a `Threshold` of functions
that work element by element and broadcast ``(x, rate, shape)``, in float32 or float64.
`fall` and `touch_point` need the shape on the host.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Float, Real

from jaxbandits.arrays import stored
from jaxbandits.arrays.real import Floats, Reals
from jaxbandits.checks import (
    Numbers,
    Range,
    at_least_zero,
    between_zero_and_one,
    instance,
    is_traced,
    kinds,
    no_nan,
    non_negative,
    numbers,
    played,
    positive,
    together,
)
from jaxbandits.kernels.allocation import Curves
from jaxbandits.kernels.bisection import bisect

LEAST = 1e-30  # stands for 0 under a logarithm

# Arguments whose values are checked against a range, unless they are traced.
Positives = Annotated[Reals, positive]
Amounts = Annotated[Reals, at_least_zero]


class Threshold(NamedTuple):
    """A family of threshold laws on the positive half-line.

    Attributes:
      name: name of the family.
      shaped: whether it has a known shape (> 0); other families ignore the argument.
      cdf: G(x, rate), 0 at 0.
      log_pdf: logarithm of the density (of the probability, for integers), x > 0.
      log_cdf: log G, x > 0.
      truncated_mean: ``E[X | X <= x]``, eq. (8) with x in place of B; x > 0.
      scale: ``s(rate, other)`` of the surrogate ``1 - s (1 - G)``, Lemma D.1.
      sample: ``(noise u32[words], rate, shape) -> x`` of one arm.
      words: number of words of noise per draw.
      log_height: logarithm of the density's maximum if it is bounded, else of a
        reference level that is proportional to the rate.
      fall: ``(drop, rate, shape)``, the inverse marginal: the largest x at which the
        log density is ``log_height - drop``. None for integers.
      concave: host, ``shape -> bool``, whether G is concave in x for all rates.
      bounded: host, ``shape -> bool``, whether the density is bounded.
      falling_hazard: host, ``shape -> bool``, whether the hazard rate falls in x, or is
        constant, for all rates (`cascade_curves`).
      hazard: ``(low, high, rate, shape)``, growth of ``-log(1 - G)`` between two points
        low <= high, exact also for close points; None without a closed form.
      least_rate: rates must be at least this.
      integer: whether thresholds are 1, 2, ...
      precise: whether small values of `cdf` have a small relative error, so that
        ``log(cdf)`` is as exact as `log_cdf`.
      memoryless: whether ``1 - G(x, 2 rate)`` is the square of ``1 - G(x, rate)``.
      sharpness: host, ``shape -> number``, how fast log G and the log density vary with
        log rate; likelihood grids are finer by this factor.
    """

    name: str
    shaped: bool
    cdf: Callable[..., Floats]
    log_pdf: Callable[..., Floats]
    log_cdf: Callable[..., Floats]
    truncated_mean: Callable[..., Floats]
    scale: Callable[..., Floats]
    sample: Callable[..., Float[Array, ""]]
    log_height: Callable[..., Floats] | None
    fall: Callable[..., Floats] | None
    concave: Callable[[Any], np.ndarray]
    bounded: Callable[[Any], np.ndarray]
    falling_hazard: Callable[[Any], np.ndarray] = lambda shape: np.zeros((), bool)
    words: int = 2
    hazard: Callable[..., Floats] | None = None
    least_rate: float = 0.0
    integer: bool = False
    precise: bool = False
    memoryless: bool = False
    sharpness: Callable[[Any], np.ndarray] = lambda shape: np.ones(np.shape(shape))


# What a family's functions take before the shape, and what that must be where known.
_OF_AMOUNTS = ("log_pdf", "log_cdf", "truncated_mean")
_TAKEN = {
    **dict.fromkeys(("cdf", *_OF_AMOUNTS), ("x", "rate")),
    "scale": ("rate", "other"),
    "sample": ("noise", "rate"),
    "log_height": ("rate",),
    "fall": ("drop", "rate"),
    "hazard": ("low", "high", "rate"),
    **dict.fromkeys(("concave", "bounded", "falling_hazard", "sharpness"), ()),
}
_RANGES: dict[str, Range] = dict.fromkeys(("rate", "other", "shape"), positive)
_RANGES |= dict.fromkeys(("x", "drop", "low", "high"), no_nan)


def checked(family: Threshold) -> Threshold:
    """The family with functions that check their arguments, unless these are traced.

    The functions of a family with a known shape require that argument.
    """

    def of(
        function: Callable[..., Any], taken: tuple[str, ...], ranges: dict[str, Range]
    ) -> Callable[..., Any]:
        def asked(*args: Any, shape: Any = None) -> Any:
            args = tuple(jnp.asarray(x) if isinstance(x, list) else x for x in args)
            given = dict(zip((*taken, "shape"), args, strict=False))
            shape = given.setdefault("shape", shape)
            if family.shaped and shape is None:
                raise ValueError(
                    f"shape must be given, > 0, for the {family.name} family"
                )
            given = {x: y for x, y in given.items() if x in ranges and y is not None}
            together(**given)
            for name, value in given.items():
                if not is_traced(value):
                    ranges[name](**{name: value})
            return function(*args[: len(taken)], shape)

        return asked

    functions: dict[str, Any] = {name: getattr(family, name) for name in _TAKEN}
    for name, function in functions.items():
        least = {"x": at_least_zero} if name in _OF_AMOUNTS else {}
        functions[name] = function and of(function, _TAKEN[name], _RANGES | least)
    return family._replace(**functions)


def check_family(family: Threshold, rate: Numbers, shape: Numbers | None) -> None:
    """Require a family, and rates and shapes on the host that it can have."""
    instance("family", family, Threshold, "of jaxbandits.laws.thresholds")
    positive(rate=rate)
    played(rate=rate)
    if np.any(numbers("rate", rate) < family.least_rate):
        raise ValueError(
            f"rate must be at least {family.least_rate:g} for the {family.name} "
            f"family, got {rate}"
        )
    if family.shaped:
        if shape is None:
            raise ValueError(f"shape must be positive numbers for {family.name}")
        positive(shape=shape)
        played(shape=shape)


@kinds
def pdf(
    family: Threshold, x: Amounts, rate: Positives, shape: Reals | None = None
) -> Floats:
    """The density ``dG/dx`` at x > 0, the marginal value of resource."""
    return jnp.exp(family.log_pdf(x, rate, shape))


@kinds
def rise(
    family: Threshold,
    low: Amounts,
    high: Amounts,
    rate: Positives,
    shape: Reals | None = None,
) -> Floats:
    """``G(high, rate) - G(low, rate)``: the value of additional resource.

    For a family with a `hazard`, it is as precise as ``high - low``, however small.
    Otherwise it is a difference of two values of G.

    Args:
      family: the family.
      low: real array >= 0.
      high: real array, at least `low`.
      rate: positive array.
      shape: positive array or None.

    Returns:
      Array of the broadcast shape.
    """
    if family.hazard is None:
        return family.cdf(high, rate, shape) - family.cdf(low, rate, shape)
    before = family.hazard(jnp.zeros_like(jnp.asarray(low)), low, rate, shape)
    return -jnp.exp(-before) * jnp.expm1(-family.hazard(low, high, rate, shape))


@kinds
def surrogate(
    family: Threshold,
    x: Amounts,
    rate: Positives,
    other: Positives,
    shape: Reals | None = None,
) -> Floats:
    """G~(x, rate, other) = 1 - s(rate, other) (1 - G(x, rate)), appendix D.2."""
    survival = 1 - family.cdf(x, rate, shape)
    return 1 - family.scale(rate, other, shape) * survival


@kinds
def quantile(
    family: Threshold,
    p: Annotated[Reals, between_zero_and_one],
    rate: Positives,
    shape: Reals | None = None,
) -> Floats:
    """The x at which ``G(x, rate)`` is p, by bisection over 60 powers of ten.

    Args:
      family: the family.
      p: real array in (0, 1).
      rate: positive array.
      shape: positive array or None.

    Returns:
      Array of the broadcast shape; for a family of integers, the least integer that
      suffices. Its derivative is that of `1 / rate` only: see `kernels.bisect`.
    """
    p, rate = jnp.asarray(p), jnp.asarray(rate)
    together(p=p, rate=rate, **({} if shape is None else {"shape": shape}))
    shapes = () if shape is None else (jnp.shape(shape),)
    full = jnp.broadcast_shapes(p.shape, rate.shape, *shapes)
    unit = jnp.broadcast_to(1 / rate, full)

    def short(log_x):
        return family.cdf(unit * jnp.exp(log_x), rate, shape) < p

    low, high = jnp.full(full, -69.0), jnp.full(full, 69.0)
    x = unit * jnp.exp(bisect(short, low, high))
    return jnp.ceil(x * (1 - 1e-6)) if family.integer else x


@kinds
def inverse_truncated_mean(
    family: Threshold,
    mean: Annotated[Real[ArrayLike, "*shape"], positive],
    x: Annotated[Reals, positive],
    lowest: Annotated[Real[ArrayLike, ""], positive],
    highest: Annotated[Real[ArrayLike, ""], positive],
    shape: Reals | None = None,
) -> Floats:
    """The rate at which ``E[X | X <= x]`` is `mean`: eq. (10).

    Args:
      family: the family.
      mean: positive array; means beyond what Lambda can give lead to its ends.
      x: positive array, B in eq. (8), broadcastable to `mean`, as is `shape`.
      lowest: positive number, least rate of Lambda.
      highest: positive number, largest rate of Lambda.
      shape: positive array or None.

    Returns:
      Array in [lowest, highest] of the shape of `mean`. It carries no derivative: see
      `kernels.bisect`.
    """
    mean = jnp.asarray(mean)

    def too_large(log_rate):
        return family.truncated_mean(x, jnp.exp(log_rate), shape) > mean

    low = jnp.broadcast_to(jnp.log(jnp.asarray(lowest, mean.dtype)), mean.shape)
    high = jnp.broadcast_to(jnp.log(jnp.asarray(highest, mean.dtype)), mean.shape)
    return jnp.clip(jnp.exp(bisect(too_large, low, high)), lowest, highest)


@kinds
def touch_point(
    family: Threshold, rate: Positives, shape: Reals | None = None
) -> Floats:
    """Point at which the tangent through the origin touches G: ``x G'(x) = G(x)``.

    It is 0 where G is concave. The envelope of a sigmoid is this tangent up to the
    point, and G beyond it. Only for families with a bounded density.
    """
    rate = jnp.asarray(rate)
    if np.all(family.concave(shape)):
        return jnp.zeros_like(rate)
    # Stored: of the inverse marginal at a known 0, XLA's simplifier finds no end.
    top = stored(jnp.zeros_like(rate))
    mode = family.fall(top, rate, shape)  # type: ignore[misc]

    def before(excess):
        x = mode * jnp.exp(excess)
        return jnp.log(x) + family.log_pdf(x, rate, shape) > family.log_cdf(
            x, rate, shape
        )

    start = jnp.zeros_like(mode)
    x = mode * jnp.exp(bisect(before, start, start + 10.0))
    return jnp.where(family.concave(shape), 0.0, x)


@kinds
def curves(
    family: Threshold,
    weight: Annotated[Float[Array, " K"], non_negative],
    rate: Annotated[Float[Array, " K"], positive],
    shape: float | Real[ArrayLike, " K"] | None = None,
) -> Curves:
    """The functions ``weight G(x, rate)`` as the allocation kernels need them.

    Args:
      family: a family that is not of integers.
      weight: f[K] >= 0.
      rate: f[K] > 0.
      shape: f[K] or None.
    """
    weight, rate = (np.asarray(x) if isinstance(x, list) else x for x in (weight, rate))
    log_weight = jnp.where(weight > 0, jnp.log(jnp.maximum(weight, LEAST)), -jnp.inf)
    return Curves(
        value=lambda x: weight * family.cdf(x, rate, shape),
        fall=lambda drop: family.fall(drop, rate, shape),  # type: ignore[misc]
        log_height=log_weight + family.log_height(rate, shape),  # type: ignore[misc]
        touch=touch_point(family, rate, shape),
    )
