"""Several arms in a round (section 7 of the paper): what it costs to lump them."""

from functools import partial

from jaxbandits import censored
from jaxbandits.plain import ucb
from jaxbandits.plots import plot_panels
from jaxbandits.stats import summary_records
from jaxbandits_studies.censored.tables import trio
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome

NAME = "censored-combinatorial"
SIZE = 2
LIMITS = (0.1, 0.5, 0.9)  # few, so that all super arms can be listed: 405
CELLS, LUMPED = "cell TS", "UCB on super arms"
METRICS = ("regret", "censored", "optimal")
# The order is that of the legends: best first.
CAST = {
    CELLS: Contestant(censored.combinatorial_cell_thompson),
    "RCUCB, gain radius only": Contestant(
        censored.combinatorial_rcucb, {"penalty_radius": 0.0}
    ),
    "RCUCB, eq. (12)": Contestant(censored.combinatorial_rcucb),
    "CUCB on pairs": Contestant(censored.cucb),
    LUMPED: Contestant(partial(censored.super_arms_as_arms, plain=ucb)),
    "uniform": Contestant(censored.uniform_super_arms),
}


def super_arms(options: Options) -> Outcome:
    """Regret with two of ten arms in a round, on the paper's three instances."""
    datasets, records = {}, []
    for pairs in trio(LIMITS).values():
        game = censored.combinatorial(pairs, SIZE)
        dataset = run_contestants(game, CAST, options, checkpoints="log")
        datasets[game.name] = dataset
        records += summary_records(dataset, NAME, metrics=METRICS)
    draw = partial(plot_panels, datasets, x_scale="log", y_scale="log")
    return Outcome(datasets, records, draw)
