"""The oracles of the allocation setting, eqs. (12) and (13): how good, how fast."""

import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
import xarray as xr
from jax import lax
from scipy import optimize, special

from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.kernels.allocation import (
    Curves,
    exponential_water_filling,
    integer_greedy,
    integer_programming,
    projected_gradient,
    sigmoid_filling,
    sigmoid_prefix,
    water_filling,
)
from jaxbandits.kernels.lambert import beyond_mode
from jaxbandits.laws.thresholds import (
    curves,
    exponential,
    half_normal,
    lomax,
    weibull,
)
from jaxbandits.plots import figure, line_style
from jaxbandits.plots.labels import readable_ticks
from jaxbandits.plots.style import SMALL_FONT
from jaxbandits.settings.allocation.synthetic import (
    LARGEST_BUDGET,
    criteo_like_parameters,
    ednet_like_parameters,
)

REPEATS = 3  # the best one counts: on a shared machine noise only slows things down
TINY = 1e-300
FLOOR = 1e-16  # stands for a gap of 0 on a logarithmic axis
LOMAX_SHAPE = 2.0
WEIBULL_SHAPE = 0.7  # of the concave Weibull problems

# Of the discretisation: how many units the largest budget has.


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


class Solver(NamedTuple):
    """A kernel, ``(weight f[K], rate f[K], shape f[K], budget f[]) -> Solution``.

    Attributes:
      solve: the kernel.
      piece: how many problems are solved at a time, for those that need much memory.
    """

    solve: Callable
    piece: int | None = None


class Case(NamedTuple):
    """A class of problems.

    Attributes:
      draw: number of problems -> `Batch`.
      value: ``G(x, rate, shape)`` in NumPy.
      slope: its derivative in x, or None for integers.
      reference: the kernel whose bound, in float64, others are measured by.
      solvers: by name.
    """

    draw: Callable[[int], Batch]
    value: Callable
    slope: Callable | None
    reference: Callable
    solvers: Mapping[str, Solver]


def simulated(count: int, shape: float = 1.0, num_arms: int = 10) -> Batch:
    """Problems of appendix A.1: rates ~ U[1/40, 2], weights ~ U(0, 1], B = 40."""
    rng = np.random.default_rng(40)
    u = rng.uniform(size=(2, count, num_arms))
    shapes = np.full((count, num_arms), shape)
    return Batch(1 - u[0], 1 / 40 + (2 - 1 / 40) * u[1], shapes, np.full(count, 40.0))


def quizzes(count: int) -> Batch:
    """EdNet-like problems, K = 20: Weibull laws of shape 1.3 to 2.5, B = 700 s."""
    drawn = [ednet_like_parameters(20, seed) for seed in range(count)]
    return Batch(
        np.array([arms.probability for arms in drawn]),
        1 / np.array([arms.scale for arms in drawn]),
        np.array([arms.shape for arms in drawn]),
        np.array([arms.budget for arms in drawn]),
    )


def campaigns(count: int) -> Batch:
    """Criteo-like problems, K = 15: one user each, with 1 to 40 impressions."""
    drawn = [criteo_like_parameters(15, seed) for seed in range(count)]
    return Batch(
        np.array([arms.probability for arms in drawn]),
        np.array([arms.rate for arms in drawn]),
        np.array([arms.shape for arms in drawn]),
        np.array([float(arms.budgets[0]) for arms in drawn]),
    )


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


def _family_curves(family, shape=None):
    """Curves with a shape that the host knows."""

    def build(weight, rate, shapes):
        del shapes
        known = None if shape is None else np.full(rate.shape, shape, rate.dtype)
        return curves(family, weight, rate, known)

    return build


def _filling(kernel, build, **options):
    """A kernel for curves."""
    return lambda w, r, k, budget: kernel(build(w, r, k), budget, **options)


def _ascent(build, optimiser=None):
    """Projected gradient ascent from the even split."""

    def solve(weight, rate, shape, budget):
        arms = build(weight, rate, shape)
        even = jnp.full_like(weight, 1.0) * (budget / weight.size)
        return projected_gradient(
            lambda x: jnp.sum(arms.value(x)), even, budget, optimiser=optimiser
        )

    return solve


# Among sigmoids the kernel's own steps, a fifth of the budget at first, end in poor
# local optima (6 % below the bound); these lose 0.4 %.
SMALL_STEPS = optax.adam(optax.cosine_decay_schedule(0.01, 400))


def _integers(kernel):
    """A kernel for tables of values."""

    def solve(weight, rate, shape, budget):
        units = jnp.arange(LARGEST_BUDGET + 1, dtype=weight.dtype)
        reached = weibull.cdf(units[None, :], rate[:, None], shape[:, None])
        return kernel(weight[:, None] * reached, budget.astype(jnp.int32))

    return solve


def _weibull_value(x, rate, shape):
    return -np.expm1(-((rate * x) ** shape))


