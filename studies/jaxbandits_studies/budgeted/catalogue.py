"""The figures and tables of the budgeted paper, Heyden et al. (2024)."""

from collections.abc import Callable
from functools import partial

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import budgeted
from jaxbandits.plots import (
    draw_legend,
    figure,
    line_style,
    plot_panels,
    readable_ticks,
    share_names,
)
from jaxbandits.protocol import Environment
from jaxbandits.results import as_share
from jaxbandits.stats import final, summary_records
from jaxbandits_studies.budgeted.changing import changing
from jaxbandits_studies.budgeted.facebook import means_of_ads, play_groups
from jaxbandits_studies.budgeted.forgetting import forgetting
from jaxbandits_studies.budgeted.instances import (
    BUDGET,
    FACEBOOK,
    FACEBOOK_FILE,
    NO_DATA,
    TOPS,
    facebook,
    facebook_groups,
    synthetic,
)
from jaxbandits_studies.budgeted.intervals import asymmetry, example2, interval_study
from jaxbandits_studies.budgeted.joint import joint
from jaxbandits_studies.budgeted.least import least
from jaxbandits_studies.budgeted.lost_runs import lost_runs
from jaxbandits_studies.budgeted.shares import shares
from jaxbandits_studies.budgeted.shrunk import shrunk
from jaxbandits_studies.budgeted.table import settings_table
from jaxbandits_studies.budgeted.theory import bounds
from jaxbandits_studies.common.comparison import Contestant, add_spread, run_contestants
from jaxbandits_studies.common.data import FOLDER, data_file
from jaxbandits_studies.common.experiment import Experiment, Options, Outcome

BASELINE = "omega*-UCB, rho = 1/4"
LOG_SHARE = "omega*-UCB, log(t/n)"
SHRUNK = "omega*-UCB, shrunk, rho = 1/4"
SAFE = "omega*-UCB, shrunk, log(t/n), rho = 1/2"
_log_share = partial(budgeted.omega_star_ucb, exploration="log_share")
_shrunk = partial(budgeted.omega_star_ucb, variance="shrunk")
_horizon = {"budget": lambda options: options.horizon}
# Shown in Figure 3, in the order of the legend. Ours is the third.
PAPER = {
    "omega-UCB, rho = 1/4": Contestant(budgeted.omega_ucb, {"rho": 1 / 4}),
    BASELINE: Contestant(budgeted.omega_star_ucb, {"rho": 1 / 4}),
    LOG_SHARE: Contestant(_log_share),
    "omega-UCB, rho = 1": Contestant(budgeted.omega_ucb, {"rho": 1.0}),
    "omega*-UCB, rho = 1": Contestant(budgeted.omega_star_ucb, {"rho": 1.0}),
    "BTS": Contestant(budgeted.bts),
    "m-UCB": Contestant(budgeted.m_ucb),
    "c-UCB": Contestant(budgeted.c_ucb),
    "i-UCB": Contestant(budgeted.i_ucb),
    "b-greedy": Contestant(budgeted.b_greedy),
    "Budget-UCB (oracle)": Contestant(budgeted.budget_ucb),
    "UCB-SC+": Contestant(budgeted.ucb_sc_plus),
}
# Ours, and what is named in the paper, or is a rival in its published version.
OTHERS = {
    SHRUNK: Contestant(_shrunk, {"rho": 1 / 4}),
    SAFE: Contestant(partial(_shrunk, exploration="log_share"), {"rho": 1 / 2}),
    "KL-UCB-SC+": Contestant(budgeted.kl_ucb_sc_plus),
    "KUBE": Contestant(budgeted.kube),
    "Budget-UCB, code (oracle)": Contestant(budgeted.budget_ucb, {"log_factor": 2.0}),
    "UCB-BV1 (oracle)": Contestant(budgeted.ucb_bv1),
    "UCB-B2": Contestant(budgeted.ucb_b2),
    "UCB-B2, code (oracle)": Contestant(partial(budgeted.ucb_b2, form="code")),
    "b-greedy, code": Contestant(partial(budgeted.b_greedy, unpaid="code")),
    "PD-BwK": Contestant(
        budgeted.pd_bwk, _horizon | {"horizon": lambda options: options.horizon}
    ),
    "epsilon-first": Contestant(budgeted.epsilon_first, _horizon),
    "uniform": Contestant(budgeted.uniform),
}
EVERYONE = PAPER | OTHERS
FINALISTS = {
    name: EVERYONE[name]
    for name in (
        SHRUNK,
        BASELINE,
        LOG_SHARE,
        SAFE,
        "omega*-UCB, rho = 1",
        "BTS",
        "KUBE",
        "m-UCB",
    )
}
HEAVY_TAILS = (
    "Means of 100 runs cannot rank policies whose rare lost runs make up most of the "
    "mean: see the medians, quantiles and paired differences in summary.json and "
    "docs/errata.md (B5).",
)
RHO = tuple(2.0**k for k in range(-7, 2))


