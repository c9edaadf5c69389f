from .environment import Arms, Oracle, Record, exact_oracle, make_environment
from .instances import (
    cross_validation,
    display_advertising,
    figure_1a,
    macro_arms_only,
    optimum_at_one,
    optimum_in_the_middle,
    second_price_auction,
)
from .policies.fixed import fixed, uniform
from .policies.hazard_thompson import hazard_thompson
from .policies.pairs import as_arms, on_pairs
from .policies.product_limit import product_limit
from .policies.product_limit_omega import product_limit_omega
from .policies.reductions import (
    bts,
    budget_ucb,
    kube,
    omega_star_ucb,
    omega_ucb,
    pd_bwk,
    ucb1,
    ucb_bv1,
    ucb_sc_plus,
)
from .policies.ucb_simplex import ucb_simplex
from .policies.wait_ucb import wait_ucb
from .problem import Action, Feedback, Problem, View

__all__ = [
    "Action",
    "Arms",
    "Feedback",
    "Oracle",
    "Problem",
    "Record",
    "View",
    "as_arms",
    "bts",
    "budget_ucb",
    "cross_validation",
    "display_advertising",
    "exact_oracle",
    "make_environment",
    "figure_1a",
    "fixed",
    "hazard_thompson",
    "kube",
    "macro_arms_only",
    "omega_star_ucb",
    "omega_ucb",
    "on_pairs",
    "optimum_at_one",
    "optimum_in_the_middle",
    "pd_bwk",
    "product_limit",
    "product_limit_omega",
    "second_price_auction",
    "ucb1",
    "ucb_bv1",
    "ucb_sc_plus",
    "ucb_simplex",
    "uniform",
    "wait_ucb",
]
