"""Arbitrary limits: how fast z-RCUCB finds the best one, and where it looks.

Section 4 of the censored paper has theory only; this is the experiment that goes with
its Theorem 2.
"""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from jaxbandits import censored, plots
from jaxbandits.censored.policies.z_rcucb import Params
from jaxbandits.stats import entry, summary_records
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.theory import zooming

NAME = "censored-simple-regret"
CAPACITY = 256  # of the forms with small radii: all that the run's memory should hold
FIRST = 100  # round from which curves are drawn
SHARE = 0.3  # of the radii of the paper
ZOOMING = ("z-RCUCB", "z-RCUCB, inherit", f"z-RCUCB, radii x {SHARE}")


def _told(options):
    return float(options.horizon)


def zooming_contestant(options: Options, radii: float = 1.0, **form: Any) -> Contestant:
    """z-RCUCB with room for all that its grid may grow to, or `CAPACITY`.

    Args:
      options: their horizon.
      radii: factor of both radii of the paper.
      form: options of `z_rcucb`.
    """
    scaled = {"gain_radius": radii, "penalty_radius": radii}

    def factory(problem):
        params = Params(float(options.horizon), **scaled)
        history, splits = form.get("history", "restart"), form.get("splits", 2)
        size = censored.grid_capacity(
            problem, options.horizon, splits, history, params=params
        )
        # A cell of the smallest level is split once at least.
        size = max(min(size, CAPACITY), splits**2)
        return censored.z_rcucb(problem, options.horizon, capacity=size, **form)

    return Contestant(factory, {"horizon": _told, **scaled})


def _uniform(size, **params):
    return Contestant(lambda p: censored.on_grid(p, size, censored.rcucb), params)


def _cast(options):
    small = {"gain_radius": SHARE, "penalty_radius": SHARE}
    plain, inherit, scaled = ZOOMING
    return {
        plain: zooming_contestant(options),
        inherit: zooming_contestant(options, history="inherit"),
        scaled: zooming_contestant(options, SHARE, splits=3, answer="safest"),
        "StoOO": Contestant(censored.stoo, {"horizon": _told}),
        "zooming": Contestant(censored.zooming, {"horizon": _told}),
        "RCUCB, 10 limits": _uniform(10),
        "RCUCB, 64 limits": _uniform(64),
        f"RCUCB, 10, radii x {SHARE}": _uniform(10, **small),
        f"RCUCB, 64, radii x {SHARE}": _uniform(64, **small),
        f"RCUCB, 128, radii x {SHARE}": _uniform(128, **small),
    }


def simple_regret(options: Options) -> Outcome:
    """Simple regret against the round, growth of the grids, and their final points."""
    environment = censored.overtime()
    cast = _cast(options)
    if options.quick:
        cast = {k: v for k, v in cast.items() if "128" not in k}
    dataset = run_contestants(environment, cast, options, checkpoints="log")
    records = summary_records(dataset, NAME)
    for record in records:  # Grids are what only some policies have.
        results = record["metrics"].items()
        record["metrics"] = {k: e for k, e in results if e["mean"] is not None}
    slopes = _add_slopes(records, dataset)

    def draw() -> Figure:
        fig, axes = plots.figure(2, 2)
        seen, compared, growth, refinement = axes
        # Before, every arm has its first rounds; short runs are shown whole.
        late = dataset["checkpoint"] >= min(FIRST, options.horizon / 10)
        shown = dataset.isel(checkpoint=np.flatnonzero(late))
        scales = {"x_scale": "log", "y_scale": "log"}
        grids = [name for name in cast if name.startswith("RCUCB")]
        rest = [name for name in cast if name not in grids]
        for ax, names, title in (
            (seen, rest, "limits of their own"),
            (compared, [*grids, ZOOMING[1]], "uniform grids"),
        ):
            plots.plot_curves(
                shown,
                "simple_regret",
                ax=ax,
                policies=names,
                styles=_styles(cast),
                title=title,
                **scales,
            )
        _draw_rate(seen, shown)
        ends = np.concatenate([ax.get_ylim() for ax in (seen, compared)])
        for ax in (seen, compared):
            ax.set_ylim(ends.min(), ends.max())
            plots.readable_ticks(ax.yaxis, "log", ends.min(), ends.max())
        plots.plot_curves(
            shown.sel(policy=list(ZOOMING)),
            "largest_grid",
            ax=growth,
            styles={name: _styles(cast)[name] for name in ZOOMING},
            title="largest grid of an arm",
            **scales,
        )
        growth.set_ylabel("grid points")
        _draw_refinement(refinement, dataset, environment)
        plots.share_names(axes)
        plots.draw_legend(axes, f"means, {options.seeds:,} seeds, 95 % interval")
        return fig

    return Outcome({environment.name: dataset}, records, draw, _notes(dataset, slopes))


