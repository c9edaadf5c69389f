# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A law, a game and a policy of one's own
#
# *15 minutes to read, about one minute to run on two cores.*
#
# All three are values made of plain functions, and each has a function that checks it.
# Nothing needs to be registered: what you build here plays beside everything else.
#
# %%
import os

# One JAX device per core, set before JAX starts: runs are then spread over all cores.
os.environ.setdefault("JAX_NUM_CPU_DEVICES", str(os.cpu_count()))

from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd

from jaxbandits import Policy, arrays, budgeted, laws, plots, simulate
from jaxbandits.testing import check_environment, check_law, check_policy

TINY = os.environ.get("JAXBANDITS_TINY") == "1"  # A few seconds, for automatic tests.
BUDGET, SEEDS = (60, 3) if TINY else (5_000, 200)

# %% [markdown]
# ## A law
#
# The power law on [0, 1]: $P(X \le x) = x^a$. A law is a sampler for the rounds, which
# takes a fixed number of random words, and exact moments, which regret needs.
# Parameters have a leading axis of arms; the sampler gets those of one arm.


# %%
class Power(NamedTuple):
    exponent: np.ndarray  # f64[K] > 0


def sample(noise, params):
    # By the logarithm: a small draw has as many digits as a large one.
    return jnp.exp(arrays.log_survival(*noise) / params.exponent)


def check(params):
    if not np.all(np.asarray(params.exponent) > 0):
        raise ValueError(f"exponent must be positive, got {params.exponent}")


def column(params, like):
    return np.reshape(params.exponent, (-1, *(1,) * np.ndim(like)))


power = laws.Law(
    "power",
    2,
    sample,
    check,
    mean=lambda p: p.exponent / (p.exponent + 1),
    support=lambda p: (np.asarray(0.0), np.asarray(1.0)),
    cdf=lambda p, x: np.clip(x, 0.0, 1.0) ** column(p, x),
    quantile=lambda p, q: q ** (1 / np.reshape(p.exponent, (-1, 1))),
)
check_law(power, Power(np.array([0.5, 1.0, 3.0])))
print("the law keeps its promises")

# %% [markdown]
# A wrong moment would give a wrong regret without an error. `check_law` compares the
# functions of a law with one another and with draws:

# %%
try:
    wrong = power._replace(mean=lambda p: p.exponent / (p.exponent + 2))
    check_law(wrong, Power(np.array([0.5, 1.0, 3.0])))
except AssertionError as error:
    print("AssertionError:", str(error).splitlines()[0])

# %% [markdown]
# ## A game
#
# Most environments are one call with a law of rewards and costs and its parameters.
# Here rewards are Bernoulli and costs follow the power law; a function draws new arms
# for every seed.


# %%
def draw(key, setup):
    chance, exponent = jax.random.split(key)
    shape = setup["like"].shape
    reward = jax.random.uniform(chance, shape, minval=0.1, maxval=0.9)
    cost = jnp.exp(jax.random.uniform(exponent, shape, minval=-1.5, maxval=1.5))
    arms = laws.Product(laws.Bernoulli(reward), Power(cost))
    return budgeted.Arms(arms, jnp.int32(shape[0]))


game = budgeted.random_environment(
    "coins for powers",
    laws.product(laws.bernoulli, power),
    draw,
    {"like": np.ones(8)},
    8,
)
check_environment(game, budgeted.uniform(game.problem), rounds=100)
print("the game keeps the protocol, and its accounts count every round")

# %% [markdown]
# ## A policy
#
# Three functions: `init`, `act`, `update`. They see random words (as many as they
# declare), a view of the round, their own state and the feedback; never the instance.
# This one divides what an arm has brought by what it has cost, and adds a bonus.
# Numbers are in `Params`, where any call can replace them; `cache` makes equal problems
# share a program.


# %%
class Params(NamedTuple):
    bonus: float = 0.5


class State(NamedTuple):
    pulls: jax.Array  # i32[K]
    reward: jax.Array  # f32[K]
    cost: jax.Array  # f32[K]


@cache
def ratio_ucb(problem):
    size = problem.num_arms

    def init(params):
        zeros = jnp.zeros(size, float)
        return State(jnp.zeros(size, jnp.int32), zeros, zeros)

    def act(noise, view, state, params):
        pulls = jnp.maximum(state.pulls, 1).astype(float)
        log = jnp.log(view.round.astype(float))
        upper = (state.reward + params.bonus * jnp.sqrt(pulls * log)) / state.cost
        index = jnp.where(state.cost > 0, upper, jnp.inf)  # every arm once, at first
        return arrays.random_argmax(index, noise[0])

    def update(noise, view, state, action, feedback, params):
        old = arrays.row(state, action)
        new = State(
            old.pulls + 1, old.reward + feedback.reward, old.cost + feedback.cost
        )
        return arrays.with_row(state, action, new)

    return Policy("ratio-UCB", init, act, update, Params(), words=(1, 0))


mine = ratio_ucb(game.problem)
check_policy(mine, game)
print("the contract is kept")

# %% [markdown]
# Beside the others, and at several values of its parameter, in one call:

# %%
bonuses = [0.05, 0.1, 0.2, 0.5, 1.0]
cast = {
    "ratio-UCB": mine.over(bonus=bonuses),
    "omega*-UCB": budgeted.omega_star_ucb(game.problem),
    "share-UCB": budgeted.share_ucb(game.problem),
    "uniform": budgeted.uniform(game.problem),
}
data = simulate(cast, game, budget=BUDGET, seeds=SEEDS)
print(dict(data.sizes))
last = data["regret"].mean("seed").isel(checkpoint=-1)
pd.DataFrame(last.values.round(1), index=data["policy"].values).rename_axis(
    columns="point of the grid"
)

# %%
tuned = int(np.nanargmin(last.sel(policy="ratio-UCB").values))
plots.plot_curves(
    data,
    params={"ratio-UCB": tuned},
    level=None,
    seeds_quantiles=(0.1, 0.9),
    y_scale="log",
    title=f"coins for powers, budget {BUDGET:,}",
)

# %% [markdown]
# Between the thin lines are 80 % of the runs. (An interval for the mean would warn
# here: a few runs are so much worse than the others that 200 seeds do not say what the
# mean is.)
#
# To add a policy to the library, with a NumPy twin that chooses the same arms, a margin
# for near ties and an entry of the registry, follow CONTRIBUTING step by step.
