"""Thompson sampling for allocation: a challenger of our own.

A rate and a probability are drawn for every arm from its posterior, and the optimum for
these is played; all arms learn in every round. The posterior of the rate is that of the
likelihood grid under a flat prior of ``log rate``: by its distribution function while
it covers several nodes, and by its signed root once it is narrower (for a standard
normal z, the rate on the side of z's sign at which twice the log likelihood ratio is
``z**2``; off by the order of the squared width, and in need of no finer grid as
observations accumulate). Given the rate, the probability is drawn by the signed root of
the Poisson likelihood of successes.

With several `draws` the mean of their optima is played. Where the families are concave
so is what a round is worth, and by Jensen's inequality the mean is worth at least as
much as its parts are on average, whatever the true parameters are; and no arm gets less
than ``1 / draws`` of what a single draw would give it, so that what one draw explores
many do as well (docs/theory/mean-allocation.md). In a cascade it is the logarithm of
the chance to have no success that is convex: a mean fails at most as often as its parts
do in the geometric mean.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.scipy.special import ndtr
from jaxtyping import Float

from jaxbandits.arrays import constant, pick, stored, unit_interval, window
from jaxbandits.checks import at_least_one, whole
from jaxbandits.factory import factory
from jaxbandits.kernels.normal import normal_quantile
from jaxbandits.policies.allocation.estimates import (
    FINE,
    Estimate,
    Grid,
    Statistics,
    estimate,
    likelihood,
    no_statistics,
    observe,
    probability_bound,
    rate_bounds,
)
from jaxbandits.policies.allocation.handing_out import best_way
from jaxbandits.policies.allocation.learning import start_allocation, turn
from jaxbandits.protocol import Policy
from jaxbandits.settings.allocation import Action, Allocation, Problem
from jaxbandits.settings.allocation.solving import is_concave, shape_array


class Params(NamedTuple):
    """initial >= 1: rounds of uniform play before."""

    initial: float = 1.0


def _check(params: Params) -> None:
    at_least_one(initial=params.initial)


class State(NamedTuple):
    """Statistics and estimates of all arms."""

    statistics: Statistics
    found: Estimate


LEAST = 1e-30  # stands for the mass of an empty cell
MOST_DRAWS = 1000  # each is solved in every round: more would seem to hang
BROAD = 2.5  # nodes; a normal law of standard deviation 1 covers these


def _from_grid(
    log_density: Float[Array, " J"], uniform: Float[Array, ""], last: float
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """A draw by the distribution function of a density that is linear between nodes.

    Args:
      log_density: f[J], at most about 0.
      uniform: f[] in (0, 1).
      last: place in (J - 2, J - 1] where the density ends.

    Returns:
      ``(place f[] in [0, last], breadth f[])``: the breadth is the number of nodes
      that a density as high as the highest would need.
    """
    density = jnp.exp(log_density - jnp.max(log_density))
    width = np.minimum(last - np.arange(density.shape[0] - 1), 1.0)
    mass = 0.5 * (density[1:] + density[:-1]) * constant(width)
    below = stored(jnp.cumsum(mass))
    total = below[-1]
    uniform = uniform.astype(total.dtype)
    cell = jnp.sum(below < uniform * total, dtype=jnp.int32)
    cell = jnp.minimum(cell, mass.shape[0] - 1)
    inside = window(mass, cell, 1)[0]
    missing = window(below, cell, 1)[0] - uniform * total
    share = jnp.clip(1 - missing / jnp.maximum(inside, LEAST), 0.0, 1.0)
    cell = cell.astype(share.dtype)
    return cell + share * jnp.minimum(last - cell, 1.0), total


@factory(Problem)
def thompson_allocation(
    problem: Problem, draws: int = 1
) -> Policy[State, Params, Action]:
    """Thompson sampling with truncated likelihoods.

    Args:
      problem: what is known of the game. Budgets that are not known in advance are
        handed out as `handing_out` says; rounds of uniform play are then nearly so.
      draws: how many draws' optima are averaged; an optimum is solved for each.

    Raises:
      ValueError: if `draws` is not in [1, 1000], or above 1 where an average is no
        allocation or may be worse: for sigmoids, whole units and budgets that are not
        known.
    """
    whole("draws", draws, 1, MOST_DRAWS)
    if draws > 1 and not (
        problem.known and is_concave(problem) and not problem.family.integer
    ):
        raise ValueError(
            f"draws must be 1 unless budgets are known and the family is concave, got "
            f"{draws}"
        )
    hand_out, num_arms, grid = (
        best_way(problem),
        problem.num_arms,
        Grid.of(problem, FINE),
    )
    start = "uniform_split"
    shapes = shape_array(problem)

    def init(params):
        del params
        statistics = no_statistics(problem, "truncated", grid=grid)
        return State(statistics, every_estimate(statistics))

    def every_estimate(statistics):
        each = partial(estimate, problem, grid=grid)
        return jax.vmap(each)(statistics, shapes)

    def draw(statistics, found, z_rate, z_probability):
        """Place of the rate and probability of one arm."""
        known = likelihood(statistics)
        broad, breadth = _from_grid(known.values, ndtr(z_rate), grid.last)
        sides = rate_bounds(problem, known, found, z_rate**2, grid)
        narrow = jnp.where(z_rate < 0, *sides)
        place = jnp.where(breadth > BROAD, broad, narrow)
        probability = probability_bound(statistics, place, z_probability)
        return grid.rate(place), probability

    def act(noise, view, state, params):
        z = normal_quantile(unit_interval(noise)).reshape(draws, 2, num_arms)
        now = turn(problem, start, params.initial, view.round)
        alone = start_allocation(problem, start, now, view)

        def optimum(scores):
            rate, probability = jax.vmap(draw)(*state, *scores)
            return hand_out(now.starting, alone, probability, rate, view.budget)

        if draws == 1:
            return optimum(z[0])

        def add(i, amounts):
            return amounts + optimum(pick(z, i)).amounts

        total = lax.fori_loop(0, draws, add, jnp.zeros(num_arms, float))
        return Allocation(total / draws)

    def update(noise, view, state, action, feedback, params):
        del noise, view, action, params
        statistics = jax.vmap(partial(observe, problem, grid=grid))(
            state.statistics, feedback.threshold, feedback.allocation, shapes
        )
        return State(statistics, every_estimate(statistics))

    name = "Thompson" if draws == 1 else f"Thompson, mean of {draws}"
    words = (2 * num_arms * draws, 0)
    return Policy(name, init, act, update, Params(), words, check=_check)
