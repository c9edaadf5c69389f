"""Policies of other settings, played on the pairs of the farewell setting.

A policy that assumes costs in [0, 1] sees the time of an epoch over D, the longest
wait, as its cost. omega-UCB sees the time itself, which lies in [1, j].
"""

from collections.abc import Callable
from inspect import unwrap
from typing import Any

from jax import Array

from jaxbandits import budgeted, plain
from jaxbandits.budgeted.policies import kube as _kube
from jaxbandits.budgeted.policies import least_cost, thompson
from jaxbandits.budgeted.policies import omega_ucb as _omega_ucb
from jaxbandits.budgeted.policies import pd_bwk as _pd_bwk
from jaxbandits.budgeted.policies.index_policy import ONE_ARM
from jaxbandits.budgeted.policies.omega_ucb import Moments
from jaxbandits.budgeted.policies.statistics import Means
from jaxbandits.checks import one_of
from jaxbandits.checks.factory import factory
from jaxbandits.farewell.policies.pairs import (
    as_arms,
    on_pairs,
    on_rewards,
    update_shorter_waits,
)
from jaxbandits.farewell.problem import Action, Problem
from jaxbandits.plain import _ucb
from jaxbandits.protocol import P, Policy, S

SIDE = ("pair", "shorter")


@factory(Problem)
def omega_ucb(
    problem: Problem,
    star: bool = False,
    exploration: str = "log_t",
    observe: str = "pair",
    variance: str = "switch",
) -> Policy[Means | Moments, _omega_ucb.Params, Action]:
    """omega-UCB (budgeted) with the cost interval [1, j] of every wait; rho = 1.

    With rho = 1/4, as in the budgeted setting, about one run in a hundred gives up the
    best pair for good (errata.md, D7).

    Args:
      problem: number of macro-arms and waits.
      star, exploration, variance: as for `budgeted.omega_ucb`.
      observe: ``pair``, or ``shorter`` to learn about shorter waits too.

    Raises:
      ValueError: on an unknown `exploration`, `observe` or `variance`.
    """
    shorter = one_of("observe", observe, SIDE) == "shorter"
    learning = update_shorter_waits(problem, 1.0) if shorter else ONE_ARM
    # The costs are times, not shares of the longest: sums of integers are exact.
    make = unwrap(budgeted.omega_ucb)
    policy = make(as_arms(problem), star, exploration, learning, variance)
    name = f"{policy.name}, shorter" if shorter else policy.name
    params = policy.params._replace(rho=1.0)
    return on_pairs(problem, policy)._replace(name=name, params=params)


@factory(Problem)
def omega_star_ucb(
    problem: Problem,
    exploration: str = "log_t",
    observe: str = "pair",
    variance: str = "switch",
) -> Policy[Means | Moments, _omega_ucb.Params, Action]:
    """omega*-UCB: `omega_ucb` with estimated variances."""
    return omega_ucb(problem, True, exploration, observe, variance)


@factory(Problem)
def budget_ucb(problem: Problem) -> Policy[Means, least_cost.Params, Action]:
    """Budget-UCB with lambda = 1 / D, the least possible cost."""
    return _scaled(problem, lambda arms: budgeted.budget_ucb(arms, "range"))


@factory(Problem)
def ucb_bv1(problem: Problem) -> Policy[Means, least_cost.Params, Action]:
    """UCB-BV1 with lambda = 1 / D."""
    return _scaled(problem, lambda arms: budgeted.ucb_bv1(arms, "range"))


@factory(Problem)
def bts(problem: Problem) -> Policy[thompson.State, tuple[()], Action]:
    """Budgeted Thompson sampling on pairs, with the time of an epoch over D as cost."""
    return _scaled(problem, budgeted.bts)


@factory(Problem)
def ucb_sc_plus(problem: Problem) -> Policy[Means, tuple[()], Action]:
    """UCB-SC+ on pairs, with the time of an epoch over D as cost."""
    return _scaled(problem, budgeted.ucb_sc_plus)


@factory(Problem)
def kube(problem: Problem) -> Policy[Means, _kube.Params, Action]:
    """Fractional KUBE on pairs, with the time of an epoch over D as cost."""
    return _scaled(problem, budgeted.kube)


@factory(Problem)
def pd_bwk(problem: Problem) -> Policy[_pd_bwk.State, _pd_bwk.Params, Action]:
    """PD-BwK on pairs; its resources are time, and epochs (at most one per unit)."""
    return _scaled(problem, budgeted.pd_bwk)


def _scaled(
    problem: Problem, make: Callable[[Any], Policy[S, P, Array]]
) -> Policy[S, P, Action]:
    """Lift a policy of the budgeted setting that assumes costs in [0, 1] to pairs."""
    scale = problem.longest
    return on_pairs(problem, make(as_arms(problem, scale)), scale)


@factory(Problem)
def ucb1(problem: Problem) -> Policy[_ucb.State, _ucb.Params, Action]:
    """UCB1 on the reward per epoch: a baseline that ignores time."""
    policy = on_rewards(problem, plain.ucb)
    return policy._replace(name="UCB1", params=policy.params._replace(alpha=4.0))
