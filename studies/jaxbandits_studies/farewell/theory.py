"""The farewell paper's bounds beside what happens: Theorem 2 and Lemma 1."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import plots
from jaxbandits.stats import entry, make_record
from jaxbandits_studies.common.casts import cast, environments
from jaxbandits_studies.common.drawing import draw_lines
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.common.overlay import TRIVIAL, under_bounds
from jaxbandits_studies.theory import farewell

DELTAS = (0.01, 0.03, 0.1, 0.3)
COUNTS = (1, 10, 100, 1_000)
LAWS = {  # (mean of X, probability of the long duration, B)
    "B = 2, p = 1/2": (0.5, 0.5, 2),
    "B = 10, p = 1/10": (0.5, 0.1, 10),
    "B = 10, p = 1/2": (0.5, 0.5, 10),
}


def bounds(name: str, options: Options) -> Outcome:
    """Wait-UCB's regret below Theorem 2, the trivial bound and three leading terms."""
    games = environments("farewell", "Figure 1")

    def curves(title, times):
        oracle, waits = games[title].oracle(), games[title].problem.lengths
        gaps, lengths = oracle.gaps, oracle.mean_time
        return {
            "Theorem 2": farewell.regret_bound(times, gaps, lengths, waits),
            TRIVIAL: farewell.trivial_bound(times, gaps, waits),
            "(WAIT), order": farewell.wait_rate(times, gaps, lengths),
            "(DQZL), order": farewell.dqzl_rate(times, gaps, oracle.rate),
            "(FJ), order": farewell.fj_rate(times, gaps, lengths),
        }

    def since(title):
        return np.nextafter(games[title].problem.lengths[-1], np.inf)

    contestants = cast("farewell", "bounds")
    return under_bounds(name, games, contestants, options, curves, since)


def coverage(options: Options) -> Outcome:
    """How often the ratio of sample means is farther off than Lemma 1 allows.

    And how much wider its radius is than needed: over the quantile of the deviation at
    the same level. Options' seeds are repetitions, the horizon is the largest count; X
    is Bernoulli, Y is 1 or B and independent.
    """
    rng = np.random.default_rng(2020)
    counts = [n for n in COUNTS if n <= options.horizon]
    frequency, slack = np.zeros((2, len(LAWS), len(counts), len(DELTAS)))
    for i, (mean_x, share, largest) in enumerate(LAWS.values()):
        mean_y = 1 + share * (largest - 1)
        for k, n in enumerate(counts):
            x = rng.binomial(n, mean_x, options.seeds) / n
            y = 1 + (largest - 1) * rng.binomial(n, share, options.seeds) / n
            off = np.abs(x / y - mean_x / mean_y)
            for m, delta in enumerate(DELTAS):
                radius = farewell.radius(n, delta, largest, mean_y)
                frequency[i, k, m] = np.mean(off > radius)
                slack[i, k, m] = radius / np.quantile(off, 1 - delta)

    def draw() -> Figure:
        fig, (ax,) = plots.figure()
        shown = slack[:, :, DELTAS.index(0.1)]
        draw_lines(ax, counts, dict(zip(LAWS, shown, strict=True)))
        ax.axhline(1, color="0.25", linewidth=1)
        ax.set(xlabel="observations $n$")
        ax.set_ylabel("radius / 90 % quantile of the deviation")
        plots.readable_ticks(ax.xaxis, "log", counts[0], counts[-1])
        plots.readable_ticks(ax.yaxis, "log", 1, ax.dataLim.y1)
        plots.draw_legend(ax, "Lemma 1, $\\delta$ = 0.1")
        return fig

    dataset = xr.Dataset(
        {
            "failures": (("law", "count", "delta"), frequency),
            "slack": (("law", "count", "delta"), slack),
        },
        coords={"law": list(LAWS), "count": counts, "delta": list(DELTAS)},
    )
    records = [
        make_record(
            "farewell-coverage",
            law,
            f"Lemma 1, delta = {delta}",
            {
                "failures": entry(frequency[i, :, m].max(), published=delta),
                "least_slack": slack[i, :, m].min(),
            },
            seeds=options.seeds,
            horizon=max(counts),
        )
        for i, law in enumerate(LAWS)
        for m, delta in enumerate(DELTAS)
    ]
    return Outcome({"coverage": dataset}, records, draw)
