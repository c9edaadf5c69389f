"""Bounds of docs/theory beside runs: the tables of its pages.

    python scripts/bounds.py cells [--instances 200] [--horizon 100000]

Where a theorem is about instances that are drawn from a prior and a posterior that is
exact, this is played in NumPy, all instances at a time; the policies of the library are
played where they are what the page speaks of.
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np

from jaxbandits.theory import cells

Moments = tuple[np.ndarray, np.ndarray]


def mean_and_error(regret: np.ndarray) -> Moments:
    """Over the last axis, of runs."""
    return regret.mean(axis=-1), regret.std(axis=-1) / np.sqrt(regret.shape[-1])


def decades(horizon: int) -> np.ndarray:
    """1,000, 10,000, ... up to the horizon."""
    return 10 ** np.arange(3, int(np.log10(horizon)) + 1)


def row(*entries: object) -> None:
    print("| " + " | ".join(str(x) for x in entries) + " |")


def said(mean: float, error: float) -> str:
    return f"{mean:,.0f} ± {error:,.0f}"


# Cell Thompson sampling, docs/theory/cell-thompson.md.


def cell_game(
    rng: np.random.Generator, instances: int, num_arms: int, num_limits: int
) -> Moments:
    """Hazards and chances to gain 1 of cells, uniform, f64[instances, K, M] each."""
    hazard, gain = rng.random((2, instances, num_arms, num_limits))
    return hazard, gain


def values_of(hazard: np.ndarray, gain: np.ndarray, penalty: np.ndarray) -> np.ndarray:
    """Eq. (2), f64[..., K, M]."""
    survival = np.cumprod(1 - hazard, axis=-1)
    entering = np.concatenate(
        [np.ones_like(survival[..., :1]), survival[..., :-1]], axis=-1
    )
    return np.cumsum(entering * hazard * gain, axis=-1) - penalty * survival


def cell_runs(
    rng: np.random.Generator,
    game: Moments,
    penalty: np.ndarray,
    rounds: np.ndarray,
    *,
    posterior: str = "beta",
    size: int = 1,
) -> np.ndarray:
    """Regret of Thompson sampling on cells at some rounds, f64[rounds, instances].

    By the exact posterior of gains (``beta``), by the normal one of the policy, or by
    ``none``: arms and limits at random.
    """
    hazard, gain = game
    shape = instances, num_arms, num_limits = hazard.shape
    truth = values_of(hazard, gain, penalty)
    best = np.sort(truth.max(axis=2), axis=1)[:, -size:].sum(axis=1)
    entered, ended, gained = np.zeros((3, *shape))
    lost, found = np.zeros(instances), []
    which = np.arange(instances)[:, None]
    for t in range(1, rounds[-1] + 1):
        if posterior == "none":
            scores = rng.random(shape)
        else:
            h = rng.beta(1 + ended, 1 + entered - ended)
            if posterior == "beta":
                mu = rng.beta(1 + gained, 1 + ended - gained)
            else:
                n = ended + 2
                mean = (gained + 1) / n
                deviation = np.sqrt(mean * (1 - mean) / (n + 1))
                mu = np.clip(mean + deviation * rng.standard_normal(shape), 0, 1)
            scores = values_of(h, mu, penalty)
        limit = scores.argmax(axis=2)
        arms = np.argsort(-scores.max(axis=2), axis=1)[:, :size]
        limits = np.take_along_axis(limit, arms, axis=1)
        lost += best - truth[which, arms, limits].sum(axis=1)
        # Runs go on from cell to cell until they end or have passed the limit.
        going = np.ones((instances, size), bool)
        for cell in range(num_limits):
            going = going & (cell <= limits)
            ends = going & (rng.random(going.shape) < hazard[which, arms, cell])
            pays = ends & (rng.random(going.shape) < gain[which, arms, cell])
            entered[which, arms, cell] += going
            ended[which, arms, cell] += ends
            gained[which, arms, cell] += pays
            going = going & ~ends
        if t in rounds:
            found.append(lost.copy())
    return np.array(found)


def cell_table(instances: int, horizon: int) -> None:
    """Three arms, three limits with the penalties 0.1, 0.2, 0.3."""
    penalty, num_arms = np.array([0.1, 0.2, 0.3]), 3
    rounds = decades(horizon)
    for size in (1, 2):
        print(f"\n{size} of {num_arms} arms in a round, {instances} instances")
        row("rounds", "bound", "exact posterior", "normal posterior", "at random")
        bound = cells.bayes_regret_bound(rounds, num_arms, penalty, size=size)
        columns = []
        for posterior in ("beta", "normal", "none"):
            rng = np.random.default_rng(7)
            game = cell_game(rng, instances, num_arms, penalty.size)
            regret = cell_runs(
                rng, game, penalty, rounds, posterior=posterior, size=size
            )
            columns.append(
                [said(*x) for x in zip(*mean_and_error(regret), strict=True)]
            )
        for entries in zip(rounds, bound, *columns, strict=True):
            row(f"{entries[0]:,}", f"{entries[1]:,.0f}", *entries[2:])


COIN, SURE = 0.35, 0.3  # the chance of arm 1 to gain 1, and what arm 2 gains


def trap_runs(rng: np.random.Generator, seeds: int, rounds: np.ndarray) -> np.ndarray:
    """Regret by Beta posteriors of both gains, sums in the place of successes."""
    pulls, gained = np.zeros((2, seeds, 2))
    which, lost, found = np.arange(seeds), np.zeros(seeds), []
    for t in range(1, rounds[-1] + 1):
        arm = rng.beta(1 + gained, 1 + pulls - gained).argmax(axis=1)
        pulls[which, arm] += 1
        paid = np.where(arm == 0, rng.random(seeds) < COIN, SURE)
        gained[which, arm] += paid
        lost += np.where(arm == 0, 0.0, COIN - SURE)
        if t in rounds:
            found.append(lost.copy())
    return np.array(found)


def trap_table(instances: int, horizon: int) -> None:
    """A coin beside a sure thing that is worth a little less: the policy itself."""
    import jaxbandits as jb
    from jaxbandits.laws import Discrete, discrete
    from jaxbandits.policies import censored as policies
    from jaxbandits.settings import censored as settings

    gains = np.array([[0.0, 1.0], [SURE, 1.0]])
    chances = np.array([[1 - COIN, COIN], [1.0, 0.0]])
    game = settings.plain("coin and sure thing", discrete, Discrete(gains, chances))
    rounds = decades(horizon)
    data = jb.simulate(
        policies.cell_thompson(game.problem),
        game,
        horizon=horizon,
        seeds=instances,
        checkpoints=rounds.tolist(),
    )
    normal = data["regret"].isel(policy=0).transpose("checkpoint", ...).values
    normal = normal.reshape(len(rounds), -1)
    beta = trap_runs(np.random.default_rng(7), instances, rounds)
    print(f"\n{instances} seeds: regret, median, worst run; above half of the most")
    row("rounds", "of lost runs, by theory", "cell TS", "by Beta posteriors")
    theory = cells.lost_regret(rounds, COIN, SURE)
    for i, t in enumerate(rounds):
        told = [
            f"{said(*mean_and_error(x))}, {np.median(x):,.0f}, {x.max():,.0f}; "
            f"{np.sum(x > t * (COIN - SURE) / 2)}"
            for x in (normal[i], beta[i])
        ]
        row(f"{t:,}", f"{theory[i]:.1f}", *told)
    print("\nBy theory alone")
    for t in (1e6, 1e8, 1e10, 1e12):
        lost = cells.lost_regret([t], COIN, SURE)[0]
        row(f"{t:.0e}", f"{lost:,.0f}", f"{np.log(lost) / np.log(t):.2f}")
    n = np.arange(4, 21, 4)
    for k, chance in zip(n, cells.chance_after_failures(n, SURE), strict=True):
        row(
            k, f"{(1 - COIN) ** k:.2g}", f"{chance:.2g}", f"{(1 - SURE) ** (k + 1):.2g}"
        )


TABLES: dict[str, Callable[[int, int], None]] = {
    "cells": cell_table,
    "trap": trap_table,
}


def main(arguments: Iterator[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--instances", type=int, default=200)
    parser.add_argument("--horizon", type=int, default=10_000)
    options = parser.parse_args(arguments)
    TABLES[options.table](options.instances, options.horizon)


if __name__ == "__main__":
    main()
