"""Policies of the farewell setting: its own, and those of other settings on pairs.

On pairs, costs are times over D, the longest wait, for the policies that suppose costs
in [0, 1]; omega-UCB takes the time itself, which lies in [1, j].
"""

from jaxbandits.checks import one_of
from jaxbandits.factory import factory
from jaxbandits.policies import budgeted, plain
from jaxbandits.policies.budgeted._index_policy import ONE_ARM
from jaxbandits.policies.farewell._product_limit import product_limit
from jaxbandits.policies.farewell._product_limit_omega import product_limit_omega
from jaxbandits.policies.farewell._ucb_simplex import ucb_simplex
from jaxbandits.policies.farewell._wait_ucb import wait_ucb
from jaxbandits.policies.farewell.fixed import fixed_pair, uniform
from jaxbandits.policies.farewell.pairs import (
    as_arms,
    on_pairs,
    on_rewards,
    shorter_too,
)
from jaxbandits.settings.farewell.types import Problem

SIDE = ("pair", "shorter")


@factory(Problem)
def omega_ucb(
    problem, star=False, exploration="log_t", observe="pair", variance="switch"
):
    """omega-UCB (budgeted) with the cost interval [1, j] of every wait; rho = 1.

    With the budgeted setting's 1/4 a run in a hundred is lost (docs/errata.md, D7).

    Args:
      problem: number of macro-arms and waits.
      star: as for `policies.budgeted.omega_ucb`.
      exploration: likewise.
      observe: ``pair``, or ``shorter`` to learn about shorter waits too.
      variance: as for `policies.budgeted.omega_ucb`.

    Raises:
      ValueError: on an unknown `exploration`, `observe` or `variance`.
    """
    shorter = one_of("observe", observe, SIDE) == "shorter"
    learning = shorter_too(problem) if shorter else ONE_ARM
    policy = budgeted.omega_ucb(as_arms(problem), star, exploration, learning, variance)
    name = f"{policy.name}, shorter" if shorter else policy.name
    params = policy.params._replace(rho=1.0)
    return on_pairs(problem, policy)._replace(name=name, params=params)


@factory(Problem)
def omega_star_ucb(problem, exploration="log_t", observe="pair", variance="switch"):
    """omega*-UCB: `omega_ucb` with estimated variances."""
    return omega_ucb(problem, True, exploration, observe, variance)


@factory(Problem)
def budget_ucb(problem):
    """Budget-UCB with lambda = 1 / D, the least possible cost."""
    return _scaled(problem, lambda arms: budgeted.budget_ucb(arms, "range"))


@factory(Problem)
def ucb_bv1(problem):
    """UCB-BV1 with lambda = 1 / D."""
    return _scaled(problem, lambda arms: budgeted.ucb_bv1(arms, "range"))


@factory(Problem)
def bts(problem):
    """Budgeted Thompson sampling on pairs, with the time of an epoch over D as cost."""
    return _scaled(problem, budgeted.bts)


@factory(Problem)
def ucb_sc_plus(problem):
    """UCB-SC+ on pairs, with the time of an epoch over D as cost."""
    return _scaled(problem, budgeted.ucb_sc_plus)


@factory(Problem)
def kube(problem):
    """Fractional KUBE on pairs, with the time of an epoch over D as cost."""
    return _scaled(problem, budgeted.kube)


@factory(Problem)
def pd_bwk(problem):
    """PD-BwK on pairs; its resources are time and epochs, at most one per unit."""
    return _scaled(problem, budgeted.pd_bwk)


def _scaled(problem, make):
    """A policy of the budgeted setting that supposes costs in [0, 1], on pairs."""
    scale = problem.longest
    return on_pairs(problem, make(as_arms(problem, scale)), scale)


@factory(Problem)
def ucb1(problem):
    """UCB1 on the reward per epoch: what comes of leaving time out of account."""
    policy = on_rewards(problem, plain.ucb(problem.num_pairs))
    return policy._replace(name="UCB1", params=policy.params._replace(alpha=4.0))


__all__ = [
    "as_arms",
    "bts",
    "budget_ucb",
    "fixed_pair",
    "kube",
    "on_pairs",
    "omega_star_ucb",
    "omega_ucb",
    "pd_bwk",
    "product_limit",
    "product_limit_omega",
    "ucb1",
    "ucb_bv1",
    "ucb_sc_plus",
    "ucb_simplex",
    "uniform",
    "wait_ucb",
]
