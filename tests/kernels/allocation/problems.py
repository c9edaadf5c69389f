"""Weibull problems, and exact solutions on a grid to judge solvers by."""

import jax.numpy as jnp
import numpy as np

from jaxbandits.kernels.allocation.solution import Curves
from jaxbandits.kernels.lambert import beyond_mode


def touch_ratio(shape):
    """``(touch / scale) ** k``: the root y > 0 of ``exp(y) - 1 = k y``; 0 for k <= 1.

    By Newton's method in float64, from above: the function is convex.
    """
    concave = np.asarray(shape) <= 1
    k = np.where(concave, 2.0, shape)
    y = 2 * np.log(k) + 1
    for _ in range(60):
        y = y - (np.expm1(y) - k * y) / (np.exp(y) - k)
    return np.where(concave, 0.0, y)


def weibull_curves(weight, shape, scale, touch):
    """`Curves` of ``w (1 - exp(-(x / c) ** k))``, k >= 1; JAX arrays f[K]."""
    b = (shape - 1) / shape

    def value(x):
        # No power of 0: its branch would be fine here, but not its derivative.
        v = jnp.where(x > 0, (jnp.where(x > 0, x, scale) / scale) ** shape, 0.0)
        return -weight * jnp.expm1(-v)

    def fall(drop):
        v = beyond_mode(b, drop)
        return scale * jnp.where(v > 0, jnp.where(v > 0, v, 1.0) ** (1 / shape), 0.0)

    peak = jnp.where(b > 0, b * jnp.log(jnp.where(b > 0, b, 1.0)) - b, 0.0)
    log_weight = jnp.where(weight > 0, jnp.log(jnp.where(weight > 0, weight, 1.0)), 0.0)
    log_height = log_weight + jnp.log(shape / scale) + peak
    return Curves(value, fall, jnp.where(weight > 0, log_height, -jnp.inf), touch)


def numbers(weight, shape, scale, dtype=np.float64):
    """The four arrays that `weibull_curves` takes, of one dtype."""
    weight, shape, scale = (np.asarray(x, np.float64) for x in (weight, shape, scale))
    touch = scale * touch_ratio(shape) ** (1 / shape)
    return tuple(np.asarray(x, dtype) for x in (weight, shape, scale, touch))


def draw(rng, size):
    """Weight, shape and scale of `size` random arms, as in the source's experiments."""
    return (
        rng.uniform(0.05, 1, size),
        rng.uniform(1.05, 4, size),
        rng.uniform(10, 100, size),
    )


def worth(weight, shape, scale, allocation):
    """The objective in float64."""
    return np.sum(-weight * np.expm1(-((allocation / scale) ** shape)), axis=-1)


def grid_optimum(weight, shape, scale, budget, cells=400, limit=None, least=None):
    """The best allocation in multiples of ``budget / cells``, by dynamic programming.

    Returns:
      ``(allocation f64[K], value)``.
    """
    grid = np.linspace(0, budget, cells + 1)
    spare = np.arange(cells + 1)[:, None] - np.arange(cells + 1)[None, :]
    best, choices = np.zeros(cells + 1), []
    ends = np.full(len(weight), np.inf) if limit is None else limit
    starts = np.zeros(len(weight)) if least is None else least
    for w, k, c, end, start in zip(weight, shape, scale, ends, starts, strict=True):
        # Negative indices meet the padding.
        table = np.append(best, np.full(cells, -np.inf))[spare]
        table -= w * np.expm1(-((grid / c) ** k))[None, :]
        table[:, (grid > end) | (grid < start)] = -np.inf
        choices.append(np.argmax(table, axis=1))
        best = np.max(table, axis=1)
    left, allocation = cells, []
    for choice in choices[::-1]:
        allocation.append(grid[choice[left]])
        left -= choice[left]
    return np.array(allocation[::-1]), best[cells]


def unit_values(rng, num_arms, units, concave=False):
    """What units are worth to arms, f64[K, N + 1]; a third of them nothing."""
    size = num_arms, units
    steps = rng.random(size) * rng.choice([0, 1, 1], size)
    if concave:
        steps = -np.sort(-steps, axis=1)
    return np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0)))
