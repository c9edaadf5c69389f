"""Peak memory of many seeds, with 100 checkpoints."""

import resource
import time

from jaxbandits import simulate
from jaxbandits.censored import rcucb

from . import censored


def measure(options) -> list[dict]:
    """RCUCB, 10 x 10; peak resident memory of the process in megabytes."""
    game = censored.environment()
    began = time.perf_counter()
    simulate(rcucb(game.problem), game, horizon=options.horizon, seeds=options.seeds)
    return [
        {
            "seeds": options.seeds,
            "horizon": options.horizon,
            "seconds": time.perf_counter() - began,
            "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    ]
