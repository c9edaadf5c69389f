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
from jaxbandits.stats import entry, interval_of
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.common.comparison import play_games
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.theory import allocation as theory

NUM_ARMS = 5
FACTORS = (16, 4, 1)  # of the horizon, for the shorter games


def hard(name: str, options: Options) -> Outcome:
    """Regret at T of games made for T, beside what no policy can promise to beat.

    Appendix B: B = 1 and p = 1; all arms have the rate lambda but one, which has
    lambda + epsilon with ``(lambda + epsilon)^2 = epsilon / 2``. It gets everything at
    the optimum. Which one it is every seed draws: the bound holds for the mean over
    the K choices, too, as the total variation's bound is concave in what arms get.
    """
    horizons = [max(options.horizon // n, 4 * NUM_ARMS) for n in FACTORS]
    contestants = cast("allocation", "hard")
    datasets, records = {}, []
    results = {label: [] for label in contestants}
    for T in horizons:
        game = _hard_game(T, horizons)
        played = play_games(
            name,
            {game.name: game},
            contestants,
            options._replace(horizon=T),
            metrics=["regret"],
            checkpoints=[T],
        )
        for bound, value in _bounds(T).items():
            for record in played.records:
                record["metrics"][bound] = entry(value)
        datasets |= played.datasets
        records += played.records
        for label, runs in results.items():
            at_end = played.final(game.name).sel(policy=label)
            runs.append([float(x) for x in interval_of(at_end)])

    def draw() -> Figure:
        fig, (ax,) = figure()
        for i, (name, rows) in enumerate(results.items()):
            mean, low, high = np.transpose(rows)
            errors = np.stack([mean - low, high - mean])
            style = line_style(i)._asdict()
            ax.errorbar(horizons, mean, errors, label=name, **style)
        for i, (name, bound) in enumerate(_bounds(np.array(horizons)).items()):
            style = line_style(len(results) + i)._asdict() | {"marker": None}
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
