# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A first look at jaxbandits
#
# *20 minutes to read, about one minute to run on two cores.*
#
# jaxbandits simulates bandits whose actions consume a resource and whose feedback is
# censored by it. A policy and an environment are values made of pure functions for
# *one* seed and *one* round; one engine maps them over thousands of seeds and
# parameter points, on CPU and GPU. Results come back as labelled `xarray` datasets,
# with the seeds, versions and parameters that made them.
#
# To run this notebook: `pip install -e '.[notebook]'`, then
# `jupytext --to ipynb notebooks/00_start.py` and
# `jupyter execute --inplace notebooks/00_start.ipynb`.

# %%
import os

# One JAX device per core, set before JAX starts: runs are then spread over all cores.
os.environ.setdefault("JAX_NUM_CPU_DEVICES", str(os.cpu_count()))

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd

from jaxbandits import Policy, arrays, censored, plots, results, simulate, stats
from jaxbandits.censored import Action
from jaxbandits.testing import check_policy

TINY = os.environ.get("JAXBANDITS_TINY") == "1"  # A few seconds, for automatic tests.
HORIZON, SEEDS = (150, 5) if TINY else (5_000, 100)

# %% [markdown]
# ## The game
#
# In every round of the *censored* setting (Bengs & Hüllermeier, 2022) we choose an arm
# and a resource limit $\tau$. The arm draws a reward $R$ and a consumption $C$. If
# $C \le \tau$ we see both and gain $R - c(C)$; if not, we see neither and pay the
# penalty $\lambda(\tau)$. A pair of an arm and a limit is therefore worth
# $\nu = \mathbb{E}[(R - c(C))\,1\{C \le \tau\}] - \lambda(\tau)\,P(C > \tau)$.
#
# `indep()` is one of the paper's instances: ten arms, ten limits, rewards and
# consumptions independent. Its `problem` is what a learner knows before it starts; its
# `oracle` has the exact values of the game; no policy sees them.

# %%
environment = censored.indep()
problem = environment.problem
oracle = environment.oracle()

print("arms:", problem.num_arms)
print("limits:", np.round(problem.limits, 3))
print("penalties:", np.round(problem.penalties(), 3))
print(
    f"best pair: arm {oracle.arm}, limit {problem.limits[oracle.limit]:.3f}, "
    f"worth {oracle.value:.4f}, censored with probability "
    f"{oracle.censoring[oracle.arm, oracle.limit]:.4f}"
)

# %% [markdown]
# The penalty jumps at 0.5, and the best limit is the last one before the jump: it is
# right to be censored in 44 % of the rounds.
#
# ## Policies that play it
#
# A policy is built from the problem. Its parameters are numbers that any call can
# replace: here RCUCB plays twice, both times without the second part of its confidence
# length (the form that the paper's figures show), and once with the first part halved.
# The first call compiles, some seconds for each program; numbers are not part of a
# program, so that the second RCUCB and later calls of the same size cost none.

# %%
contestants = {
    "RCUCB": censored.rcucb(problem, penalty_radius=0.0),
    "RCUCB, halved": censored.rcucb(problem, penalty_radius=0.0, gain_radius=0.5),
    "Thompson sampling": censored.thompson(problem),
    "UCB on pairs": censored.ucb_reduction(problem),
}
data = simulate(contestants, environment, horizon=HORIZON, seeds=SEEDS)
print(dict(data.sizes))

# %% [markdown]
# The dataset has a value per policy, parameter point, seed and checkpoint (100 rounds,
# equally spaced, by default) of three metrics: the cumulative `regret`, computed
# exactly from counts; the share of `censored` rounds; and the share of `optimal`
# choices. The statistics in `jaxbandits.stats` reduce over seeds, and the intervals
# are Student's t with 95 % by default.


# %%
def final_table(data):
    """Regret at the horizon with its interval, and the two shares."""
    at_end = data.isel(params=0, checkpoint=[-1])
    regret = stats.interval(at_end, "regret")
    columns = {
        "regret": regret.mean.round(1),
        "from": regret.lower.round(1),
        "to": regret.upper.round(1),
        "censored": stats.mean(at_end, "censored").round(3),
        "optimal": stats.mean(at_end, "optimal").round(3),
    }
    columns = {name: x.values[:, 0] for name, x in columns.items()}
    return pd.DataFrame(columns, index=data["policy"].values)


