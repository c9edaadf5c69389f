"""The printed estimator against the truncated one: bias and coverage."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from scipy import stats

from jaxbandits import allocation, plots
from jaxbandits.allocation.policies.radii import Scales, bounds, profile
from jaxbandits.kernels.bisection import bisect
from jaxbandits.kernels.truncated import truncated_exponential_mean
from jaxbandits.laws.thresholds import exponential
from jaxbandits_studies.allocation.solvers import mean_and_error, solver_record
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.slips.allocation import ESTIMATORS

BUDGET, PROBABILITY = 40.0, 0.7
CASES = ((10.0, 0.1), (10.0, 0.3), (10.0, 1.0), (3.0, 0.1), (30.0, 0.1))
Z = float(stats.norm.ppf(0.975))


def limit_factor(rate_times_budget: float, share: float) -> float:
    """What the printed estimator converges to, over the rate: at x = share B.

    ``g^-1(share g(share v)) / v`` with ``v = rate B``.
    """
    v = jnp.asarray(rate_times_budget, float)
    target = share * truncated_exponential_mean(share * v)

    def below(log_v):
        return truncated_exponential_mean(jnp.exp(log_v)) > target

    return float(jnp.exp(bisect(below, jnp.log(v) - 1, jnp.log(v) + 7)) / v)


def estimator(options: Options, cases=CASES) -> Outcome:
    """Estimates from rounds at one allocation, far below the budget and at it.

    Options' seeds are repetitions, the horizon is the number of rounds; a case is a
    rate, times the budget, and an allocation, as a share of it.
    """
    records, rows = [], []
    keys = jax.random.split(jax.random.key(6), options.seeds)
    for v, share in cases:
        for name in ESTIMATORS:
            results = _replicate(
                name, options.horizon, keys, v / BUDGET, share * BUDGET
            )
            results = {key: np.asarray(x) for key, x in results._asdict().items()}
            truth = {"rate": v / BUDGET, "probability": PROBABILITY}
            metrics = {}
            for key, value in truth.items():
                ratio = results[key] / value
                low, high = results[f"{key}_low"], results[f"{key}_high"]
                covered = (low <= value) & (value <= high)
                metrics[f"{key}_ratio"] = mean_and_error(ratio.astype(np.float64))
                metrics[f"{key}_coverage"] = mean_and_error(covered)
            factor = limit_factor(v, share) if name == "printed" else 1.0
            metrics["rate_ratio_limit"] = factor, None
            row = f"rate B = {v:g}, x = {share:g} B", name
            records.append(
                solver_record("allocation-estimator", *row, options, **metrics)
            )
            rows.append((*row, metrics))
    return Outcome({"estimates": _table(rows)}, records, partial(_picture, rows))


@cache
def _problem():
    return allocation.make_problem(
        exponential, 1, BUDGET, lowest=1 / BUDGET, highest=80 / BUDGET
    )


@partial(jax.jit, static_argnums=(0, 1))
def _replicate(name, rounds, keys, rate, amount):
    """Bounds of one arm after rounds at one allocation, by key."""
    estimator = ESTIMATORS[name](_problem())

    def round_(statistics, key):
        active, threshold = jax.random.uniform(key, (2,))
        needed = -jnp.log1p(-threshold) / rate
        seen = jnp.where((active < PROBABILITY) & (needed <= amount), needed, jnp.inf)
        return estimator.observe(statistics, seen, amount, None), None

    def run(key):
        start = jax.tree.map(lambda x: x[0], estimator.zeros())
        statistics, _ = jax.lax.scan(round_, start, jax.random.split(key, rounds))
        scales = Scales(Z**2, Z**2)  # log e = 1: they are z squared
        return bounds(estimator, profile, statistics, jnp.e, scales, None, jnp.int32(0))

    return jax.vmap(run)(keys)


def _table(rows):
    names = list(rows[0][2])
    cases = list(dict.fromkeys(row[0] for row in rows))
    values = {(i, e): m for i, e, m in rows}
    return xr.Dataset(
        {
            key: (
                ("environment", "estimator"),
                [[values[i, e][key][0] for e in ESTIMATORS] for i in cases],
            )
            for key in names
        },
        coords={"environment": cases, "estimator": list(ESTIMATORS)},
    )


def _picture(rows):
    fig, axes = plots.figure(1, 2)
    cases = list(dict.fromkeys(row[0] for row in rows))
    for i, name in enumerate(ESTIMATORS):
        mine = [m for _, e, m in rows if e == name]
        places = np.arange(len(mine)) + 0.16 * (2 * i - 1)
        color = plots.line_style(i).color
        for ax, key in zip(axes, ("rate_ratio", "rate_coverage"), strict=True):
            means, errors = np.array([m[key] for m in mine], float).T
            look = {"fmt": "os"[i], "color": color, "label": name}
            ax.errorbar(means, places, xerr=1.96 * errors, **look)
    axes[0].axvline(1, color="0.6", linewidth=1)
    axes[0].set(xlabel="estimated rate / rate")
    box = axes[0].dataLim
    plots.readable_ticks(axes[0].xaxis, "log", box.minposx, box.x1)
    axes[1].axvline(0.95, color="0.6", linewidth=1)
    axes[1].set(xlabel="coverage, 95 % interval", xlim=(-0.02, 1.02))
    for ax in axes:
        first = ax.get_subplotspec().is_first_col()
        ax.set_yticks(range(len(cases)), cases if first else [])
        ax.invert_yaxis()
    plots.share_names(axes)
    plots.draw_legend(axes, "estimator")
    return fig
