"""Policies of the censored setting."""

from typing import Any

from jax import Array
from jaxtyping import Int32

from jaxbandits.arrays import first_argmax
from jaxbandits.factory import factory
from jaxbandits.policies.censored._cell_self_sparring import cell_self_sparring
from jaxbandits.policies.censored._cell_thompson import cell_thompson
from jaxbandits.policies.censored._combinatorial import (
    combinatorial_cell_thompson,
    combinatorial_rcucb,
    cucb,
    fixed_super_arm,
    super_arms_as_arms,
    uniform_super_arms,
)
from jaxbandits.policies.censored._duels_as_arms import (
    Copies,
    duels_as_arms,
    sparring,
)
from jaxbandits.policies.censored._on_grid import on_grid
from jaxbandits.policies.censored._product_arms import product_arms
from jaxbandits.policies.censored._rcucb import rcucb
from jaxbandits.policies.censored._stoo import stoo
from jaxbandits.policies.censored._thompson import thompson
from jaxbandits.policies.censored._z_rcucb import Params as ZRCUCBParams
from jaxbandits.policies.censored._z_rcucb import grid_capacity, z_rcucb
from jaxbandits.policies.censored._zooming import zooming
from jaxbandits.policies.censored.fixed import (
    fixed_duel,
    fixed_pair,
    uniform,
    uniform_duels,
)
from jaxbandits.policies.censored.observed import cells_of, gain_of
from jaxbandits.policies.censored.survival import (
    CENSORED_EXCEEDS,
    KAPLAN_MEIER,
    Survival,
    eq_12,
    exceeded_share,
    product_limit,
    remark_3,
    sub_gaussian_gain_radius,
)
from jaxbandits.policies.plain import (
    _kl_ucb,
    _moss,
    _relative_ucb,
    _self_sparring,
    _ucb,
    kl_ucb,
    moss,
    relative_ucb,
    self_sparring,
    ucb,
)
from jaxbandits.protocol import Policy
from jaxbandits.settings.censored.types import (
    Action,
    Continuum,
    Duel,
    Dueling,
    Problem,
)


def most_played(state: Any, params: Any) -> Int32[Array, ""]:
    """What the reductions recommend: the virtual arm that was pulled most often."""
    del params
    return first_argmax(state.pulls)


@factory(Problem, Continuum)
def ucb_reduction(problem: Problem) -> Policy[_ucb.State, _ucb.Params, Action]:
    """The paper's UCB (E.1): plain UCB on the pairs."""
    return product_arms(problem, ucb, most_played)


@factory(Problem, Continuum)
def moss_reduction(problem: Problem) -> Policy[_moss.State, _moss.Params, Action]:
    """MOSS on the pairs."""
    return product_arms(problem, moss, most_played)


@factory(Problem, Continuum)
def kl_ucb_reduction(problem: Problem) -> Policy[_kl_ucb.State, _kl_ucb.Params, Action]:
    """KL-UCB on the pairs."""
    return product_arms(problem, kl_ucb, most_played)


@factory(Dueling)
def rucb_on_pairs(
    problem: Dueling, told: str = "values"
) -> Policy[_relative_ucb.State, _relative_ucb.Params, Duel]:
    """RUCB on the pairs; `told` as of `duels_as_arms`."""
    return duels_as_arms(problem, relative_ucb, told)


@factory(Dueling)
def self_sparring_on_pairs(
    problem: Dueling,
) -> Policy[_self_sparring.State, _self_sparring.Params, Duel]:
    """Self-sparring on the pairs, told of values."""
    return duels_as_arms(problem, self_sparring)


@factory(Dueling)
def sparring_ucb(problem: Dueling) -> Policy[Copies, _ucb.Params, Duel]:
    """Two copies of UCB on the pairs, one for each place."""
    return sparring(problem, ucb, most_played)


__all__ = [
    "CENSORED_EXCEEDS",
    "KAPLAN_MEIER",
    "Survival",
    "ZRCUCBParams",
    "cell_self_sparring",
    "cell_thompson",
    "cells_of",
    "combinatorial_cell_thompson",
    "combinatorial_rcucb",
    "cucb",
    "duels_as_arms",
    "eq_12",
    "exceeded_share",
    "fixed_duel",
    "fixed_pair",
    "fixed_super_arm",
    "gain_of",
    "grid_capacity",
    "kl_ucb_reduction",
    "moss_reduction",
    "on_grid",
    "product_arms",
    "product_limit",
    "rcucb",
    "remark_3",
    "rucb_on_pairs",
    "self_sparring_on_pairs",
    "sparring",
    "sparring_ucb",
    "stoo",
    "sub_gaussian_gain_radius",
    "super_arms_as_arms",
    "thompson",
    "ucb_reduction",
    "uniform",
    "uniform_duels",
    "uniform_super_arms",
    "z_rcucb",
    "zooming",
]
