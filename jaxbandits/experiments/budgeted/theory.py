"""Theorem 5 of the budgeted paper beside omega-UCB's regret on three Bernoulli arms."""

import numpy as np

from jaxbandits.experiments.common.comparison import Contestant, run_contestants
from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.experiments.common.overlay import TRIVIAL, add_bounds
from jaxbandits.laws import Bernoulli, Product, bernoulli, product
from jaxbandits.plots import draw_legend, figure, plot_curves, share_names
from jaxbandits.policies.budgeted import omega_ucb
from jaxbandits.settings.budgeted import fixed
from jaxbandits.stats import summary_records
from jaxbandits.theory import budgeted as theory

MEAN_REWARD, MEAN_COST = np.array([0.8, 0.4, 0.3]), np.array([0.4, 0.4, 0.6])
RHO = (0.25, 1.0, 2.0)


def bounds(options: Options) -> Outcome:
    """Regret over the budget, Theorem 5's bound and that of any policy."""
    arms = Product(Bernoulli(MEAN_REWARD), Bernoulli(MEAN_COST))
    environment = fixed("three arms", product(bernoulli, bernoulli), arms)
    fig, axes = figure(1, len(RHO))
    datasets, records = {}, []
    for ax, rho in zip(axes, RHO, strict=True):
        title = rf"$\rho$ = {rho:g}"
        cast = {"omega-UCB": Contestant(omega_ucb, {"rho": rho})}
        dataset = run_contestants(
            environment, cast, options, by_budget=True, checkpoints="log"
        )
        datasets[f"rho = {rho:g}"] = dataset
        (found,) = summary_records(
            dataset, "budgeted-bounds", environment=f"rho = {rho:g}", metrics=["regret"]
        )
        plot_curves(dataset, ax=ax, x_scale="log", y_scale="log", title=title)
        budgets = dataset["checkpoint"].values
        budgets = budgets[budgets >= MEAN_COST.max()]
        curves = {
            "Theorem 5": theory.regret_bound(budgets, rho, MEAN_REWARD, MEAN_COST),
            TRIVIAL: theory.trivial_bound(budgets, MEAN_REWARD, MEAN_COST),
        }
        add_bounds(ax, budgets, curves, found["metrics"])
        records.append(found)
    share_names(axes)
    draw_legend(axes, f"regret: {options.seeds:,} seeds")
    return Outcome(datasets, records, fig)
