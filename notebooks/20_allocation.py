# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Allocation: who gets how much?
#
# *15 minutes to read, a few minutes to run on two cores.*
#
# The setting of Montanari, Fiegel, Pla, Saha & Perchet. In every round a budget is
# split over arms; an arm succeeds if its share reaches a threshold that is drawn anew
# each time. The threshold of an arm that failed stays unknown.
# %%
import os

# One JAX device per core, to be said before JAX starts: runs are then spread over all.
os.environ.setdefault("JAX_NUM_CPU_DEVICES", str(os.cpu_count()))

import numpy as np
import pandas as pd

from jaxbandits import allocation, plots, simulate
from jaxbandits.laws import thresholds

TINY = os.environ.get("JAXBANDITS_TINY") == "1"  # A few seconds, for automatic tests.
HORIZON, SEEDS = (40, 3) if TINY else (2_000, 100)

# %% [markdown]
# ## A game
#
# Five arms with exponential thresholds. `probability` is the chance that an arm
# succeeds at all, `rate` says how soon: the mean threshold is one over it. The learner
# knows the family and a range of the rates, and nothing else.

# %%
probability = [0.9, 0.8, 0.7, 0.5, 0.3]
rate = [0.2, 1.0, 0.5, 2.0, 1.0]
problem = allocation.make_problem(thresholds.exponential, 5, 4.0, lowest=0.1, highest=4)
game = allocation.make_environment("five arms", problem, probability, rate)
oracle = game.oracle()
(best,) = oracle.allocation  # of the one budget
pd.DataFrame({"probability": probability, "rate": rate, "best share": best.round(2)})

# %% [markdown]
# The first arm succeeds most often, if it only gets enough. The budget is too small for
# that: it gets nothing.
#
# ## Learning to split
#
# RA-UCB is optimistic about rates and probabilities and takes the best split for these;
# Thompson sampling takes the best split for one draw from its posterior, or the mean of
# the best splits for eight draws (`feasible=True` rules out rates that are too small
# for the successes seen). `uniform` never learns.

# %%
cast = {
    "RA-UCB": allocation.ra_ucb(game.problem),
    "Thompson": allocation.thompson(game.problem),
    "mean of eight draws": allocation.thompson(game.problem, draws=8, feasible=True),
    "explore, then commit": allocation.ra_etc(game.problem),
    "uniform": allocation.uniform(game.problem),
}
data = simulate(cast, game, horizon=HORIZON, seeds=SEEDS)
print(dict(data.sizes))
plots.plot_curves(
    data,
    level=None,
    seeds_quantiles=(0.1, 0.9),
    title=f"five arms, {HORIZON:,} rounds",
    y_scale="log",
)

# %% [markdown]
# Regret is measured in expected successes. Here it is as a share of what the oracle
# earns in all rounds:

# %%
earned = oracle.value.item() * HORIZON
last = data["regret"].isel(params=0, checkpoint=-1)
lost = {"mean": last.mean("seed"), "worst run": last.max("seed")}
pd.DataFrame(
    {
        name: [f"{x / earned:.2%}" for x in values.values]
        for name, values in lost.items()
    },
    index=data["policy"].values,
)

# %% [markdown]
# ## How much of its optimism does RA-UCB need?
#
# RA-UCB loses more than a uniform split: its radii are made for the worst case. They
# have a scale, a parameter like any other, so that one call plays it at many values; in
# this game less is better, as long as the scale is not 0.

# %%
scales = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]
swept = simulate(cast["RA-UCB"].over(scale=scales), game, horizon=HORIZON, seeds=SEEDS)
plots.plot_sensitivity(swept, x="scale", x_scale="log", level=None)

# %% [markdown]
# ## Arms that need a large share before they can succeed
#
# With gamma thresholds of shape 3 the success curve is at first convex, and the best
# split gives nothing to arms that a small share would not help. The calls stay the
# same.

# %%
gamma = allocation.make_problem(
    thresholds.gamma, 5, 4.0, shape=3.0, lowest=0.3, highest=12
)
slow = allocation.make_environment(
    "slow starters", gamma, probability, [3 * r for r in rate]
)
pd.DataFrame(
    {
        "exponential": best.round(2),
        "gamma, shape 3": slow.oracle().allocation[0].round(2),
    }
)

# %% [markdown]
# ## One success is enough
#
# A round may pay once, 1 if any arm succeeds. Then further units are worth less on all
# arms but the likeliest, and another split is the best. Policies built for sums of
# successes are refused here.

# %%
once = allocation.make_environment(
    "one is enough", problem._replace(cascade=True), probability, rate
)
(alone,) = once.oracle().allocation
chance = {
    name: 1 - np.prod(1 - np.array(probability) * -np.expm1(-np.array(rate) * split))
    for name, split in {"most successes": best, "one success": alone}.items()
}
pd.DataFrame(
    {
        "most successes": [*best.round(2), f"{chance['most successes']:.4f}"],
        "one success": [*alone.round(2), f"{chance['one success']:.4f}"],
    },
    index=[*(f"arm {k}" for k in range(5)), "chance of a success"],
)

# %%
knows = allocation.thompson(once.problem, draws=8)
played = simulate(knows, once, horizon=HORIZON, seeds=SEEDS)
share = played["reward"].isel(params=0, checkpoint=-1).mean().item() / HORIZON
print(f"rounds with a success, learning included: {share:.4f}")

# %% [markdown]
# ## Arms in turn, with an unknown budget
#
# Units go to one arm after the other until the round's budget is used up, and the
# learner cannot return to an earlier arm. Before the round it chooses the order and the
# largest number of units for each arm. The best choice depends on the whole
# distribution of the budget: here three budgets of 6 units on average, and the best
# plan for each.

# %%
problem = allocation.make_problem(thresholds.exponential, 5, 6.0, lowest=0.1, highest=4)
arms = allocation.make_environment("five arms", problem, probability, rate)
laws = {
    "always 6": [6],
    "1 to 11": [*range(1, 12)],
    "3, sometimes 15": [3, 3, 3, 15],
}
turns = {name: allocation.ordered(arms, budgets) for name, budgets in laws.items()}
oracles = {name: one.oracle() for name, one in turns.items()}
pd.DataFrame(
    {
        name: [
            ", ".join(
                f"{k} ({n})" for k, n in zip(plan.arms, plan.amounts, strict=True) if n
            ),
            round(plan.value, 3),
        ]
        for name, plan in oracles.items()
    },
    index=["arms in turn (units)", "worth"],
).T

# %% [markdown]
# Thompson sampling that plays the best turns for the budgets that it has seen, and one
# that plans as if it could return to an arm:

# %%
rare = turns["3, sometimes 15"]
served = {
    "Thompson": allocation.ordered_thompson(rare.problem),
    "as if switching": allocation.ordered_thompson(rare.problem, plan="greedy"),
    "uniform": allocation.uniform_turns(rare.problem),
}
in_turn = simulate(served, rare, horizon=HORIZON, seeds=SEEDS, checkpoints="log")
plots.plot_curves(in_turn, x_scale="log", y_scale="log")

# %% [markdown]
# The oracles are kernels, see [Kernels without the simulator](02_kernels.ipynb); a quiz
# whose questions are the arms is in [Your data](04_your_data.ipynb).
