"""Wrong calls of everything public, drawn by hypothesis: `python scripts/attack.py`.

A call is a right one of a public function, or line of the command line, in which one
or two arguments are replaced: by values that no such argument can have (of another
kind, outside the range that the docstring states, misspelt) and by odd values that it
may have. Its answer is

    clear    an error that the library raises on purpose and that names the argument
    right    a result without NaN (or infinity, unless the docstring speaks of it), the
             same at a second call, of values that may be right
    silent   any other result
    unclear  any other error
    hang     no answer in time

What is not clear or right is printed, with the fewest replaced arguments that do it.
The exit status is 1 if anything is silent or hangs, or if less than 97 % of all errors
are clear.
"""

import argparse
import contextlib
import importlib
import inspect
import io
import os
import re
import resource
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # this very tree

import hypothesis
import jax
import jax.numpy as jnp  # noqa: F401 - calls below name it
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from hypothesis import strategies as st

import jaxbandits as jb
from jaxbandits import cli, laws, live, plots, results, theory
from jaxbandits.checks import shown
from jaxbandits.faults import is_users
from jaxbandits.laws import thresholds
from jaxbandits.policies import budgeted, censored, farewell, plain  # noqa: F401
from jaxbandits.settings import allocation as splits
from jaxbandits.settings import budgeted as money
from jaxbandits.settings import censored as limits
from jaxbandits.settings import farewell as waits
from jaxbandits.settings.allocation.criteo_log import CriteoLog
from jaxbandits.theory import zooming

CLEAR, RIGHT, SILENT, UNCLEAR, HANG = "clear", "right", "silent", "unclear", "hang"
KINDS = (CLEAR, RIGHT, SILENT, UNCLEAR, HANG)
LEAST_CLEAR = 0.97
MEMORY = 2**30  # bytes that a call may take
NAN, INF = float("nan"), float("inf")

# --- Right calls ---------------------------------------------------------------------

