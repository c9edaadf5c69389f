"""What checkpoints cost: many against one, from the call to the dataset, warm."""

import time
from collections.abc import Iterator

from jaxbandits import Machine, budgeted, censored, simulate


def measure(options) -> Iterator[dict]:
    """Turns of one and of a hundred checkpoints; the best of each counts.

    Args:
      options: `seeds`, runs of the game that is played for rounds (that with a budget,
        whose runs are longer, has an eighth), `repeats`, turns, and `engine`.
    """
    seeds, machine = options.seeds, Machine(progress=False, engine=options.engine)
    grid, coins = censored.example1(), budgeted.s_br(10)
    rcucb, omega = censored.rcucb(grid.problem), budgeted.omega_star_ucb(coins.problem)
    games = [(rcucb, grid, seeds, {"horizon": rounds}) for rounds in (500, 5000)]
    games += [(omega, coins, seeds // 8, {"budget": b}) for b in (3000.0, 30_000.0)]
    for policy, environment, runs, end in games:
        grids = [*end.values()], "linear"
        best = [float("inf")] * 2
        for turn in range(options.repeats + 1):
            for place, checkpoints in enumerate(grids):
                began = time.perf_counter()
                how = {"seeds": runs, "checkpoints": checkpoints, **end}
                simulate(policy, environment, machine=machine, **how)
                seconds = time.perf_counter() - began
                if turn:  # the first compiles
                    best[place] = min(best[place], seconds)
        yield {
            "policy": policy.name,
            "environment": environment.name,
            "runs": runs,
            **end,
            "one": best[0],
            "seconds": best[1],
            "times": best[1] / best[0],
        }
