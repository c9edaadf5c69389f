"""Policies of the censored setting."""

from functools import cache

from jaxbandits.policies.censored.fixed import fixed_pair, uniform
from jaxbandits.policies.censored.product_arms import product_arms
from jaxbandits.policies.censored.rcucb import rcucb
from jaxbandits.policies.censored.thompson import thompson
from jaxbandits.policies.plain import kl_ucb, moss, ucb
from jaxbandits.protocol import Policy
from jaxbandits.settings.censored.types import Problem


@cache
def ucb_reduction(problem: Problem) -> Policy:
    """The paper's UCB (E.1): plain UCB on the pairs."""
    return product_arms(problem, ucb)


@cache
def moss_reduction(problem: Problem) -> Policy:
    """MOSS on the pairs."""
    return product_arms(problem, moss)


@cache
def kl_ucb_reduction(problem: Problem) -> Policy:
    """KL-UCB on the pairs."""
    return product_arms(problem, kl_ucb)


__all__ = [
    "fixed_pair",
    "kl_ucb_reduction",
    "moss_reduction",
    "product_arms",
    "rcucb",
    "thompson",
    "ucb_reduction",
    "uniform",
]
