"""Several arms in a round (section 7 of the paper): what it costs to lump them."""

from functools import partial

from jaxbandits.experiments.censored.tables import trio
from jaxbandits.experiments.common.comparison import Contestant, run_contestants
from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.plots import plot_panels
from jaxbandits.policies import censored as policies
from jaxbandits.policies.plain import ucb
from jaxbandits.settings import censored as settings
from jaxbandits.stats import summary_records

NAME = "censored-combinatorial"
SIZE = 2
LIMITS = (0.1, 0.5, 0.9)  # few, so that all super arms can be listed: 405
CELLS, LUMPED = "cell TS", "UCB on super arms"
METRICS = ("regret", "censored", "optimal")
# The order is that of the legends: best first.
CAST = {
    CELLS: Contestant(policies.combinatorial_cell_thompson),
    "RCUCB, gain radius only": Contestant(
        policies.combinatorial_rcucb, {"penalty_radius": 0.0}
    ),
    "RCUCB, eq. (12)": Contestant(policies.combinatorial_rcucb),
    "CUCB on pairs": Contestant(policies.cucb),
    LUMPED: Contestant(partial(policies.super_arms_as_arms, plain=ucb)),
    "uniform": Contestant(policies.uniform_super_arms),
}


def super_arms(options: Options) -> Outcome:
    """Regret with two of ten arms in a round, on the paper's three instances."""
    datasets, records = {}, []
    for pairs in trio(LIMITS).values():
        game = settings.combinatorial(pairs, SIZE)
        dataset = run_contestants(game, CAST, options, checkpoints="log")
        datasets[game.name] = dataset
        records += summary_records(dataset, NAME, metrics=METRICS)
    draw = partial(plot_panels, datasets, x_scale="log", y_scale="log")
    return Outcome(datasets, records, draw)
