"""Theorem 5 of the budgeted paper beside omega-UCB's regret on three Bernoulli arms."""

import numpy as np

from jaxbandits.budgeted import make_environment, omega_ucb
from jaxbandits.laws import Bernoulli, Product, bernoulli, product
from jaxbandits_studies.common.comparison import Contestant
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.common.overlay import TRIVIAL, under_bounds
from jaxbandits_studies.theory import budgeted

MEANS = MEAN_REWARD, MEAN_COST = np.array([0.8, 0.4, 0.3]), np.array([0.4, 0.4, 0.6])
RHO = {f"rho = {rho:g}": rho for rho in (0.25, 1.0, 2.0)}


def bounds(name: str, options: Options) -> Outcome:
    """Regret over the budget, Theorem 5's bound and that of any policy."""
    arms = Product(Bernoulli(MEAN_REWARD), Bernoulli(MEAN_COST))
    game = make_environment("three arms", product(bernoulli, bernoulli), arms)

    def curves(title, budgets):
        return {
            "Theorem 5": budgeted.regret_bound(budgets, RHO[title], *MEANS),
            TRIVIAL: budgeted.trivial_bound(budgets, *MEANS),
        }

    titles = {title: title.replace("rho", r"$\rho$") for title in RHO}
    return under_bounds(
        name,
        dict.fromkeys(RHO, game),
        {t: {"omega-UCB": Contestant(omega_ucb, {"rho": x})} for t, x in RHO.items()},
        options,
        curves,
        lambda title: MEAN_COST.max(),
        titles=titles,
    )
