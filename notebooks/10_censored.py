# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Censored: which arm, and how long may it run?
#
# *15 minutes to read, a few minutes to run on two cores.*
#
# The setting of Bengs & Hüllermeier (2022). An arm is a configuration of a solver, say,
# and a limit is a timeout: stopped runs bring no reward, cost a penalty, and show only
# that they would have taken longer. [A first look](00_start.ipynb) explains the terms;
# this notebook is about what goes wrong.
# %%
import os

# One JAX device per core, set before JAX starts: runs are then spread over all cores.
os.environ.setdefault("JAX_NUM_CPU_DEVICES", str(os.cpu_count()))

import numpy as np
import pandas as pd

from jaxbandits import censored, plain, plots, simulate, stats
from jaxbandits_studies.theory import censored as theory

TINY = os.environ.get("JAXBANDITS_TINY") == "1"  # A few seconds, for automatic tests.
HORIZON, SEEDS = (150, 3) if TINY else (20_000, 100)

# %% [markdown]
# ## A game, seen by the oracle
#
# `trap()` has a pair of an arm and a limit that looks best for a long time and is not.
# The table gives the exact worth of every arm and limit.

# %%
game = censored.trap()
oracle = game.oracle()
worth = pd.DataFrame(
    oracle.values.round(4),
    index=[f"arm {i}" for i in range(game.problem.num_arms)],
    columns=[f"{x:.3g}" for x in game.problem.limits],
)
print(f"best: arm {oracle.arm}, limit {game.problem.limits[oracle.limit]:.3g}")
worth

# %% [markdown]
# ## Which policies fall into the trap?
#
# RCUCB with the Kaplan-Meier estimate and no penalty radius rarely tries a limit with a
# large penalty. Where such a limit is the best, some runs never learn it. A mean with
# its interval hides that; the worst run does not.


# %%
def contest(game):
    """Four policies, on the same seeds."""
    problem = game.problem
    cast = {
        "cell TS": censored.cell_thompson(problem),
        "RCUCB, thrifty": censored.rcucb(
            problem, survival="kaplan_meier", gain_radius=0.5, penalty_radius=0.0
        ),
        "RCUCB, eq. (12)": censored.rcucb(problem),
        "UCB on pairs": censored.ucb_reduction(problem),
    }
    return simulate(cast, game, horizon=HORIZON, seeds=SEEDS)


def table(data):
    """Regret at the end: mean, median, and the worst of the runs."""
    last = data["regret"].isel(params=0, checkpoint=-1)
    columns = {
        "mean": last.mean("seed"),
        "median": last.median("seed"),
        "worst run": last.max("seed"),
    }
    columns = {name: np.round(x.values, 1) for name, x in columns.items()}
    return pd.DataFrame(columns, index=data["policy"].values)


data = contest(game)
print(dict(data.sizes))
table(data)

# %% [markdown]
# The same four policies on the paper's first instance, which has no trap: here trying
# large limits rarely is an advantage. No single game says which policy to play; the
# page *Which policy?* of the documentation has many.

# %%
open_game = censored.poscorr()
same = contest(open_game)
table(same)

# %%
plots.plot_curves(same, title=f"{open_game.name}, {HORIZON:,} rounds", y_scale="log")

# %% [markdown]
# ## What the theorem promises
#
# Theorem 1 bounds the regret of RCUCB. A bound is informative where it lies below the
# largest regret that any policy can have, `trivial_bound`: for this game, from how many
# rounds on?

# %%
oracle = open_game.oracle()
gaps, penalties = oracle.gaps, open_game.problem.penalties()
rounds = np.geomspace(1e3, 1e9, 7)
bound = theory.rcucb_regret_bound(gaps, penalties, rounds, alpha=2.5)
largest = theory.trivial_bound(rounds, gaps)
shown = {"bound": bound, "largest regret": largest, "informative": bound < largest}
pd.DataFrame(shown, index=[f"{x:.0e}" for x in rounds]).round(0)

# %% [markdown]
# ## Any limit
#
# Limits need no grid: with `limits=ANY` a policy names any number up to the largest.
# z-RCUCB refines its own grid where it pays, inside arrays of a fixed size; policies
# for grids play by `on_grid`.

# %%
free = censored.indep(censored.ANY)
fine = {
    "z-RCUCB": censored.z_rcucb(
        free.problem, capacity=64, gain_radius=0.2, penalty_radius=0.0
    ),
    "cell TS, 20 limits": censored.on_grid(free.problem, 20, censored.cell_thompson),
}
played = simulate(fine, free, horizon=HORIZON, seeds=SEEDS)
print(
    stats.mean(played, "simple_regret")
    .isel(params=0, checkpoint=-1)
    .to_series()
    .round(4)
)
table(played)

# %% [markdown]
# With the radii of the paper z-RCUCB would explore during all of these rounds; here it
# plays with a fifth of the gain radius. `data["depth"]` and `data["overflow"]` say how
# far its grids went, and whether their arrays were large enough.

# %% [markdown]
# ## Several arms in a round
#
# `combinatorial(environment, size)` lets several arms run in every round, each with a
# limit of its own, and shows the result of each. A policy that learns from every arm
# stops exploring long before a policy that treats every set of arms as a single arm.

# %%
two = censored.combinatorial(censored.indep([0.1, 0.5, 0.9]), 2)
together = {
    "cell TS": censored.combinatorial_cell_thompson(two.problem),
    "CUCB on pairs": censored.cucb(two.problem),
    "UCB on super arms": censored.super_arms_as_arms(two.problem, plain.ucb),
}
lumped = simulate(together, two, horizon=HORIZON, seeds=SEEDS, checkpoints="log")
print(table(lumped))
plots.plot_curves(lumped, x_scale="log", y_scale="log")

# %% [markdown]
# ## Preferences in place of rewards
#
# `duels(environment)` runs two pairs in every round and shows no reward: only which run
# is preferred, and what both consumed. A policy that uses consumptions as in the
# paper's game learns the rewards from preferences and the rest from consumptions. A
# policy that makes one number of both learns slowly, because a penalty is worth ten
# rewards; and a policy that sees the preference alone prefers the largest limit.

# %%
pair = censored.duels(censored.indep([0.1, 0.5, 0.9]))
rivals = {
    "self-sparring on cells": censored.cell_self_sparring(pair.problem),
    "sparring UCB": censored.sparring_ucb(pair.problem),
    "RUCB on preferences": censored.rucb_on_pairs(pair.problem, "preferences"),
}
fought = simulate(rivals, pair, horizon=HORIZON, seeds=SEEDS, checkpoints="log")
print(table(fought))
plots.plot_curves(fought, x_scale="log", y_scale="log")
