"""Confidence radii of means of bounded observations."""

import jax.numpy as jnp


def hoeffding_scale(confidence):
    """Factor of ``1 / sqrt(n)`` in Hoeffding's radius for observations in [0, 1].

    ``sqrt(confidence / 2)``, so that ``P(mean - mu > scale / sqrt(n)) <=
    exp(-confidence)`` (Hoeffding 1963, Theorem 2). UCB1's radius has ``confidence =
    4 log t``, the radius of Bengs & Huellermeier (2022), E.1, ``alpha log t``.

    Args:
      confidence: real array >= 0, minus the log of the error probability.

    Returns:
      Array of the same shape.
    """
    return jnp.sqrt(confidence / 2)


def peeling_scale(confidence):
    """Factor of ``1 / sqrt(n)`` in a radius that holds for a random count n.

    ``sqrt(2 confidence)``: Hoeffding's maximal inequality with a peeling argument over
    the counts (Bengs & Huellermeier 2022, Proposition 1, with ``confidence = alpha log
    t``), for martingale differences in [-1, 1].

    Args:
      confidence: real array >= 0.

    Returns:
      Array of the same shape.
    """
    return jnp.sqrt(2 * confidence)


def kl_bernoulli(p, q):
    """Kullback-Leibler divergence of Bernoulli laws, ``d(p, q)``, in nats.

    Args:
      p: real array in [0, 1].
      q: real array in [0, 1], broadcastable against `p`.

    Returns:
      Array of the broadcast shape, >= 0, finite: q is kept 1e-7 off the ends.
    """
    q = jnp.clip(q, 1e-7, 1 - 1e-7)
    return _x_log_ratio(p, q) + _x_log_ratio(1 - p, 1 - q)


def _x_log_ratio(x, y):
    safe = jnp.where(x > 0, x, 1.0)
    return jnp.where(x > 0, x * jnp.log(safe / y), 0.0)


def kl_upper_bound(mean, bound, iterations: int = 20):
    """Largest q in [mean, 1] with ``d(mean, q) <= bound``, by bisection.

    Args:
      mean: real array in [0, 1].
      bound: real array >= 0, broadcastable against `mean`.
      iterations: halvings; the result is within ``2**-iterations`` and never above,
        up to rounding of d: in float32 an error of up to ``5e-8 / (q - mean)``.

    Returns:
      Array of the broadcast shape, in [mean, min(1, mean + sqrt(bound / 2))].
    """
    low, high = jnp.broadcast_arrays(mean, jnp.ones_like(bound))
    # Pinsker's inequality narrows the search: d(p, q) >= 2 (p - q)**2.
    high = jnp.minimum(high, mean + jnp.sqrt(bound / 2))
    for _ in range(iterations):
        middle = (low + high) / 2
        inside = kl_bernoulli(mean, middle) <= bound
        low, high = jnp.where(inside, middle, low), jnp.where(inside, high, middle)
    return low
