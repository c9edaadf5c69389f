"""Real branches of Lambert's W in forms that neither overflow nor cancel."""

import jax.numpy as jnp
from jax import Array

from jaxbandits.arrays.real import Floats, Reals, real

TRIPS = 5  # Newton steps; the start is good to 10 %, each step squares the error


def wright_omega(z: Reals) -> Floats:
    """The root of ``w + log w = z``: ``W_0(exp z)``, for real z.

    Args:
      z: real array of finite numbers.

    Returns:
      Array, relative error a few units in the last place; it underflows to 0 for z
      below about -87 (float32).
    """
    z = real(z=z)
    # Newton's method for log w, which is unbounded and needs no guard.
    log_w = jnp.where(z > 1, jnp.log(jnp.maximum(z, 1.0)), z)
    for _ in range(TRIPS):
        w = jnp.exp(log_w)
        log_w = log_w - (w + log_w - z) / (w + 1)
    # log w is exact to one unit in its last place, which is many units of a large w;
    # for such w, `z - log w` is more accurate.
    return jnp.where(z > 1, z - log_w, jnp.exp(log_w))


def beyond_mode(b: Reals, drop: Reals) -> Floats:
    """The root ``v >= b`` of ``v - b log v = b - b log b + drop``.

    ``v ** b * exp(-v)`` is largest at ``v = b``; at the root it is ``exp(-drop)`` times
    this maximum. The root is the lower real branch of Lambert's W, in a form that does
    not underflow.

    Args:
      b: real array >= 0.
      drop: real array; negative drops count as 0, where the root is b.

    Returns:
      Array of the broadcast shape; for b = 0 it equals the drop.
    """
    b, drop = real(b=b, drop=drop)
    drop = jnp.maximum(drop, 0.0)
    safe = jnp.where(b <= 0, 1.0, b)
    # In units of b, and as an excess over 1, so that nothing cancels near the mode:
    # e - log1p(e) = drop / b.
    d = drop / safe
    # At the mode the root has no derivative.
    e = jnp.where(d > 0, jnp.sqrt(2 * jnp.where(d > 0, d, 1.0)), 0.0) + d
    for _ in range(TRIPS):
        # Newton on a convex increasing function from above: it cannot overshoot.
        slope = e / (1 + e)
        e = e - jnp.where(e > 0, (_excess(e) - d) / jnp.where(e > 0, slope, 1.0), 0.0)
    return jnp.where(b <= 0, drop, b * (1 + jnp.maximum(e, 0.0)))


def _excess(e: Array) -> Array:
    """``e - log1p(e)``, by its series where the difference cancels."""
    # log1p(e) = 2 atanh(r), r = e / (2 + e); e - 2 r = r e.
    r = e / (2 + e)
    r2 = r * r
    series = jnp.zeros_like(r2)
    for k in range(17, 1, -2):
        series = 1 / k + r2 * series
    tail = 2 * r * r2 * series
    return jnp.where(e < 0.3, r * e - tail, e - jnp.log1p(e))
