"""Heavy tails that fit into [0, 1]: log-normal and Pareto variables, cut off at 1.

Values above 1 count as 1, so that there is an atom at 1 and the means are exact.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array

from jaxbandits.arrays import log_survival
from jaxbandits.checks import between_zero_and_one, played
from jaxbandits.kernels.normal import normal_score
from jaxbandits.laws.law import Law, Positives, Reals, checked, exceeds, ranged
from jaxbandits.protocol import Noise


class LogNormal(NamedTuple):
    """Mean and standard deviation (> 0) of the logarithm, f64[K] each."""

    location: Reals
    scale: Positives


class Pareto(NamedTuple):
    """Least value, f64[K] in (0, 1), and tail index, f64[K] > 0."""

    least: Annotated[Array | np.ndarray, between_zero_and_one, played]
    index: Positives  # type: ignore[assignment]


def _lognormal_mean(params: LogNormal) -> Array | np.ndarray:
    """``E[min(X, 1)]``: the part below 1 of the log-normal mean, and P(X > 1)."""
    ndtr = jax.scipy.special.ndtr if _traced(params.scale) else scipy.special.ndtr
    exp = jnp.exp if _traced(params.scale) else np.exp
    variance = params.scale**2
    z = -params.location / params.scale
    below = exp(params.location + variance / 2) * ndtr(z - params.scale)
    return below + ndtr(-z)


def _pareto_mean(params: Pareto) -> Array | np.ndarray:
    """``E[min(X, 1)] = (a m - m**a) / (a - 1)``, by ``expm1`` near a = 1."""
    xp: Any = jnp if _traced(params.index) else np
    excess = params.index - 1
    safe = xp.where(excess == 0, 1.0, excess)
    # (m**a - m) / (1 - a) = -m (m**(a - 1) - 1) / (a - 1), whose limit is -m log m.
    log_least = xp.log(params.least)
    slope = xp.where(excess == 0, log_least, xp.expm1(safe * log_least) / safe)
    return params.least * (1 - slope)


def _traced(x: Any) -> bool:
    return isinstance(x, jax.Array)


def _law(
    name: str,
    sample: Callable[[Noise, Any], Array],
    check: Callable[[Any], None],
    mean: Callable[[Any], Array | np.ndarray],
    lowest: Callable[[Any], np.ndarray],
    family: Callable[..., Any],
) -> Law:
    """A clipped law; `family` gives SciPy's frozen distribution of the columns."""

    def column(params, ndim):
        return [np.reshape(x, (-1, *(1,) * ndim)) for x in params]

    def cdf(params, x):
        below = family(*column(params, np.ndim(x))).cdf(x)
        return np.where(exceeds(np.asarray(1.0), x), below, 1.0)

    def quantile(params, p):
        return np.minimum(family(*column(params, 1)).ppf(p), 1.0)

    law = Law(
        name,
        2,
        sample,
        check,
        mean=mean,
        support=lambda params: (lowest(params), np.asarray(1.0)),
        cdf=cdf,
        quantile=quantile,
        monotone=1,
    )
    return checked(law)


clipped_lognormal = _law(
    "log-normal clipped to 1",
    lambda noise, p: jnp.minimum(
        jnp.exp(p.location + p.scale * normal_score(*noise)), 1.0
    ),
    ranged(LogNormal),
    _lognormal_mean,
    lambda p: np.asarray(0.0),
    lambda location, scale: scipy.stats.lognorm(scale, scale=np.exp(location)),
)
clipped_pareto = _law(
    "Pareto clipped to 1",
    lambda noise, p: jnp.minimum(
        p.least * jnp.exp(-log_survival(*noise) / p.index), 1.0
    ),
    ranged(Pareto),
    _pareto_mean,
    lambda p: np.asarray(p.least),
    lambda least, index: scipy.stats.pareto(index, scale=least),
)