PACKAGES = (
    " arrays kernels kernels.allocation laws laws.thresholds live plots policies "
    "policies.allocation policies.budgeted policies.censored policies.farewell "
    "policies.plain results settings settings.allocation settings.budgeted "
    "settings.censored settings.farewell stats sweeps testing "
    + " ".join(f"theory.{name}" for name in theory.__all__)
).split(" ")
# Not tried: it waits for other hosts, is a part of a round on arrays of JAX's, or is
# looked at where it is played.
UNTRIED = re.compile(
    r"sweeps.join|arrays.(constant|stored|when|row|with_row|window|bound|below|occurs)|"
    r"policies.censored.(cells_of|eq_12|exceeded_share|gain_of|product_limit|remark_3)|"
    r"settings.censored.censor|zipped"
)
# Their right calls take more than a tenth of a second.
SLOW = re.compile(
    r"simulate|sweep|testing|live|plots.plot|stats.(dominance|two_level|band)|jaxbandits|"
    r"settings.allocation.(ednet|criteo|cascade|allocation|best|ordered|simulation)|"
    r"settings.censored.(forest|solver|negcorr|poscorr|recorded|any_limit|overtime)|"
    r"theory.(sparring|waiting|zooming|lai_robbins|graves_lai|hazards)"
)
# Parts of rounds, which cannot stop: they look at kinds, and values are undefined.
TRACED = ("kernels", "arrays", "laws.thresholds", "settings.allocation.solve")
# Files of each loader.
FILES = {
    "criteo.csv": "uid,campaign,exposures_before_click,clicked\nu,c,1,1\nv,c,2,0\n",
    "ednet.csv": "pseudo_user_id,question_id,response_time_ms,is_correct\n"
    "u,q,1000,1\nv,q,2000,0\nw,q,2500,1\n",
    "facebook.csv": "campaign_id,age,gender,clicks,spent,total_conversion\n"
    "1,30,M,5,2.0,1\n1,30,M,9,3.0,2\n",
    "pulls.csv": "arm,cost,reward\na,1,0.5\na,2,1\nb,1,0\nb,3,1\n",
    "solver.csv": "depth,run,reward,seconds\n1,1,0.5,2.0\n2,1,0.5,2.0\n",
}
# Arguments by name, where a function is not listed below; a problem comes by its type.
NAMED = """
M=8.0, T=10000.0, a=0.5, action=limits.Action(0, 0), along='rounds', alpha=2.0,
apart=0.1, arms=money.Arms(OF_LAW, 2), axes=AXES, b=2.0, baseline='b', below=lambda x: x
< 0.5, best=0.95, bound=0.1, budget=4.0, budgets=9.0, c_hat=0.5, compensation=10.0,
confidence=2.0, count=3, counter=(0, 1), curves=CURVES, data=EDNET, dataset=DATA,
datasets={'one': DATA}, delta=0.1, dimension=1.0, duels=3, entropy=[0.5, 0.6],
environment=ARMS, epochs=9, epsilon=0.5, experiment='x', factor=1.0, failures=3,
fee=3.0, feedback=limits.Feedback(0.3, 0.2, False), fig=FIGURE, first=WORD,
flat_index=3, gain=[0.5, 0.1], gains=[0.2, 0.5], gap=0.1, gaps=GAPS, grid=[10, 50],
groups=money.load_facebook(FACEBOOK), half_width=0.5, hazard=[0.5, 0.2], high=F32,
horizon=10000.0, index=1, key=(1, 2), law=LAW, least=0.1 * F32, length=3, level=0.7,
log=LOG, low=0.0 * F32, lower=0.0, m=1.0, mask=F32 > 0, max_penalty=1.0, mean=0.5,
mean_cost=[0.5, 0.9], mean_reward=[0.5, 0.2], mean_time=GAPS + 1, metric='regret',
middle=1, more=0.1, name='censored/rcucb', near=NEAR, noise=np.full(4, 0.5, np.float32),
num_arms=3, num_campaigns=1, num_columns=2, num_pairs=6, num_rows=2, num_values=[2, 3],
num_waits=2, other=0.9, other_gain=[0.5, 0.1], other_hazard=[0.4, 0.2],
other_value=[1.0, 0.5], p_hat=0.5, params=0, path='x.svg', penalties=[0.1, 0.2],
penalty=[0.1, 0.2], pilot_values=DATA['regret'], points=4, policy='a', precision=3.0,
price=F32, probability=[0.5, 0.9], promise=0.3, pulls=3, q=0.5, ranges={'eps':
jb.Range(0.1, 0.9)}, rate=[1.0, 1.5], ratio=0.5, records=stats.summary_records(DATA,
'x'), reward=[0.5, 0.9], rho=0.5, rival=0.9, round=9, round_=9, rounds=[1000.0,
10000.0], row=2.0, scale=1.0, score=0.5, second=WORD, session=SESSION, setup=SETUP,
shape=2.0, shown=0.5, sigma=1.0, size=3, survival=np.float32([1.0, 0.5]), t=9.0,
time=[0.4, 0.6], u=0.5, upper=1.0, v=1.0, value=[1.0, 0.5], values=UNITS, variance=0.1,
wait=2, waits=[1, 2], word=WORD, x=F32, z=0.5
"""
# What else is called rightly so.
CALLS = """
arrays.log_survival(WORD, WORD)
arrays.multiply_add(2.0, F32, F32)
arrays.random_argmax(F32, WORD[0])
arrays.smaller_side(WORD, WORD)
arrays.tally(np.zeros(3, np.int32), 1)
kernels.beta_from_uniforms(0.3, 0.6, 2.0, 3.0)
kernels.beyond_mode(0.5, 0.5)
kernels.crossing(np.arange(8.0), 7.0, 7.0, 3.0, -1)
kernels.bernstein_interval(0.5, 0.1, 3.0, 2.0)
kernels.hoeffding_interval(0.5, 3.0, 2.0)
kernels.interpolate(np.arange(8.0), 2.5)
kernels.kl_bernoulli(0.5, 0.6)
kernels.kl_ratio_bound(0.5, 0.5, 0.1)
kernels.maximum(np.sin(np.arange(8.0)))
kernels.truncated_exponential_mean(0.5)
kernels.wilson_interval(0.5, 3.0, 4.0)
kernels.allocation.exponential_water_filling(F32, F32, 3.0)
kernels.allocation.fill_in_order(np.array([0, 1, 0], np.int32), 2, 1.0, 2.0)
kernels.allocation.fill_in_turns(np.array([1, 0]), np.array([1, 2]), 3)
kernels.allocation.integer_greedy(UNITS, 2)
kernels.allocation.integer_programming(UNITS, 2)
kernels.allocation.kkt_residual(CURVES, F32, 2.0)
kernels.allocation.marginal_greedy(jnp.sqrt, 2, 0.5, 4)
kernels.allocation.projected_gradient(jnp.sum, F32, 3.0, steps=2)
kernels.allocation.sigmoid_filling(CURVES, 3.0)
kernels.allocation.sigmoid_prefix(CURVES, 3.0)
kernels.allocation.water_filling(CURVES, 3.0)
laws.empirical_params([[0.5]], [[0.5]])
laws.gaussian_copula(laws.uniform, laws.exponential)
laws.product(laws.bernoulli, laws.exponential)
laws.truncated_gaussian_params(np.full((2, 2), 0.5), np.tile(np.eye(2) / 5, (2, 1,
  1)))
laws.thresholds.cascade_curves(thresholds.exponential, F32 / 2, F32)
laws.thresholds.check_family(thresholds.weibull, 1.0, 2.0)
laws.thresholds.curves(thresholds.exponential, F32, F32)
laws.thresholds.inverse_truncated_mean(thresholds.exponential, 0.5, 2.0, 0.1, 5.0)
laws.thresholds.pdf(thresholds.exponential, 0.5, 2.0)
laws.thresholds.quantile(thresholds.exponential, 0.5, 2.0)
laws.thresholds.rise(thresholds.exponential, 0.5, 0.7, 2.0)
laws.thresholds.surrogate(thresholds.exponential, 0.5, 2.0, 3.0)
laws.thresholds.touch_point(thresholds.exponential, 2.0)
live.start(censored.rcucb(GRID.problem))
live.recommend(live.start(censored.product_arms(GRID.problem, plain.ucb, lambda state,
  params: jnp.int32(0))))
plots.draw_bounds(AXES, [1.0, 10.0], {"bound": [1.0, 2.0]})
plots.line_style(0)
plots.plot_bars(DATA, "regret", percent=False)
plots.plot_heat_map(DATA, x="alpha", y="beta", policy="a")
plots.plot_sensitivity(DATA, x="alpha", at={"beta": 1.0})
plots.readable_ticks(AXES.xaxis, "linear", 1.0, 10.0)
plots.share_names([AXES])
plots.style("column")
policies.doubled(ANY.problem, censored.z_rcucb)
policies.doubling(censored.z_rcucb(ANY.problem))
policies.allocation.fixed_turns(TURNS.problem, (1, 0), (2, 4))
policies.budgeted.fixed_arm(ARMS.problem, 0)
policies.budgeted.index_policy("mine", ARMS.problem, lambda *_: 0.0)
policies.censored.duels_as_arms(DUELS.problem, plain.relative_ucb)
policies.censored.fixed_duel(DUELS.problem, (1, 1), (0, 1))
policies.censored.fixed_pair(GRID.problem, 0, 0)
policies.censored.fixed_super_arm(SUPER.problem, (1, 0), (0, 1))
policies.censored.grid_capacity(ANY.problem, 1000)
policies.censored.on_grid(ANY.problem, [0.5], censored.rcucb)
policies.censored.product_arms(GRID.problem, plain.ucb)
policies.censored.sparring(DUELS.problem, plain.ucb)
policies.censored.super_arms_as_arms(SUPER.problem, plain.ucb)
policies.farewell.fixed_pair(PAIRS.problem, 0, 0)
policies.farewell.on_pairs(PAIRS.problem,
  budgeted.omega_ucb(farewell.as_arms(PAIRS.problem)))
policies.plain.same_pair((2, 2), waits.Action, ("arm", "wait"), (0, 1))
policies.plain.uniform_pairs((2, 2), waits.Action)
results.build_dataset(VALUES, ROUNDS, checkpoints=[1, 10, 100],
  checkpoint_kind="round", seeds=range(5), params=POINTS, compile_seconds=SECONDS,
  run_seconds=SECONDS, environment="x", setting="censored", provenance={})
results.load(FILE)
results.open_store(STORE)
results.provenance(more=1)
results.save(DATA, "x.nc")
settings.allocation.allocation("x", thresholds.exponential, [0.5, 0.5], [1.0, 2.0],
  3.0, lowest=0.1, highest=5.0)
settings.allocation.best_allocations(SPLIT.problem, ONE / 2, ONE, [3.0])
settings.allocation.cascade("x", thresholds.exponential, [0.5, 0.5], [1.0, 2.0], 3.0,
  lowest=0.1, highest=5.0)
settings.allocation.criteo(LOG, 1)
settings.allocation.criteo_like(2)
settings.allocation.ednet_like(2)
settings.allocation.load_criteo(CRITEO)
settings.allocation.load_ednet(EDNET_FILE)
settings.allocation.make_problem(thresholds.exponential, 2, 3.0, lowest=0.1,
  highest=5.0)
settings.allocation.ordered(SPLIT, [2, 6])
settings.allocation.random_allocation("x", SPLIT.problem, print, None)
settings.allocation.simulation(2, 6.0)
settings.allocation.solve(SPLIT.problem, F32, F32, 3.0)
settings.budgeted.budgeted("x", LAW, print, None, 2)
settings.budgeted.changing("x", LAW, [OF_LAW, OF_LAW], [5.0])
settings.budgeted.fixed("x", LAW, OF_LAW)
settings.budgeted.from_table(PULLS, arm="arm", cost="cost", reward="reward")
settings.budgeted.load_facebook(FACEBOOK)
settings.budgeted.make_problem(2)
settings.budgeted.records_of(money.from_table(PULLS, arm="arm", cost="cost",
  reward="reward"))
settings.budgeted.s_br(2)
settings.budgeted.s_br_changing(2, 2)
settings.budgeted.s_bt(2)
settings.budgeted.s_gbr(2)
settings.censored.any_limit("x", limits.make_continuum(2, FACTOR, FACTOR), LAW,
  OF_LAW)
settings.censored.censored("x", limits.make_problem(2, [0.5], FACTOR, FACTOR), LAW,
  OF_LAW)
settings.censored.check_bounded(GRID.problem, "mine")
settings.censored.check_continuum(ANY.problem, "mine")
settings.censored.check_grid(GRID.problem, "mine")
settings.censored.combinatorial(GRID, 1)
settings.censored.duels(GRID)
settings.censored.exact_oracle(limits.make_problem(2, [0.5], FACTOR, FACTOR), LAW,
  OF_LAW)
settings.censored.example1((0.5, 0.9))
settings.censored.gaussian_covariance([0.2], 0.1)
settings.censored.indep([0.5])
settings.censored.load_runs(SOLVER)
settings.censored.low_censoring(2)
settings.censored.make_continuum(2, FACTOR, FACTOR)
settings.censored.make_problem(2, [0.3, 0.5], FACTOR, FACTOR)
settings.censored.many_arms(2)
settings.censored.negcorr([0.5])
settings.censored.overtime([0.5])
settings.censored.pair_values(limits.make_problem(2, [0.5], FACTOR, FACTOR), LAW,
  OF_LAW, [0.5])
settings.censored.plain("x", laws.bernoulli, laws.Bernoulli(ONE / 2))
settings.censored.poscorr([0.5])
settings.censored.recorded("x", limits.forest_runs(), [0.5])
settings.censored.running_example(2, [0.3])
settings.censored.solver([100.0])
settings.farewell.cross_validation(2)
settings.farewell.exact_oracle(PAIRS.problem, laws.bernoulli, DELAYS)
settings.farewell.farewell("x", [[0.5, 0.5], [0.25, 0.75]], [[1.0], [0.5]])
stats.band(DATA, "regret", resamples=99)
stats.entry(1.0, 0.1, 2.0)
stats.fixed_width_interval(DATA["regret"], 4)
stats.interval(DATA, "regret", resamples=99)
stats.interval_of(DATA["regret"], resamples=99)
stats.make_record("x", "y", "a", {"regret": 1.0}, seeds=3, horizon=9)
stats.two_level(DATA.assign_coords(instance=("seed", [0, 0, 1, 1, 2])), "regret")
sweeps.read_spec("a.toml")
sweeps.run_sweep(sweeps.Spec({"a": sweeps.Entry(FIXED)}, {"b": ARMS}, 1, 2), None,
  QUIET)
sweeps.variants("a", money.s_br, {"num_arms": [2, 3]})
simulate(FIXED, ARMS, horizon=2, seeds=1, grid=None, machine=QUIET)
simulate(GREEDY, ARMS, budget=1.0, seeds=1, grid={"rho": 0.5}, machine=QUIET)
sweep(FIXED, ARMS, horizon=2, seeds=1, machine=QUIET)
testing.altered(ARMS, name="x")
testing.check_environment(ARMS, FIXED, 2)
testing.check_law(laws.exponential, laws.Exponential(ONE), 100)
testing.check_policy(FIXED, ARMS, 2)
testing.trace_run(FIXED, ARMS, 2)
theory.allocation.is_vacuous(1.0, 1e4, 3)
theory.allocation.log_constant([0.5], [0.4], [0.3], 4.0,
  theory.allocation.lipschitz_constants(1.0, 8.0, 4.0), 0.5, 2)
theory.allocation.problem_independent_bound(1e4, 3, 2.0)
theory.allocation.sqrt_constant([0.5], [0.4], [0.3], 4.0,
  theory.allocation.lipschitz_constants(1.0, 8.0, 4.0))
theory.budgeted.ratio_bound(0.5, 0.5, 9, 0.1)
theory.budgeted.sufficient_pulls(9.0, 1.0, [0.5, 0.2], [0.5, 0.9])
theory.budgeted.xi(9, 1.0, 3)
theory.budgeted.suboptimal_pulls_bound(9, 1.0, [0.5, 0.2], [0.5, 0.9])
theory.budgeted.tau_of_budget(9.0, [0.5])
theory.budgeted.regret_bound(9.0, 1.0, [0.5, 0.2], [0.5, 0.9])
theory.budgeted.regret_rate(9.0, 1.0)
theory.cells.chance_after_failures(3, 0.5)
theory.cells.lost_regret(1e3, 0.9, 0.5)
theory.cells.chance_of_trial(0.3, 0.1)
theory.censored.confidence_length(3, 5, 9, 0.5, 2.0)
theory.farewell.radius(3, 0.1, 2.0, 1.5)
theory.farewell.constant_reward(9, [0.4, 0.6], [0.2, 0.5])
theory.farewell.constant_reward_limit([0.4, 0.6], [0.2, 0.5])
theory.farewell.ratio_deviation(9, 0.1, 2.0)
theory.farewell.wait_rate(1e4, GAPS[:1], GAPS[:1] + 1)
theory.farewell.dqzl_rate(1e4, GAPS[:1], 0.5)
theory.farewell.fj_rate(1e4, GAPS[:1], GAPS[:1] + 1)
theory.graves_lai.lower_bound([[0.5, 0.6]], [[0.1, 0.2]], [0.1, 0.2])
theory.graves_lai.of_symbols([[0.5, 0.3]], [0, 1], [[0.5, 0.2]], [0.1, 0.2])
theory.hazards.chance_of_trial(0.3, 2.0)
theory.lai_robbins.above([[0.0, 1.0]], [[0.5, 0.5]], [0.8])
theory.lai_robbins.joint([[0.0, 1.0]], [[0.0, 1.0]], [[0.5, 0.5]], [1.6])
theory.lai_robbins.independent([[0.0, 1.0]], [[0.5, 0.5]], [[0.0, 1.0]], [[0.5, 0.5]],
  [1.6])
theory.ratios.power(0.9, 0.5)
theory.ratios.lost_regret(100.0, 0.9, 0.5)
theory.shrinking.pulls_until_given_up([1e2, 1e3], 0.5, 0.5, 0.9)
theory.shrinking.lost_regret([1e2, 1e3], 0.5, 0.5, 0.9, 0.95, 0.1)
theory.waiting.for_hazard(3, 0.5, 0.1)
theory.waiting.for_gains(2, [0.2, 0.5], [0.5, 0.5], 0.1)
theory.zooming.packing_numbers(TABLE, 1.0, [0.1])
theory.zooming.near_optimality(TABLE, 1.0)
"""


