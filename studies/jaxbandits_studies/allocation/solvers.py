"""The kernels of the allocation setting in one form: a problem in, a solution out."""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxbandits.kernels.allocation import Curves, projected_gradient
from jaxbandits.kernels.lambert import beyond_mode
from jaxbandits.laws.thresholds import curves, weibull
from jaxbandits_studies.datasets.synthetic import LARGEST_BUDGET


class Solver(NamedTuple):
    """A kernel, ``(weight f[K], rate f[K], shape f[K], budget f[]) -> Solution``.

    Attributes:
      solve: the kernel.
      piece: how many problems are solved at a time, for those that need much memory.
    """

    solve: Callable
    piece: int | None = None


def weibull_curves(weight, rate, shape) -> Curves:
    """`laws.thresholds.curves` of Weibull laws with traced shapes above 1."""
    b = 1 - 1 / shape

    def touched(_, y):
        # exp(y) - 1 = shape y, by Newton from above; y = (rate x) ** shape.
        return y - (jnp.expm1(y) - shape * y) / (jnp.exp(y) - shape)

    y = lax.fori_loop(0, 20, touched, 2 * jnp.log(shape) + 1)
    return Curves(
        value=lambda x: weight * weibull.cdf(x, rate, shape),
        fall=lambda drop: beyond_mode(b, drop) ** (1 / shape) / rate,
        log_height=jnp.log(weight) + weibull.log_height(rate, shape),
        touch=y ** (1 / shape) / rate,
    )


def family_curves(family, shape=None):
    """Curves with a shape that the host knows."""

    def build(weight, rate, shapes):
        del shapes
        known = None if shape is None else np.full(rate.shape, shape, rate.dtype)
        return curves(family, weight, rate, known)

    return build


def filling(kernel, build, **options):
    """A kernel for curves."""
    return lambda w, r, k, budget: kernel(build(w, r, k), budget, **options)


def ascent(build, optimiser=None):
    """Projected gradient ascent from the even split."""

    def solve(weight, rate, shape, budget):
        arms = build(weight, rate, shape)
        even = jnp.full_like(weight, 1.0) * (budget / weight.size)
        return projected_gradient(
            lambda x: jnp.sum(arms.value(x)), even, budget, optimiser=optimiser
        )

    return solve


def integers(kernel):
    """A kernel for tables of values."""

    def solve(weight, rate, shape, budget):
        units = jnp.arange(LARGEST_BUDGET + 1, dtype=weight.dtype)
        reached = weibull.cdf(units[None, :], rate[:, None], shape[:, None])
        return kernel(weight[:, None] * reached, budget.astype(jnp.int32))

    return solve
