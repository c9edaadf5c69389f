"""Do the bits depend on how the runs are laid out? Every policy of the registry.

    python scripts/invariance.py [--only PATTERN] [--seeds 330] [--rounds 100]

Plays every policy in the games of its setting in chunks of 64, 128 and 320 runs and of
the chosen size, on 1, 2 and 3 devices, and compares every bit of every variable with
those of the chosen chunk on one device. A line per policy and game; the exit status is
1 if one differs.
"""

import argparse
import fnmatch
import os
import sys

os.environ["JAX_NUM_CPU_DEVICES"] = "3"  # before JAX starts

import jax
import numpy as np
from games import games, policy_of

import jaxbandits as jb
from jaxbandits.registry import policies

CHUNKS = (None, 64, 128, 320)
DEVICES = (1, 2, 3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="*", metavar="PATTERN")
    parser.add_argument("--seeds", type=int, default=330)
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    print(f"jax {jax.__version__}")
    broken = 0
    for name in fnmatch.filter(policies(), options.only):
        for game in games(options.rounds)[name.split("/")[0]]:
            policy = policy_of(name, game)
            if policy is not None:
                broken += not _same(name, policy, game, options.seeds)
    return broken > 0


def _same(name, policy, game, seeds) -> bool:
    def played(chunk, count):
        found = jb.simulate(
            policy,
            game.environment,
            **game.end,
            seeds=seeds,
            checkpoints="linear",
            machine=jb.Machine(jax.devices()[:count], chunk=chunk, progress=False),
        )
        return found.drop_vars(["compile_seconds", "run_seconds"])

    reference = played(None, 1)
    different = {}
    for chunk in CHUNKS:
        for count in DEVICES:
            if (chunk, count) == (None, 1):
                continue
            found = played(chunk, count)
            runs = np.zeros(seeds, bool)
            for key, value in reference.data_vars.items():
                if "seed" in value.dims:
                    axis = value.dims.index("seed")
                    runs |= differs(found[key].values, value.values, axis)
            if runs.any():
                different[f"{chunk or 'chosen'} on {count}"] = int(runs.sum())
    label = f"{name:36s} {game.environment.name:30s}"
    print(f"{label} {different or 'same bits'}", flush=True)
    return not different


def differs(left, right, axis) -> np.ndarray:
    """Along an axis: is a bit different? (A NaN equals the same NaN.)"""
    left, right = (
        np.ascontiguousarray(np.moveaxis(x, axis, 0)).view(np.uint8)
        for x in (left, right)
    )
    return (left != right).reshape(len(left), -1).any(axis=1)


if __name__ == "__main__":
    sys.exit(main())
