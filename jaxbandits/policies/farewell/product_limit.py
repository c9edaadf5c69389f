"""Wait-UCB with a product-limit estimate: longer waits learn from shorter ones.

An epoch with wait j that saw no reward says that the delay exceeds j, and no more: its
delay is *censored*. Kaplan & Meier ("Nonparametric Estimation from Incomplete
Observations", 1958) estimate the chance to end in unit d by those who entered unit d;
the product of the survival rates has no bias from censoring.

With hazards ``h_d``, rewards ``v_d`` per entry of unit d and survival ``S(d) = (1 -
h_1) ... (1 - h_d)``, wait j has the reward ``sum_{d <= j} S(d - 1) v_d`` and lasts
``sum_{d <= j} S(d - 1)``. The radius is Wait-UCB's with the epochs that waited at least
j, the only ones that say something about unit j (ours; no paper has it).
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.factory import factory
from jaxbandits.kernels.select import pick, put
from jaxbandits.kernels.sums import CompensatedSum
from jaxbandits.policies.farewell.wait_ucb import (
    Params,
    Radius,
    check,
    largest_bound,
)
from jaxbandits.protocol import Policy
from jaxbandits.settings.farewell.types import Problem


class State(NamedTuple):
    """Counts of every macro-arm and unit of waiting, and parts of the index."""

    reached: jax.Array  # i32[K, D], epochs with a wait of at least d
    entered: jax.Array  # i32[K, D], of them those that were still waiting
    ended: jax.Array  # i32[K, D], of them those whose delay is d
    reward: CompensatedSum  # f32[K, D], rewards of the latter
    rate: jax.Array  # f32[K, D], +inf where no epoch has waited that long
    radius: Radius


@factory(Problem)
def product_limit(problem: Problem) -> Policy:
    """Wait-UCB on product-limit estimates; first maximiser.

    Raises:
      ValueError: if giving up costs one unit: the time then is no sum over units.
    """
    if problem.failure != "wait":
        raise ValueError("problem: product_limit needs failure='wait'")
    shape = (problem.num_arms, problem.num_waits)
    units = np.arange(1, problem.num_waits + 1, dtype=np.int32)

    def init(params):
        del params
        zeros, count = jnp.zeros(shape, float), jnp.zeros(shape, jnp.int32)
        nothing = CompensatedSum.zeros(shape, float)
        unknown = zeros + jnp.inf
        return State(count, count, count, nothing, unknown, Radius(zeros, zeros))

    def update(noise, view, state, action, feedback, params):
        del noise, view, params
        old = jax.tree.map(lambda x: pick(x, action.arm), state)
        within = units <= action.wait + 1
        here = feedback.delay == units
        reached = old.reached + within
        entered = old.entered + (within & (feedback.delay >= units))
        ended = old.ended + here
        reward = old.reward.add(jnp.where(here, feedback.reward, 0.0))
        rate = _rates(entered, ended, reward.total)
        known = reached > 0
        radius = Radius.of(jnp.maximum(reached, 1).astype(float), problem.num_waits)
        row = State(
            reached, entered, ended, reward, jnp.where(known, rate, jnp.inf), radius
        )
        return jax.tree.map(lambda x, new: put(x, action.arm, new), state, row)

    return Policy(
        "Wait-UCB, product-limit",
        init,
        largest_bound(problem, shows_shorter=True),
        update,
        Params(),
        check=check,
    )


def _rates(entered, ended, reward):
    """Estimated reward per unit of time of every wait, f32[D]."""
    at_risk = jnp.maximum(entered, 1).astype(float)
    survived = jnp.cumprod(1 - ended.astype(float) / at_risk)
    before = jnp.concatenate([jnp.ones_like(survived[:1]), survived[:-1]])
    return jnp.cumsum(before * reward / at_risk) / jnp.cumsum(before)
