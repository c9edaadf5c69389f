"""The comparisons of the farewell paper, Sharoff, Mehta & Ganti (2020), and more."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits.plots import draw_legend, figure, plot_curves, plot_panels, share_names
from jaxbandits.plots.selection import seeds_note
from jaxbandits_studies.common import casts
from jaxbandits_studies.common.comparison import Played, play_games
from jaxbandits_studies.common.experiment import Options, Outcome

SHOWN = ("regret", "realised_regret", "optimal", "epochs")
BAR_COLORS = ("0.35", "0.55", "0.75")
RECONSTRUCTED = (
    "The delay distributions are reconstructed from the gaps that the text states "
    "(errata.md, D1).",
)


def compare(name: str, games: str, options: Options) -> Outcome:
    """Regret over time below the distributions of the delays, as in the paper."""
    environments = casts.environments("farewell", games)
    played = _play(name, games, "paper", options)

    def draw() -> Figure:
        fig, axes = figure(2, len(environments))
        for place, (title, environment) in enumerate(environments.items()):
            above, below = axes[place], axes[place + len(environments)]
            _delays(above, environment)
            above.set_title(title)
            dataset = played.datasets[title]
            plot_curves(dataset, ax=below, x_scale="log", y_scale="log")
        share_names(axes)
        note = seeds_note(next(iter(played.datasets.values())), level=0.95)
        # Curves first, then the bars above them.
        draw_legend([*axes[len(environments) :], *axes[: len(environments)]], note)
        return fig

    return Outcome(*played, draw, RECONSTRUCTED)


def _delays(ax, environment):
    """Bars of the delays' probabilities, side by side for several macro-arms."""
    delay = np.asarray(environment.provenance["delay"])
    num_arms, longest = delay.shape
    width = 0.8 / num_arms
    for arm, row in enumerate(delay):
        shift = (arm - (num_arms - 1) / 2) * width
        label = f"arm {arm + 1}" if num_arms > 1 else None
        color = BAR_COLORS[arm % 3]
        ax.bar(np.arange(1, longest + 1) + shift, row, width, color=color, label=label)
    ax.set(xlabel=r"delay $\tau$", ylabel="probability", ylim=(0, 1))
    ax.set_xticks(range(1, longest + 1))


def over_time(
    name: str, games: str, policies: str, leaders: bool = False, *, options: Options
) -> Outcome:
    """Regret over time, one panel per environment; `leaders` says who is best when."""
    played = _play(name, games, policies, options)
    columns = 2 if len(played.datasets) == 4 else 3
    scales = {"x_scale": "log", "y_scale": "log"}
    draw = partial(plot_panels, played.datasets, columns=columns, **scales)
    notes = crossover_notes(played.datasets) if leaders else ()
    return Outcome(*played, draw, notes)


def _play(name: str, games: str, policies: str, options: Options) -> Played:
    return play_games(
        name,
        casts.environments("farewell", games),
        casts.cast("farewell", policies),
        options,
        metrics=SHOWN,
        checkpoints="log",
    )


def crossover_notes(datasets: Mapping[str, xr.Dataset]) -> tuple[str, ...]:
    """Which policy has the smallest mean regret, from when to when."""
    notes = []
    for title, dataset in datasets.items():
        regret = dataset["regret"].mean("seed").isel(params=0).values
        names = dataset["policy"].values
        times = dataset["checkpoint"].values
        leaders = names[np.argmin(regret, axis=0)]
        starts = np.flatnonzero(np.append(True, leaders[1:] != leaders[:-1]))
        spans = ", ".join(f"{leaders[i]} from {times[i]:,.0f}" for i in starts)
        notes.append(f"{title}: smallest mean regret: {spans}.")
    return tuple(notes)
