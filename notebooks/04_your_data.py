# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Your data: a solver's log, a live solver, a campaign, a quiz
#
# *20 minutes to read, about three minutes to run on two cores.*
#
# Records of your own become games, and policies are compared on them before anything is
# at stake. Three kinds of files, and a solver that a policy runs itself.
#
# ## A solver
#
# Which configuration of a solver, and how long to wait for it? That is the *censored*
# setting: an arm is a configuration, a limit is a cutoff, and a stopped run shows only
# that it would have taken longer.
#
# This notebook has a small solver of its own, which guesses. It records some runs,
# plays policies on the record, and then lets one of them run the solver itself.

# %%
import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from jaxbandits import allocation, budgeted, censored, live, plots, simulate, stats
from jaxbandits_studies import datasets

TINY = os.environ.get("JAXBANDITS_TINY") == "1"  # A few seconds, for automatic tests.
HORIZON, SEEDS, ROUNDS = (60, 3, 5) if TINY else (5_000, 200, 3_000)
MONEY, USERS = (50, 20) if TINY else (2_000, 300)

# %% [markdown]
# Hidden in a grid of $n \times n$ fields is a treasure, or, in one case of three, none.
# The solver digs. `step` is how far apart it digs: with 1 it looks everywhere, one
# field after the other; with larger steps it finds most treasures (they are large)
# sooner, and never finds the small ones. It has no way of telling that there is nothing
# to find. The resource is the number of holes.


# %%
def dig(step, rng, timeout, n=20):
    """Holes until a treasure was found; `timeout` if none was by then."""
    size = rng.choice([0, 1, 2, 3], p=[1 / 3, 1 / 6, 1 / 4, 1 / 4])
    corner = rng.integers(0, n - size + 1, 2)
    fields = np.stack(np.meshgrid(*2 * [np.arange(0, n, step)]), axis=-1).reshape(-1, 2)
    rng.shuffle(fields)
    found = np.all((fields >= corner) & (fields < corner + size), axis=1)
    holes = int(np.argmax(found)) + 1 if found.any() else timeout
    return min(holes, timeout)


TIMEOUT, STEPS = 400, (1, 2, 3, 4)
rng = np.random.default_rng(0)
log = pd.DataFrame(
    [(step, dig(step, rng, TIMEOUT)) for step in STEPS for _ in range(200)],
    columns=["step", "holes"],
)
log["found"] = (log["holes"] < TIMEOUT).astype(int)
log.groupby("step").agg(found=("found", "mean"), median=("holes", "median"))

# %% [markdown]
# ## From a log to a game
#
# A log is a CSV file with a row per run: what was run, what it brought (a number from 0
# to 1), and what it took. `timeout` says after how long runs were stopped. No other
# number of a stopped run is needed: for a limit up to the timeout it only matters
# *that* the run exceeds it. (Where each run has a cutoff of its own, or a status,
# `cutoff` and `status` name these columns.)
#
#     jaxbandits compare log.csv --arm step --reward found --runtime holes --timeout 400
#
# ranks policies on such a file, on the command line.
#
# Costs and penalties are functions of the resource in *units*: here 400 holes cost as
# much as a treasure is worth, and a search in vain costs twice its holes, because
# somebody has to fill them. (By default a unit is the longest run that finished, and
# the penalty is PAR10.)

# %%
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "log.csv"
    log.to_csv(path, index=False)
    runs = datasets.load_runs(
        path,
        reward="found",
        seconds="holes",
        configuration=["step"],
        timeout=TIMEOUT,
    )

prices = {"penalty": censored.scaled(2.0), "unit": 400.0}
limits = [10, 20, 40, 80, 160, 320]
game = censored.recorded("digging", runs, limits, **prices)
oracle = game.oracle()
print(
    "best:", runs.configurations[oracle.arm], "within", limits[oracle.limit], "holes,"
)
print(f"exceeded in {oracle.censoring[oracle.arm, oracle.limit]:.0%} of the rounds")
pd.DataFrame(
    oracle.values.round(3),
    index=[c["step"] for c in runs.configurations],
    columns=limits,
).rename_axis(index="step", columns="limit")

# %% [markdown]
# The oracle has read the log: waiting longer than the best limit pays for searches in
# vain. Which policy learns this soonest?

# %%
cast = {
    "cell TS": censored.cell_thompson(game.problem),
    "RCUCB": censored.rcucb(game.problem),
}
data = simulate(cast, game, horizon=HORIZON, seeds=SEEDS)
print(dict(data.sizes))
print(stats.mean(data, "regret").isel(params=0, checkpoint=-1).to_series().round(1))

# %%
plots.plot_curves(data, title="digging, on recorded runs")

# %% [markdown]
# ## Any limit
#
# With `limits=censored.ANY` a limit need not be one of six. The values of recorded runs
# change at recorded consumptions only, so that they and the optimum are exact.

# %%
free = censored.recorded("digging, any limit", runs, censored.ANY, **prices)
best = free.oracle()
print(f"best limit: {400 * best.limit:.0f} holes, worth {best.value:.4f}")
print(f"best of the grid: {limits[oracle.limit]} holes, worth {oracle.value:.4f}")

