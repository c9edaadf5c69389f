"""Which policy for a solver's log? A ranking by the reward that is lost.

An arm is a configuration, a limit a time after which it is stopped; a round replays a
run of the log (`censored.recorded`).
"""

from functools import partial
from typing import Any

import numpy as np

from jaxbandits.censored import Runs, recorded, scaled
from jaxbandits.checks import Numbers, instance, non_negative, number, text, whole
from jaxbandits.laws.law import exceeds
from jaxbandits.plots import plot_panels
from jaxbandits.protocol import Environment
from jaxbandits.simulation.dealing import dealt
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.common.ranking import (
    CAVEAT,
    LEVEL,
    SEEDS,
    advice,
    amount,
    first_few,
    ranked,
)

ROUNDS = 10_000
PENALTY = 10.0  # PAR10
LIMITS = 10
CAST = cast("censored", "own runs")
LOST = "loses", "rewards to the best pair of a configuration and a limit"


def compare_runs(
    name: str,
    runs: Runs,
    *,
    limits: Numbers | None = None,
    rounds: int = ROUNDS,
    seeds: int = SEEDS,
    unit: float | None = None,
    penalty: float = PENALTY,
    progress: bool | None = None,
) -> Outcome:
    """Play every policy of `CAST` on recorded runs.

    Configurations are shuffled in every game, the same way for all policies: neither
    their names nor the order of the rows have an effect on any number.

    Args:
      name: of the game.
      runs: of `datasets.load_runs`.
      limits: the grid, increasing, in the log's seconds; by default `default_limits`.
      rounds: of each game.
      seeds: how many games, at least 2.
      unit: the seconds that cost a reward of 1; by default those of the longest run
        that finished.
      penalty: how many times its limit a round in vain costs.
      progress: whether to show progress; None if stderr is a terminal.

    Returns:
      A dataset, its records, a figure, and in `notes` the configurations and the
      advice. `common.ranking.ranks` of it and ``gain`` gives the ranking.

    Raises:
      ValueError, TypeError: naming the argument.
    """
    text("name", name)
    runs = _in_order_of_runs(instance("runs", runs, Runs, "of datasets.load_runs"))
    non_negative(penalty=penalty)
    options = Options(whole("seeds", seeds, 2), whole("rounds", rounds, 1), progress)
    limits = default_limits(runs) if limits is None else limits
    factor = number("penalty", penalty)
    game = recorded(name, runs, limits, penalty=scaled(factor), unit=unit)
    played, rankings = ranked({name: dealt(game)}, CAST, options, "gain")
    notes = (
        *_arms_in_words(name, runs, game),
        advice(name, rankings[name], LOST),
        _prices(game, factor),
        *(f"Mind: {note}." for note in runs.about["notes"]),
        CAVEAT.format("values"),
    )
    draw = partial(plot_panels, played.datasets, "regret", level=LEVEL)
    return Outcome(*played, draw, notes)


def default_limits(runs: Runs) -> list[float]:
    """Ten quantiles of the times of the runs that finished, f64[M], increasing.

    The last is the longest of these times, or the largest limit that the runs can play,
    if that is smaller. Limits that are equal are one.

    Raises:
      ValueError: if no run finished after a positive time that can be played.
    """
    times = runs.finished[runs.finished > 0]
    if runs.timeout is not None:
        times = np.minimum(times, runs.timeout)
    if not times.size or not times.max() > 0:
        within = f" within the timeout, {runs.timeout:g}" if runs.timeout else ""
        raise ValueError(f"runs: none of them finished after a positive time{within}")
    quantiles = np.quantile(times, np.arange(1, LIMITS + 1) / LIMITS)
    _, first = np.unique(quantiles.astype(np.float32), return_index=True)
    return quantiles[first].tolist()


def _in_order_of_runs(runs: Runs) -> Runs:
    """The same runs in an order that does not depend on names, or the order of rows."""
    own = [
        part[np.lexsort(part.T)]
        for part in np.split(runs.pairs, np.cumsum(runs.counts)[:-1])
    ]
    order = sorted(range(len(own)), key=lambda arm: own[arm].tobytes())
    return runs._replace(
        configurations=tuple(runs.configurations[arm] for arm in order),
        pairs=np.concatenate([own[arm] for arm in order]),
        counts=runs.counts[order],
    )


def _named(configuration: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in configuration.items())


def _arms_in_words(name: str, runs: Runs, game: Environment) -> list[str]:
    """The configurations, best first, each with its best limit and its value there."""
    oracle, unit = game.oracle(), game.provenance["seconds_per_unit"]  # type: ignore[misc]
    limits, penalties = np.array(game.problem.limits), game.problem.penalties()
    lines = []
    parts = np.split(runs.pairs, np.cumsum(runs.counts)[:-1])
    for arm in np.argsort(-oracle.values.max(axis=1), kind="stable"):
        limit = int(oracle.values[arm].argmax())
        reward, seconds = parts[arm].T
        late = exceeds(seconds / unit, limits[limit])
        worth = np.where(late, -penalties[limit], reward - seconds / unit)
        count = len(worth)
        spread = np.std(worth, ddof=1) if count > 1 else np.inf
        value, error = oracle.values[arm, limit], 1.96 * spread / np.sqrt(count)
        width = f"± {error:.3f} from {count:,} runs"
        if spread == 0:
            width = f"from {count:,} runs that are all worth the same"
        lines.append(
            f"{name}: {_named(runs.configurations[arm])}: best within "
            f"{amount(unit * limits[limit])}, {value:.3f} a round, {width}"
        )
    return first_few(lines, name)


def _prices(game: Environment, penalty: float) -> str:
    unit = game.provenance["seconds_per_unit"]
    limits = "; ".join(amount(unit * limit) for limit in game.problem.limits)
    return (
        f"Limits, in the log's own unit: {limits}. A time of {amount(unit)} costs a "
        f"reward of 1, and a round in vain costs {penalty:g} times its limit."
    )
