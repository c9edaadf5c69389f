"""Figure 2: RA-UCB's regret between the lower bound and the upper bounds."""

import warnings

import numpy as np

from jaxbandits import allocation
from jaxbandits.stats import entry
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.common.overlay import TRIVIAL, under_bounds
from jaxbandits_studies.theory import allocation as theory

K, BUDGET, LEAST, MOST = 10, 40.0, 1.0, 80.0  # appendix A.1
INSTANCES = 200  # for the median of the bound, which depends on the arms


def bounds(name: str, options: Options) -> Outcome:
    """Regret, Theorem 3.1, the median of (55) over instances, and the trivial bound.

    (56) exceeds 1e90 on every instance and would leave nothing else to see; its value
    is among the records.
    """
    game = allocation.simulation(K, BUDGET, LEAST, MOST)
    upper = {}

    def curves(title, rounds):
        upper["(55)"], upper["(56)"] = _medians(rounds)
        return {
            "lower bound, Theorem 3.1": theory.lower_bound(rounds, K),
            "upper bound (55), median": upper["(55)"],
            TRIVIAL: theory.trivial_bound(rounds, K),
        }

    outcome = under_bounds(
        name,
        {game.name: game},
        cast("allocation", "bounds"),
        options,
        curves,
        lambda title: K + 1,
        titles={game.name: ""},
    )
    (record,) = outcome.records
    record["metrics"]["upper bound (56), median"] = entry(upper["(56)"][-1])
    notes = (
        f"At T = {options.horizon:,} the median of (55) is {upper['(55)'][-1]:.1e} and "
        f"that of (56) {upper['(56)'][-1]:.1e}: both are vacuous beside K T.",
    )
    return outcome._replace(notes=notes)


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
