"""The comparisons of the budgeted paper, Heyden et al. (2024): Figures 3, 4 and 6."""

from collections.abc import Mapping, Sequence
from functools import partial

import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import plots
from jaxbandits.protocol import Environment
from jaxbandits.stats import as_share, final
from jaxbandits_studies.budgeted import instances
from jaxbandits_studies.budgeted.facebook import play_groups
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.common.comparison import Contestant, play_games
from jaxbandits_studies.common.data import data_file
from jaxbandits_studies.common.experiment import Options, Outcome

BASELINE = "omega*-UCB, rho = 1/4"
LOG_SHARE = "omega*-UCB, log(t/n)"
HEAVY_TAILS = (
    "Means of 100 runs cannot rank policies whose rare lost runs make up most of the "
    "mean: see the medians, quantiles and paired differences in summary.json and "
    "errata.md (B5).",
)
ALL = "all"  # games, those of the data among them


def regret_curves(
    name: str,
    games: str,
    policies: str,
    bands: bool = False,
    columns: int = 3,
    *,
    options: Options,
) -> Outcome:
    """Regret over the share of the budget that is spent.

    Args:
      name: of the experiment.
      games: a family, ``FB``, ``up to 50 arms`` or ``all``.
      policies: the cast; shown of everyone are those that the paper shows.
      bands: whether intervals are drawn.
      columns: of panels.
      options: seeds and budget.
    """
    contestants = cast("budgeted", policies)
    shown = [*cast("budgeted", "paper" if policies == "everyone" else policies)]
    if options.quick:
        contestants = {label: contestants[label] for label in shown}
    chosen = _games(games, options)
    if not chosen:
        raise ValueError(instances.NO_DATA)
    return curves(name, chosen, contestants, shown, bands, columns, options)._replace(
        notes=(*HEAVY_TAILS, instances.NO_DATA)
        if games == ALL and data_file(instances.FACEBOOK_FILE) is None
        else HEAVY_TAILS
    )


def curves(
    name: str,
    games: Mapping[str, Environment],
    contestants: Mapping[str, Contestant],
    shown: Sequence[str],
    bands: bool,
    columns: int,
    options: Options,
) -> Outcome:
    """`regret_curves` of some games and policies."""
    grouped = instances.FACEBOOK.keys() & games.keys()
    groups = instances.facebook_groups() if grouped else []
    groups = groups[: 1 if options.quick else None]
    played = play_games(
        name,
        games,
        contestants,
        options,
        metrics=["regret", "optimal"],
        spread=BASELINE,
        runs={x: partial(play_groups, instances.FACEBOOK[x], groups) for x in grouped},
        checkpoints="log",
    )
    cut = options.horizon >= instances.BUDGET
    draw = partial(
        plots.plot_panels,
        {title: as_share(each) for title, each in played.datasets.items()},
        "regret",
        policies=shown,
        level=0.95 if bands else None,
        x_scale="log",
        columns=columns,
        tops={
            title: instances.TOPS[title]
            for title in instances.TOPS
            if cut and title in games
        },
    )
    return Outcome(*played, draw)


def _games(kind: str, options: Options) -> dict[str, Environment]:
    if kind == "FB":
        return instances.facebook()
    sizes = (
        (10,)
        if options.quick
        else (10, 50)
        if kind == "up to 50 arms"
        else instances.SIZES
    )
    if kind in instances.FAMILIES:
        return instances.synthetic((kind,), sizes)
    own = instances.facebook() if kind == ALL and not options.quick else {}
    return instances.synthetic(sizes=sizes) | own


def sensitivity(name: str, options: Options) -> Outcome:
    """Figure 4: final regret against rho, omega-UCB and omega*-UCB."""
    played = play_games(
        name,
        _games("synthetic", options),
        cast("budgeted", "by rho"),
        options,
        checkpoints="log",
    )
    # A sweep of this size is not kept whole: its ends are what is drawn.
    ends = {t: each.isel(checkpoint=[-1]) for t, each in played.datasets.items()}
    return Outcome(ends, played.records, partial(_draw_rho, ends, options))


def _draw_rho(datasets: dict[str, xr.Dataset], options: Options) -> Figure:
    """A panel per setting."""
    columns = min(3, len(datasets))
    fig, axes = plots.figure(-(-len(datasets) // columns), columns)
    for ax, (title, dataset) in zip(axes, datasets.items(), strict=True):
        regret = final(dataset, "regret")
        rho = dataset["param_rho"].isel(policy=0).values
        for i, policy in enumerate(dataset["policy"].values.tolist()):
            runs = regret.sel(policy=policy)
            style = plots.line_style(i)._asdict()
            ax.plot(rho, runs.mean("seed"), label=f"{policy}, mean", **style)
            thin = style | {"linewidth": 1.2, "linestyle": "dotted"}
            ax.plot(rho, runs.median("seed"), label=f"{policy}, median", **thin)
        ax.set_title(title)
        ax.set_xscale("log", base=2)
        ax.set_xticks(rho[::2])
        plots.readable_ticks(ax.yaxis, "log", ax.dataLim.minposy, ax.dataLim.y1)
        ax.set(xlabel=r"$\rho$", ylabel="final regret")
    plots.share_names(axes)
    plots.draw_legend(axes, f"{options.seeds:,} seeds")
    return fig
