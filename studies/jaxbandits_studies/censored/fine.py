"""Any limit may be chosen: how fine a grid should cell Thompson sampling have?

A coarse grid may not have the best limit, a fine one has more cells to learn of. Beside
it z-RCUCB, which refines a grid of its own.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import censored, plots
from jaxbandits.protocol import Environment
from jaxbandits.stats import final
from jaxbandits_studies.censored.zooming import SHARE, zooming_contestant
from jaxbandits_studies.common.comparison import Contestant, play_games
from jaxbandits_studies.common.experiment import Options, Outcome

NAME = "censored-fine"
SIZES, QUICK_SIZES = (5, 10, 20, 40, 80), (5, 10)
ON_GRIDS = {
    "cell TS": (censored.cell_thompson, {}),
    "RCUCB, half a gain radius": (
        partial(censored.rcucb, survival="kaplan_meier"),
        {"gain_radius": 0.5, "penalty_radius": 0.0},
    ),
}
Z_RCUCB = f"z-RCUCB, radii x {SHARE}"
GAMES = {"overtime": censored.overtime, "Indep": censored.indep}
DRAWN = {"regret": "log", "simple_regret": "linear"}  # on these scales


def fine(options: Options) -> Outcome:
    """Regret and simple regret at the end, against the number of limits."""
    sizes = QUICK_SIZES if options.quick else SIZES
    cast = {
        _named(name, size): Contestant(
            lambda problem, size=size, make=make: censored.on_grid(problem, size, make),
            params,
        )
        for name, (make, params) in ON_GRIDS.items()
        for size in sizes
    }
    cast[Z_RCUCB] = zooming_contestant(options, SHARE, splits=3, answer="safest")
    games = {title: make(censored.ANY) for title, make in GAMES.items()}
    datasets, records = play_games(NAME, games, cast, options, metrics=[*DRAWN])
    draw = partial(_picture, datasets, sizes, options)
    return Outcome(datasets, records, draw, _notes(GAMES, sizes))


def _named(name: str, size: int) -> str:
    return f"{name}, {size} limits"


def _picture(
    datasets: Mapping[str, xr.Dataset], sizes: tuple[int, ...], options: Options
) -> Figure:
    """A column per game, a row per measure; bands are two standard errors."""
    fig, axes = plots.figure(len(DRAWN), len(datasets))
    panels = iter(axes)
    for metric, scale in DRAWN.items():
        for title, dataset in datasets.items():
            ax, ends = next(panels), []
            for place, name in enumerate([*ON_GRIDS, Z_RCUCB]):
                on_grid = name in ON_GRIDS
                shown = [_named(name, m) for m in sizes] if on_grid else [name] * 2
                x = sizes if on_grid else (sizes[0], sizes[-1])
                runs = final(dataset, metric).isel(params=0).sel(policy=shown)
                middle, error = runs.mean("seed"), runs.std("seed", ddof=1)
                wide = 2 * error / np.sqrt(options.seeds)
                low, high = np.maximum(middle - wide, 0), middle + wide
                style = plots.line_style(place)._asdict()
                label = f"{name}, on a grid" if on_grid else name
                ax.plot(x, middle, label=label, marker="o" if on_grid else "", **style)
                ax.fill_between(x, low, high, color=style["color"], alpha=0.2, lw=0)
                ends += [low.min().item(), high.max().item()]
            least, most = min(ends) / 1.15, max(ends) * 1.15
            plots.readable_ticks(ax.yaxis, scale, least, most)
            ax.set_ylim(least if scale == "log" else -0.03 * most, most)
            ax.set(title=title, xscale="log", xlabel="limits on the grid")
            ax.set_ylabel(metric.replace("_", " "))
            ax.set_xticks(sizes, [str(size) for size in sizes])
            ax.minorticks_off()
    plots.share_names(axes)
    plots.draw_legend(
        axes, f"T = {options.horizon:,}, {options.seeds:,} seeds, ± 2 standard errors"
    )
    return fig


def losses(make: Callable[..., Environment], sizes: tuple[int, ...]) -> list[float]:
    """How much less than the best limit of all the best one of a grid brings.

    Args:
      make: of an environment, called with limits.
      sizes: numbers of equidistant limits up to 1.
    """
    best = make(censored.ANY).oracle().value
    return [best - make(np.arange(1, m + 1) / m).oracle().value for m in sizes]


def _notes(
    makes: Mapping[str, Callable[..., Environment]], sizes: tuple[int, ...]
) -> tuple[str, ...]:
    notes = []
    for title, make in makes.items():
        lost = zip(sizes, losses(make, sizes), strict=True)
        text = ", ".join(f"{x:.4f} ({m})" for m, x in lost)
        notes.append(f"{title}: what no grid of so many limits can have: {text}.")
    return tuple(notes)
