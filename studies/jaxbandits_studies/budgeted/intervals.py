"""Figures 1 and 5 and Example 2 of the budgeted paper: confidence bounds of a ratio."""

from functools import partial

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure
from scipy import stats

from jaxbandits.kernels.intervals import wilson_interval
from jaxbandits.plots import draw_legend, figure, line_style, readable_ticks
from jaxbandits.plots.ticks import tick_formatter
from jaxbandits.stats import entry, make_record
from jaxbandits_studies.common.drawing import draw_lines
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.theory.budgeted import failure_bound

DELTA = 0.01  # Figure 1: 99 % confidence
FLOOR = 1e-3  # of a cost's lower bound, where a policy needs one
COUNTS = (10, 30, 100, 300, 1_000, 3_000, 10_000)
Z_ASYMMETRY = 3.0  # Figure 5
ASYMMETRY_COUNTS = (1, 10, 100, 1_000)


def ratio_bounds(reward, cost, count, delta=DELTA) -> dict[str, np.ndarray]:
    """Upper confidence bounds of the ratio of means, by policy.

    omega-UCB takes the score of two two-sided intervals at level delta / 2 (2.807 for
    delta = 0.01); the radius of Hoeffding's inequality is ``sqrt(log(2 / delta) / (2
    n))``, that of UCB-SC+ ``log(1 / delta)``, the level of a ball in two divergences.

    Args:
      reward: f64[...], mean rewards in [0, 1].
      cost: f64[...], mean costs in (0, 1].
      count: observations of each.
      delta: error probability.
    """
    z = stats.norm.ppf(1 - delta / 4)
    upper, lower = _wilson(reward, count, z**2)[1], _wilson(cost, count, z**2)[0]
    epsilon = np.sqrt(np.log(2 / delta) / (2 * count))
    most, least = np.minimum(reward + epsilon, 1), np.maximum(cost - epsilon, FLOOR)
    ratio = reward / cost
    share = np.log(1 / delta) / (2 * count)
    finite = cost**2 > share
    alpha = np.sqrt(share / np.where(finite, reward**2 + cost**2 - share, 1.0))
    below = np.where(finite, cost - alpha * reward, 1.0)
    return {
        "omega-UCB": upper / lower,
        "m-UCB": most / least,
        "c-UCB": ratio + epsilon / cost,
        "i-UCB": ratio + epsilon,
        "Budget-UCB": ratio + epsilon / cost * (1 + most / least),
        "UCB-SC+": np.where(finite, (reward + alpha * cost) / below, np.inf),
    }


def interval_study(options: Options) -> Outcome:
    """Figure 1: violations, and bounds over the true ratio.

    Options' seeds are the pairs of Bernoulli laws, means U(0, 1); costs are drawn again
    until one was paid.
    """
    rng = np.random.default_rng(2023)
    true_reward, true_cost = 1 - rng.uniform(size=(2, options.seeds))
    truth = true_reward / true_cost
    rows = []
    for count in COUNTS:
        rewards = rng.binomial(count, true_reward)
        costs = _positive_binomial(rng, count, true_cost)
        bounds = ratio_bounds(rewards / count, costs / count, count)
        for policy, bound in bounds.items():
            finite = np.isfinite(bound)
            numbers = {
                "violations": np.mean(truth > bound),
                "looseness": np.mean(bound[finite] / truth[finite]),
                "median_looseness": np.median(bound / truth),
                "infinite": 1 - finite.mean(),
            }
            rows.append({"policy": policy, "count": count} | numbers)
    table = pd.DataFrame(rows).set_index(["policy", "count"])
    dataset = table.to_xarray().sel(policy=list(bounds))
    records = []
    for count in COUNTS:
        for policy in bounds:
            here = dataset.sel(policy=policy, count=count).items()
            finite = {k: x.item() for k, x in here if np.isfinite(x)}
            where = "budgeted-fig1", f"n = {count}", policy
            records.append(
                make_record(*where, finite, seeds=options.seeds, horizon=count)
            )
    draw = partial(_draw_bounds, dataset, options)
    return Outcome({"intervals": dataset}, records, draw)


def _draw_bounds(dataset: xr.Dataset, options: Options) -> Figure:
    """How often a bound is too tight, and how loose it is."""
    fig, axes = figure(1, 2)
    for ax, name in zip(axes, ("violations", "median_looseness"), strict=True):
        curves = {str(p.item()): dataset[name].sel(policy=p) for p in dataset["policy"]}
        draw_lines(ax, COUNTS, curves)
        ax.set_xlabel("observations $n$")
        readable_ticks(ax.xaxis, "log", COUNTS[0], COUNTS[-1])
    label = f"nominal, {100 * DELTA:g} %"
    axes[0].axhline(DELTA, color="0.25", linewidth=1, label=label)
    axes[0].set(title="bound below the true ratio", ylabel="share of cases")
    axes[1].set(title="bound over the true ratio", ylabel="median")
    # What happened in no case lies at 0, one case in all above it.
    readable_ticks(axes[0].yaxis, "log", 1 / options.seeds, 1, zero=True)
    axes[0].yaxis.set_major_formatter(tick_formatter(percent=True))
    axes[0].set_ylim(-0.3 / options.seeds, 1)
    readable_ticks(axes[1].yaxis, "log", *axes[1].dataLim.intervaly)
    draw_legend(axes, f"{options.seeds:,} pairs of laws")
    return fig