@cache
def problems() -> dict[type, Any]:
    """A problem of every kind."""
    games = [x for x in things().values() if isinstance(x, jb.Environment)]
    return {type(game.problem): game.problem for game in reversed(games)}


@cache
def things() -> dict[str, Any]:
    """What the calls name."""
    ONE, F32, WORD = np.ones(2), np.ones(2, np.float32), np.arange(2, dtype=np.uint32)
    GRID, ANY, FACTOR = (
        limits.example1((0.5, 0.9)),
        limits.indep(limits.ANY),
        limits.scaled(0.1),
    )
    SUPER, DUELS = limits.combinatorial(GRID, 2), limits.duels(GRID)
    ARMS, PAIRS, SPLIT = (
        money.s_br(3),
        waits.optimum_at_one(),
        splits.simulation(2, 6.0),
    )
    TURNS = splits.ordered(SPLIT, [2, 6])
    LAW = laws.product(laws.bernoulli, laws.beta)
    OF_LAW = laws.Product(laws.Bernoulli(ONE / 2), laws.Beta(ONE, ONE))
    FIXED, GREEDY = (
        budgeted.fixed_arm(ARMS.problem, 0),
        budgeted.omega_ucb(ARMS.problem),
    )
    CURVES = thresholds.curves(thresholds.exponential, F32, F32)
    GAPS = np.array([[0.0, 0.2], [0.1, 0.3]])
    TABLE = 1 - np.abs(np.linspace(0, 1, 64)[None] - 0.4)
    SETUP, NEAR = zooming.Zooming(2, np.zeros_like), zooming.near_optimality(TABLE, 1.0)
    CLICKS, TIMES = np.array([1, 2, 3, 2]), np.array([[1.0], [2.0], [3.5]])
    LOG = CriteoLog(tuple("uvwx"), ("c",), np.arange(4), 0 * CLICKS, CLICKS, CLICKS > 0)
    EDNET = splits.EdNet(("q",), ("u", "v", "w"), TIMES, TIMES > 1)
    UNITS = np.array([[0.0, 1.0, 2.0], [0.0, 1.0, 1.5]], np.float32)
    QUIET = jb.Machine(progress=False)
    SESSION = live.start(censored.rcucb(GRID.problem))
    noise = np.random.default_rng(0).normal(size=(2, 4, 5, 3))
    VALUES = {name: {"regret": noise[i] + 5} for i, name in enumerate("ab")}
    ROUNDS = dict.fromkeys("ab", np.broadcast_to([1, 10, 100], (4, 5, 3)))
    POINTS = {"alpha": [0.5, 0.5, 1.0, 1.0], "beta": [1.0, 2.0, 1.0, 2.0]}
    POINTS = dict.fromkeys("ab", POINTS)
    SECONDS = dict.fromkeys("ab", 1.0)
    DATA = results.build_dataset(
        VALUES,
        ROUNDS,
        checkpoints=[1, 10, 100],
        checkpoint_kind="round",
        seeds=np.arange(5),
        params=POINTS,
        compile_seconds=dict.fromkeys("ab", 1.0),
        run_seconds=dict.fromkeys("ab", 1.0),
        environment="x",
        setting="censored",
        provenance={},
    )
    FILE = tempfile.mkdtemp() + "/a.nc"
    results.save(DATA, FILE)
    folder = Path(tempfile.mkdtemp())
    for name, text in FILES.items():
        (folder / name).write_text(text)
    CRITEO, EDNET_FILE, FACEBOOK, PULLS, SOLVER = (str(folder / x) for x in FILES)
    delays = np.array([[0.5, 0.5], [0.25, 0.75]])
    DELAYS = waits.Arms(delays, laws.Bernoulli(np.ones((2, 2)) / 2))
    STORE = str(folder / "own.zarr")
    jb.sweep(FIXED, ARMS, horizon=2, seeds=1, machine=QUIET, store=STORE)
    FIGURE, (AXES,) = plots.figure()
    plots.plot_curves(DATA, ax=AXES)
    packages = {
        p: importlib.import_module(f"jaxbandits.{p}")
        for p in PACKAGES
        if p and "." not in p
    }
    return (
        globals()
        | packages
        | {
            "theory": theory,
            "simulate": jb.simulate,
            "sweep": jb.sweep,
            "sampled": jb.sampled,
            "zipped": jb.zipped,
        }
        | locals()
    )