def regret_curves(
    name: str,
    environments: Callable[[Options], dict[str, Environment]],
    contestants: dict[str, Contestant],
    shown: tuple[str, ...],
    bands: bool,
    columns: int | None,
    options: Options,
) -> Outcome:
    """Regret over the share of the budget that is spent."""
    datasets, records, notes = {}, [], HEAVY_TAILS
    cast = {k: contestants[k] for k in shown} if options.quick else contestants
    chosen = environments(options)
    if not chosen:
        raise ValueError(NO_DATA)
    for title, environment in chosen.items():
        if title in FACEBOOK:
            groups = facebook_groups()[: 1 if options.quick else None]
            dataset = play_groups(title, groups, cast, options)
        else:
            dataset = run_contestants(
                environment, cast, options, by_budget=True, checkpoints="log"
            )
        found = summary_records(
            dataset, name, environment=title, metrics=["regret", "optimal"]
        )
        add_spread(found, dataset, "regret", BASELINE)
        records += found
        datasets[title] = dataset
    if environments is _all_settings and data_file(FACEBOOK_FILE) is None:
        notes = (*notes, NO_DATA)
    cut = options.horizon >= BUDGET
    draw = partial(
        plot_panels,
        {title: as_share(each) for title, each in datasets.items()},
        "regret",
        policies=[name for name in shown if name in cast],
        level=0.95 if bands else None,
        x_scale="log",
        columns=columns,
        tops={title: TOPS[title] for title in TOPS if cut and title in datasets},
    )
    return Outcome(datasets, records, draw, notes)


def _synthetic(options, sizes=(10, 50, 100)):
    return synthetic(sizes=(10,) if options.quick else sizes)


def _all_settings(options):
    return _synthetic(options) | ({} if options.quick else facebook())


def _family(family):
    def environments(options):
        return synthetic((family,), (10,) if options.quick else (10, 50, 100))

    return environments


def _sensitivity(options: Options) -> Outcome:
    """Figure 4: final regret against rho, omega-UCB and omega*-UCB."""
    name = "budgeted-fig4"
    cast = {
        "omega-UCB": Contestant(budgeted.omega_ucb, {"rho": np.array(RHO)}),
        "omega*-UCB": Contestant(budgeted.omega_star_ucb, {"rho": np.array(RHO)}),
    }
    chosen = _synthetic(options)
    datasets, records = {}, []
    for title, environment in chosen.items():
        dataset = run_contestants(
            environment, cast, options, by_budget=True, checkpoints="log"
        )
        records += summary_records(dataset, name, environment=title)
        # A sweep of this size is not kept whole: its ends are what is drawn.
        datasets[title] = dataset.isel(checkpoint=[-1])
    return Outcome(datasets, records, partial(_draw_rho, datasets, options))


