"""Arms that change: what ignoring it costs, and what a memory costs where none does."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jaxbandits import budgeted, plots
from jaxbandits.budgeted import s_br_changing
from jaxbandits.protocol import Environment
from jaxbandits.stats import final
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.common.comparison import Contestant, play_games, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome

ARMS, PHASES = 10, 5
FADING = "discounted omega-UCB"
STILL = "omega-UCB, rho = 1/4"
MEMORIES = tuple(250.0 * 2**k for k in range(9))
FIRST = 5  # style, behind those of the cast
DEFAULT = 4_000.0  # of the policy, marked among them


def changing(name: str, options: Options) -> Outcome:
    """Regret in five phases and in one, and of the memory in both."""
    length = options.horizon / PHASES
    made = [s_br_changing(ARMS, phases, length) for phases in (PHASES, 1)]
    games = {game.name: game for game in made}
    contestants, memories = cast("budgeted", "changing"), MEMORIES
    if options.quick:
        contestants = {label: contestants[label] for label in (FADING, STILL)}
        memories = MEMORIES[:2]
    sweep = {FADING: Contestant(budgeted.discounted_omega_ucb, {"memory": memories})}
    metrics = ["regret", "optimal"]
    datasets, records = play_games(name, games, contestants, options, metrics=metrics)
    swept = {
        title: run_contestants(game, sweep, options) for title, game in games.items()
    }
    swept = {title: each.isel(checkpoint=[-1]) for title, each in swept.items()}

    def draw() -> Figure:
        fig, (ax, beside) = plots.figure(1, 2)
        _draw_phases(ax, made[0], datasets[made[0].name])
        _draw_memory(beside, datasets, swept)
        plots.draw_legend(
            [ax, beside], f"{options.seeds:,} seeds; the dots: the default"
        )
        return fig

    memory = {f"{title}, memory": data for title, data in swept.items()}
    return Outcome(datasets | memory, records, draw)


def _draw_phases(ax: Axes, game: Environment, dataset: xr.Dataset) -> None:
    """Regret, and where the phases end."""
    plots.plot_curves(dataset, ax=ax)
    for end in game.setup["ends"]:
        ax.axvline(end, color="0.7", linewidth=0.8, zorder=0)
    ax.set(title=f"{game.name} (lines: their ends)", xlabel="money spent")


def _draw_memory(
    ax: Axes, datasets: Mapping[str, xr.Dataset], swept: Mapping[str, xr.Dataset]
) -> None:
    """Final regret by the memory, beside that of who does not forget."""
    for i, (title, dataset) in enumerate(swept.items()):
        style = plots.line_style(FIRST + i)._asdict()
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
    plots.readable_ticks(ax.yaxis, "log", ax.dataLim.minposy, ax.dataLim.y1)
    ax.set(title=FADING, xlabel="memory, pulls", ylabel="final regret")