# --- Wrong values --------------------------------------------------------------------


class Kind(NamedTuple):
    """Values that an argument of this kind cannot have, and odd ones that it may."""

    never: tuple = ()
    maybe: tuple = ()


JUNK = (object(), 1j, b"3", {3})
RAGGED = [[1.0], [1.0, 2.0]]
NAMES = (
    "a[0]",
    "$x_1$",
    "a\nb",
    "\0",
    "\ud800",
    "\N{GAME DIE}" * 3,
    "-",
    "../x",
    "x" * 9999,
)
SIZES = (0, -1, 1, 2**31, 2**40, 2**70, np.int8(1), np.uint64(2))
REALS = (0.0, -1.0, -0.0, 1.5, INF, -INF, 1e300, -1e300, 1e39, 1e-50, 2**2000)
REALS += (np.float32(0.5), np.array(0.5), [], [0.5], [[0.5, 0.5]], np.ones(3))
REALS += (np.zeros((0, 2)), np.array([0.5], object), np.ma.array([0.5]))
WRONG = {
    "any": Kind(JUNK),
    "flag": Kind((*JUNK, "yes", 2, 0.5, NAN, [], {}), (np.True_,)),
    "whole": Kind((*JUNK, print, "3", "", True, 2.5, NAN, INF, [3], [], {}), SIZES),
    "real": Kind(
        (*JUNK, print, "3", "", True, NAN, [0.5, NAN], [None], ["a"], RAGGED, {}),
        REALS,
    ),
    "array": Kind(
        (*JUNK, print, "3", "", [None], ["a"], RAGGED, {}), (NAN, [0.5, NAN], *REALS)
    ),
    "text": Kind((*JUNK, print, 3, 0.5, True, ["a"], {}), ("", "nonsense", *NAMES)),
    "choice": Kind((*JUNK, print, 3, 0.5, True, ["a"], {}, "nonsense", "", *NAMES)),
    "path": Kind(
        (*JUNK, print, 3, 0.5, [], {}, "", "\0", "hdfs://a/b", "http://a/b.csv")
    ),
    "function": Kind((*JUNK, "x", 0.5, 3, [], {}, np.ones(2))),
    "mapping": Kind((*JUNK, print, "x", 0.5, 3, True, {3: 1})),
    "object": Kind((*JUNK, print, "x", 0.5, 3, [], np.ones(2), plain.ucb(2))),
}


