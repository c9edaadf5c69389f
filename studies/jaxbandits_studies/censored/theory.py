"""The censored paper's bounds beside what happens: Proposition 1, Theorem 1."""

import warnings

import jax.numpy as jnp
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import censored, plots
from jaxbandits.protocol import Policy
from jaxbandits.stats import entry, make_record
from jaxbandits_studies.common.casts import cast, environments
from jaxbandits_studies.common.drawing import draw_lines
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.common.overlay import TRIVIAL, under_bounds
from jaxbandits_studies.common.playing import play
from jaxbandits_studies.theory import censored as theory
from jaxbandits_studies.theory.vacuous import VacuousBound

ALPHA = 1.5  # the theorems need alpha > 1


def bounds(name: str, options: Options) -> Outcome:
    """Regret of RCUCB and of UCB below Theorem 1, Corollary 4, the trivial bound."""
    games = environments("censored", "5.1")

    def curves(title, rounds):
        problem, gaps = games[title].problem, games[title].oracle().gaps
        theorem_1 = theory.rcucb_regret_bound(gaps, problem.penalties(), rounds, ALPHA)
        return {
            "Theorem 1, without subtraction": theorem_1,
            "Corollary 4 (UCB)": theory.ucb_regret_bound(
                gaps, problem.max_penalty, rounds, ALPHA
            ),
            TRIVIAL: theory.trivial_bound(rounds, gaps),
        }

    contestants, note = cast("censored", "bounds"), f", $\\alpha$ = {ALPHA}"
    # Vacuous at all these horizons, which is what the figure shows.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VacuousBound)
        return under_bounds(name, games, contestants, options, curves, note=note)


def coverage(options: Options) -> Outcome:
    """How often RCUCB's estimates are farther off than Proposition 1 allows.

    Three ways to choose: RCUCB itself, always the largest limit, and that once per arm
    and the smallest limit ever after; the estimates are RCUCB's in all. For each round
    the frequency of the worst pair, above and below separately.
    """
    environment = censored.indep()
    oracle = environment.oracle()
    base = censored.rcucb(environment.problem, alpha=ALPHA)
    ways = {
        "RCUCB": base,
        "largest limit": _instead(base, environment, smallest=False),
        "smallest limit": _instead(base, environment, smallest=True),
    }
    dataset = play(
        {name: _watched(policy) for name, policy in ways.items()},
        environment,
        options,
        horizon=options.horizon,
        checkpoints=_rounds(options.horizon),
    )
    rounds = dataset["checkpoint"].values
    arms = dataset["reached"].isel(reached_1=0)  # N_{i,0}
    shape = {"dims": "reached_1"}
    length = xr.apply_ufunc(
        lambda reached, pulls, t, penalty: theory.confidence_length(
            reached, pulls, t, penalty, ALPHA
        ),
        dataset["reached"],
        arms,
        dataset["checkpoint"],
        xr.DataArray(environment.problem.penalties(), **shape),
    )
    truth = xr.DataArray(oracle.values, dims=("reached_0", "reached_1"))
    off = dataset["estimate"].rename(estimate_0="reached_0", estimate_1="reached_1")
    off = off - truth
    pairs = ("reached_0", "reached_1")
    above = (off > length).mean("seed").max(pairs).isel(params=0)
    below = (off < -length).mean("seed").max(pairs).isel(params=0)
    bound = theory.coverage_bound(rounds, ALPHA, cap=True)
    result = xr.Dataset({"above": above, "below": below})

    def draw() -> Figure:
        fig, axes = plots.figure(1, 2)
        lowest = 0.5 / options.seeds
        for ax, (side, frequency) in zip(axes, result.items(), strict=True):
            draw_lines(ax, rounds, {x: frequency.sel(policy=x) for x in ways})
            ax.plot(rounds, bound, color="0.25", label="Proposition 1")
            ax.set(xlabel="round $t$", ylabel="frequency, worst pair")
            plots.readable_ticks(ax.xaxis, "log", rounds[0], rounds[-1])
            # What never happened lies at 0, and what can happen least above it.
            plots.readable_ticks(ax.yaxis, "log", lowest, 1, zero=True)
            ax.set_ylim(-0.15 * lowest, 2)
            ax.set_title(f"estimate too {'high' if side == 'above' else 'low'}")
        plots.share_names(axes)
        plots.draw_legend(axes, f"{options.seeds:,} seeds, $\\alpha$ = {ALPHA}")
        return fig

    records = [
        _record(name, options, result.sel(policy=name).isel(checkpoint=-1), bound[-1])
        for name in ways
    ]
    return Outcome({"coverage": result}, records, draw)


def _rounds(horizon):
    return np.unique(np.geomspace(min(20, horizon), horizon, 25).round().astype(int))


def _watched(policy: Policy) -> Policy:
    """The policy, with its estimates and counts in the results."""

    def report(state, params):
        del params
        return {"estimate": state.estimate, "reached": state.reached}

    return policy._replace(report=report)


def _instead(policy: Policy, environment, *, smallest: bool) -> Policy:
    """The policy's estimates under another choice.

    Arms in turn with the largest limit; or that once, then the first arm with the
    smallest limit.
    """
    K, M = environment.problem.num_arms, environment.problem.num_limits

    def act(noise, view, state, params):
        del noise, state, params
        long = (view.round <= K) | (not smallest)
        arm = jnp.where(long, (view.round - 1) % K, 0)
        return censored.Action(arm, jnp.where(long, M - 1, 0))

    return policy._replace(act=act)


def _record(name, options, frequency, bound):
    def of(side):
        share = frequency[side]
        return entry(share, np.sqrt(share * (1 - share) / options.seeds), bound)

    return make_record(
        "censored-coverage",
        "Indep",
        name,
        {side: of(side) for side in ("above", "below")},
        seeds=options.seeds,
        horizon=options.horizon,
        params={"alpha": ALPHA},
    )
