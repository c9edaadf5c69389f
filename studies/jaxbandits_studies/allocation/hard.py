"""The instances that prove Theorem 3.1, played."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

from jaxbandits import allocation
from jaxbandits.laws.thresholds import exponential
from jaxbandits.plots import draw_legend, figure, line_style, readable_ticks
from jaxbandits.protocol import Environment
from jaxbandits.stats import entry, interval_of, summary_records
from jaxbandits_studies.allocation.cast import ALL_LEARN, THOMPSON, TUNED
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.theory import allocation as theory

NUM_ARMS = 5
FACTORS = (16, 4, 1)  # of the horizon, for the shorter games
CAST = {
    "RA-UCB, all arms learn": ALL_LEARN,
    "RA-UCB, tuned": TUNED,
    "Thompson": THOMPSON,
    "uniform": Contestant(allocation.uniform),
}


def hard(options: Options) -> Outcome:
    """Regret at T of games made for T, beside what no policy can promise to beat.

    Appendix B: B = 1 and p = 1; all arms have the rate lambda but one, which has
    lambda + epsilon with ``(lambda + epsilon)^2 = epsilon / 2``. It gets everything at
    the optimum. Which one it is every seed draws: the bound holds for the mean over
    the K choices, too, as the total variation's bound is concave in what arms get.
    """
    horizons = [max(options.horizon // n, 4 * NUM_ARMS) for n in FACTORS]
    games = {T: _hard_game(T, horizons) for T in horizons}
    datasets, records = {}, []
    results = {name: [] for name in CAST}
    for T, game in games.items():
        at_t = options._replace(horizon=T)
        dataset = run_contestants(game, CAST, at_t, checkpoints=[T])
        datasets[game.name] = dataset
        rows = summary_records(dataset, "allocation-hard", metrics=["regret"])
        for name, bound in _bounds(T).items():
            for row in rows:
                row["metrics"][name] = entry(bound)
        records += rows
        for name in CAST:
            at_end = dataset["regret"].sel(policy=name).isel(params=0, checkpoint=-1)
            results[name].append([float(x) for x in interval_of(at_end)])

    def draw() -> Figure:
        fig, (ax,) = figure()
        for i, (name, rows) in enumerate(results.items()):
            mean, low, high = np.transpose(rows)
            errors = np.stack([mean - low, high - mean])
            style = line_style(i)._asdict()
            ax.errorbar(horizons, mean, errors, label=name, **style)
        for i, (name, bound) in enumerate(_bounds(np.array(horizons)).items()):
            style = line_style(len(CAST) + i)._asdict() | {"marker": None}
            ax.plot(horizons, bound, label=name, **style)
        ax.set(xscale="log", yscale="log", xlabel="T", ylabel="regret at T")
        readable_ticks(ax.xaxis, "log", horizons[0], horizons[-1])
        readable_ticks(ax.yaxis, "log", *ax.get_ylim())
        draw_legend(ax)
        return fig

    return Outcome(datasets, records, draw)


def _hard_game(horizon: int, horizons) -> Environment:
    """The instance for T rounds; rates within a factor of 4 of those of all horizons.

    One range for all, so that they share their programs.
    """
    all_of_them = [theory.lower_bound_instance(T, NUM_ARMS) for T in horizons]
    problem = allocation.make_problem(
        exponential,
        NUM_ARMS,
        1.0,
        lowest=float(min(i.rate for i in all_of_them)) / 4,
        highest=4 * float(max(i.rate + i.epsilon for i in all_of_them)),
    )
    results = theory.lower_bound_instance(horizon, NUM_ARMS)
    setup = np.array([results.rate, results.epsilon])
    return allocation.random_environment(
        f"Theorem 3.1, T = {horizon:,}", problem, _one_better_arm(), setup
    )


@cache
def _one_better_arm():
    def draw(key, numbers):
        rate, epsilon = numbers
        secret = jax.random.randint(key, (), 0, NUM_ARMS, jnp.int32)
        better = jnp.arange(NUM_ARMS, dtype=jnp.int32) == secret
        ones = jnp.ones(NUM_ARMS, rate.dtype)
        return allocation.Arms(ones, jnp.where(better, rate + epsilon, rate))

    return draw


def _bounds(horizon):
    return {
        "lower bound, Theorem 3.1": theory.lower_bound(horizon, NUM_ARMS),
        "lower bound, proved": theory.proved_lower_bound(horizon, NUM_ARMS),
    }
