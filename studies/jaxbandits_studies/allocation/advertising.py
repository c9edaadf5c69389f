"""Figures 6 and 7: impressions over campaigns, of Criteo's log or a stand-in for it."""

from functools import partial
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import allocation
from jaxbandits.plots import (
    draw_legend,
    figure,
    line_style,
    literal,
    plot_panels,
    share_names,
)
from jaxbandits.stats import make_record, summary_records
from jaxbandits_studies import datasets
from jaxbandits_studies.allocation.cast import LEARNERS
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.data import FOLDER, data_file
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.datasets.fitting import fit_discrete_weibull
from jaxbandits_studies.datasets.synthetic import LARGEST_BUDGET, criteo_like_parameters

FILE = "criteo_user_campaign.csv.gz"
CAMPAIGNS = 3
CAST = LEARNERS | {
    "uniform": Contestant(allocation.uniform),
}
NOTE = (
    f"Synthetic: set {FOLDER} to a folder that holds {FILE}, Criteo's log in the form "
    "of the paper's Table 2 (errata.md, A7, says how to make it)."
)


def advertising(options: Options) -> Outcome:
    """Regret over users with whole numbers of impressions."""
    path = data_file(FILE, needed=False)
    if path is None:
        game, note = datasets.criteo_like(), NOTE
    else:
        log = datasets.load_criteo(path)
        game = datasets.criteo(log, largest_budget=LARGEST_BUDGET)
        facts = game.provenance
        note = (
            f"{facts['cut_budgets']:,} of {facts['users']:,} users were seen more than "
            f"{LARGEST_BUDGET} times, and count as seen {LARGEST_BUDGET} times."
        )
    dataset = run_contestants(game, CAST, options)
    records = summary_records(
        dataset,
        "allocation-fig7",
        metrics=["reward", "regret", "realised_regret"],
    )
    played = {game.name: dataset}
    return Outcome(played, records, partial(plot_panels, played), (note,))


class _Clicks(NamedTuple):
    """Impressions up to the clicks of a campaign, i64[n] >= 1, and what is known."""

    impressions: np.ndarray
    truth: dict[str, float]


def _logged_clicks(log) -> dict[str, _Clicks]:
    """Of the campaigns with the most clicks."""
    most = np.argsort(-log.clicks, kind="stable")[:CAMPAIGNS]
    return {f"campaign {log.campaigns[c]}": _Clicks(log.counts(c), {}) for c in most}


def _drawn_clicks(size: int) -> dict[str, _Clicks]:
    """Of synthetic campaigns."""
    arms = criteo_like_parameters()
    rng = np.random.default_rng(2017)
    results = {}
    for campaign in range(CAMPAIGNS):
        shape, rate = arms.shape[campaign], arms.rate[campaign]
        draws = np.ceil(rng.weibull(shape, size) / rate).astype(int)
        truth = {"true_shape": shape, "true_rate": rate}
        results[f"campaign {campaign + 1}"] = _Clicks(np.maximum(draws, 1), truth)
    return results


def impressions(options: Options) -> Outcome:
    """Impressions before a click, of three campaigns, and a fit to them.

    Without the log, options' seeds are the clicks of every campaign.
    """
    path = data_file(FILE, needed=False)
    if path is None:
        clicks, notes = _drawn_clicks(options.seeds), (NOTE,)
    else:
        clicks, notes = _logged_clicks(datasets.load_criteo(path)), ()
    records, played = [], {}
    for title, (draws, truth) in clicks.items():
        fit = fit_discrete_weibull(draws)
        most = int(np.quantile(draws, 0.995))
        counts = np.arange(1, most + 1)
        share = np.array([np.mean(draws == n) for n in counts])
        probability = np.diff(fit.cdf(np.arange(most + 1)))
        played[title] = xr.Dataset(
            {"share": ("impressions", share), "fit": ("impressions", probability)},
            coords={"impressions": counts},
        )
        results = {"shape": fit.shape, "rate": fit.rate}
        records.append(
            make_record(
                "allocation-fig6",
                title,
                "discrete Weibull",
                results | truth,
                seeds=len(draws),
                horizon=1,
            )
        )
    return Outcome(played, records, partial(_draw_fits, played), notes)


def _draw_fits(played: dict[str, xr.Dataset]) -> Figure:
    """A panel per campaign."""
    fig, axes = figure(1, len(played))
    for ax, (title, data) in zip(axes, played.items(), strict=True):
        counts, color = data["impressions"], line_style(0).color
        ax.bar(counts, data["share"], color="0.75", label="clicks")
        ax.plot(counts, data["fit"], "o-", color=color, label="fit")
        ax.set(title=literal(title), xlabel="impressions up to the click")
        ax.set_ylabel("probability")
    share_names(axes)
    draw_legend(axes)
    return fig