final_table(data)

# %%
plots.plot_curves(data, title=f"Indep, {HORIZON:,} rounds")

# %% [markdown]
# The bands are pointwise intervals for the mean, here hardly wider than the lines, and
# not the spread of single runs; for that, `plot_curves(data, seeds_quantiles=(0.1,
# 0.9))`.
#
# ## The same luck for everyone
#
# Seed 7 means the same random numbers for every policy: two policies that choose the
# same pair in the same round get the same answer. Differences are therefore taken seed
# by seed, and their interval accounts for the luck that the two share. (`simulate`
# promises more: a seed's numbers depend neither on which other policies run nor on the
# devices or the checkpoints.)


# %%
def compare(data, metric, policy, baseline):
    """Print the paired difference at the horizon, and what the pairing was worth."""
    difference = stats.paired_difference(data, metric, policy, baseline)
    mean, low, high, ratio = (
        x.isel(params=0, checkpoint=-1).item() for x in difference
    )
    print(f"{metric}, {policy} minus {baseline}:")
    print(f"  {mean:.4g}, 95 % interval [{low:.4g}, {high:.4g}]")
    print(f"  variance if unpaired / variance: {ratio:.2f}")


compare(data, "regret", "RCUCB, halved", "RCUCB")
compare(data, "censored", "RCUCB, halved", "RCUCB")

# %% [markdown]
# The ratio says how many times more seeds it would take without common random numbers.
# Regret is counted from expectations, so that the luck of a single draw is not in it,
# and pairing gains little. The share of censored rounds depends on what was drawn: its
# difference, of less than a tenth of a percentage point, shows only because the seeds
# are paired.
#
# ## A policy of your own
#
# A policy is three functions. They see uniform random numbers (as many as they
# declare), the round, their own state, and the feedback; never the instance. Below is
# epsilon-greedy on the pairs of arm and limit. Since most limits are ruinous, it
# explores arms only: with probability epsilon it plays a random arm, at the limit of
# the pair that looks best.
#
# * What changes a shape goes into the factory. `cache` makes equal problems share one
#   policy, and so one compiled program.
# * What is a number goes into `Params`, and can be swept.
# * `pick` and `put` read and replace one entry at a traced index. They are written as
#   selections, which are faster here than `x[i]` and `x.at[i].set(...)`, since the
#   engine maps them over thousands of seeds.
# * `+inf` for pairs that have not been played makes the greedy choice try them first.


# %%
class Params(NamedTuple):
    epsilon: float = 0.1


class State(NamedTuple):
    pulls: jax.Array  # i32[K M]
    total: jax.Array  # f32[K M], sum of what was gained and lost
    mean: jax.Array  # f32[K M], +inf before the first pull


@cache
def epsilon_greedy(problem):
    size, shape = problem.num_pairs, (problem.num_arms, problem.num_limits)

    def init(params):
        empty = jnp.zeros(size, jnp.int32), jnp.zeros(size, float)
        return State(*empty, jnp.full(size, jnp.inf, float))

    def act(noise, view, state, params):
        arm, limit = arrays.split_index(arrays.first_argmax(state.mean), *shape)
        explores = arrays.occurs(noise[0], noise[1], params.epsilon)
        any_arm = arrays.position(noise[2], shape[0])
        return Action(jnp.where(explores, any_arm, arm), limit)

    def update(noise, view, state, action, feedback, params):
        consumption = jnp.where(feedback.censored, 0.0, feedback.consumption)
        gain = feedback.reward - problem.cost(consumption)
        penalty = arrays.pick(jnp.asarray(problem.penalties(), float), action.limit)
        pair = action.arm * shape[1] + action.limit
        pulls = arrays.pick(state.pulls, pair) + 1
        total = arrays.pick(state.total, pair)
        total = total + jnp.where(feedback.censored, -penalty, gain)
        new = State(pulls, total, total / pulls.astype(float))
        return jax.tree.map(lambda x, value: arrays.put(x, pair, value), state, new)

    return Policy("epsilon-greedy", init, act, update, Params(), words=(3, 0))


