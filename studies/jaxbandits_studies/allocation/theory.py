"""Figure 2: RA-UCB's regret between the lower bound and the upper bounds."""

import warnings
from functools import partial

import numpy as np

from jaxbandits import allocation
from jaxbandits.stats import entry, summary_records
from jaxbandits_studies.allocation.cast import start_rounds
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.common.overlay import TRIVIAL, Panel, bounds_figure
from jaxbandits_studies.theory import allocation as theory

K, BUDGET, LEAST, MOST = 10, 40.0, 1.0, 80.0  # appendix A.1
INSTANCES = 200  # for the median of the bound, which depends on the arms


def bounds(options: Options) -> Outcome:
    """Regret, Theorem 3.1, the median of (55) over instances, and the trivial bound.

    (56) exceeds 1e90 on every instance and would leave nothing else to see; its value
    is among the records.
    """
    game = allocation.simulation(K, BUDGET, LEAST, MOST)
    cast = {"RA-UCB": Contestant(allocation.ra_ucb, {"initial": start_rounds})}
    dataset = run_contestants(game, cast, options, checkpoints="log")
    records = summary_records(dataset, "allocation-fig2", metrics=["regret"])
    rounds = dataset["checkpoint"].values
    rounds = rounds[rounds > K]
    sqrt_bound, log_bound = _medians(rounds)
    curves = {
        "lower bound, Theorem 3.1": theory.lower_bound(rounds, K),
        "upper bound (55), median": sqrt_bound,
        TRIVIAL: theory.trivial_bound(rounds, K),
    }
    panel = Panel(dataset, rounds, curves)
    panel.record(records[0]["metrics"])
    draw = partial(bounds_figure, {"": panel}, f"regret: {options.seeds:,} seeds")
    records[0]["metrics"]["upper bound (56), median"] = entry(log_bound[-1])
    notes = (
        f"At T = {options.horizon:,} the median of (55) is {sqrt_bound[-1]:.1e} and "
        f"that of (56) {log_bound[-1]:.1e}: both are vacuous beside K T.",
    )
    return Outcome({game.name: dataset}, records, draw, notes)


def _medians(rounds):
    """Medians of (55) and (56) over instances of appendix A.1."""
    rng = np.random.default_rng(31)
    both = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", theory.VacuousBound)
        for _ in range(INSTANCES):
            rate = rng.uniform(LEAST, MOST, K) / BUDGET
            arms = (1 - rng.random(K), rate, BUDGET, LEAST, MOST)
            both.append(
                (theory.sqrt_bound(rounds, *arms), theory.log_bound(rounds, *arms))
            )
    return np.median(np.array(both), axis=0)
