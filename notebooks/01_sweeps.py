# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Sweeps
#
# *10 minutes to read, about two minutes to run on two cores.*
#
# A sweep plays policies at many parameter points on many environments, thousands of
# seeds each, into a store on disk. It can be stopped at any moment and goes on where it
# was, on this machine or a larger one, with the very numbers that it would have given.
#
# The question here: RCUCB (Bengs & Hüllermeier, 2022) explores by two confidence
# radii, one for the gain of a pair of an arm and a limit and one for its penalty.
# Eq. (12) of the paper sets the factors of both to 1. How much do they matter?

# %%
import os

# One JAX device per core, set before JAX starts: runs are then spread over all cores.
os.environ.setdefault("JAX_NUM_CPU_DEVICES", str(os.cpu_count()))

import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from jaxbandits import HalfWidth, Store, censored, plots, simulate, stats
from jaxbandits.censored import rcucb, thompson

TINY = os.environ.get("JAXBANDITS_TINY") == "1"  # A few seconds, for automatic tests.
HORIZON, SEEDS = (100, 20) if TINY else (2_000, 5_000)

folder = tempfile.TemporaryDirectory()  # Yours would be a folder that stays.
store = Path(folder.name) / "radii.zarr"

# %% [markdown]
# ## What to play
#
# Two environments, two policies, and a grid over two parameters of RCUCB: both factors
# from 0.003 to 1. Thompson sampling stays at its defaults, for comparison. Policies are
# given as functions of the problem, because each environment needs its own.

# %%
radii = [0.01, 0.1, 1.0] if TINY else [0.003, 0.01, 0.03, 0.1, 0.3, 1.0]


def radii_of_rcucb(problem):
    return rcucb(problem).over(gain_radius=radii, penalty_radius=radii)


game = {
    "policies": {"RCUCB": radii_of_rcucb, "TS": thompson},
    "environments": {"PosCorr": censored.poscorr(), "NegCorr": censored.negcorr()},
    "horizon": HORIZON,
    "checkpoints": np.linspace(HORIZON / 20, HORIZON, 20).astype(int),
    "store": Store(store, metrics=["regret"]),
}

# %% [markdown]
# First a tenth of the seeds. All points of a policy share one compiled program: points
# are lanes, like seeds.

