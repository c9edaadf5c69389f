"""The shrunk omega*-UCB with the weight of its prior as a parameter."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from jaxbandits.budgeted import omega_star_ucb
from jaxbandits.budgeted.policies.omega_ucb import PRIOR_PULLS, Moments, shrunk_eta
from jaxbandits.budgeted.policies.ranges import ranges_of, shares
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks import Positive
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy

ADVISED = {"log_t": 0.25, "log_share": 0.5}  # rho, by the form of exploration


class Numbers(NamedTuple):
    """rho > 0, and the pulls > 0 of eta = 1 that a variance is mixed with."""

    rho: Positive
    prior_pulls: Positive = PRIOR_PULLS


@factory(Problem)
def weighed(
    problem: Problem, exploration: str = "log_t"
) -> Policy[Moments, Numbers, Array]:
    """The shrunk omega*-UCB, with the weight of the prior as a number to be swept.

    The policy keeps eta in its state, in which 10 pulls of 1 are mixed, as statistics
    are told no parameters; here it is mixed anew in every round, from the same sums.
    """
    policy = omega_star_ucb(problem, exploration, variance="shrunk")
    ranges = ranges_of(problem)

    def act(noise, view, state, params):
        pulls = jnp.maximum(state.means.pulls, 1)  # of the others none is looked at
        spreads = [
            spread._replace(
                eta=shrunk_eta(
                    pulls, spread.squares.total, mean * (1 - mean), params.prior_pulls
                )
            )
            for spread, mean in zip(
                (state.reward, state.cost), shares(ranges, state.means), strict=True
            )
        ]
        mixed = Moments(state.means, *spreads)
        return policy.act(noise, view, mixed, policy.params._replace(rho=params.rho))

    def update(noise, view, state, action, feedback, params):
        del params
        return policy.update(noise, view, state, action, feedback, policy.params)

    return policy._replace(
        act=act,
        update=update,
        params=Numbers(ADVISED[exploration]),
    )
