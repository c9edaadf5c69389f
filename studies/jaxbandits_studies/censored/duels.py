"""Preferences in place of rewards (section 7 of the paper): what limits still tell."""

from functools import partial

from jaxbandits.experiments.censored.tables import trio
from jaxbandits.experiments.common.comparison import Contestant, run_contestants
from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.plots import plot_panels
from jaxbandits.policies import censored as policies
from jaxbandits.settings import censored as settings
from jaxbandits.stats import summary_records

NAME = "censored-duels"
LIMITS = (0.1, 0.5, 0.9)
CELLS, APART = "self-sparring on cells", "the same, limits apart"
SELF, SPARRING, RUCB = "self-sparring on pairs", "sparring UCB", "RUCB on pairs"
BLIND = "RUCB on preferences"
METRICS = ("regret", "censored", "optimal")
# The order is that of the legends: best first.
CAST = {
    CELLS: Contestant(policies.cell_self_sparring),
    APART: Contestant(partial(policies.cell_self_sparring, limits="apart")),
    SELF: Contestant(policies.self_sparring_on_pairs),
    SPARRING: Contestant(policies.sparring_ucb),
    RUCB: Contestant(policies.rucb_on_pairs),
    "uniform": Contestant(policies.uniform_duels),
    BLIND: Contestant(partial(policies.rucb_on_pairs, told="preferences")),
}
NOTES = (
    f"{SELF}, {SPARRING} and {RUCB} know a duel by one number, preference and charges "
    f"together; {BLIND} knows the preference alone.",
)


def duels(options: Options) -> Outcome:
    """Regret of duels on the paper's three instances."""
    datasets, records = {}, []
    for pairs in trio(LIMITS).values():
        game = settings.duels(pairs)
        dataset = run_contestants(game, CAST, options, checkpoints="log")
        datasets[game.name] = dataset
        records += summary_records(dataset, NAME, metrics=METRICS)
    draw = partial(plot_panels, datasets, x_scale="log", y_scale="log")
    return Outcome(datasets, records, draw, NOTES)
