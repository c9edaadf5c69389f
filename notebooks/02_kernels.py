# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Kernels without the simulator
#
# *10 minutes to read, about one minute to run on two cores.*
#
# The parts of policies can be used alone: oracles that split a budget, confidence
# intervals, laws, random numbers. They are functions of arrays: `jit`, `vmap` and
# `grad` work on them as on any JAX function, and importing them takes little longer
# than importing JAX.

# %%
import os

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd

from jaxbandits import arrays, kernels, laws, plots
from jaxbandits.kernels.allocation import (
    exponential_water_filling,
    kkt_residual,
    projected_gradient,
    sigmoid_filling,
    water_filling,
)
from jaxbandits.laws import thresholds

TINY = os.environ.get("JAXBANDITS_TINY") == "1"  # A few seconds, for automatic tests.
PROBLEMS, SEEDS, ROUNDS = (20, 10, 50) if TINY else (10_000, 2_000, 2_000)

# %% [markdown]
# ## Splitting a budget
#
# Arm $i$ succeeds with probability $w_i (1 - e^{-r_i x_i})$ if it gets $x_i$ of a
# budget $B$. The best split is a water-filling: all arms that get something have the
# same marginal gain, the others a smaller one. One problem, then ten thousand at a
# time, each with a bound on what any split could reach (by weak duality), so that you
# can check the solver's answer.


# %%
def draw(key):
    first, second = jax.random.split(key)
    weight = jax.random.uniform(first, (8,), minval=0.1)
    return weight, jax.random.uniform(second, (8,), minval=0.2, maxval=2.0)


weight, rate = draw(jax.random.key(0))
solution = exponential_water_filling(weight, rate, 3.0)
print("split:", np.round(solution.allocation, 3), "of", solution.allocation.sum())

many = jax.vmap(draw)(jax.random.split(jax.random.key(1), PROBLEMS))
solve = jax.jit(jax.vmap(exponential_water_filling, (0, 0, None)))
solutions = solve(*many, 3.0)
gap = (solutions.bound - solutions.value) / solutions.value
print(f"{PROBLEMS:,} problems: largest relative gap {gap.max():.1e}")

# %% [markdown]
# The derivative of the best value by the budget is the water level, and `grad` finds
# it: the solution is differentiable wherever the true one is.


# %%
def best_value(budget):
    return exponential_water_filling(weight, rate, budget).value


budget, step = 3.0, 1e-2
difference = (best_value(budget + step) - best_value(budget - step)) / (2 * step)
marginals = weight * rate * jnp.exp(-rate * solution.allocation)
print(f"grad: {jax.grad(best_value)(budget):.5f}, differences: {difference:.5f}")
print("marginals of the arms that get something:", marginals[solution.allocation > 0])

# %% [markdown]
# Other success curves work the same way. `thresholds.curves` gives those of a family; a
# family whose curve is at first convex (an arm that needs a good deal before anything
# happens) is no water-filling any more. `sigmoid_filling` finds the best set of arms to
# leave out, and says how far from the optimum it can be at most.

# %%
lomax = thresholds.curves(thresholds.lomax, weight, rate, 2.0)
concave = water_filling(lomax, 3.0)
print("Lomax, water-filling:", np.round(concave.allocation, 3))
residual = kkt_residual(lomax, concave.allocation, 3.0)
print(f"  residual of the optimality conditions: {residual:.1e}")


def objective(x):
    return jnp.sum(lomax.value(x))


climbed = projected_gradient(objective, jnp.full(8, 3.0 / 8), 3.0)
print(f"  value {concave.value:.6f}, by projected gradient {climbed.value:.6f}")

sigmoid = thresholds.curves(thresholds.gamma, weight, rate, 3.0)
split = sigmoid_filling(sigmoid, 8.0)
print("gamma with shape 3, budget 8:", np.round(split.allocation, 3))
print(f"  value {split.value:.4f}, no split has more than {split.bound:.4f}")

# %% [markdown]
# ## Intervals
#
# Mean 0.1 after 50 pulls: how large may the truth be? With error probability 1 % on
# each side, by Hoeffding, by empirical Bernstein, by Wilson's interval as omega-UCB has
# it, and by the Kullback-Leibler divergence of Bernoulli variables. The functions take
# arrays, here an array of numbers of pulls.

# %%
count = jnp.array([5.0, 20.0, 50.0, 200.0, 1000.0])
mean, confidence = 0.1, jnp.log(100.0)
upper = {
    "Hoeffding": kernels.hoeffding_interval(mean, count, confidence)[1],
    "Bernstein": kernels.bernstein_interval(mean, 0.09, count, confidence)[1],
    "Wilson": kernels.wilson_interval(mean, count, 2 * confidence)[1],
    "KL": kernels.kl_upper_bound(mean, confidence / count),
}
pd.DataFrame(upper, index=pd.Index(count.astype(int), name="pulls")).round(3)

# %% [markdown]
# ## A loop of one's own
#
# Laws take random *words*, and so does everything else: a run is a pure function of its
# words, and the same words mean the same luck for every policy. Twenty lines make a
# bandit without the library's engine: UCB with KL bounds on three Beta arms, thousands
# of runs side by side.

# %%
ARMS = laws.Beta(jnp.array([1.0, 2.0, 6.0]), jnp.array([4.0, 4.0, 6.0]))
MEANS = laws.beta.mean(ARMS)


def play(key):
    def round_(state, noise):
        pulls, total, t = state
        bound = kernels.kl_upper_bound(
            total / jnp.maximum(pulls, 1), jnp.log(t) / jnp.maximum(pulls, 1)
        )
        arm = arrays.first_argmax(jnp.where(pulls == 0, jnp.inf, bound))
        reward = laws.beta.sample(noise, jax.tree.map(lambda x: x[arm], ARMS))
        hit = jnp.arange(3) == arm
        state = pulls + hit, total + jnp.where(hit, reward, 0.0), t + 1
        return state, MEANS.max() - MEANS[arm]

    noise = jax.random.bits(key, (ROUNDS, laws.beta.words))
    start = jnp.zeros(3), jnp.zeros(3), jnp.float32(1.0)
    return jnp.cumsum(jax.lax.scan(round_, start, noise)[1])


regret = jax.jit(jax.vmap(play))(jax.random.split(jax.random.key(2), SEEDS))
last = np.asarray(regret[:, -1])
print(
    f"{len(last):,} runs of {ROUNDS:,} rounds: regret {last.mean():.2f} "
    f"± {last.std() / np.sqrt(len(last)):.2f}"
)

# %%
fig, (ax,) = plots.figure()
shown = np.quantile(regret, [0.1, 0.5, 0.9], axis=0)
look = plots.line_style(0)
ax.plot(shown[1], **look._asdict())
ax.fill_between(np.arange(ROUNDS), shown[0], shown[2], color=look.color, alpha=0.2)
ax.set(xlabel="round", ylabel="regret")
ax.set_title("KL-UCB on three Beta arms: median, 10 to 90 % of the runs")
fig

# %% [markdown]
# The simulator does the same with one policy or twenty, on all cores or a GPU. It
# computes regret exactly, and resumes after an interruption ([a first
# look](00_start.ipynb)). But nothing forces you to use it.
