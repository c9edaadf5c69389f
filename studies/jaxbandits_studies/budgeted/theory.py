"""Theorem 5 of the budgeted paper beside omega-UCB's regret on three Bernoulli arms."""

from functools import partial

import numpy as np

from jaxbandits.budgeted import make_environment, omega_ucb
from jaxbandits.laws import Bernoulli, Product, bernoulli, product
from jaxbandits.stats import summary_records
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.common.overlay import TRIVIAL, Panel, bounds_figure
from jaxbandits_studies.theory import budgeted

MEAN_REWARD, MEAN_COST = np.array([0.8, 0.4, 0.3]), np.array([0.4, 0.4, 0.6])
RHO = (0.25, 1.0, 2.0)


def bounds(options: Options) -> Outcome:
    """Regret over the budget, Theorem 5's bound and that of any policy."""
    arms = Product(Bernoulli(MEAN_REWARD), Bernoulli(MEAN_COST))
    environment = make_environment("three arms", product(bernoulli, bernoulli), arms)
    datasets, records, panels = {}, [], {}
    for rho in RHO:
        cast = {"omega-UCB": Contestant(omega_ucb, {"rho": rho})}
        dataset = run_contestants(
            environment, cast, options, by_budget=True, checkpoints="log"
        )
        datasets[f"rho = {rho:g}"] = dataset
        (result,) = summary_records(
            dataset, "budgeted-bounds", environment=f"rho = {rho:g}", metrics=["regret"]
        )
        budgets = dataset["checkpoint"].values
        budgets = budgets[budgets >= MEAN_COST.max()]
        curves = {
            "Theorem 5": budgeted.regret_bound(budgets, rho, MEAN_REWARD, MEAN_COST),
            TRIVIAL: budgeted.trivial_bound(budgets, MEAN_REWARD, MEAN_COST),
        }
        panel = panels[rf"$\rho$ = {rho:g}"] = Panel(dataset, budgets, curves)
        panel.record(result["metrics"])
        records.append(result)
    draw = partial(bounds_figure, panels, f"regret: {options.seeds:,} seeds")
    return Outcome(datasets, records, draw)
