"""Plain bandit policies on pairs: each pair of an arm and a limit is a virtual arm."""

from typing import Any

from jax import Array
from jaxtyping import Int32

from jaxbandits.arrays import first_argmax
from jaxbandits.censored.dueling.as_arms import Copies, duels_as_arms, sparring
from jaxbandits.censored.policies.product_arms import product_arms
from jaxbandits.censored.problem import Action, Duel, Dueling, Problem
from jaxbandits.checks.factory import factory
from jaxbandits.plain import (
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


def most_played(state: Any, params: Any) -> Int32[Array, ""]:
    """The recommendation of the reductions: the virtual arm with the most pulls."""
    return first_argmax(state.pulls)


@factory(Problem)
def ucb_reduction(problem: Problem) -> Policy[_ucb.State, _ucb.Params, Action]:
    """The paper's UCB (E.1): plain UCB on the pairs."""
    return product_arms(problem, ucb, most_played)


@factory(Problem)
def moss_reduction(problem: Problem) -> Policy[_moss.State, _moss.Params, Action]:
    """MOSS on the pairs."""
    return product_arms(problem, moss, most_played)


@factory(Problem)
def kl_ucb_reduction(problem: Problem) -> Policy[_kl_ucb.State, _kl_ucb.Params, Action]:
    """KL-UCB on the pairs."""
    return product_arms(problem, kl_ucb, most_played)


@factory(Dueling)
def rucb_on_pairs(
    problem: Dueling, signal: str = "values"
) -> Policy[_relative_ucb.State, _relative_ucb.Params, Duel]:
    """RUCB on the pairs; `signal` as for `duels_as_arms`."""
    return duels_as_arms(problem, relative_ucb, signal)


@factory(Dueling)
def self_sparring_on_pairs(
    problem: Dueling,
) -> Policy[_self_sparring.State, _self_sparring.Params, Duel]:
    """Self-sparring on the pairs, with the signal ``values`` of `duels_as_arms`."""
    return duels_as_arms(problem, self_sparring)


@factory(Dueling)
def sparring_ucb(problem: Dueling) -> Policy[Copies, _ucb.Params, Duel]:
    """Sparring: two copies of UCB on the pairs, one for each place of the duel."""
    return sparring(problem, ucb, most_played)
