"""Figure 5 of the censored paper, configuring a random forest under time limits.

And the same of a solver whose best limit is often exceeded, which no forest shows.
"""

from matplotlib.figure import Figure

from jaxbandits.plots import draw_legend, figure, plot_curves
from jaxbandits.stats import paired_difference, summary_records
from jaxbandits_studies import datasets
from jaxbandits_studies.censored.comparisons import of_policy
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.common.comparison import run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome

METRICS = ("reward", "gain", "regret", "censored", "optimal")
# Share of rounds in which the limit was exceeded; section 5.2.
TIMEOUTS = {"RCUCB": 0.0589, "TS": 0.2843, "UCB": 0.2853}


def forests(name: str, options: Options) -> Outcome:
    """Section 5.2, with the paper's shares of timeouts."""
    contestants = cast("censored", "paper")
    if options.quick:  # it samples 6,720 Beta variates a round
        del contestants["TS"]
    published = {x: {"censored": of_policy(x, TIMEOUTS)} for x in contestants}
    game = datasets.forest(runs := datasets.forest_runs())
    return _configuration(name, game, runs, contestants, published, options)


def solver(name: str, options: Options) -> Outcome:
    """WalkSAT on formulas of which half cannot be satisfied."""
    game, runs = datasets.solver(), datasets.solver_runs()
    contestants = cast("censored", "with cells")
    return _configuration(name, game, runs, contestants, {}, options)


def _configuration(name, environment, runs, contestants, published, options):
    """Cumulative reward and penalised gain."""
    dataset = run_contestants(environment, contestants, options)
    records = summary_records(dataset, name, published=published, metrics=METRICS)

    def draw() -> Figure:
        fig, (left, right) = figure(1, 2)
        plot_curves(dataset, "reward", ax=left)
        plot_curves(dataset, "gain", ax=right)
        left.set(title="reward seen in time", ylabel="cumulative reward")
        right.set(title="with costs and penalties", ylabel="cumulative penalised gain")
        draw_legend([left, right], f"means, {options.seeds:,} seeds")
        return fig

    return Outcome(
        {environment.name: dataset}, records, draw, _notes(dataset, runs, environment)
    )


def _notes(dataset, runs, environment):
    unit = environment.provenance["seconds_per_unit"]
    limits = [unit * x for x in environment.problem.limits]
    name = runs.about.get("unit", "s")
    oracle = environment.oracle()
    exceeded = oracle.censoring[oracle.arm, oracle.limit]
    notes = [
        f"{len(runs.configurations)} configurations, {runs.counts.max()} recorded "
        f"runs of each ({runs.about.get('machine', 'on any machine')}); limits from "
        f"{limits[0]:.2f} to {limits[-1]:,.2f} {name}; {unit:,.2f} {name} are one unit "
        "of cost.",
        f"Best pair: {runs.configurations[oracle.arm]} within "
        f"{limits[oracle.limit]:.2f} {name}, exceeded in {exceeded:.1%} of its rounds, "
        f"penalised gain {oracle.value:.4f}.",
    ]
    ours, *rivals = dataset["policy"].values.tolist()
    for rival in rivals:
        last = dataset.isel(checkpoint=[-1])
        mean, low, high, _ = paired_difference(last, "reward", ours, rival)
        mean, low, high = (float(x.values.ravel()[0]) for x in (mean, low, high))
        notes.append(
            f"Reward of {ours} less that of {rival}: {mean:,.0f} [{low:,.0f}, "
            f"{high:,.0f}]."
        )
    return tuple(notes)