def kind_of(right, annotation) -> str:
    """Which values are wrong in the place of a right one."""
    words = annotation if isinstance(annotation, str) else str(annotation)
    if isinstance(right, bool) or annotation is bool or words == "bool | None":
        return "flag"
    if "PathLike" in words:
        return "path"
    if isinstance(right, str) or annotation is str or words == "str | None":
        return "text"
    if annotation is int or words in ("int | None", "typing.Optional[int]"):
        return "whole"
    if isinstance(right, dict):
        return "mapping"
    if "Array" in words and "DataArray" not in words and "ArrayLike" not in words:
        return "array"
    if isinstance(right, int | float) or words == "float | None" or _is_table(right):
        return "real"
    if right is None and "Any" in words:
        return "any"
    return "function" if "Callable" in words else "object"


def _is_table(value) -> bool:
    with contextlib.suppress(ValueError, TypeError):
        return np.size(value) > 0 and np.asarray(value).dtype.kind in "iuf"
    return False


RANGES = {
    r">= 0": (0, INF, True, False),
    r"> 0|^positive": (0, INF, False, False),
    r">= 1": (1, INF, True, False),
    r"in \[0, 1\]": (0, 1, True, True),
    r"in \(0, 1\)": (0, 1, False, False),
    r"in \(0, 1\]": (0, 1, False, True),
}
# Texts without a default that are names of what there is.
CHOSEN = {"metric", "along", "x", "y", "by", "baseline"}
WRITTEN = {"name", "title", "reference_label", "picture", "sep", "decimal", "group"}
WRITTEN |= {"reward", "seconds", "cost", "id", "experiment", "environment", "setting"}
# What an error may call an argument instead.
TOLD = {
    "dataset": {"metric", "datasets", "data"},
    "arms": {"params"},
    "path": {"store"},
    "scale": {"x_scale", "y_scale"},
    "reward": {"probability"},
    "limits": {"max_limit"},
    "utility": {"reward"},
    "highest_bid_of_others": {"delay"},
}
# Values of which the annotation says that they may be right.
TAKEN = (
    (float | int, "float"),
    (dict, "Mapping"),
    (list | set, "Sequence|Iterable"),
    (jb.Policy, "Policy"),
)
# Records that users make, of which one field is changed.
RECORDS = (jb.Machine, zooming.Zooming, plots.Best)
RECORDS += (laws.Bernoulli, laws.Beta, laws.Exponential, limits.Action)
RECORDS += (limits.Feedback, jb.HalfWidth, jb.Store)


