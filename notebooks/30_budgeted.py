# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Budgeted: until the money is gone
#
# *15 minutes to read, a few minutes to run on two cores.*
#
# The setting of Heyden, Arzamasov, Fouché & Böhm (2024). A pull has a random reward and
# a random cost; the best arm has the largest mean reward per unit of mean cost, and the
# game ends when the budget is spent.
# %%
import os

# One JAX device per core, set before JAX starts: runs are then spread over all cores.
os.environ.setdefault("JAX_NUM_CPU_DEVICES", str(os.cpu_count()))

import warnings

import numpy as np
import pandas as pd

from jaxbandits import budgeted, laws, plots, simulate, stats

TINY = os.environ.get("JAXBANDITS_TINY") == "1"  # A few seconds, for automatic tests.
BUDGET, SEEDS = (60, 3) if TINY else (20_000, 200)

# %% [markdown]
# ## Ten arms, drawn anew for every seed
#
# `s_br(10)` draws means of rewards and costs; both are Bernoulli. Some policies know
# the budget (`share_ucb`), others do not. omega*-UCB plays in its shrunk form: with
# Bernoulli rewards and costs this is the paper's form, and a later section shows where
# it is not.

# %%
game = budgeted.s_br(10)
cast = {
    "omega*-UCB": budgeted.omega_star_ucb(game.problem, variance="shrunk"),
    "share-UCB": budgeted.share_ucb(game.problem),
    "BTS": budgeted.bts(game.problem),
    "UCB-SC+": budgeted.ucb_sc_plus(game.problem),
}
data = simulate(cast, game, budget=BUDGET, seeds=SEEDS)
print(dict(data.sizes))
plots.plot_curves(
    data,
    level=None,
    seeds_quantiles=(0.1, 0.9),
    title=f"S-Br-10, budget {BUDGET:,}",
    x_scale="log",
    y_scale="log",
)

# %% [markdown]
# ## The mean is not the whole story
#
# Every seed is another instance, and some are hard. A policy whose median is small may
# have a long tail: a few runs that stay with the wrong arm for good.

# %%
last = data["regret"].isel(params=0, checkpoint=-1)
columns = {
    "mean": last.mean("seed"),
    "median": last.median("seed"),
    "95 %": last.quantile(0.95, "seed"),
    "worst run": last.max("seed"),
}
pd.DataFrame(
    {name: x.values.round(1) for name, x in columns.items()},
    index=data["policy"].values,
)

# %% [markdown]
# All policies played the same instances with the same random numbers, so that
# differences are taken seed by seed. The library says when the seeds do not suffice for
# an interval: here two runs of 200 weigh more than all others together.

# %%
with warnings.catch_warnings(record=True) as caught:
    difference = stats.paired_difference(data, "regret", "share-UCB", "omega*-UCB")
mean, low, high, _ = (x.isel(params=0, checkpoint=-1).item() for x in difference)
print(f"share-UCB minus omega*-UCB: {mean:.1f}, 95 % interval [{low:.1f}, {high:.1f}]")
for warning in caught:
    print(warning.message)

# %% [markdown]
# ## Which form of omega*-UCB?
#
# omega*-UCB shortens its intervals by the variances that it sees, and the paper's form
# trusts a variance from 30 pulls on. If these pulls were all alike, the variance is 0,
# and the arm is never tried again. Here the better arm pays 0.5 and, once in 50 pulls,
# 1; the other arm always pays 0.504. `variance="shrunk"` adds ten pulls of the largest
# possible variance, so that no estimate is 0. `"log_share"` explores an arm less, the
# more often it has been pulled. share-UCB is our advice; with `clock="spent"` it needs
# no budget. Its arms share one estimate of the variance, except arms that have shown
# none; with `pooled=False` every arm has its own estimate. (Where rewards come with
# costs, `joint=True` saves a quarter to two fifths: `jaxbandits reproduce
# budgeted-joint`.) Ratio TS draws mean rewards and mean costs, as BTS does, but does
# not turn them into coin flips first; price TS draws one number per arm, the mean gain
# of a pull: reward minus cost, at the current price of money.

