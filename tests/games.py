"""A small game for the policies of every setting, by the first part of their names."""

from functools import cache

import jax.numpy as jnp
import numpy as np

from jaxbandits import allocation, budgeted, censored, farewell
from jaxbandits.laws import Bernoulli, Exponential, Product, bernoulli, product
from jaxbandits.laws import exponential as exponential_law
from jaxbandits.protocol import Policy

GAMES = {
    "censored": censored.example1,
    "continuum": lambda: censored.indep(censored.ANY),
    "combinatorial": lambda: censored.combinatorial(censored.example1(), 2),
    "dueling": lambda: censored.duels(censored.example1()),
    "budgeted": lambda: budgeted.s_br(3),
    "farewell": farewell.figure_1a,
    "allocation": lambda: allocation.simulation(3),
    "ordered": lambda: allocation.ordered(allocation.simulation(3, 6.0), [2, 6]),
}


def coins(limits=None, num_arms=10):
    """Arms with laws that XLA compiles quickly: coins, and exponential consumptions."""
    limits = censored.equidistant(10) if limits is None else limits
    problem = censored.running_example(num_arms, limits)
    means = np.linspace(0.3, 0.7, num_arms)
    return timed_coins(problem, means, np.full(num_arms, 1.8))


@cache
def repeating(num_arms):
    """A plain policy that plays arm 0; its state is the reward of the last round."""
    return Policy(
        "repeating",
        init=lambda params: jnp.zeros((), float),
        act=lambda noise, view, state, params: jnp.int32(0),
        update=lambda noise, view, state, action, reward, params: reward,
    )


def timed_coins(problem, means, rates):
    """A game of the censored setting: coins, and exponential consumptions."""
    arms = Product(
        Bernoulli(np.array(means, np.float64)), Exponential(np.array(rates, np.float64))
    )
    law = product(bernoulli, exponential_law)
    return censored.make_environment("coins", problem, law, arms)


COINS = product(bernoulli, bernoulli)  # of rewards and of costs


def two_coins(rewards, costs):
    """Parameters of `COINS`."""
    return Product(*(Bernoulli(np.array(x, np.float64)) for x in (rewards, costs)))


def paid_coins(rewards, costs, **options):
    """A game of the budgeted setting. Equal sizes share their programs."""
    arms = two_coins(rewards, costs)
    return budgeted.make_environment("coins", COINS, arms, **options)


@cache
def waits_with_gaps():
    """Footnote 3: delays and waits that are not 1, ..., D, and not the same."""
    return farewell.make_environment(
        "own",
        [[0.3, 0.1, 0.2, 0.3, 0.1], [0.1, 0.0, 0.4, 0.3, 0.2]],
        [[0.2, 0.9, 0.5, 1.0, 0.7], [1.0, 0.3, 0.6, 0.0, 0.9]],
        delays=[1, 3, 4, 9, 40],
        waits=[2, 4, 10],
    )


@cache
def four_waits(failure="wait"):
    """Two macro-arms, and delays that may be longer than the longest wait."""
    delay = [[0.3, 0.1, 0.2, 0.1, 0.3], [0.1, 0.0, 0.4, 0.3, 0.2]]
    reward = [[0.2, 0.9, 0.5, 1.0, 0.7], [1.0, 0.3, 0.6, 0.0, 0.9]]
    return farewell.make_environment(
        "four waits", delay, reward, num_waits=4, failure=failure
    )


# Of policies that are another's in the game of their setting.
OWN_GAMES = {"farewell/hazard-thompson-joint": waits_with_gaps}


@cache
def game_of(setting: str):
    """The game of a setting, made once: some fit their laws, and find their optimum."""
    return GAMES[setting]()


def game_for(name: str):
    """The game of a policy of the registry."""
    own = OWN_GAMES.get(name)
    return own() if own else game_of(name.split("/")[0])


def given_arms(
    name,
    family,
    probability,
    rate,
    budgets,
    *,
    order="cycle",
    stop_on_success=False,
    users=None,
    **known,
):
    """A game of the allocation setting, and the problem that it is of."""
    problem = allocation.make_problem(family, len(rate), budgets, **known)
    options = {"order": order, "stop_on_success": stop_on_success, "users": users}
    return allocation.make_environment(
        name, problem, probability, rate, budgets, **options
    )