# %% [markdown]
# The first line of `update` looks odd: a censored consumption is `+inf`, and both
# branches of a `where` are computed, so we keep infinity out of the one not taken.
#
# `check_policy` plays some rounds and raises an `AssertionError` that names the broken
# promise, if there is one: a state that changes its shape or type, a NaN, a run that
# depends on more than its seed, and so on.

# %%
mine = epsilon_greedy(problem)
check_policy(mine, environment)
print("the contract is kept")

# %%
try:
    forgetful = mine._replace(init=lambda params: mine.init(params)._replace(pulls=0))
    check_policy(forgetful, environment)
except AssertionError as error:
    print("AssertionError:", error)

# %% [markdown]
# Since seeds mean the same thing in every call, we can simulate our policy alone and
# still compare it, seed by seed, with those above; but naming all of them is simpler,
# and costs no new compilation.

# %%
data = simulate(
    {**contestants, mine.name: mine}, environment, horizon=HORIZON, seeds=SEEDS
)
plots.plot_curves(data, title=f"Indep, {HORIZON:,} rounds")

# %% [markdown]
# The steep start is the price of trying every pair: a pair with a large limit looks
# good until its first penalty.

# %%
compare(data, "regret", mine.name, "RCUCB")

# %% [markdown]
# ## Sweeping a parameter
#
# `policy.over(...)` is the policy at every point of a grid, in one compiled program:
# seeds times points run side by side. Several parameters give all combinations; values
# in `zipped(...)` go together, the first ones, then the second, and so on.

# %%
grid = [0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8]
swept = simulate(mine.over(epsilon=grid), environment, horizon=HORIZON, seeds=SEEDS)

at_end = swept.isel(policy=0, checkpoint=-1)
epsilon = at_end["param_epsilon"].values
mean, low, high = (
    x.values for x in stats.interval(at_end.drop_vars("policy"), "regret")
)
fig, (ax,) = plots.figure()
style = plots.line_style(0)
ax.plot(epsilon, mean, marker="o", color=style.color)
ax.fill_between(epsilon, low, high, color=style.color, alpha=0.2, linewidth=0)
ax.set(xlabel=r"$\varepsilon$", ylabel=f"regret after {HORIZON:,} rounds")
ax.set_title(f"epsilon-greedy, mean of {SEEDS} seeds and 95 % interval")
ax.set_ylim(bottom=0)
fig

# %% [markdown]
# A little exploration pays, a lot costs in proportion; anything from 0.02 to 0.2 is
# equally good as far as these seeds can tell.
#
# ## Keeping results
#
# A dataset is saved as netCDF, whole or not at all, and comes back identical. It
# carries what made it.

# %%
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "start.nc"
    results.save(data, path)
    loaded = results.load(path)
    print(f"{path.stat().st_size / 1000:.0f} kB, identical: {loaded.identical(data)}")

made = json.loads(loaded.attrs["provenance"])
print("root seed:", made["root_seed"])
print("optimal pair:", made["environments"]["Indep"]["optimal_pair"])
print("JAX:", made["versions"]["jax"])

# %% [markdown]
# ## Where to go next
#
# * `jaxbandits list` names the paper's figures and tables; `jaxbandits reproduce
#   censored-fig4 --quick` runs one of them small.
# * `jaxbandits/protocol.py` and `jaxbandits/censored/problem.py` are the two files to
#   read before writing a policy; `jaxbandits/censored/policies/` holds examples. A
#   plain policy on n arms becomes one on pairs with `censored.product_arms`.
# * `censored.make_environment(...)` makes an environment of your own from a problem and
#   a joint law of `jaxbandits.laws`; `jaxbandits.testing.check_environment` checks it.
# * `studies/results/errata.md` lists where the paper and its figures differ,
#   `penalty_radius` included.
