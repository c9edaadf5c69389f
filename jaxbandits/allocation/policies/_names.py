"""Policies of the allocation setting."""

from jaxbandits.policies.allocation._mg_ucb import mg_ucb, mg_ucb_delta
from jaxbandits.policies.allocation._ordered_thompson import ordered_thompson
from jaxbandits.policies.allocation._ordered_ucb import ordered_ucb
from jaxbandits.policies.allocation._ra_etc import ra_etc
from jaxbandits.policies.allocation._ra_ucb import no_ucb, ra_ucb, ra_ucb_authors
from jaxbandits.policies.allocation.fixed import (
    clairvoyant,
    fixed_turns,
    uniform_split,
    uniform_turns,
)
from jaxbandits.policies.allocation.thompson import thompson_allocation

__all__ = [
    "clairvoyant",
    "fixed_turns",
    "mg_ucb",
    "mg_ucb_delta",
    "no_ucb",
    "ordered_thompson",
    "ordered_ucb",
    "ra_etc",
    "ra_ucb",
    "ra_ucb_authors",
    "thompson_allocation",
    "uniform_split",
    "uniform_turns",
]