class Target(NamedTuple):
    """Something that is called.

    Attributes:
      name: as it is written.
      call: takes arguments by name.
      right: arguments of a right call.
      changes: (argument, value, whether no result can be right), one at a time.
      doc: what is written about it.
    """

    name: str
    call: Any
    right: dict[str, Any]
    changes: list[tuple[str, Any, bool]]
    doc: str


def ranges(doc: str) -> dict[str, tuple[float, float, bool, bool]]:
    """What a docstring says of numbers: name -> least, most, whether each is one."""
    found = {}
    for names, text in re.findall(r"^  ([\w*, ]+): (.*(?:\n    .*)*)", doc, re.M):
        head = re.split(r"[;.] |, (?!\d)", text)[0]
        said = [(m.start(), at) for at in RANGES if (m := re.search(at, head))]
        if said:
            found |= dict.fromkeys(re.findall(r"\w+", names), RANGES[min(said)[1]])
    return found


def _outside(value, span) -> bool:
    least, most, with_least, with_most = span
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError, OverflowError):
        return False
    low = array < least if with_least else array <= least
    high = array > most if with_most else array >= most
    return bool(np.any(low | high | np.isnan(array)))


def _changes(right, name, annotation, default, span) -> Iterator[tuple[Any, bool]]:
    """Values in the place of a right one, and whether no result can be right."""
    words = f"{annotation}".replace("protocol.Recommend", "Callable")
    kind = kind_of(right, annotation)
    if kind == "text" and (
        name in CHOSEN or (isinstance(default, str) and name not in WRITTEN)
    ):
        kind = "choice"
    never, maybe = WRONG[kind]
    if default is not None and "None" not in words:
        never = (None, *never)
    for value in never:
        ours = kind in ("object", "any") and "Any" in words
        known = any(
            isinstance(value, each) and re.search(w, words) for each, w in TAKEN
        )
        yield value, not (ours or known or (callable(value) and "Callable" in words))
    for value in maybe:
        yield value, span is not None and _outside(value, span)
    if isinstance(right, RECORDS):
        for field, its in type(right).__annotations__.items():
            if field == "bound":  # made of the probability
                continue
            for value, never in _changes(
                getattr(right, field),
                field,
                its,
                right._field_defaults.get(field, 0),
                None,
            ):
                yield right._replace(**{field: value}), never


@cache
def targets() -> tuple[Target, ...]:
    """All that is public: functions, and lines of the command line."""
    return tuple(each for each in (*_functions(), *_lines()) if each.changes)


def public() -> dict[str, Any]:
    """Full name -> function, of what the packages export; types only hold values."""
    found = {}
    for package in PACKAGES:
        module = importlib.import_module(f"jaxbandits.{package}".rstrip("."))
        listed = getattr(module, "__all__", None)
        for name in listed or vars(module):
            value = getattr(module, name)
            own = listed or getattr(value, "__module__", "") == module.__name__
            if inspect.isfunction(value) and own and not name.startswith("_"):
                found.setdefault(value, f"{package}.{name}".lstrip("."))
    return {name: value for value, name in found.items()}


def _functions() -> Iterator[Target]:
    known = things()
    named = eval(f"dict({NAMED})".replace("\n", " "), known)
    calls = {}
    for line in re.sub(r"\n +", " ", CALLS).strip().splitlines():
        calls.setdefault(line.partition("(")[0], []).append(line)
    for name, function in public().items():
        if UNTRIED.fullmatch(name):
            continue
        for line in calls.pop(name, [None]):
            bind = inspect.signature(function).bind
            if line is not None:
                bound = eval(f"BIND{line[len(name) :]}", known | {"BIND": bind})
            else:
                bound = bind(
                    **{
                        key: _problem(each) if key == "problem" else named[key]
                        for key, each in bind.__self__.parameters.items()
                        if each.default is each.empty and each.kind != each.VAR_KEYWORD
                    }
                )
            yield _target(name, function, dict(bound.arguments))
    assert not calls, f"not public: {[*calls]}"


