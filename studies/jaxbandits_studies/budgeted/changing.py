"""Arms that change: what ignoring it costs, and what a memory costs where none does."""

from collections.abc import Mapping
from functools import partial

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jaxbandits import budgeted
from jaxbandits.budgeted import s_br_changing
from jaxbandits.plots import (
    draw_legend,
    figure,
    line_style,
    plot_curves,
    readable_ticks,
)
from jaxbandits.protocol import Environment
from jaxbandits.stats import final, summary_records
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome

NAME = "budgeted-changing"
ARMS, PHASES = 10, 5
FADING = "discounted omega-UCB"
STILL = "omega-UCB, rho = 1/4"
CAST = {
    FADING: Contestant(budgeted.discounted_omega_ucb),
    STILL: Contestant(budgeted.omega_ucb, {"rho": 1 / 4}),
    "share-UCB, anytime": Contestant(partial(budgeted.share_ucb, clock="spent")),
    "BTS": Contestant(budgeted.bts),
    "uniform": Contestant(budgeted.uniform),
}
MEMORIES = tuple(250.0 * 2**k for k in range(9))
DEFAULT = 4_000.0  # of the policy, marked among them


def changing(options: Options) -> Outcome:
    """Regret in five phases and in one, and of the memory in both."""
    length = options.horizon / PHASES
    games = [s_br_changing(ARMS, phases, length) for phases in (PHASES, 1)]
    cast, memories = CAST, MEMORIES
    if options.quick:
        cast = {name: CAST[name] for name in (FADING, STILL)}
        memories = MEMORIES[:2]
    sweep = {FADING: Contestant(budgeted.discounted_omega_ucb, {"memory": memories})}
    datasets, records, swept = {}, [], {}
    for game in games:
        run = partial(run_contestants, game, options=options, by_budget=True)
        datasets[game.name] = run(cast)
        records += summary_records(
            datasets[game.name],
            NAME,
            environment=game.name,
            metrics=["regret", "optimal"],
        )
        swept[game.name] = run(sweep).isel(checkpoint=[-1])

    def draw() -> Figure:
        fig, (ax, beside) = figure(1, 2)
        _draw_phases(ax, games[0], datasets[games[0].name])
        _draw_memory(beside, datasets, swept)
        draw_legend([ax, beside], f"{options.seeds:,} seeds; the dots: the default")
        return fig

    memory = {f"{title}, memory": data for title, data in swept.items()}
    return Outcome(datasets | memory, records, draw)


def _draw_phases(ax: Axes, game: Environment, dataset: xr.Dataset) -> None:
    """Regret, and where the phases end."""
    plot_curves(dataset, ax=ax)
    for end in game.setup["ends"]:
        ax.axvline(end, color="0.7", linewidth=0.8, zorder=0)
    ax.set(title=f"{game.name} (lines: their ends)", xlabel="money spent")


def _draw_memory(
    ax: Axes, datasets: Mapping[str, xr.Dataset], swept: Mapping[str, xr.Dataset]
) -> None:
    """Final regret by the memory, beside that of who does not forget."""
    for i, (title, dataset) in enumerate(swept.items()):
        style = line_style(len(CAST) + i)._asdict()
        curve = final(dataset, "regret").sel(policy=FADING)
        where = dataset["param_memory"].sel(policy=FADING).values.ravel()
        means = curve.mean("seed").values
        ax.plot(where, means, label=f"right: {title}", **style)
        ax.plot(where[where == DEFAULT], means[where == DEFAULT], "ko", ms=4)
        level = final(datasets[title], "regret").sel(policy=STILL).mean().item()
        plain = style | {"linestyle": "dotted", "linewidth": 1.2}
        ax.axhline(level, label=f"right: {title}, nothing forgotten", **plain)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    readable_ticks(ax.yaxis, "log", ax.dataLim.minposy, ax.dataLim.y1)
    ax.set(title=FADING, xlabel="memory, pulls", ylabel="final regret")