# %%
began = time.perf_counter()
data = simulate(**game, seeds=SEEDS // 10)
first = time.perf_counter() - began
dict(data.sizes)

# %% [markdown]
# ## Stop and go
#
# The same call again plays nothing, because every block is in the store. After a power
# cut it would play the missing blocks.

# %%
began = time.perf_counter()
simulate(**game, seeds=SEEDS // 10)
again = time.perf_counter() - began
print(f"the second call took {100 * again / first:.0f} % of the time of the first")

# %% [markdown]
# The store knows its sweep. A call that does not fit says what differs:

# %%
try:
    simulate(**(game | {"root_seed": 7}), seeds=SEEDS)
except ValueError as error:
    print(str(error).replace(folder.name, "..."))

# %% [markdown]
# Seeds, parameter points, policies and environments may be added with `extend=True`.
# Blocks in the store are not played again.

# %%
began = time.perf_counter()
grown = {"store": game["store"]._replace(extend=True)}
data = simulate(**(game | grown), seeds=SEEDS)
rounds = 0.9 * SEEDS * 2 * (len(radii) ** 2 + 1) * HORIZON
print(f"{rounds / 1e6:,.0f} million rounds more")
print({dim: data.sizes[dim] for dim in ("policy", "params", "seed")})

# %% [markdown]
# Plain xarray can look into the store, also while it is being written (by
# `engine="jaxbandits"`): what has not been played is NaN.

# %%
same = xr.open_dataset(store, engine="jaxbandits")
print(same["regret"].dims, same["regret"].dtype)
who = same["session"].sel(policy="RCUCB")
print("complete:", float((who > 0).mean()))

# %% [markdown]
# ## Which radii?
#
# The mean regret at the end, for every point of the grid. The star marks the best cell;
# a dot marks every other cell that may still be the best. Star and dots together hold
# the best cell with probability 0.95 (all points were played on the same random
# numbers, seed by seed).

# %%
at = {"x": "gain_radius", "y": "penalty_radius", "policy": "RCUCB"}
named = {"RCUCB": "RCUCB on PosCorr"}
plots.plot_heat_map(data.sel(environment="PosCorr"), **at, labels=named)

# %%
named = {"RCUCB": "RCUCB on NegCorr"}
plots.plot_heat_map(data.sel(environment="NegCorr"), **at, labels=named)

# %% [markdown]
# The same as curves over one parameter, for some values of the other: on PosCorr the
# radius of the penalty matters most, and the printed radii (1 and 1, the upper right
# corner above) cost many times the regret of small ones; `studies/results/errata.md`
# says why.

# %%
plots.plot_sensitivity(
    data.sel(environment="PosCorr"),
    x="gain_radius",
    by="penalty_radius",
    policies=["RCUCB"],
    y_scale="log",
)

# %% [markdown]
# ## Against Thompson sampling
#
# Each policy at one parameter point: RCUCB at the best one, and as printed.

# %%
at_end = data["regret"].sel(environment="PosCorr", policy="RCUCB").isel(checkpoint=-1)
best = int(at_end.mean("seed").argmin("params"))
chosen = {
    leaf: float(data[f"param_{leaf}"].sel(policy="RCUCB")[best])
    for leaf in ("gain_radius", "penalty_radius")
}
print(f"point {best}: {chosen}")

# %%
plots.plot_curves(
    data.sel(environment="PosCorr"),
    params={"RCUCB": best, "TS": 0},
    labels={"RCUCB": "RCUCB, best radii"},
    title="PosCorr",
)

# %% [markdown]
# The intervals above hold point by point. A band that holds the whole curve is wider:

# %%
curve = data.sel(environment="PosCorr", policy=["RCUCB"]).isel(params=[best]).load()
pointwise, joint = stats.interval(curve, "regret"), stats.band(curve, "regret")
widths = {
    "pointwise": (pointwise.upper - pointwise.lower).values.ravel()[-1],
    "whole curve": (joint.upper - joint.lower).values.ravel()[-1],
}
pd.Series(widths, name="width at the end").round(3)

# %% [markdown]
# Is the difference real? `dominance` compares all pairs of policies on the same seeds
# and keeps the probability of any false verdict below 5 % (Holm's correction), where
# the seeds support one; elsewhere it gives a `reason` in place of a verdict.

# %%
verdicts = stats.dominance(
    data.sel(environment="PosCorr"), "regret", params={"RCUCB": best, "TS": 0}
)
columns = ["difference", "lower", "upper", "win_rate", "p_adjusted", "verdict"]
verdicts[columns].sel(policy="RCUCB", rival="TS").to_pandas().loc[columns].round(3)

# %% [markdown]
# ## How many seeds?
#
# Asking for more seeds until an interval looks short enough gives intervals that cover
# too rarely. A `HalfWidth` plays a pilot and then as many seeds as Stein's two-stage
# rule says, once; the coverage is then as stated.

# %%
environment = censored.poscorr()
precise = simulate(
    rcucb(environment.problem, gain_radius=0.1, penalty_radius=0.01),
    environment,
    horizon=HORIZON,
    checkpoints=[HORIZON],
    seeds=HalfWidth("regret", half_width=2.0, pilot=50),
)
width = stats.fixed_width_interval(precise["regret"].isel(checkpoint=-1), pilot=50)
pd.Series(
    {"seeds": precise.sizes["seed"]}
    | {name: getattr(width, name).item() for name in width._fields}
).round(2)

# %% [markdown]
# ## From here
#
# * The same sweep as a file, started with `jaxbandits sweep radii.toml`, shows progress
#   and the time left, and goes on after Ctrl-C, a kill or a full disk:
#   [docs/sweeps.md](../docs/sweeps.md).
# * Several machines on one store, under SLURM or on a pod: same page.

# %%
data.close()
same.close()
folder.cleanup()
