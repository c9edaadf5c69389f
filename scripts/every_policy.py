"""Play every policy of the registry in games of its setting.

    python scripts/every_policy.py speed [--seeds 1 8 64 512] [--rounds 300]
    python scripts/every_policy.py layouts [--seeds 330] [--rounds 100]

``speed`` says how long compiling and playing take. ``layouts`` asks whether the bits
depend on how the runs are laid out: in chunks of 64, 128 and 320 runs and of the chosen
size, on 1, 2 and 3 devices. A line per policy and game; the exit status is 1 if a
policy cannot be played, is not finite, or has other bits in another layout.
``--only PATTERN`` takes some policies.
"""

import argparse
import fnmatch
import sys
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import jax
import numpy as np
import xarray as xr

from jaxbandits import Machine, allocation, budgeted, censored, farewell, simulate
from jaxbandits.allocation.solving import is_concave
from jaxbandits.laws.thresholds import exponential
from jaxbandits.protocol import Environment, Policy
from jaxbandits.registry import policies
from jaxbandits_studies import datasets

CHUNKS = (None, 64, 128, 320)
DEVICES = (1, 2, 3)


class Game(NamedTuple):
    """An environment, and where its runs end.

    Attributes:
      environment: the environment.
      end: ``horizon`` or ``budget``, arguments of `simulate`.
    """

    environment: Environment
    end: dict


# Games by the first part of the policies' names.
GAMES = {
    "censored": lambda: [
        censored.indep(censored.equidistant(10)),
        censored.poscorr(censored.equidistant(3)),
    ],
    "continuum": lambda: [censored.indep(censored.ANY)],
    "combinatorial": lambda: [
        censored.combinatorial(censored.indep([0.3, 0.5, 0.7]), 2)
    ],
    "dueling": lambda: [censored.duels(censored.indep([0.3, 0.5, 0.7]))],
    "budgeted": lambda: [budgeted.s_br(10), budgeted.s_bt(5)],
    "farewell": lambda: [
        farewell.optimum_in_the_middle(),
        farewell.display_advertising(),
    ],
    "allocation": lambda: [allocation.simulation(4), datasets.ednet_like(3)],
    "ordered": lambda: [allocation.ordered(allocation.simulation(3, 8.0), [2, 8])],
}
ROUND = {"budgeted": 0.5, "farewell": 3}  # what a round costs on average


@cache
def games(setting: str, rounds: int) -> list[Game]:
    """The games of a setting, of about `rounds` rounds each."""
    end = {"horizon": rounds}
    if setting in ROUND:
        end = {"budget": ROUND[setting] * rounds}
    return [Game(environment, end) for environment in GAMES[setting]()]


# No rule for sigmoids, and no average of their optima.
CONCAVE = {
    "allocation/mg-ucb",
    "allocation/thompson-mean",
    "allocation/thompson-mean-feasible",
}
EXPONENTIAL = {"allocation/ra-ucb-authors"}  # the published code has no other radii


def policy_of(name: str, game: Game) -> Policy | None:
    """A policy of the registry, built for a game; None if it is not for that game."""
    problem = game.environment.problem
    if name in CONCAVE and not is_concave(problem):
        return None
    if name in EXPONENTIAL and problem.family is not exponential:
        return None
    return policies()[name](problem)


def played(policy: Policy, game: Game, seeds: int, **how) -> xr.Dataset:
    """Of one policy in its game; `how` goes to `Machine`."""
    how |= {"progress": False}
    ends = {"seeds": seeds, "checkpoints": "linear", "machine": Machine(**how)}
    return simulate(policy, game.environment, **game.end, **ends)


def speed(policy: Policy, game: Game, seeds: int) -> tuple[bool, str]:
    """Whether all regrets are finite, and how long compiling and playing took."""
    data = played(policy, game, seeds)
    rounds = float(data["rounds"].isel(checkpoint=-1).sum())
    compiling, running = (
        float(data[key].sum()) for key in ("compile_seconds", "run_seconds")
    )
    sound = bool(np.isfinite(data["regret"].values).all())
    rate = rounds / max(running, 1e-9) / 1000
    text = f"compiled {compiling:6.1f} s, played {running:7.3f} s, {rate:9.0f} k/s"
    return sound, text if sound else f"{text}, not finite"


def layouts(policy: Policy, game: Game, seeds: int) -> tuple[bool, str]:
    """Whether all layouts have the same bits, and how many runs differ in which."""
    reference = played(policy, game, seeds, devices=jax.devices()[:1])
    different = {}
    for chunk in CHUNKS:
        for count in DEVICES:
            how = {"devices": jax.devices()[:count], "chunk": chunk}
            other = played(policy, game, seeds, **how)
            runs = np.zeros(seeds, bool)
            for key, value in reference.data_vars.items():
                if "seed" in value.dims:
                    axis = value.dims.index("seed")
                    runs |= differs(other[key].values, value.values, axis)
            if runs.any():
                different[f"{chunk or 'chosen'} on {count}"] = int(runs.sum())
    return not different, str(different or "same bits")


def differs(left: np.ndarray, right: np.ndarray, axis: int) -> np.ndarray:
    """Along an axis: is a bit different? (A NaN equals the same NaN.)"""
    left, right = (
        np.ascontiguousarray(np.moveaxis(x, axis, 0)).view(np.uint8)
        for x in (left, right)
    )
    return (left != right).reshape(len(left), -1).any(axis=1)


def line(name: str, game: Game, look: Callable, seeds: int) -> bool:
    """Print what a look at a policy in a game says; whether it is as it should be."""
    policy = policy_of(name, game)
    if policy is None:
        return True
    try:
        sound, text = look(policy, game, seeds)
    except Exception as error:  # whatever it is, it belongs into the table
        sound, text = False, f"{type(error).__name__}: {error}".splitlines()[0][:120]
    label = f"{name:36s} {game.environment.name:28s} {seeds:5d}"
    print(f"{label}  {text}", flush=True)
    return sound


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="look", required=True)
    for look, seeds, rounds in ((speed, [1, 8, 64, 512], 300), (layouts, [330], 100)):
        command = commands.add_parser(look.__name__, help=look.__doc__)
        command.add_argument("--seeds", type=int, nargs="+", default=seeds)
        command.add_argument("--rounds", type=int, default=rounds)
        command.add_argument("--only", default="*", metavar="PATTERN")
        command.set_defaults(look=look)
    options = parser.parse_args()
    if options.look is layouts:
        jax.config.update("jax_num_cpu_devices", max(DEVICES))
    print(f"jax {jax.__version__}, devices {len(jax.devices())}")
    sound = [
        line(name, game, options.look, seeds)
        for name in fnmatch.filter(policies(), options.only)
        for game in games(name.split("/")[0], options.rounds)
        for seeds in options.seeds
    ]
    return not all(sound)


if __name__ == "__main__":
    sys.exit(main())
