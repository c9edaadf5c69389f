"""Figures 6 and 7: impressions over campaigns, on a synthetic stand-in for Criteo."""

import numpy as np
import xarray as xr

from jaxbandits.experiments.allocation_cast import LEARNERS
from jaxbandits.experiments.comparison import Contestant, play
from jaxbandits.experiments.experiment import Options, Outcome
from jaxbandits.plots import figure, plot_panels
from jaxbandits.policies import allocation as policies
from jaxbandits.results import summary_records
from jaxbandits.settings import allocation as settings
from jaxbandits.settings.allocation.fitting import fit_discrete_weibull
from jaxbandits.settings.allocation.synthetic import criteo_like_parameters

CAMPAIGNS = 3
CAST = LEARNERS | {
    "uniform": Contestant(policies.uniform_split),
}
# As the recorded table was played: a quarter of the least rate, four times the largest.
RANGE = {"lowest": 0.041960144095383414, "highest": 2.7252513458505416}
NOTE = "Synthetic: Criteo's logs could not be had (docs/errata.md)."


def advertising(options: Options) -> Outcome:
    """Regret over users with whole numbers of impressions."""
    game = settings.criteo_like(**RANGE)
    dataset = play(game, CAST, options)
    records = summary_records(
        dataset,
        "allocation-fig7",
        instance=game.name,
        metrics=["reward", "regret", "realised_regret"],
    )
    picture = plot_panels({game.name: dataset})
    return Outcome({game.name: dataset}, records, picture, (NOTE,))


def impressions(options: Options) -> Outcome:
    """Impressions before a click: draws of three campaigns and a fit to them.

    Options' seeds are the clicks of every campaign.
    """
    arms = criteo_like_parameters()
    rng = np.random.default_rng(2017)
    fig, axes = figure(1, CAMPAIGNS)
    records, datasets = [], {}
    for campaign, ax in enumerate(axes):
        shape, rate = arms.shape[campaign], arms.rate[campaign]
        draws = np.ceil(rng.weibull(shape, options.seeds) / rate).astype(int)
        draws = np.maximum(draws, 1)
        fit = fit_discrete_weibull(draws)
        most = int(np.quantile(draws, 0.995))
        counts = np.arange(1, most + 1)
        share = np.array([np.mean(draws == n) for n in counts])
        probability = np.diff(fit.cdf(np.arange(most + 1)))
        ax.bar(counts, share, color="0.75", label="clicks")
        ax.plot(counts, probability, "o-", color="C0", markersize=4, label="fit")
        ax.set(title=f"campaign {campaign + 1}", xlabel="impressions before the click")
        title = f"campaign {campaign + 1}"
        datasets[title] = xr.Dataset(
            {"share": ("impressions", share), "fit": ("impressions", probability)},
            coords={"impressions": counts},
        )
        found = {"shape": fit.shape, "rate": fit.rate}
        truth = {"true_shape": shape, "true_rate": rate}
        records.append(
            {
                "experiment": "allocation-fig6",
                "instance": title,
                "policy": "discrete Weibull",
                "params": {},
                "seeds": options.seeds,
                "horizon": 1,
                "metrics": {
                    key: {"mean": float(value), "sem": None, "published": None}
                    for key, value in (found | truth).items()
                },
            }
        )
    axes[0].set_ylabel("probability")
    axes[0].legend(frameon=False)
    return Outcome(datasets, records, fig, (NOTE,))