# %%
prize = np.array([[0.5, 1.0], [0.504, 1.0]]), np.array([[0.98, 0.02], [1.0, 0.0]])
price = np.array([[0.5, 1.0]] * 2), np.array([[1.0, 0.0]] * 2)
rare = budgeted.make_environment(
    "rare prize",
    laws.product(laws.discrete, laws.discrete),
    laws.Product(laws.Discrete(*prize), laws.Discrete(*price)),
    unit="cheapest",
)
star, share = budgeted.omega_star_ucb, budgeted.share_ucb
forms = {
    "omega*-UCB, the paper's": star(rare.problem),
    "shrunk": star(rare.problem, variance="shrunk"),
    "shrunk, log(t/n)": star(rare.problem, "log_share", variance="shrunk", rho=0.5),
    "share-UCB": share(rare.problem),
    "share-UCB, anytime": share(rare.problem, clock="spent"),
    "share-UCB, own variances": share(rare.problem, pooled=False),
    "ratio TS": budgeted.ratio_thompson(rare.problem),
    "price TS": budgeted.price_thompson(rare.problem),
    "BTS": budgeted.bts(rare.problem),
}
played = simulate(forms, rare, budget=BUDGET, seeds=SEEDS)
last = played["regret"].isel(params=0, checkpoint=-1)
pd.DataFrame(
    {
        "mean": last.mean("seed").values.round(1),
        "median": last.median("seed").values.round(1),
        "worst run": last.max("seed").values.round(1),
    },
    index=played["policy"].values,
)

# %% [markdown]
# ## Exploration has a price
#
# The parameter rho says how wide the intervals of omega*-UCB are; the paper proves a
# logarithmic regret for rho = 1 and plays 1/4. One call plays all values. Little
# exploration is good for most runs and very bad for a few: the means fall and rise
# again, the median only rises.

# %%
rho = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0]
swept = simulate(cast["omega*-UCB"].over(rho=rho), game, budget=BUDGET, seeds=SEEDS)
at_end = swept["regret"].isel(policy=0, checkpoint=-1)
fig, (ax,) = plots.figure()
for i, (name, values) in enumerate(
    {"mean": at_end.mean("seed"), "median": at_end.median("seed")}.items()
):
    ax.plot(rho, values, label=name, marker="o", **plots.line_style(i)._asdict())
ax.set(xlabel=r"$\rho$", ylabel=f"regret, budget {BUDGET:,}", xscale="log")
ax.set_xticks(rho, [f"{x:g}" for x in rho], minor=False)
ax.minorticks_off()
plots.draw_legend(ax, f"omega*-UCB, {SEEDS} seeds")
fig

# %% [markdown]
# ## Arms that change
#
# Arms that change are future work in the paper. `s_br_changing` draws new arms whenever
# a certain sum is spent, without notice: a policy that trusts all its observations
# continues with the former best arm. `discounted_omega_ucb` forgets, and pays for it
# where nothing changes (`jaxbandits reproduce budgeted-changing` shows both).

# %%
PHASES = 5
changing = budgeted.s_br_changing(10, phases=PHASES, length=BUDGET / PHASES)
pair = {
    "omega-UCB": budgeted.omega_ucb(changing.problem),
    "discounted omega-UCB": budgeted.discounted_omega_ucb(changing.problem),
}
played = simulate(pair, changing, budget=BUDGET, seeds=SEEDS)
fig, (ax,) = plots.figure()
plots.plot_curves(played, ax=ax)
for end in np.arange(1, PHASES) * BUDGET / PHASES:
    ax.axvline(end, color="0.7", linewidth=0.8, zorder=0)
ax.set(title=f"{PHASES} phases (lines: their ends)", xlabel="money spent")
plots.draw_legend(ax)
fig

# %% [markdown]
# ## Your own rewards and costs
#
# Costs and rewards need not be Bernoulli, nor lie between 0 and 1: a law has
# parameters, and a problem has ranges. Records of real pulls become a game by
# `from_table`, see [Your data](04_your_data.ipynb).

# %%
law = laws.product(laws.beta, laws.beta)
cost = laws.Beta(np.array([2.0, 3.0, 1.0]), np.array([4.0, 4.0, 1.0]))
reward = laws.Beta(np.array([2.0, 5.0, 3.0]), np.array([2.0, 3.0, 2.0]))
mine = budgeted.make_environment(
    "three shops", law, laws.Product(reward, cost), worth=5.0
)
own = {
    "omega*-UCB": budgeted.omega_star_ucb(mine.problem, variance="shrunk"),
    "share-UCB": budgeted.share_ucb(mine.problem),
    "ratio TS": budgeted.ratio_thompson(mine.problem),
    "uniform": budgeted.uniform(mine.problem),
}
played = simulate(own, mine, budget=BUDGET / 10, seeds=SEEDS)
at_end = played.isel(params=0, checkpoint=-1).mean("seed")
pd.DataFrame(
    {name: at_end[name].values.round(1) for name in ("reward", "spent", "regret")},
    index=played["policy"].values,
)
