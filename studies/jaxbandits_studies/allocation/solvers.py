"""Problems of the allocation setting, what solves them, and how long that takes."""

import time
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxbandits.kernels.allocation import Curves, projected_gradient
from jaxbandits.kernels.lambert import beyond_mode
from jaxbandits.laws.thresholds import curves, weibull
from jaxbandits.stats import entry, make_record
from jaxbandits_studies.datasets import synthetic

REPEATS = 3  # the best one counts: on a shared machine noise only slows things down


class Batch(NamedTuple):
    """Problems: maximise ``sum_i weight_i G(x_i, rate_i)``, ``sum_i x_i = budget``.

    Attributes:
      weight: f64[N, K].
      rate: f64[N, K].
      shape: f64[N, K], 1 if the family has none.
      budget: f64[N].
    """

    weight: np.ndarray
    rate: np.ndarray
    shape: np.ndarray
    budget: np.ndarray


def simulated(count: int, shape: float = 1.0, num_arms: int = 10) -> Batch:
    """Problems of appendix A.1: rates ~ U[1/40, 2], weights ~ U(0, 1], B = 40."""
    rng = np.random.default_rng(40)
    u = rng.uniform(size=(2, count, num_arms))
    shapes = np.full((count, num_arms), shape)
    return Batch(1 - u[0], 1 / 40 + (2 - 1 / 40) * u[1], shapes, np.full(count, 40.0))


def quizzes(count: int) -> Batch:
    """EdNet-like problems, K = 20: Weibull laws of shape 1.3 to 2.5, B = 700 s."""
    drawn = [synthetic.ednet_like_parameters(20, seed) for seed in range(count)]
    rows = [(x.probability, 1 / x.scale, x.shape, x.budget) for x in drawn]
    return Batch(*map(np.array, zip(*rows, strict=True)))


def campaigns(count: int) -> Batch:
    """Criteo-like problems, K = 15: one user each, with 1 to 40 impressions."""
    drawn = [synthetic.criteo_like_parameters(15, seed) for seed in range(count)]
    rows = [(x.probability, x.rate, x.shape, float(x.budgets[0])) for x in drawn]
    return Batch(*map(np.array, zip(*rows, strict=True)))


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
        units = jnp.arange(synthetic.LARGEST_BUDGET + 1, dtype=weight.dtype)
        reached = weibull.cdf(units[None, :], rate[:, None], shape[:, None])
        return kernel(weight[:, None] * reached, budget.astype(jnp.int32))

    return solve


def timed(solver: Solver, batch: Batch, dtype, repeats=REPEATS):
    """Solutions of a batch as NumPy arrays, and the seconds of the best run."""
    columns = tuple(jnp.asarray(column, dtype) for column in batch)
    run = _program(solver.solve, solver.piece)
    out, best = jax.block_until_ready(run(columns)), np.inf
    for _ in range(repeats):
        began = time.perf_counter()
        jax.block_until_ready(run(columns))
        best = min(best, time.perf_counter() - began)
    return jax.tree.map(np.asarray, out), best


@cache
def _program(solve, piece):
    """A kernel for batches; held, for a reference may be asked for again."""

    def one(row):
        return solve(*row)

    if piece is None:
        return jax.jit(jax.vmap(one))
    return jax.jit(lambda columns: lax.map(one, columns, batch_size=piece))


def mean_and_error(values):
    """Mean and its standard error, of those that are numbers."""
    values = values[np.isfinite(values)]
    error = np.std(values, ddof=1) / np.sqrt(values.size) if values.size > 1 else None
    return np.mean(values), error


def solver_record(experiment, environment, solver, options, **metrics):
    return make_record(
        experiment,
        environment,
        solver,
        {key: entry(*number) for key, number in metrics.items()},
        seeds=options.seeds,
        horizon=options.horizon,
    )
