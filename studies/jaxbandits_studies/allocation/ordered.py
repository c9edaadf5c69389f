"""Arms in turn (section 7 of the paper): what it costs to plan for another round."""

from functools import partial

from jaxbandits import allocation
from jaxbandits.allocation import Ordered
from jaxbandits.plots import plot_panels
from jaxbandits.protocol import Policy
from jaxbandits.stats import summary_records
from jaxbandits_studies.common.comparison import Contestant, add_spread, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome

NAME = "allocation-ordered"
NUM_ARMS = 4
# Of one mean, 6 units, in which arms need 1/2 to 6 units on average.
MEAN, LEAST, MOST = 6, 1.0, 12.0
BUDGETS = {
    "always 6 units": (MEAN,),
    "1, 2, ..., 11 units": tuple(range(1, 12)),
    "3 units or, one time in four, 15": (3, 3, 3, 15),
}
THOMPSON, MEAN_BUDGET = "Thompson", "Thompson, mean budget"
GREEDY = "Thompson, as if switching"


def _told(known: Ordered, problem: Ordered) -> Policy:
    """A learner that need not learn the distribution of the budget."""
    return allocation.ordered_thompson(known)._replace(problem=problem)


def ordered(options: Options) -> Outcome:
    """Regret with budgets of one mean, with and without a plan for what they are."""
    datasets, records, notes = {}, [], []
    arms = allocation.simulation(NUM_ARMS, float(MEAN), LEAST, MOST)
    for title, budgets in BUDGETS.items():
        game = allocation.ordered(arms, budgets)
        known = allocation.ordered(arms, budgets, known_distribution=True).problem
        cast = {
            "Thompson, told the distribution": Contestant(partial(_told, known)),
            THOMPSON: Contestant(allocation.ordered_thompson),
            "UCB by units": Contestant(allocation.ordered_ucb),
            GREEDY: Contestant(partial(allocation.ordered_thompson, plan="greedy")),
            MEAN_BUDGET: Contestant(partial(allocation.ordered_thompson, plan="mean")),
            "uniform": Contestant(allocation.uniform_turns),
        }
        game = game._replace(name=f"{NUM_ARMS} arms in turn, {title}")
        dataset = run_contestants(game, cast, options, checkpoints="log")
        result = summary_records(dataset, NAME, metrics=["regret", "reward"])
        add_spread(result, dataset, "regret", THOMPSON)
        datasets[game.name], records = dataset, records + result
        mean = dataset["regret"].isel(params=0, checkpoint=-1).mean("seed")
        greedy, by_mean = (
            float(mean.sel(policy=name) / mean.sel(policy=THOMPSON))
            for name in (GREEDY, MEAN_BUDGET)
        )
        notes.append(
            f"{title[0].upper()}{title[1:]}: {GREEDY}, has {greedy:.1f} times the "
            f"regret of {THOMPSON}, {MEAN_BUDGET}, {by_mean:.1f} times."
        )
    draw = partial(plot_panels, datasets, x_scale="log", y_scale="log")
    return Outcome(datasets, records, draw, tuple(notes))