def _positive_binomial(rng, count, probability):
    """Binomial numbers given that they are positive, by inversion (no loop)."""
    none = (1 - probability) ** count
    level = none + rng.uniform(size=probability.shape) * (1 - none)
    return np.clip(stats.binom.ppf(level, count, probability), 1, count)


def asymmetry(options: Options) -> Outcome:
    """Figure 5: eq. (23), and the same from the interval's ends."""
    del options
    mean, z2 = np.linspace(0, 1, 201), Z_ASYMMETRY**2
    count = np.array(ASYMMETRY_COUNTS)[:, None]
    # Eq. (23) is the square of the ratio that the text defines (errata.md).
    printed = (2 * mean - 1) ** 2 * z2 / (4 * count * mean * (1 - mean) + z2)
    ends = np.array([_wilson(mean, n, z2) for n in ASYMMETRY_COUNTS])
    lower, upper = ends[:, 0], ends[:, 1]
    exact = np.abs(mean - (lower + upper) / 2) / ((upper - lower) / 2)

    def draw() -> Figure:
        fig, (ax,) = figure()
        labels = [f"n = {count:,}" for count in ASYMMETRY_COUNTS]
        draw_lines(ax, mean, dict(zip(labels, printed, strict=True)))
        ax.set(xlabel=r"sample mean $\bar\mu$", ylabel="asymmetry, eq. (23)")
        draw_legend(ax)
        return fig

    dims = ("count", "mean")
    dataset = xr.Dataset(
        {"asymmetry": (dims, printed), "ratio": (dims, exact)},
        coords={"count": list(ASYMMETRY_COUNTS), "mean": mean},
    )
    records = [
        make_record(
            "budgeted-fig5",
            f"n = {n}",
            "Wilson",
            {"at_0": row[0], "at_0.1": row[20], "ratio_at_0.1": ratio[20]},
            seeds=1,
            horizon=n,
        )
        for n, row, ratio in zip(ASYMMETRY_COUNTS, printed, exact, strict=True)
    ]
    return Outcome({"asymmetry": dataset}, records, draw)


def _wilson(mean, count, z2) -> tuple[np.ndarray, np.ndarray]:
    """Both ends, in float64."""
    lower, upper = wilson_interval(mean, count, z2)
    return np.asarray(lower, np.float64), np.asarray(upper, np.float64)


def example2(options: Options) -> Outcome:
    """Example 2: indices of two arms after 1,000 pulls each, t = 10,000.

    Its numbers for omega-UCB use the normal score of alpha(t) itself (Theorem 3, step
    1) and not the policy's own sqrt(2 log t).
    """
    del options
    reward, cost, count, t = np.array([0.8, 0.1]), np.array([0.2, 0.1]), 1_000, 10_000
    scores = {
        "omega-UCB, exact score": (
            stats.norm.isf(failure_bound(t, 1.0) / 2),
            (5.5, 2.1),
        ),
        "omega-UCB, sqrt(2 log t)": (np.sqrt(2 * np.log(t)), (None, None)),
    }
    results, printed = {}, {}
    for policy, (z, printed[policy]) in scores.items():
        upper, lower = _wilson(reward, count, z**2)[1], _wilson(cost, count, z**2)[0]
        results[policy] = upper / lower
    epsilon = np.sqrt(np.log(t - 1) / count)
    m_ucb = np.minimum(reward + epsilon, 1) / np.maximum(cost - epsilon, 0)
    results["m-UCB, alpha = 1"], printed["m-UCB, alpha = 1"] = m_ucb, (2.95, 48.6)
    index = np.array([*results.values()])

    def draw() -> Figure:
        fig, axes = figure(1, 2)
        places = np.arange(len(results))
        for arm, ax in enumerate(axes):
            color, other = line_style(0).color, line_style(1).color
            values = [numbers[arm] or np.nan for numbers in printed.values()]
            ax.barh(places, index[:, arm], color=color, alpha=0.75, label="computed")
            ax.plot(values, places, "D", color=other, label="printed")
            ax.axvline(reward[arm] / cost[arm], color="0.25", linestyle="dashed")
            first = ax.get_subplotspec().is_first_col()
            ax.set_yticks(places, list(results) if first else [])
            ax.set(title=f"arm {arm + 1}", xlabel="index (dashed: true ratio)")
            ax.invert_yaxis()
        draw_legend(axes)
        return fig

    dataset = xr.Dataset(
        {"index": (("policy", "arm"), index)},
        coords={"policy": list(results), "arm": [1, 2]},
    )
    records = [
        make_record(
            "budgeted-example2",
            f"arm {arm + 1}",
            policy,
            {"index": entry(numbers[arm], published=printed[policy][arm])},
            seeds=1,
            horizon=t,
        )
        for policy, numbers in results.items()
        for arm in range(2)
    ]
    return Outcome({"example2": dataset}, records, draw)
