# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Farewell: how long to wait?
#
# *15 minutes to read, a few minutes to run on two cores.*
#
# The setting of Sharoff, Mehta & Ganti (2020). A reward comes after a random delay;
# giving up early leaves time for another try. The game ends when the clock reaches T.
# %%
import os

# One JAX device per core, set before JAX starts: runs are then spread over all cores.
os.environ.setdefault("JAX_NUM_CPU_DEVICES", str(os.cpu_count()))

import numpy as np
import pandas as pd

from jaxbandits import farewell, plots, simulate
from jaxbandits_studies.theory import farewell as theory

TINY = os.environ.get("JAXBANDITS_TINY") == "1"  # A few seconds, for automatic tests.
CLOCK, SEEDS = (200, 3) if TINY else (200_000, 100)

# %% [markdown]
# ## What a wait is worth
#
# One macro-arm and ten waits. A longer wait brings more per epoch and makes epochs
# longer; the best wait has the largest reward per unit of time.

# %%
game = farewell.figure_1a()
oracle = game.oracle()
best = game.problem.lengths[oracle.wait]
print(f"best: wait {best}, {oracle.rate:.4f} per unit of time")
pd.DataFrame(
    {
        "reward of an epoch": oracle.mean_reward[0].round(3),
        "its time": oracle.mean_time[0].round(2),
        "per unit": oracle.rates[0].round(4),
    },
    index=pd.Index(game.problem.lengths, name="wait"),
).T

# %% [markdown]
# ## Learning to give up
#
# Wait-UCB knows that an epoch of a wait also shows what shorter waits would have
# brought. Hazard Thompson sampling, which is ours and our advice, learns the value of
# every single unit of waiting. Policies for budgets play here too, on pairs of an arm
# and a wait: a wait is a cost. omega*-UCB plays in its paper's form and in two shrunk
# forms, in which no estimate of a variance is 0. The first also learns about shorter
# waits from every epoch; the second uses product-limit estimates, by which longer waits
# learn from shorter ones too.

# %%
cast = {
    "Wait-UCB": farewell.wait_ucb(game.problem),
    "omega*-UCB": farewell.omega_star_ucb(game.problem),
    "omega*, shrunk, shorter": farewell.omega_star_ucb(
        game.problem, observe="shorter", variance="shrunk"
    ),
    "omega*, shrunk, product-limit": farewell.product_limit_omega(
        game.problem, variance="shrunk"
    ),
    "hazard TS": farewell.hazard_thompson(game.problem),
    "BTS": farewell.bts(game.problem),
    "UCB-Simplex": farewell.ucb_simplex(game.problem),
}
data = simulate(cast, game, budget=CLOCK, seeds=SEEDS)
print(dict(data.sizes))
plots.plot_curves(
    data,
    level=None,
    seeds_quantiles=(0.1, 0.9),
    title="Figure 1a",
    x_scale="log",
    y_scale="log",
)

# %%
last = data["regret"].isel(params=0, checkpoint=-1)
columns = {
    "mean": last.mean("seed"),
    "median": last.median("seed"),
    "worst run": last.max("seed"),
}
pd.DataFrame(
    {name: x.values.round(1) for name, x in columns.items()},
    index=data["policy"].values,
)

# %% [markdown]
# ## What the theorem promises
#
# Theorem 2 bounds the regret of Wait-UCB. The table has the largest regret that any
# policy can have beside it: where the bound is smaller, the theorem is informative.

# %%
clock = np.geomspace(1e4, 1e12, 5)
gaps, times = oracle.gaps, oracle.mean_time
bound = theory.regret_bound(clock, gaps, times, game.problem.lengths)
largest = theory.trivial_bound(clock, gaps, game.problem.lengths)
pd.DataFrame(
    {"bound": bound, "largest regret": largest, "informative": bound < largest},
    index=[f"{x:.0e}" for x in clock],
).round(0)

# %% [markdown]
# ## A game of one's own
#
# Delays are numbers: `delay[k][d]` is the chance that arm k answers after exactly d + 1
# units, the last entry the chance that it takes longer than all waits; `reward[k][d]`
# is what an answer then brings. Two services: one answers at once or hardly ever, the
# other takes its time.

# %%
delay = [[0.55, 0.05, 0.02, 0.02, 0.02, 0.34], [0.05, 0.1, 0.2, 0.3, 0.25, 0.1]]
reward = [[0.6] * 6, [0.9] * 6]
services = farewell.make_environment("two services", delay, reward, num_waits=5)
best = services.oracle()
print(f"service {best.arm}, wait {services.problem.lengths[best.wait]}")
pd.DataFrame(
    best.rates.round(4),
    index=["service 0", "service 1"],
    columns=pd.Index(services.problem.lengths, name="wait"),
)

# %%
own = {
    "Wait-UCB": farewell.wait_ucb(services.problem),
    "omega*, shrunk, shorter": farewell.omega_star_ucb(
        services.problem, observe="shorter", variance="shrunk"
    ),
    "hazard TS": farewell.hazard_thompson(services.problem),
    "uniform": farewell.uniform(services.problem),
}
found = simulate(own, services, budget=CLOCK // 10, seeds=SEEDS)
at_end = found.isel(params=0, checkpoint=-1).mean("seed")
pd.DataFrame(
    {name: at_end[name].values.round(3) for name in ("reward", "regret", "optimal")},
    index=found["policy"].values,
)
