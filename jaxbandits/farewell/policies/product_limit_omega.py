"""omega*-UCB with product-limit estimates: every wait learns from every epoch.

The index is that of omega*-UCB on pairs (`budgeted.omega_ucb`, cost interval [1, j]).
Means and variances of an epoch's reward and time are those of the Kaplan-Meier law (see
`product_limit`). Shorter waits learn from longer ones, as with side observations.
Longer waits learn from shorter ones about the units that both cover. The pulls of a
wait are the epochs that waited at least as long, since only they inform about its last
unit (ours; no paper has it). See docs/settings/farewell.md.
"""

from inspect import unwrap
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from jaxbandits import budgeted
from jaxbandits.arrays import CompensatedSum, constant, row, with_row
from jaxbandits.budgeted.policies.omega_ucb import ETAS, Params
from jaxbandits.checks.factory import factory
from jaxbandits.farewell.policies.pairs import as_arms, on_pairs, update_shorter_waits
from jaxbandits.farewell.policies.product_limit import Hazards, Units, times_add_up
from jaxbandits.farewell.problem import Action, Problem
from jaxbandits.protocol import Policy


class _Means(NamedTuple):
    """Counts and means of pairs, f32[K, D] each; `count` is at least 1."""

    count: Float[Array, "K D"]  # type: ignore[assignment]
    mean_reward: Float[Array, "K D"]
    mean_cost: Float[Array, "K D"]


class _Eta(NamedTuple):
    """Variance over the largest possible variance, f32[K, D]."""

    eta: Float[Array, "K D"]


class _Estimates(NamedTuple):
    """The estimates that the index of omega*-UCB reads."""

    means: _Means
    reward: _Eta
    cost: _Eta


class State(NamedTuple):
    """Sums over epochs, and the estimates that follow from them.

    Attributes:
      hazards: counts and sums of every unit.
      reward_squares: f32[K, D], squared rewards of the epochs that ended in the unit.
      time_squares: f32[K, D], growth of (time - 1)**2 within the unit, over epochs.
      estimates: estimates of every wait.
    """

    hazards: Hazards
    reward_squares: CompensatedSum
    time_squares: CompensatedSum
    estimates: _Estimates


@factory(Problem)
def product_limit_omega(
    problem: Problem, exploration: str = "log_t", variance: str = "switch"
) -> Policy[State, Params, Action]:
    """omega*-UCB on product-limit estimates; rho = 1.

    Args:
      problem: macro-arms and waits.
      exploration, variance: as for `budgeted.omega_ucb`.

    Raises:
      ValueError: on an unknown `exploration` or `variance`, or if giving up costs one
        unit: then time is not a sum over units.
    """
    times_add_up("product_limit_omega", problem)
    shape, waits = (problem.num_arms, problem.num_waits), problem.lengths
    policy = on_pairs(
        problem,
        # Only `start` of the learning is used: it plays the longest waits first.
        unwrap(budgeted.omega_ucb)(  # unwrapped: costs stay times, not shares
            as_arms(problem), True, exploration, update_shorter_waits(problem), variance
        ),
    )
    eta_of = ETAS[variance]
    starts = np.append(0, waits[:-1])
    squares_before = np.maximum(starts - 1.0, 0.0) ** 2
    growth = (waits - 1.0) ** 2 - squares_before  # over a full unit
    width = np.maximum(waits - 1.0, 1.0)

    def init(params):
        ones, zeros = jnp.ones(shape, float), jnp.zeros(shape, float)
        nothing = CompensatedSum.zeros(shape, float)
        estimates = _Estimates(_Means(ones, zeros, ones), _Eta(ones), _Eta(ones))
        return State(Hazards.zeros(shape), nothing, nothing, estimates)

    def act(noise, view, state, params):
        flat = jax.tree.map(jnp.ravel, state.estimates)
        return policy.act(noise, view, flat, params)

    def update(noise, view, state, action, feedback, params):
        old = row(state, action.arm)
        epoch = Units.of(waits, action.wait, feedback)
        hazards = old.hazards.observe(epoch, feedback.reward)
        size, before, most = constant((width, squares_before, growth))
        gained = (epoch.left.astype(float) - 1) ** 2 - before
        square = jnp.where(epoch.ended, feedback.reward**2, 0.0)
        rewards = old.reward_squares.add(square)
        times = old.time_squares.add(jnp.where(epoch.entered, gained, 0.0))

        def eta(mean, mean_square):
            """eta of numbers in [0, 1]."""
            spread = jnp.maximum(mean_square - mean**2, 0.0)
            return _Eta(eta_of(hazards.reached, spread * count, mean * (1 - mean)))

        count = jnp.maximum(hazards.reached, 1).astype(float)
        reward = jnp.clip(hazards.mean_reward(), 0.0, 1.0)
        time = hazards.mean_time(waits)
        share = jnp.clip((time - 1) / size, 0.0, 1.0)
        squares = hazards.mean(times.total, most) / size**2
        new = State(
            hazards,
            rewards,
            times,
            _Estimates(
                _Means(count, reward, time),
                eta(reward, hazards.mean(rewards.total, 0.0)),
                eta(share, squares),
            ),
        )
        return with_row(state, action.arm, new)

    return policy._replace(
        name=f"{policy.name}, product-limit",
        init=init,
        act=act,
        update=update,
        params=policy.params._replace(rho=1.0),
    )