def _draw_rho(datasets: dict[str, xr.Dataset], options: Options) -> Figure:
    """A panel per setting."""
    columns = min(3, len(datasets))
    fig, axes = figure(-(-len(datasets) // columns), columns)
    for ax, (title, dataset) in zip(axes, datasets.items(), strict=True):
        regret = final(dataset, "regret")
        for i, policy in enumerate(dataset["policy"].values.tolist()):
            runs = regret.sel(policy=policy)
            style = line_style(i)._asdict()
            ax.plot(RHO, runs.mean("seed"), label=f"{policy}, mean", **style)
            thin = style | {"linewidth": 1.2, "linestyle": "dotted"}
            ax.plot(RHO, runs.median("seed"), label=f"{policy}, median", **thin)
        ax.set_title(title)
        ax.set_xscale("log", base=2)
        ax.set_xticks(RHO[::2])
        readable_ticks(ax.yaxis, "log", ax.dataLim.minposy, ax.dataLim.y1)
        ax.set(xlabel=r"$\rho$", ylabel="final regret")
    share_names(axes)
    draw_legend(axes, f"{options.seeds:,} seeds")
    return fig


def _comparison(figure, title, source, environments, **options):
    name = f"budgeted-{figure}"
    choices = {
        "contestants": EVERYONE,
        "shown": tuple(PAPER),
        "bands": False,
        "columns": 3,
    } | options
    seeds = choices.pop("seeds", 100)
    run = partial(regret_curves, name, environments, *choices.values())
    quick = Options(16, 2_000, quick=True)
    return Experiment(name, title, source, run, Options(seeds, BUDGET), quick)


def _exact(figure, title, source, run, options=None):
    name = f"budgeted-{figure}"
    options = options or Options(1, 1)
    quick = options._replace(quick=True)
    fixed = options.seeds == 1
    return Experiment(name, title, source, run, options, quick, fixed)


EXPERIMENTS = (
    _exact(
        "fig1",
        "Confidence bounds of a ratio: how often too tight, how loose",
        "Figure 1",
        interval_study,
        Options(10_000, 10_000),
    ),
    _comparison(
        "fig3",
        "Regret of the paper's policies in all settings",
        "Figure 3 (a)-(e)",
        _all_settings,
        contestants=PAPER,  # the others stand in its panels
    ),
    _comparison("fig3a", "Bernoulli settings", "Figure 3a", _family("S-Br")),
    _comparison(
        "fig3b", "Generalised Bernoulli settings", "Figure 3b", _family("S-GBr")
    ),
    _comparison("fig3c", "Beta settings", "Figure 3c", _family("S-Bt")),
    _comparison(
        "fig3d",
        f"Social-media advertisements (needs {FOLDER})",
        "Figure 3 (d), (e)",
        lambda options: facebook(),
    ),
    _exact(
        "fig3f",
        f"Mean rewards and costs of 33 ads (needs {FOLDER})",
        "Figure 3f",
        means_of_ads,
    ),
    Experiment(
        "budgeted-fig4",
        "Sensitivity to rho",
        "Figure 4",
        _sensitivity,
        Options(100, BUDGET),
        Options(16, 2_000, quick=True),
    ),
    _exact(
        "fig5", "Asymmetry of the confidence interval", "Figure 5, eq. (23)", asymmetry
    ),
    _comparison(
        "fig6",
        "Regret with 95 % confidence intervals",
        "Figure 6",
        _all_settings,
        contestants=PAPER,
        bands=True,
    ),
    _exact("table1", "The settings of the evaluation", "Table 1", settings_table),
    _exact("example2", "omega-UCB and m-UCB on two arms", "Example 2", example2),
    Experiment(
        "budgeted-bounds",
        "omega-UCB's regret and Theorem 5",
        "Theorem 5; docs/errata.md",
        bounds,
        Options(100, 100_000),
        Options(16, 2_000, quick=True),
    ),
    Experiment(
        "budgeted-lost-runs",
        "Runs that share-UCB loses on two coins",
        "docs/theory/share-ucb.md",
        lost_runs,
        Options(2_000, 100_000),
        Options(16, 500, quick=True),
    ),
    _exact(
        "least",
        "Budgeted policies beside the least regret of a consistent one",
        "docs/theory/least-budgeted-regret.md",
        least,
    ),
    Experiment(
        "budgeted-share",
        "What share-UCB loses with other parameters",
        "docs/theory/share-ucb.md, what the numbers cost",
        shares,
        Options(64, 100_000),
        Options(4, 200, quick=True),
    ),
    Experiment(
        "budgeted-joint",
        "Rewards that come with costs: one interval or two",
        "docs/theory/share-ucb.md, rewards that come with costs",
        joint,
        Options(256, 20_000),
        Options(4, 200, quick=True),
    ),
    Experiment(
        "budgeted-shrunk",
        "What the shrunk omega*-UCB loses with other parameters",
        "docs/recommendation.md, what the numbers of omega*-UCB cost",
        shrunk,
        Options(64, 10_000),
        Options(4, 200, quick=True),
    ),
    Experiment(
        "budgeted-forgetting",
        "What discounted omega-UCB loses with other parameters",
        "docs/theory/discounted-omega.md, numbers",
        forgetting,
        Options(64, 10_000),
        Options(4, 200, quick=True),
    ),
    Experiment(
        "budgeted-changing",
        "Arms that change, and a memory that fades",
        "Conclusions (future work); docs/theory/discounted-omega.md",
        changing,
        Options(256, 10_000),
        Options(16, 200, quick=True),
    ),
    _comparison(
        "recommendation",
        "Which policy to recommend? 1,000 runs of the finalists",
        "docs/recommendation.md",
        partial(_synthetic, sizes=(10, 50)),
        contestants=FINALISTS,
        shown=tuple(FINALISTS),
        bands=True,
        columns=2,
        seeds=1_000,
    ),
)