def _problem(parameter):
    """One of the first kind that is named."""
    words = f"{parameter.annotation}"
    places = {words.find(f"{k.__module__}.{k.__name__}"): k for k in problems()}
    return problems()[places[min(place for place in places if place >= 0)]]


def _target(name, function, right) -> Target:
    signature = inspect.signature(function)
    doc = inspect.getdoc(function) or ""
    spans = {} if name.startswith(TRACED) else ranges(doc)
    changes = [("horzion", 3, True)]
    several = {}
    for key, each in signature.parameters.items():
        if each.kind == each.VAR_KEYWORD:
            several[key] = right.pop(key, {})
            changes.pop(0)
            continue
        its = right.get(key, each.default)
        its = its[0] if each.kind == each.VAR_POSITIONAL else its
        for value, never in _changes(
            its, key, each.annotation, each.default, spans.get(key)
        ):
            changes.append((key, value, never))

    def call(**arguments):
        bound = signature.bind_partial()
        given = {k: v for k, v in arguments.items() if k in signature.parameters}
        more = {k: v for k, v in arguments.items() if k not in given}
        for key, each in signature.parameters.items():
            if each.kind == each.VAR_POSITIONAL and not isinstance(given[key], tuple):
                given[key] = (given[key],)
        bound.arguments.update(
            {k: given[k] for k in signature.parameters if k in given}
        )
        return function(
            *bound.args, **bound.kwargs, **more, **next(iter(several.values()), {})
        )

    return Target(name, call, right, changes, doc)


# --- The command line ----------------------------------------------------------------

LINES = """
list budgeted
info
recommend budgeted
reproduce nothing
claims
verify nothing
compare none.csv --arm=arm --reward=reward --cost=cost --budget=9
sweep a.toml --store=own.zarr
status none.zarr
show none.zarr
merge none.zarr --into=into.zarr
completion bash
"""
SPEC = """
setting = "budgeted"
horizon = 2
seeds = 1
environments.three = {make = "s_br", arguments = {num_arms = 3}}
policies.one = {make = "fixed_arm", arguments = {arm = 0}}
"""
OF_HOSTS = {"coordinator", "processes", "process"}  # they wait for other hosts


def _lines() -> Iterator[Target]:
    _, commands = cli._parser_and_commands()
    lines = {line.split()[0]: line.split()[1:] for line in LINES.strip().splitlines()}
    for command, parser in commands.items():
        line = lines.pop(command)
        changes = [("horzion", "3", True)]
        right = {}
        for action in parser._actions:
            if action.nargs == 0 or action.dest in OF_HOSTS:
                continue
            option = (action.option_strings or [action.metavar])[-1].lstrip("-")
            own = [x for x in line if x.startswith(f"--{option}=")]
            if not action.option_strings and line and not line[0].startswith("--"):
                own = [line[0]]
            if own:
                right[option] = own[0].partition("=")[2] or own[0]
            changes += [(option, text, True) for text in NO_NUMBER if action.type]
            changes += [(option, "1.5", True)] * (action.type is int)
            changes += [(option, text, False) for text in ("0", "-1", "", "x", *NAMES)]
        yield Target(f"jaxbandits {command}", _run(command, parser), right, changes, "")


NO_NUMBER = ("", "x", "nan", "1e999", "0x10", "1,5", "\N{GAME DIE}")


def _run(command, parser):
    places = [each.metavar for each in parser._actions if not each.option_strings]

    def call(**options):
        line = [command]
        for name, value in options.items():
            line += [value] if name in places else [f"--{name}={value}"]
        printed = io.StringIO()
        with (
            contextlib.redirect_stderr(printed),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            try:
                status = cli.main(line)
            except SystemExit as end:
                status = end.code
        if status == 2:
            raise RefusedError(printed.getvalue())
        return status

    return call


class RefusedError(ValueError):
    """Exit status 2, with what was printed."""


# --- Calls, and what their answers are worth -----------------------------------------


class Call(NamedTuple):
    """A call with some arguments changed, of `target.changes`."""

    target: Target
    changes: tuple

    def __repr__(self):
        words = ", ".join(f"{key}={_words(value)}" for key, value, _ in self.changes)
        return f"{self.target.name}({words})"


def _words(value) -> str:
    return shown(value).encode("ascii", "backslashreplace").decode()


def calls(target: Target, quick: bool = False) -> st.SearchStrategy[Call]:
    """Calls of something with one or two arguments changed.

    Args:
      target: what is called.
      quick: only with values that no result is right of, where calls take long.
    """
    slow = (quick and SLOW.match(target.name)) or target.name.startswith(TRACED)
    some = [change for change in target.changes if change[2] or not slow]
    changes = st.lists(
        st.sampled_from(some), min_size=1, max_size=2, unique_by=lambda x: x[0]
    )
    # With a wrong value nothing is played; with odd ones alone a slow call would be.
    return changes.map(lambda drawn: Call(target, tuple(drawn)))


class Verdict(NamedTuple):
    """The kind of an answer, and its words."""

    kind: str
    words: str


class Late(BaseException):
    """No answer in time."""


def judge(call: Call, limit_s: float = 20.0) -> Verdict:
    """Call, in a folder of its own."""
    arguments = call.target.right | {key: value for key, value, _ in call.changes}
    try:
        with _alone(), _limits(limit_s):
            result = call.target.call(**arguments)
            again = None if _never(call) else call.target.call(**arguments)
    except Late:
        return Verdict(HANG, f"no answer in {limit_s:g} s")
    except Exception as error:  # noqa: BLE001 - that is the question
        return _raised(call, error)
    return _returned(call, result, again)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.mkdir(os.path.join(folder, "here"))  # so that ../x is in the folder, too
        os.chdir(os.path.join(folder, "here"))
        Path("a.toml").write_text(SPEC)
        try:
            yield
        finally:
            os.chdir(before)
            plt.close("all")


@contextlib.contextmanager
def _limits(seconds: float) -> Iterator[None]:
    """Seconds of the processor, or ten times as many in all; MEMORY more than now."""

    def late(*_):
        raise Late

    handlers = [signal.signal(each, late) for each in (signal.SIGPROF, signal.SIGALRM)]
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    now = pages * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, before[1]))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 10 * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGPROF, handlers[0])
        signal.signal(signal.SIGALRM, handlers[1])
        resource.setrlimit(resource.RLIMIT_AS, before)


