"""Rounds that pay once (section 7 of the paper): what it costs to add up successes."""

from functools import partial

from jaxbandits import allocation
from jaxbandits.allocation import Problem
from jaxbandits.plots import plot_panels
from jaxbandits.protocol import Policy
from jaxbandits.stats import summary_records
from jaxbandits_studies.allocation.cast import exploration, start_rounds
from jaxbandits_studies.common.comparison import Contestant, add_spread, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome

NAME = "allocation-cascade"
THOMPSON, ADDING = "Thompson", "Thompson, adding up"
# Little resource: with A.1's own rates nearly every round has a success (.998).
LEAST, MOST = 1.0, 4.0


def _adding_up(problem: Problem) -> Policy:
    """A learner of the same arms that plays what has the most successes."""
    sums = problem._replace(cascade=False)
    return allocation.thompson(sums)._replace(problem=problem)


CAST = {
    "Thompson, mean of 8": Contestant(partial(allocation.thompson, draws=8)),
    THOMPSON: Contestant(allocation.thompson),
    ADDING: Contestant(_adding_up),
    "NO-UCB": Contestant(allocation.no_ucb, {"initial": start_rounds}),
    "RA-ETC": Contestant(allocation.ra_etc, {"exploration": exploration}),
    "uniform": Contestant(allocation.uniform),
}


def cascade(options: Options) -> Outcome:
    """Regret where one success is enough, with and without knowing so."""
    game = allocation.simulation(m=LEAST, M=MOST, cascade=True)
    dataset = run_contestants(game, CAST, options, checkpoints="log")
    records = summary_records(dataset, NAME, metrics=["regret", "reward"])
    add_spread(records, dataset, "regret", THOMPSON)
    datasets = {game.name: dataset}
    at_end = dataset["regret"].isel(params=0, checkpoint=-1)
    worse = at_end.sel(policy=ADDING) > at_end.sel(policy=THOMPSON)
    note = (
        f"{ADDING} has more regret than {THOMPSON}, which knows the game, in "
        f"{float(worse.mean()):.0%} of runs."
    )
    draw = partial(plot_panels, datasets, x_scale="log", y_scale="log")
    return Outcome(datasets, records, draw, (note,))
