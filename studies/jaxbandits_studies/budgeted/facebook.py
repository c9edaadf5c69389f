"""The social-media settings group by group, as in the paper, and Figure 3f."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import groupby

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from scipy import stats

from jaxbandits.plots import figure, literal
from jaxbandits.protocol import Environment
from jaxbandits.stats import make_record
from jaxbandits_studies.budgeted.instances import NO_DATA, facebook_groups
from jaxbandits_studies.budgeted.table import first_instances
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.datasets import Group

SHOWN = 33  # ads of the group in Figure 3f


def play_groups(
    make: Callable[[list[Group]], Environment],
    groups: list[Group],
    whole: Environment,
    cast: Mapping[str, Contestant],
    options: Options,
    checkpoints: str,
) -> xr.Dataset:
    """Every group as often as the others: 19 x 100 runs at the paper's size.

    Groups of about the same size share a game, in which a seed draws its group; played
    are the first seeds that draw each. (In one game of all, the group of two ads would
    have the 93 arms of the largest, and runs would take three times as long.)

    Args:
      make: of a game, ``FB-Br`` or ``FB-Bt``.
      groups: of `load_facebook`.
      whole: the game of all, which is not played but gives its name.
      cast: the policies.
      options: seeds of each group, and the budget.
      checkpoints: as for `simulate`.

    Returns:
      One dataset; the coordinate ``campaign`` of a seed is its group.
    """
    parts, free = [], 0
    for alike in by_size(groups):
        environment = make(alike)
        seeds = seeds_by_group(environment, len(alike), options.seeds, free)
        free = max(each[-1] for each in seeds) + 1  # no seed stands for two groups
        dataset = run_contestants(
            environment,
            cast,
            options,
            checkpoints=checkpoints,
            seeds=np.concatenate(seeds),
        )
        names = np.repeat([group.name for group in alike], options.seeds)
        # The game's number of a group means another one in the next game.
        parts.append(
            dataset.drop_vars("group", errors="ignore").assign_coords(
                campaign=("seed", names), environment=whole.name
            )
        )
    return xr.concat(
        parts,
        "seed",
        join="exact",
        coords="different",
        compat="equals",
        combine_attrs="override",
    )


def by_size(groups: list[Group]) -> list[list[Group]]:
    """Groups with 2 and 3 ads, 4 to 7, 8 to 15, and so on, smallest first."""
    ordered = sorted(groups, key=lambda group: len(group.mean_cost))
    result = groupby(ordered, key=lambda group: len(group.mean_cost).bit_length())
    return [list(alike) for _, alike in result]


def seeds_by_group(
    environment, num_groups: int, count: int, first: int = 0
) -> list[np.ndarray]:
    """The `count` seeds from `first` on that draw group 0, 1, ..., i64[count] each."""
    drawn = first + 2 * num_groups * count
    while True:
        result = np.asarray(first_instances(environment, drawn).arms.group)[first:]
        seeds = [first + np.flatnonzero(result == g)[:count] for g in range(num_groups)]
        if all(each.size == count for each in seeds):
            return seeds
        drawn *= 2


def means_of_ads(options: Options) -> Outcome:
    """Figure 3f: where the mean rewards and costs of a group of 33 ads lie."""
    del options
    groups = [g for g in facebook_groups() if len(g.mean_cost) == SHOWN]
    if not groups:
        raise ValueError(NO_DATA)
    grid = np.linspace(0, 1, 101)
    places = np.stack(np.meshgrid(grid, grid, indexing="ij")).reshape(2, -1)
    datasets, records = {}, []
    for group in groups:
        # Scott's rule, as in the authors' plot; what lies beyond [0, 1] is cut off.
        density = stats.gaussian_kde(np.stack([group.mean_cost, group.mean_reward]))
        values = density(places).reshape(grid.size, -1)
        datasets[group.name] = xr.Dataset(
            {
                "density": (("cost", "reward"), values),
                "mean_cost": ("arm", group.mean_cost),
                "mean_reward": ("arm", group.mean_reward),
            },
            coords={"cost": grid, "reward": grid},
        )
        facts = {
            "arms": SHOWN,
            "mean_cost": group.mean_cost.mean(),
            "mean_reward": group.mean_reward.mean(),
            "costs_above_half": np.mean(group.mean_cost > 0.5),
            "rewards_below_0.1_or_above_0.9": np.mean(
                np.abs(group.mean_reward - 0.5) > 0.4
            ),
        }
        records.append(
            make_record(
                "budgeted-fig3f", group.name, "(ads)", facts, seeds=1, horizon=0
            )
        )
    return Outcome(datasets, records, partial(_draw_means, datasets))


def _draw_means(datasets: dict[str, xr.Dataset]) -> Figure:
    """A panel per group."""
    fig, axes = figure(1, len(datasets))
    for ax, (title, data) in zip(axes, datasets.items(), strict=True):
        shades = data["density"].transpose("reward", "cost")
        ax.contourf(data["cost"], data["reward"], shades, levels=10, cmap="Greys")
        ax.plot(data["mean_cost"], data["mean_reward"], "o", markersize=4)
        ax.set(title=literal(title), xlabel=r"mean cost $\mu_k^c$")
        ax.set(xlim=(0, 1), ylim=(0, 1))
    axes[0].set_ylabel(r"mean reward $\mu_k^r$")
    return fig
