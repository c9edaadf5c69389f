"""The comparisons of the budgeted paper, Heyden et al. (2024): Figures 3, 4 and 6."""

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
from jaxbandits_studies.budgeted.facebook import play_groups
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
from jaxbandits_studies.common.comparison import Contestant, add_spread, run_contestants
from jaxbandits_studies.common.data import data_file
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.slips.budgeted import b_greedy_code, ucb_b2_code

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
    "UCB-B2, code (oracle)": Contestant(ucb_b2_code),
    "b-greedy, code": Contestant(b_greedy_code),
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
    "errata.md (B5).",
)
RHO = tuple(2.0**k for k in range(-7, 2))


def regret_curves(
    name: str,
    environments: Callable[[Options], dict[str, Environment]],
    contestants: dict[str, Contestant],
    options: Options,
    *,
    shown: tuple[str, ...] = tuple(PAPER),
    bands: bool = False,
    columns: int | None = 3,
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
        result = summary_records(
            dataset, name, environment=title, metrics=["regret", "optimal"]
        )
        add_spread(result, dataset, "regret", BASELINE)
        records += result
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


def sensitivity(options: Options) -> Outcome:
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


# The experiments of these names (experiments.toml): functions of the options. The
# others stand in the panels of the first.
fig3 = partial(regret_curves, "budgeted-fig3", _all_settings, PAPER)
fig3a = partial(regret_curves, "budgeted-fig3a", _family("S-Br"), EVERYONE)
fig3b = partial(regret_curves, "budgeted-fig3b", _family("S-GBr"), EVERYONE)
fig3c = partial(regret_curves, "budgeted-fig3c", _family("S-Bt"), EVERYONE)
fig3d = partial(regret_curves, "budgeted-fig3d", lambda options: facebook(), EVERYONE)
fig6 = partial(regret_curves, "budgeted-fig6", _all_settings, PAPER, bands=True)
recommendation = partial(
    regret_curves,
    "budgeted-recommendation",
    partial(_synthetic, sizes=(10, 50)),
    FINALISTS,
    shown=tuple(FINALISTS),
    bands=True,
    columns=2,
)
