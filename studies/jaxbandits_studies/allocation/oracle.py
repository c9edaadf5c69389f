"""The oracles of the allocation setting, eqs. (12) and (13): how good, how fast."""

import time
from functools import partial

import jax
import numpy as np
import xarray as xr
from scipy import optimize

from jaxbandits.plots import figure, line_style, readable_ticks
from jaxbandits_studies.allocation import solvers
from jaxbandits_studies.allocation.cases import CASES, SLOW_TO_COMPILE, Case, worth
from jaxbandits_studies.common.experiment import Options, Outcome

FLOOR = 1e-16  # stands for a gap of 0 on a logarithmic axis
OUTSIDER = "SciPy SLSQP"
OUTSIDER_PROBLEMS, OUTSIDER_QUICK = 100, 5  # at most, for one may take 0.1 s


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
            bound, _ = solvers.timed(
                solvers.Solver(case.reference), batch, np.float64, repeats=0
            )
        results = {
            name: solvers.timed(solver, batch, np.float32)
            for name, solver in case.solvers.items()
            if not (options.quick and name == SLOW_TO_COMPILE)
        }
        gaps = {
            name: _gap(case, batch, out.allocation, bound.bound)
            for name, (out, _) in results.items()
        }
        times = {
            name: 1e6 * passed / options.seeds for name, (_, passed) in results.items()
        }
        if case.slope is not None:
            few = solvers.Batch(*(column[:num_few] for column in batch))
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
            solvers.solver_record(
                "allocation-oracle",
                title,
                name,
                options,
                gap=solvers.mean_and_error(gaps[name]),
                worst_gap=(np.nanmax(gaps[name]), None),
                microseconds=(times[name], None),
            )
            for name in gaps
        ]
    notes = (
        "The gap is to an upper bound, so that a part of it may be the bound's: for "
        "Weibull laws with k > 1, where the problem is not concave, most of it.",
        f"Times are this machine's, without compilation: float32, {options.seeds} "
        f"problems at once, best of {solvers.REPEATS} runs. SLSQP: float64, with exact "
        f"gradients, the median of {num_few} problems; "
        "more threads than one (OPENBLAS_NUM_THREADS) slow it down.",
        "Gradients have no meaning for Weibull laws with k < 1: they are infinite at "
        "0.",
    )
    return Outcome(datasets, records, partial(_draw_solvers, datasets), notes)


def _gap(case, batch, allocation, bound):
    return 1 - worth(case, batch, allocation) / bound


def _draw_solvers(datasets):
    """A row per solver and class: mean and largest gap on the left, time right."""
    fig, axes = figure(1, 2)
    gap_ax, time_ax = axes
    kinds = {"projected gradient": 1, OUTSIDER: 2}
    place, places, labels = 0.0, [], []
    for title, data in datasets.items():
        text = {"va": "center", "fontsize": "medium", "fontweight": "bold"}
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
        ax.set_yticks(places, labels if ax.get_subplotspec().is_first_col() else [])
        ax.set_ylim(place - 0.5, -0.8)
    readable_ticks(gap_ax.xaxis, "log", FLOOR, 1)
    gap_ax.set_xlim(FLOOR / 10, 3)
    gap_ax.set_xlabel("relative gap: mean (dot) to largest")
    low, high = time_ax.dataLim.minposx, time_ax.dataLim.x1
    time_ax.set_xlim(low / 2, high * 2)
    readable_ticks(time_ax.xaxis, "log", low, high)
    time_ax.set_xlabel("µs per solve")
    fig.set_figheight(max(fig.get_figheight(), 1.2 + 0.27 * place))
    return fig


def slsqp(case: Case, batch: solvers.Batch) -> tuple[np.ndarray, np.ndarray]:
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
