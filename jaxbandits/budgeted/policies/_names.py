"""Policies of the budgeted setting."""

from jax import Array

from jaxbandits.factory import factory
from jaxbandits.policies.budgeted._discounted_omega import discounted_omega_ucb
from jaxbandits.policies.budgeted._index_policy import ONE_ARM, Learning, index_policy
from jaxbandits.policies.budgeted._kube import kube
from jaxbandits.policies.budgeted._omega_ucb import Moments, Params, omega_ucb
from jaxbandits.policies.budgeted._pd_bwk import pd_bwk
from jaxbandits.policies.budgeted._price_thompson import price_thompson
from jaxbandits.policies.budgeted._ratio_thompson import ratio_thompson
from jaxbandits.policies.budgeted._share_ucb import share_ucb
from jaxbandits.policies.budgeted._ucb_b2 import ucb_b2
from jaxbandits.policies.budgeted.fixed import clairvoyant, fixed_arm, uniform
from jaxbandits.policies.budgeted.greedy import b_greedy, epsilon_first
from jaxbandits.policies.budgeted.least_cost import budget_ucb, ucb_bv1
from jaxbandits.policies.budgeted.ratio_bounds import c_ucb, i_ucb, m_ucb, mrcb
from jaxbandits.policies.budgeted.statistics import Means
from jaxbandits.policies.budgeted.thompson import bts
from jaxbandits.policies.budgeted.ucb_sc import kl_ucb_sc_plus, ucb_sc_plus
from jaxbandits.protocol import Policy
from jaxbandits.settings.budgeted.types import Problem


@factory(Problem)
def omega_star_ucb(
    problem: Problem,
    exploration: str = "log_t",
    learning: Learning = ONE_ARM,
    variance: str = "switch",
) -> Policy[Means | Moments, Params, Array]:
    """omega*-UCB: `omega_ucb` with estimated variances."""
    return omega_ucb(problem, True, exploration, learning, variance)


__all__ = [
    "Learning",
    "b_greedy",
    "bts",
    "budget_ucb",
    "c_ucb",
    "clairvoyant",
    "discounted_omega_ucb",
    "epsilon_first",
    "fixed_arm",
    "i_ucb",
    "index_policy",
    "kl_ucb_sc_plus",
    "kube",
    "m_ucb",
    "mrcb",
    "omega_star_ucb",
    "omega_ucb",
    "pd_bwk",
    "price_thompson",
    "ratio_thompson",
    "share_ucb",
    "ucb_b2",
    "ucb_bv1",
    "ucb_sc_plus",
    "uniform",
]
