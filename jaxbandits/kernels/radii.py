"""Confidence radii of means of bounded observations."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import Array

from jaxbandits.arrays.real import Floats, Reals, real
from jaxbandits.checks import whole

LEAST = 1e-30  # stands for 0 in a denominator and under a logarithm
MOST_ITERATIONS = 64  # more halvings do not change a number of 64 bits
EDGE = 1e-7  # distance to 1 below which a bound has no slope in float32


def hoeffding_scale(confidence: Reals) -> Floats:
    """Factor of ``1 / sqrt(n)`` in Hoeffding's radius for observations in [0, 1].

    ``sqrt(confidence / 2)``, so that ``P(mean - mu > scale / sqrt(n)) <=
    exp(-confidence)`` (Hoeffding 1963, Theorem 2). UCB1's radius has ``confidence =
    4 log t``, the radius of Bengs & Huellermeier (2022), E.1, ``alpha log t``.

    Args:
      confidence: real array >= 0, minus the log of the error probability.

    Returns:
      Array of the same shape.
    """
    return jnp.sqrt(real(confidence=confidence) / 2)


def peeling_scale(confidence: Reals) -> Floats:
    """Factor of ``1 / sqrt(n)`` in a radius that holds for a random count n.

    ``sqrt(2 confidence)``: Hoeffding's maximal inequality with a peeling argument over
    the counts (Bengs & Huellermeier 2022, Proposition 1, with ``confidence = alpha log
    t``), for martingale differences in [-1, 1].

    Args:
      confidence: real array >= 0.

    Returns:
      Array of the same shape.
    """
    return jnp.sqrt(2 * real(confidence=confidence))


def kl_bernoulli(p: Reals, q: Reals) -> Floats:
    """Kullback-Leibler divergence of Bernoulli laws, ``d(p, q)``, in nats.

    The form is ``q phi((p - q) / q) + (1 - q) phi((q - p) / (1 - q))`` with ``phi(u) =
    (1 + u) log(1 + u) - u``. Both terms are positive, so that a small divergence keeps
    its digits (the usual form loses all digits below 1e-7 in float32).

    Args:
      p: real array in [0, 1].
      q: real array in [0, 1], broadcastable against `p`.

    Returns:
      Array of the broadcast shape, >= 0 and finite: q is clipped to 1e-7 from the ends.
    """
    p, q = real(p=p, q=q)
    return _divergence(p, jnp.clip(q, 1e-7, 1 - 1e-7))


def _divergence(p: Array, q: Array) -> Array:
    """`kl_bernoulli` for any q that is neither 0 nor 1 in the dtype."""
    return q * _entropy_gap((p - q) / q) + (1 - q) * _entropy_gap((q - p) / (1 - q))


def _entropy_gap(u: Array) -> Array:
    """``phi(u) = (1 + u) log(1 + u) - u`` for u >= -1, by its series near 0."""
    near = jnp.where(jnp.abs(u) < 0.2, u, 0.0)
    series = jnp.zeros_like(near)
    for k in range(10, 1, -1):
        series = 1 / (k * (k - 1)) - near * series
    ratio = jnp.maximum(1 + u, 0.0)
    direct = ratio * jnp.log(jnp.where(ratio > 0, ratio, 1.0)) - u
    return jnp.where(jnp.abs(u) < 0.2, near * near * series, direct)


def kl_upper_bound(mean: Reals, bound: Reals, iterations: int = 20) -> Floats:
    """Largest q in [mean, 1] with ``d(mean, q) <= bound``, by bisection.

    Derivatives by `mean` and `bound` are those of the implicit function. The derivative
    by `bound` is 0 at the ends, where q is the mean or 1.

    Args:
      mean: real array in [0, 1].
      bound: real array >= 0, broadcastable against `mean`.
      iterations: number of halvings, 1 to 64. The result is at most ``2**-iterations``
        below q, up to rounding of d: in float32 an error up to ``5e-8 / (q - mean)``.
        It is above q, by up to 1e-7, only where q is within 1e-7 of 1.

    Returns:
      Array of the broadcast shape, in [mean, min(1, mean + sqrt(bound / 2))].
    """
    mean, bound = real(mean=mean, bound=bound)
    iterations = whole("iterations", iterations, 1, MOST_ITERATIONS)
    return _kl_upper_bound(mean, bound, iterations)


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def _kl_upper_bound(mean: Array, bound: Array, iterations: int) -> Array:
    low, high = jnp.broadcast_arrays(mean, jnp.ones_like(bound))
    # Pinsker's inequality narrows the search: d(p, q) >= 2 (p - q)**2.
    high = jnp.minimum(high, mean + jnp.sqrt(bound / 2))
    for _ in range(iterations):
        middle = (low + high) / 2
        outside = kl_bernoulli(mean, middle) > bound  # false for NaN, which then stays
        low, high = jnp.where(outside, low, middle), jnp.where(outside, middle, high)
    return low


@_kl_upper_bound.defjvp
def _(
    iterations: int, primals: tuple[Array, Array], tangents: tuple[Array, Array]
) -> tuple[Array, Array]:
    mean, bound = primals
    q = _kl_upper_bound(mean, bound, iterations)
    # d(p, q) = bound: the partial derivatives of d by q and by p.
    by_q = (q - mean) / jnp.maximum(q * (1 - q), LEAST)
    p, inner = jnp.clip(mean, LEAST, 1 - EDGE), jnp.clip(q, LEAST, 1 - EDGE)
    by_p = jnp.log(p / inner) - jnp.log1p(-p) + jnp.log1p(-inner)
    inside = (q > mean) & (q < 1 - EDGE)
    change = (tangents[1] - by_p * tangents[0]) / jnp.where(inside, by_q, 1.0)
    # Where the ball is a point or reaches 1, q follows the mean or stays.
    return q, jnp.where(inside, change, jnp.where(q > mean, 0.0, tangents[0]))


def kl_ratio_bound(
    reward: Reals, cost: Reals, bound: Reals, iterations: int = 8
) -> Floats:
    """Largest ``r / c`` in the ball ``d(reward, r) + d(cost, c) <= bound``.

    The index of KL-UCB-SC+ (Watanabe et al. 2017). For a slope q the cheapest point
    ``(q x, x)`` has ``x = 2 s / (b + sqrt(b**2 - 8 q s))`` with ``s = reward + cost``
    and ``b = q + reward + 1 + cost q``. Its divergence F grows by ``(cost - x) / (1 -
    x) = (q x - reward) / (1 - q x)`` with log q (the envelope theorem). The root of F
    does so almost linearly, so that Newton's method on it, kept inside a bracket, needs
    few steps.

    Args:
      reward: real array in [0, 1].
      cost: real array in (0, 1]; all three broadcast together.
      bound: real array >= 0.
      iterations: Newton steps, 1 to 64.

    Returns:
      Array of the broadcast shape, at least ``reward / cost``, at most e**43, whose
      square float32 still holds.
    """
    reward, cost, bound = real(reward=reward, cost=cost, bound=bound)
    iterations = whole("iterations", iterations, 1, MOST_ITERATIONS)
    total = reward + cost
    log_cost = jnp.log(cost)
    # d(r, s) <= -log(1 - s) for s >= r bounds how much the reward alone can rise.
    reached = jnp.maximum(reward, -jnp.expm1(-bound))
    low = jnp.log(jnp.maximum(reached, 1e-30)) - log_cost
    # d(c, x) >= c log(c / x) - c bounds x from below, Pinsker's inequality both.
    crude = bound / cost + 1 - log_cost
    slack = jnp.sqrt(bound / 2)
    narrow = jnp.log(reward + slack + 1e-9) - jnp.log(jnp.maximum(cost - slack, 1e-30))
    high = jnp.maximum(jnp.minimum(jnp.minimum(crude, narrow), 43.0), low)
    # The curvature of F at its zero gives the first guess.
    seen = jnp.maximum(reward, 1e-9)
    spread = (1 - reward) / seen + (1 - cost) / cost
    log_q = jnp.log(seen) - log_cost + jnp.sqrt(2 * spread * bound)
    log_q = jnp.clip(log_q, low, (low + high) / 2)
    target = jnp.sqrt(bound)
    below_one = 1 - jnp.finfo(total.dtype).epsneg
    for _ in range(iterations):
        q = jnp.exp(log_q)
        # b**2 - 8 q s, written without a difference of large terms.
        gap = q * (1 + cost) - (1 + reward)
        root = jnp.sqrt(gap * gap + 4 * q * (1 - reward) * (1 - cost))
        x = 2 * total / (q + reward + 1 + cost * q + root)
        top = jnp.minimum(q * x, below_one)
        x = jnp.clip(x, 1e-36, below_one)
        value = _divergence(reward, top) + _divergence(cost, x)
        inside = value <= bound
        low, high = jnp.where(inside, log_q, low), jnp.where(inside, high, log_q)
        # Of two equal forms the one that stays away from 1.
        gap, rest = jnp.where(top < x, top - reward, cost - x), 1 - jnp.minimum(top, x)
        slope = jnp.maximum(gap, 1e-12) / rest
        size = jnp.sqrt(value)
        newton = log_q + (target - size) * 2 * size / slope
        usable = (newton >= low) & (newton <= high)
        log_q = jnp.where(usable, newton, (low + high) / 2)
    return jnp.maximum(jnp.exp(log_q), reward / cost)