def _weibull_slope(x, rate, shape):
    level = (rate * x) ** shape
    return shape * level / np.maximum(x, TINY) * np.exp(-level)


def _lomax_value(x, rate, shape):
    return 1 - (1 + rate * x) ** -shape


def _lomax_slope(x, rate, shape):
    return shape * rate * (1 + rate * x) ** (-shape - 1)


def _half_normal_value(x, rate, shape):
    del shape
    return special.erf(rate * x / np.sqrt(2))


def _half_normal_slope(x, rate, shape):
    del shape
    return np.sqrt(2 / np.pi) * rate * np.exp(-((rate * x) ** 2) / 2)


def _concave(family, shape, value, slope, bounded=True, **more):
    """A case of a concave family, with the numbers of appendix A.1."""
    build = _family_curves(family, shape)
    bisection = _filling(water_filling, build, bounded=bounded)
    # Where marginals at 0 are infinite, so are gradients.
    ascent = {"projected gradient": Solver(_ascent(build))} if bounded else {}
    return Case(
        partial(simulated, shape=shape or 1.0),
        value,
        slope,
        bisection,
        more | {"bisection": Solver(bisection)} | ascent,
    )


EXACT = Solver(lambda w, r, k, budget: exponential_water_filling(w, r, budget))
CASES = {
    "exponential, K = 10": _concave(
        exponential, None, _weibull_value, _weibull_slope, **{"closed form": EXACT}
    ),
    "Lomax, K = 10": _concave(lomax, LOMAX_SHAPE, _lomax_value, _lomax_slope),
    "half-normal, K = 10": _concave(
        half_normal, None, _half_normal_value, _half_normal_slope
    ),
    "Weibull, k < 1, K = 10": _concave(
        weibull, WEIBULL_SHAPE, _weibull_value, _weibull_slope, bounded=False
    ),
    "Weibull, k > 1, K = 20": Case(
        quizzes,
        _weibull_value,
        _weibull_slope,
        _filling(sigmoid_prefix, weibull_curves),
        {
            "sigmoid filling": Solver(_filling(sigmoid_filling, weibull_curves), 25),
            "sigmoid prefix": Solver(_filling(sigmoid_prefix, weibull_curves)),
            "projected gradient": Solver(_ascent(weibull_curves, SMALL_STEPS)),
        },
    ),
    "discrete Weibull, K = 15": Case(
        campaigns,
        _weibull_value,
        None,
        _integers(integer_programming),
        {
            "dynamic programming": Solver(_integers(integer_programming)),
            "greedy": Solver(_integers(integer_greedy)),
        },
    ),
}
OUTSIDER = "SciPy SLSQP"
OUTSIDER_PROBLEMS, OUTSIDER_QUICK = 100, 5  # at most, for one may take 0.1 s
SLOW_TO_COMPILE = "sigmoid filling"  # some 10 s


def oracle(options: Options) -> Outcome:
    """Relative gap and time per solve of every solver, class by class.

    Options' seeds are the problems per class; SLSQP gets 100 at most. In the quick form
    it gets 5, and what takes long to compile is left out. The gap is what an
    allocation, found in float32 and scaled to the budget, is worth in float64 against
    an upper bound: weak duality's, or the optimum of dynamic programming.
    """
    datasets, records = {}, []
    num_few = min(options.seeds, OUTSIDER_QUICK if options.quick else OUTSIDER_PROBLEMS)
    for title, case in CASES.items():
        batch = case.draw(options.seeds)
        with jax.enable_x64(True):
            bound, _ = timed(Solver(case.reference), batch, np.float64, repeats=0)
        found = {
            name: timed(solver, batch, np.float32)
            for name, solver in case.solvers.items()
            if not (options.quick and name == SLOW_TO_COMPILE)
        }
        gaps = {
            name: _gap(case, batch, out.allocation, bound.bound)
            for name, (out, _) in found.items()
        }
        times = {
            name: 1e6 * passed / options.seeds for name, (_, passed) in found.items()
        }
        if case.slope is not None:
            few = Batch(*(column[:num_few] for column in batch))
            allocations, seconds = slsqp(case, few)
            few_bounds = bound.bound[:num_few]
            gaps[OUTSIDER] = np.full(options.seeds, np.nan)
            gaps[OUTSIDER][:num_few] = _gap(case, few, allocations, few_bounds)
            times[OUTSIDER] = 1e6 * np.median(seconds)
        datasets[title] = xr.Dataset(
            {
                "gap": (("solver", "problem"), np.array(list(gaps.values()))),
                "microseconds": ("solver", np.array(list(times.values()))),
            },
            coords={"solver": list(gaps), "problem": np.arange(options.seeds)},
        )
        records += [
            solver_record(
                "allocation-oracle",
                title,
                name,
                options,
                gap=mean_and_error(gaps[name]),
                worst_gap=(np.nanmax(gaps[name]), None),
                microseconds=(times[name], None),
            )
            for name in gaps
        ]
    notes = (
        "The gap is to an upper bound, so that a part of it may be the bound's: for "
        "Weibull laws with k > 1, where the problem is not concave, most of it.",
        f"Times are this machine's, without compilation: float32, {options.seeds} "
        f"problems at once, best of {REPEATS} runs. SLSQP: float64, with exact "
        f"gradients, the median of {num_few} problems; "
        "more threads than one (OPENBLAS_NUM_THREADS) slow it down.",
        "Gradients have no meaning for Weibull laws with k < 1: they are infinite at "
        "0.",
    )
    return Outcome(datasets, records, _draw_solvers(datasets), notes)


