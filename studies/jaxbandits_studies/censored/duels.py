"""Preferences in place of rewards (section 7 of the paper): what limits still tell."""

from functools import partial

from jaxbandits import censored
from jaxbandits.plots import plot_panels
from jaxbandits.stats import summary_records
from jaxbandits_studies.censored.tables import trio
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome

NAME = "censored-duels"
LIMITS = (0.1, 0.5, 0.9)
CELLS, APART = "self-sparring on cells", "the same, limits apart"
SELF, SPARRING, RUCB = "self-sparring on pairs", "sparring UCB", "RUCB on pairs"
BLIND = "RUCB on preferences"
METRICS = ("regret", "censored", "optimal")
# The order is that of the legends: best first.
CAST = {
    CELLS: Contestant(censored.cell_self_sparring),
    APART: Contestant(partial(censored.cell_self_sparring, limits="apart")),
    SELF: Contestant(censored.self_sparring_on_pairs),
    SPARRING: Contestant(censored.sparring_ucb),
    RUCB: Contestant(censored.rucb_on_pairs),
    "uniform": Contestant(censored.uniform_duels),
    BLIND: Contestant(partial(censored.rucb_on_pairs, told="preferences")),
}
NOTES = (
    f"{SELF}, {SPARRING} and {RUCB} know a duel by one number, preference and charges "
    f"together; {BLIND} knows the preference alone.",
)


def duels(options: Options) -> Outcome:
    """Regret of duels on the paper's three instances."""
    datasets, records = {}, []
    for pairs in trio(LIMITS).values():
        game = censored.duels(pairs)
        dataset = run_contestants(game, CAST, options, checkpoints="log")
        datasets[game.name] = dataset
        records += summary_records(dataset, NAME, metrics=METRICS)
    draw = partial(plot_panels, datasets, x_scale="log", y_scale="log")
    return Outcome(datasets, records, draw, NOTES)
