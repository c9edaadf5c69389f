"""The comparisons of the farewell paper, Sharoff, Mehta & Ganti (2020), and more."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import farewell
from jaxbandits.plots import draw_legend, figure, plot_curves, plot_panels, share_names
from jaxbandits.plots.selection import seeds_note
from jaxbandits.protocol import Environment
from jaxbandits.stats import summary_records
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.farewell.theory import bounds
from jaxbandits_studies.slips.farewell import wait_ucb_naive

SHOWN = ("regret", "realised_regret", "optimal", "epochs")
BAR_COLORS = ("0.35", "0.55", "0.75")
PAPER = {
    "Wait-UCB": Contestant(farewell.wait_ucb),
    "UCB-Simplex": Contestant(farewell.ucb_simplex),
    "Budget-UCB": Contestant(farewell.budget_ucb),
    "Budget-UCB, code": Contestant(farewell.budget_ucb, {"log_factor": 2.0}),
    "UCB-BV1": Contestant(farewell.ucb_bv1),
    "omega*-UCB, rho = 1": Contestant(farewell.omega_star_ucb),
}
SIDE = {
    "Wait-UCB": Contestant(farewell.wait_ucb),
    "Wait-UCB, shorter waits": Contestant(
        partial(farewell.wait_ucb, observe="shorter")
    ),
    "Wait-UCB, naive": Contestant(wait_ucb_naive),
    "Wait-UCB, product-limit": Contestant(farewell.product_limit),
    "omega*-UCB": Contestant(farewell.omega_star_ucb),
    "omega*-UCB, shorter waits": Contestant(
        partial(farewell.omega_star_ucb, observe="shorter")
    ),
    "omega*-UCB, product-limit": Contestant(farewell.product_limit_omega),
}
CROSSOVER = PAPER | {
    "omega*-UCB, shorter waits": SIDE["omega*-UCB, shorter waits"],
    "UCB1 on rewards": Contestant(farewell.ucb1),
    "uniform": Contestant(farewell.uniform),
}
FIGURE_1 = {
    "Figure 1a (i)": farewell.figure_1a,
    "Figure 1b": farewell.optimum_in_the_middle,
    "Figure 1c": farewell.optimum_at_one,
}
FIGURE_2 = {
    "Figure 2a": farewell.macro_arms_only,
    "Figure 2b": farewell.display_advertising,
    "Figure 2c": partial(farewell.display_advertising, 2),
}
READINGS = {
    f"Figure 1a ({reading})": partial(farewell.figure_1a, reading)
    for reading in ("i", "ii", "iii")
}
APPLICATIONS = {
    "second-price auction": farewell.second_price_auction,
    "cross-validation": farewell.cross_validation,
}
RECONSTRUCTED = (
    "The delay distributions are reconstructed from the gaps that the text states "
    "(errata.md, D1).",
)


def compare(
    name: str,
    environments: dict[str, Callable[[], Environment]],
    contestants: dict[str, Contestant],
    options: Options,
) -> Outcome:
    """Regret over time below the distributions of the delays, as in the paper."""
    datasets, records = _play(name, environments, contestants, options)

    def draw() -> Figure:
        fig, axes = figure(2, len(environments))
        for place, (title, make) in enumerate(environments.items()):
            above, below = axes[place], axes[place + len(environments)]
            _delays(above, make())
            above.set_title(title)
            plot_curves(datasets[title], ax=below, x_scale="log", y_scale="log")
        share_names(axes)
        note = seeds_note(next(iter(datasets.values())), level=0.95)
        # Curves first, then the bars above them.
        draw_legend([*axes[len(environments) :], *axes[: len(environments)]], note)
        return fig

    return Outcome(datasets, records, draw, RECONSTRUCTED)


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


def _over_time(
    name: str,
    environments: dict[str, Callable[[], Environment]],
    contestants: dict[str, Contestant],
    options: Options,
    notes: Callable = lambda datasets: (),
) -> Outcome:
    """Regret over time, one panel per environment."""
    datasets, records = _play(name, environments, contestants, options)
    columns = 2 if len(datasets) == 4 else 3
    scales = {"x_scale": "log", "y_scale": "log"}
    draw = partial(plot_panels, datasets, columns=columns, **scales)
    return Outcome(datasets, records, draw, notes(datasets))


def _play(name, environments, contestants, options):
    """Datasets by environment, and their records."""
    datasets, records = {}, []
    for title, make in environments.items():
        dataset = run_contestants(
            make(), contestants, options, by_budget=True, checkpoints="log"
        )
        datasets[title] = dataset
        records += summary_records(dataset, name, environment=title, metrics=SHOWN)
    return datasets, records


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


# The experiments of these names (experiments.toml): functions of the options.
fig1 = partial(compare, "farewell-fig1", FIGURE_1, PAPER)
fig2 = partial(compare, "farewell-fig2", FIGURE_2, PAPER)
readings = partial(compare, "farewell-readings", READINGS, PAPER)
side = partial(
    _over_time,
    "farewell-side",
    FIGURE_1 | {"Figure 2b": FIGURE_2["Figure 2b"]},
    SIDE,
)
crossover = partial(
    _over_time,
    "farewell-crossover",
    FIGURE_1 | FIGURE_2,
    CROSSOVER,
    notes=crossover_notes,
)
applications = partial(
    _over_time,
    "farewell-applications",
    APPLICATIONS,
    {label: each for label, each in CROSSOVER.items() if "code" not in label},
)
theorems = partial(bounds, FIGURE_1)