# %% [markdown]
# `censored.z_rcucb` plays such games; with a fine grid the policies above do,
# too (`censored.on_grid`).
#
# ## Live
#
# Now the policy runs the solver itself. `ask` says what to do, we do it, and `tell`
# passes on the result: `censor` turns a reward, a consumption and the limit into the
# feedback that eq. (1) shows to a learner. A session is a value: keep its `round` and
# `state`, and a program that was stopped can continue.

# %%
session = live.start(cast["cell TS"], root_seed=1)
searches = np.random.default_rng(1)
earned, choices = 0.0, []
for _ in range(ROUNDS):
    action = live.ask(session)
    step, limit = STEPS[action.arm], limits[action.limit]
    holes = dig(step, searches, limit + 1)  # It stops when the limit is exceeded.
    reward = float(holes <= limit)
    feedback = censored.censor(reward, holes / 400, limit / 400)
    session = live.tell(session, action, feedback)
    earned += reward - (holes if reward else 2 * limit) / 400
    choices.append((step, limit))

print(f"{earned / ROUNDS:.3f} a round")
pd.Series(choices).tail(ROUNDS // 2).value_counts().head(4)

# %%
answer = live.recommend(session)
print("step", STEPS[answer.arm], "within", limits[answer.limit], "holes")

# %% [markdown]
# ## A campaign
#
# A row per click (or per any other pull): which advertisement, what it cost, what it
# brought. That is the *budgeted* setting, and `from_table` reads it; all numbers come
# back in the file's money. The file here is made up.
#
#     jaxbandits compare clicks.csv --arm ad --cost cost --reward revenue --budget 500
#
# does all of this section on the command line.

# %%
rng = np.random.default_rng(2)
ads = {"banner": (0.4, 0.010), "search": (1.1, 0.045), "video": (0.9, 0.022)}
clicks = pd.DataFrame(
    [
        (ad, round(rng.uniform(0.5, 1.5) * price, 2), 40.0 * (rng.random() < sale))
        for ad, (price, sale) in ads.items()
        for _ in range(2_000)
    ],
    columns=["ad", "cost", "revenue"],
)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "clicks.csv"
    clicks.to_csv(path, index=False)
    campaign = datasets.from_table(path, arm="ad", cost="cost", reward="revenue")

sums = clicks.groupby("ad")[["cost", "revenue"]].sum()
print((sums["revenue"] / sums["cost"]).round(3).to_dict())
cast = {
    "share-UCB": budgeted.share_ucb(campaign.problem),
    "omega*-UCB": budgeted.omega_star_ucb(campaign.problem, variance="shrunk"),
    "uniform": budgeted.uniform(campaign.problem),
}
data = simulate(cast, campaign, budget=MONEY, seeds=SEEDS)
at_end = data.isel(params=0, checkpoint=-1).mean("seed")
pd.DataFrame(
    {name: at_end[name].values.round(1) for name in ("reward", "spent", "regret")},
    index=data["policy"].values,
)

# %% [markdown]
# ## A quiz
#
# Seconds of a quiz are split over its questions: the *allocation* setting. A row per
# user and question says how long the answer took and whether it was right. `load_ednet`
# reads such a table (the columns are those of EdNet's pseudo-users), and `ednet`
# replays its users, in another order for every seed, or draws users like them.

# %%
questions = {"q1": (0.9, 20), "q2": (0.8, 35), "q3": (0.6, 50), "q4": (0.7, 90)}
answers = pd.DataFrame(
    [
        (user, question, rng.weibull(1.5) * seconds * 1_000, int(rng.random() < right))
        for user in range(300)
        for question, (right, seconds) in questions.items()
    ],
    columns=["pseudo_user_id", "question_id", "response_time_ms", "is_correct"],
)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "quiz.csv"
    answers.to_csv(path, index=False)
    quiz = datasets.ednet(datasets.load_ednet(path), budget=120.0)

(best,) = quiz.oracle().allocation
print(
    "best seconds per question:",
    dict(zip(questions, best.round(1).tolist(), strict=True)),
)
cast = {
    "Thompson": allocation.thompson(quiz.problem),
    "RA-UCB": allocation.ra_ucb(quiz.problem),
    "uniform": allocation.uniform(quiz.problem),
}
data = simulate(cast, quiz, horizon=USERS, seeds=SEEDS)
at_end = data.isel(params=0, checkpoint=-1).mean("seed")
pd.DataFrame(
    {"right answers per user": (at_end["reward"].values / USERS).round(3)},
    index=data["policy"].values,
)

# %% [markdown]
# ## Where to go next
#
# * `jaxbandits reproduce censored-solver` does the first half with a SAT solver, and
# `censored-fig5` with the forests of the paper.
# * `docs/which-policy.md` says which policy to take, and why.
# * `live` works with the policies of all settings: where a setting's view has more than
# the round, give it to `ask` and `tell`.