def _styles(cast):
    """A colour for each grid and each policy with limits of its own.

    Where the same plays with smaller radii, it has the colour and other dashes.
    """
    styles, kinds = {}, {}
    for name in cast:
        kind = name.replace(" limits", "").removesuffix(f", radii x {SHARE}")
        plain = plots.line_style(kinds.setdefault(kind, len(kinds)))
        scaled = name.endswith(f"radii x {SHARE}")
        styles[name] = plain._replace(linestyle=(0, (2, 1)) if scaled else "solid")
    return styles


def _add_slopes(records, dataset):
    """Slope of log simple regret over the second half of the checkpoints.

    Least squares on the means of the checkpoints; its error is that of the slopes of
    eight groups of seeds.
    """
    t = np.log(dataset["checkpoint"].values)
    late = t >= t[-1] / 2
    slopes = {}
    for record in records:
        values = dataset["simple_regret"].sel(policy=record["policy"]).isel(params=0)
        groups = np.array_split(values.values, min(8, values.sizes["seed"]))
        results = [_slope(t[late], g[:, late].mean(axis=0)) for g in groups]
        mean = _slope(t[late], values.values[:, late].mean(axis=0))
        error = (
            np.std(results, ddof=1) / np.sqrt(len(results))
            if len(results) > 1
            else None
        )
        slopes[record["policy"]] = mean
        record["metrics"]["slope"] = entry(mean, error)
    return slopes


def _slope(log_t, regret):
    return np.polyfit(log_t, np.log(np.maximum(regret, 1e-12)), 1)[0]


def _draw_rate(ax, dataset):
    """Theorem 2's rate, without its constant: through the first curve's end."""
    t = dataset["checkpoint"].values.astype(float)
    rate = (np.log(t) / t) ** zooming.zooming_rate(0.0)
    last = dataset["simple_regret"].isel(params=0, checkpoint=-1).mean("seed")
    scale = float(last.sel(policy=ZOOMING[1])) / rate[-1]
    ax.plot(t, scale * rate, color="0.5", linewidth=1, label="rate of Theorem 2, d = 0")


def _draw_refinement(ax, dataset, environment):
    """Grid points by limit at the end, of the best arm and of the others' mean."""
    counts = dataset["histogram"].isel(params=0, checkpoint=-1).mean("seed")
    counts = counts.sel(policy=ZOOMING[1]).values
    oracle = environment.oracle()
    largest = environment.problem.max_limit
    edges = largest * np.arange(counts.shape[1] + 1) / counts.shape[1]
    others = np.delete(counts, oracle.arm, axis=0).mean(axis=0)
    for values, label, color in (
        (counts[oracle.arm], f"{ZOOMING[1]}: best arm", "black"),
        (others, "its other arms, mean", "0.6"),
    ):
        ax.stairs(values, edges, label=label, color=color, linewidth=1.5)
    ax.axvline(oracle.limit, color="0.25", linewidth=1, linestyle="dotted")
    ax.set(xlabel="limit (dotted: the best)", ylabel="points per bin")
    ax.set(xlim=(0, largest), ylim=(0, 1.05 * max(counts.max(), 1)))
    ax.set_title("where the grid is fine")


def _notes(dataset, slopes):
    last = dataset.isel(params=0, checkpoint=-1)
    means = last["simple_regret"].mean("seed")
    means = means.isel(policy=np.argsort(means.values))
    order = ", ".join(f"{str(m['policy'].values)} {float(m):.2g}" for m in means)
    full = last["overflow"].mean("seed")
    full = {p: float(full.sel(policy=p)) for p in ZOOMING}
    text = ", ".join(f"{p} {share:.0%}" for p, share in full.items() if share > 0)
    notes = (
        f"Mean simple regret at the end, best first: {order}.",
        "Slopes of log simple regret: "
        + ", ".join(f"{p} {slopes[p]:.2f}" for p in ZOOMING)
        + "; Theorem 2's rate for d = 0 has -0.5, up to the logarithm.",
        "Policies that must know the horizon are told the last round, so that earlier "
        "checkpoints are not runs of that length.",
    )
    return (*notes, f"Runs whose grid was full: {text}.") if text else notes
