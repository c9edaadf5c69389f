"""Play every policy of the registry in the games of its setting, and say how fast.

    python scripts/play_all.py [--seeds 1 8 64 512] [--rounds 300] [--only PATTERN]

A line per policy, game and number of seeds: seconds of compiling, seconds of playing,
thousands of rounds a second. The exit status is 1 if a policy could not be played.
"""

import argparse
import fnmatch
import sys

import jax
import numpy as np
from games import games, policy_of

import jaxbandits as jb
from jaxbandits.registry import policies


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 8, 64, 512])
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--only", default="*", metavar="PATTERN")
    options = parser.parse_args()
    print(f"jax {jax.__version__}, devices {len(jax.devices())}")
    failed = 0
    for name in fnmatch.filter(policies(), options.only):
        for game in games(options.rounds)[name.split("/")[0]]:
            for seeds in options.seeds:
                failed += not _played(name, game, seeds)
    return failed > 0


def _played(name, game, seeds) -> bool:
    label = f"{name:36s} {game.environment.name:28s} {seeds:5d}"
    policy = policy_of(name, game)
    if policy is None:
        return True
    try:
        data = jb.simulate(
            policy,
            game.environment,
            **game.end,
            seeds=seeds,
            checkpoints=[1],
            machine=jb.Machine(progress=False),
        )
    except Exception as error:  # whatever it is, it belongs into the table
        first = str(error).splitlines()[0]
        print(f"{label}  FAILED {type(error).__name__}: {first[:120]}", flush=True)
        return False
    rounds = float(data["rounds"].isel(checkpoint=-1).sum())
    compiling, running = (
        float(data[key].sum()) for key in ("compile_seconds", "run_seconds")
    )
    rate = rounds / max(running, 1e-9) / 1000
    sound = np.isfinite(data["regret"].values).all()
    print(
        f"{label}  compiled {compiling:6.1f} s, played {running:7.3f} s, "
        f"{rate:9.0f} k/s{'' if sound else '  NOT FINITE'}",
        flush=True,
    )
    return bool(sound)


if __name__ == "__main__":
    sys.exit(main())
