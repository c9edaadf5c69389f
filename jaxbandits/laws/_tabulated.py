"""A law that is drawn by its quantile function, from a table made on the host.

A draw is a monotone function of one uniform number. The table holds values at normal
scores, where the quantiles of a smooth law are smooth: ``log((x - low) / scale)``, or
``log((x - low) / (high - x))`` if the support is bounded.
"""

from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array

from jaxbandits.kernels.interpolation import interpolate
from jaxbandits.kernels.normal import normal_score
from jaxbandits.laws.law import Law

REACH = 7.0  # of the scores in a table; a draw in 4e11 lies beyond, and gets the end
PER_SCORE = 8
NODES = round(2 * REACH * PER_SCORE) + 1
MIDDLE = np.array([3, -25, 150, 150, -25, 3]) / 256  # of the polynomial through six
ACCURATE = 1e-5  # in probability, of a draw from a table
TINY_32 = 1e-37  # below it float32 knows 0 only
LEAST = 1e-30  # scale, so that its products with powers have room
TINY, SMALL = 1e-280, 1e-8  # distances to an end at 0, and to others, that have digits


class Tabulated(NamedTuple):
    """A law's parameters and the table for its draws.

    Attributes:
      params: parameters of the law, leaves ``[K, ...]``.
      low, high: f64[K], the support.
      scale: f64[K], width of the support; the median minus `low` if it is unbounded.
      table: f64[K, NODES], transformed quantiles at equally spaced normal scores.
    """

    params: Any
    low: Array | np.ndarray
    high: Array | np.ndarray
    scale: Array | np.ndarray
    table: Array | np.ndarray


@cache
def tabulated(law: Law) -> Law:
    """The same law with draws that are a smooth, increasing function of two words.

    On the host, its parameters are those of the law; draws need `exact_params`.

    Args:
      law: law with a smooth quantile function and a support that is bounded below.
    """

    def sample(noise, params):
        if not isinstance(params, Tabulated):
            raise TypeError(
                f"params: draws of {law.name} by its quantiles need numbers that are "
                "known beforehand, exact_params(law, params); a game cannot draw them"
            )
        score = jnp.clip(normal_score(*noise), -REACH, REACH)
        level = interpolate(params.table, (score + REACH) * PER_SCORE)
        return _value(jnp, level, params.low, params.high, params.scale)

    def exact(params):
        params = given(params)
        return Tabulated(params, *_table(law, params))

    def of_given(function):
        return function and (lambda params, *args: function(given(params), *args))

    return law._replace(
        words=2,
        sample=sample,
        check=of_given(law.check),
        mean=of_given(law.mean),
        support=of_given(law.support),
        cdf=of_given(law.cdf),
        quantile=of_given(law.quantile),
        monotone=1,
        exact=exact,
    )


def given(params: Any) -> Any:
    """The law's own parameters, without the table."""
    return params.params if isinstance(params, Tabulated) else params


def _table(law: Law, params: Any) -> tuple[np.ndarray, ...]:
    """Support and scale, f64[K] each, and transformed quantiles, f64[K, NODES]."""
    num_arms = len(jax.tree.leaves(params)[0])
    ends = (np.broadcast_to(end, num_arms) for end in law.support(params))
    low, high = (np.asarray(end, np.float64) for end in ends)
    score = np.linspace(-REACH, REACH, 2 * NODES - 1)  # the nodes, and their middles
    p = np.tile(scipy.special.ndtr(score), (num_arms, 1))
    x = law.quantile(params, p)  # type: ignore[misc]
    bounded = np.isfinite(high)
    scale = np.where(bounded, high - low, x[:, NODES - 1] - low)
    scale = np.maximum(scale, LEAST)
    least = np.where(low == 0, TINY, SMALL * scale)
    level = _log_distance(x - low[:, None], least, scipy.special.log_ndtr(score))
    top = np.where(bounded, high, x[:, -1] + 1)[:, None] - x
    above = _log_distance(top[:, ::-1], SMALL * scale, scipy.special.log_ndtr(score))[
        :, ::-1
    ]
    # In units of the scale: float32 so keeps the digits of a narrow law.
    level = level - np.where(bounded[:, None], above, np.log(scale)[:, None])
    table = level[:, ::2]
    near = np.lib.stride_tricks.sliding_window_view(table, MIDDLE.size, axis=1)
    middle = near @ MIDDLE
    drawn = _value(np, middle, low[:, None], high[:, None], scale[:, None])
    # A draw stands for all numbers that float32 rounds to it.
    gap = np.maximum(np.spacing(np.abs(drawn).astype(np.float32)), TINY_32)
    error = np.zeros(num_arms)
    for arm in range(num_arms):
        wanted, around = p[arm, 1::2][2:-2], (-gap[arm], gap[arm])
        under, over = (law.cdf(params, drawn[arm] + x)[arm] for x in around)  # type: ignore[misc]
        error[arm] = np.max(np.maximum(under - wanted, wanted - over))
    if not np.all(error <= ACCURATE):
        arm = int(np.nanargmax(np.where(np.isnan(error), np.inf, error)))
        raise ValueError(
            f"params: {law.name} of arm {arm} cannot be drawn by its quantiles, which "
            f"are too steep for a table: a draw would be {error[arm]:.1g} off in "
            f"probability, and at most {ACCURATE:g} is allowed (Beta and Gamma laws: "
            "give it larger shapes)"
        )
    return low, high, scale, table


def _log_distance(
    distance: np.ndarray, least: np.ndarray, log_p: np.ndarray
) -> np.ndarray:
    """Logarithms of distances to an end, f64[K, n], increasing from that end.

    Below the distance `least`, distances are taken as a power of the probability, as in
    the tail of a density.
    """
    logs = np.log(np.maximum(distance, least[:, None]))
    first = np.argmax(distance > least[:, None], axis=1)
    first = np.minimum(first, log_p.size - 2)
    rows = np.arange(len(distance))
    slope = (logs[rows, first + 1] - logs[rows, first]) / (
        log_p[first + 1] - log_p[first]
    )
    line = logs[rows, first][:, None] + slope[:, None] * (log_p - log_p[first][:, None])
    return np.where(np.arange(log_p.size) < first[:, None], line, logs)


def _value(xp: Any, level: Any, low: Any, high: Any, scale: Any) -> Any:
    """The value of a transformed quantile; both branches are finite."""
    part = xp.exp(-xp.abs(level))
    share = xp.where(level < 0, part, 1.0) / (1 + part)
    beyond = xp.exp(xp.minimum(level, 80.0))  # nearly the largest power of float32
    return low + scale * xp.where(high < np.inf, share, beyond)