def _gap(case, batch, allocation, bound):
    return 1 - worth(case, batch, allocation) / bound


def worth(case: Case, batch: Batch, allocation) -> np.ndarray:
    """What allocations f[N, K] are worth, f64[N]; too much is scaled to the budget."""
    x = np.maximum(np.asarray(allocation, np.float64), 0)
    spent = np.sum(x, axis=1)
    x = x * np.minimum(1, batch.budget / np.where(spent > 0, spent, 1))[:, None]
    return np.sum(batch.weight * case.value(x, batch.rate, batch.shape), axis=1)


def slsqp(case: Case, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """SciPy's sequential quadratic programming from the even split.

    With exact gradients and SciPy's own tolerances. Marginals may be infinite at 0, so
    that arms get at least a billionth of the budget.

    Returns:
      ``(allocations f64[N, K], seconds f64[N])``.
    """
    allocations, times = [], [time.perf_counter()]
    for row in zip(*batch, strict=True):
        allocations.append(_slsqp_one(case, *row))
        times.append(time.perf_counter())
    return np.array(allocations), np.diff(times)


def _slsqp_one(case, weight, rate, shape, budget):
    spent = {"type": "eq", "fun": lambda x: np.sum(x) - budget}
    spent["jac"] = lambda x: np.ones_like(x)
    return optimize.minimize(
        lambda x: -np.sum(weight * case.value(x, rate, shape)),
        np.full(weight.size, budget / weight.size),
        jac=lambda x: -weight * case.slope(x, rate, shape),
        method="SLSQP",
        bounds=[(1e-9 * budget, budget)] * weight.size,
        constraints=[spent],
    ).x


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


def _draw_solvers(datasets):
    """A row per solver and class: mean and largest gap on the left, time right."""
    fig, axes = figure(1, 2)
    gap_ax, time_ax = axes
    kinds = {"projected gradient": 1, OUTSIDER: 2}
    place, places, labels = 0.0, [], []
    for title, data in datasets.items():
        text = {"va": "center", "fontsize": SMALL_FONT, "fontweight": "bold"}
        gap_ax.annotate(
            title, (0.02, place), xycoords=("axes fraction", "data"), **text
        )
        for name in data["solver"].values.tolist():
            place += 1
            here = data.sel(solver=name)
            color = line_style(kinds.get(name, 0)).color
            gap = here["gap"].dropna("problem").values
            mean, most = (max(float(g), FLOOR) for g in (gap.mean(), gap.max()))
            gap_ax.plot([mean, most], [place, place], color=color, linewidth=1.5)
            gap_ax.plot(mean, place, "o", color=color)
            gap_ax.plot(most, place, "|", color=color, markersize=9)
            time_ax.plot(here["microseconds"], place, "o", color=color)
            places.append(place)
            labels.append(name)
        place += 1.3
    for ax in axes:
        ax.set_yticks(places, labels if ax is gap_ax else [])
        ax.set_ylim(place - 0.5, -0.8)
    gap_ax.set(xscale="log", xlim=(FLOOR / 2, 3))
    gap_ax.set_xticks([1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1])
    gap_ax.set_xlabel("relative gap: mean (dot) to largest")
    low, high = time_ax.dataLim.minposx, time_ax.dataLim.x1
    time_ax.set_xlim(low / 2, high * 2)
    readable_ticks(time_ax.xaxis, "log", low, high)
    time_ax.set_xlabel("µs per solve")
    fig.set_size_inches(9.5, 1.2 + 0.27 * place)
    return fig


def mean_and_error(values):
    """Mean and its standard error, of those that are numbers."""
    values = values[np.isfinite(values)]
    error = np.std(values, ddof=1) / np.sqrt(values.size) if values.size > 1 else None
    return np.mean(values), error


def solver_record(experiment, instance, solver, options, **metrics):
    return {
        "experiment": experiment,
        "instance": instance,
        "policy": solver,
        "params": {},
        "seeds": options.seeds,
        "horizon": options.horizon,
        "metrics": {
            key: {
                "mean": float(mean),
                "sem": None if sem is None else float(sem),
                "published": None,
            }
            for key, (mean, sem) in metrics.items()
        },
    }
