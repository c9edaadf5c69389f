from .environment import (
    Arms,
    Oracle,
    exact_oracle,
    make_environment,
    random_environment,
)
from .phases import Phases, changing, s_br_changing
from .policies.discounted_omega import discounted_omega_ucb
from .policies.fixed import clairvoyant, fixed, uniform
from .policies.greedy import b_greedy, epsilon_first
from .policies.index_policy import Learning, index_policy
from .policies.kube import kube
from .policies.least_cost import budget_ucb, ucb_bv1
from .policies.omega_ucb import omega_star_ucb, omega_ucb
from .policies.pd_bwk import pd_bwk
from .policies.price_thompson import price_thompson
from .policies.ratio_bounds import c_ucb, i_ucb, m_ucb, mrcb
from .policies.ratio_thompson import ratio_thompson
from .policies.share_ucb import share_ucb
from .policies.thompson import bts
from .policies.ucb_b2 import ucb_b2
from .policies.ucb_sc import kl_ucb_sc_plus, ucb_sc_plus
from .problem import Feedback, OracleView, Problem, View, make_problem
from .synthetic import s_br, s_bt, s_gbr
from .table import Records, from_table, records_of

__all__ = [
    "Arms",
    "Feedback",
    "Learning",
    "Oracle",
    "OracleView",
    "Phases",
    "Problem",
    "Records",
    "View",
    "b_greedy",
    "bts",
    "budget_ucb",
    "random_environment",
    "c_ucb",
    "changing",
    "clairvoyant",
    "discounted_omega_ucb",
    "epsilon_first",
    "exact_oracle",
    "make_environment",
    "fixed",
    "from_table",
    "i_ucb",
    "index_policy",
    "kl_ucb_sc_plus",
    "kube",
    "m_ucb",
    "make_problem",
    "mrcb",
    "omega_star_ucb",
    "omega_ucb",
    "pd_bwk",
    "price_thompson",
    "ratio_thompson",
    "records_of",
    "s_br",
    "s_br_changing",
    "s_bt",
    "s_gbr",
    "share_ucb",
    "ucb_b2",
    "ucb_bv1",
    "ucb_sc_plus",
    "uniform",
]