def _never(call) -> bool:
    return any(never for _, _, never in call.changes)


def _raised(call, error) -> Verdict:
    text = str(error)
    names = {key for key, _, _ in call.changes}
    names |= {word for key in names for word in TOLD.get(key, ())}
    names |= {
        field
        for _, value, _ in call.changes
        if isinstance(value, RECORDS)
        for field in value._fields
    }
    named = any(
        re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text, re.I)
        for name in names
    )
    ours = (
        is_users(error) or isinstance(error, RefusedError) or "keyword argument" in text
    )
    ours |= isinstance(error, AssertionError) and call.target.name.startswith("testing")
    kind = CLEAR if ours and (named or not _never(call)) else UNCLEAR
    return Verdict(kind, f"{type(error).__name__}: {' '.join(text.split())}"[:300])


def _returned(call, result, again) -> Verdict:
    if _never(call):
        return Verdict(SILENT, f"taken: {_words(result)}")
    found, other = _numbers(result), _numbers(again)
    if not all(
        np.array_equal(a, b, equal_nan=True) for a, b in zip(found, other, strict=True)
    ):
        return Verdict(SILENT, "another result at a second call")
    if call.target.name.startswith(TRACED):
        return Verdict(RIGHT, "")
    if any(np.isnan(x).any() for x in found) and "NaN" not in call.target.doc:
        return Verdict(SILENT, f"NaN: {_words(result)}")
    huge = any(_huge(value) for _, value, _ in call.changes)
    played = isinstance(result, jb.Environment | jb.Policy | live.Session | limits.Runs)
    if any(np.isinf(x).any() for x in found) and not (
        played or huge or "inf" in call.target.doc
    ):
        return Verdict(SILENT, f"infinite: {_words(result)}")
    return Verdict(RIGHT, "")


def _huge(value) -> bool:
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        return bool(np.any(np.abs(np.asarray(value, float)) > 1e30))
    return True


def _numbers(result) -> list[np.ndarray]:
    """The real numbers in a result."""
    if isinstance(result, xr.Dataset):  # but not what it took
        result = [each.values for name, each in result.items() if "second" not in name]
    if isinstance(result, xr.DataArray):
        result = result.values
    leaves = [np.asarray(x) for x in jax.tree.leaves(result) if not callable(x)]
    return [x.astype(float) for x in leaves if x.dtype.kind in "iufb"]


def smallest(call: Call, verdict: Verdict) -> tuple[Call, Verdict]:
    """The call with one of the two arguments, where that is as bad."""
    for change in call.changes if len(call.changes) > 1 else ():
        alone = Call(call.target, (change,))
        found = judge(alone)
        if found.kind not in (CLEAR, RIGHT):
            return alone, found
    return call, verdict


def attack(
    number: int, seed: int, quick: bool = False, told=lambda line: None
) -> tuple[Counter, dict[str, Verdict]]:
    """Judge at least as many calls, every public thing equally often.

    Args:
      number: of calls.
      seed: of what is drawn.
      quick: see `calls`.
      told: called with lines about what was found.

    Returns:
      How many answers are of each kind, and those that are not clear or right by call.
    """
    counts, bad = Counter(), {}

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=-(-number // len(targets())),
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(st.tuples(*(calls(target, quick) for target in targets())))
    def rounds(drawn):
        for call in drawn:
            verdict = judge(call)
            counts[verdict.kind] += 1
            if verdict.kind not in (CLEAR, RIGHT):
                least, verdict = smallest(call, verdict)
                if bad.setdefault(repr(least), verdict) is verdict:
                    told(f"{verdict.kind}\t{least!r}\t{verdict.words}")
        told(f"{counts.total()}: {dict(counts)}")

    rounds()
    return counts, bad


def main(arguments=None) -> int:
    """Attack, and report; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=3000, help="about how many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="nothing that takes long")
    options = parser.parse_args(arguments)
    told = partial(print, file=sys.stderr)
    counts, bad = attack(options.calls, options.seed, options.quick, told)
    for kind in (HANG, SILENT, UNCLEAR):
        for call, verdict in bad.items():
            if verdict.kind == kind:
                print(f"{kind}\t{call}\t{verdict.words}")
    share = counts[CLEAR] / max(counts[CLEAR] + counts[UNCLEAR], 1)
    print(
        f"{counts.total()} calls of {len(targets())}: {dict(counts)}, clear {share:.2%}"
    )
    return int(counts[SILENT] + counts[HANG] > 0 or share < LEAST_CLEAR)


if __name__ == "__main__":
    sys.exit(main())
