"""SMPyBandits 0.9.7 (2019): objects for policies and arms, a Python loop per run.

It needs SciPy < 1.15 (for `btdtri`) and NumPy < 2.4 (for `in1d`), which exist for
Python 3.11 to 3.13, and one shim: since Python 3.11 `random.seed` refuses NumPy's
integers, so that the seeds of repetitions are turned into Python's on their way to the
processes. scikit-learn and scikit-optimize, which it asks for and UCB1 does not use,
are left out.

`Evaluator` shares repetitions out to joblib's processes on all cores. Of its options
the fastest: rewards drawn beforehand (``cache_rewards``, within the time; 80 bytes per
round), and pulls counted once per run (``moreAccurate=False``). It draws the seeds of S
repetitions below 100 S, so that of 512 runs two or three pairs share their random ties.
"""

import sys
import time

from .environments import Report, answer, in_environment
from .game import Game

PINS = (
    "SMPyBandits==0.9.7",
    "contourpy==1.3.3",
    "cycler==0.12.1",
    "fonttools==4.60.1",
    "joblib==1.5.2",
    "kiwisolver==1.4.9",
    "matplotlib==3.10.7",
    "numpy==2.2.6",
    "packaging==25.0",
    "pandas==2.3.3",
    "pillow==12.0.0",
    "pyparsing==3.2.5",
    "python-dateutil==2.9.0.post0",
    "pytz==2025.2",
    "scipy==1.14.1",
    "seaborn==0.13.2",
    "six==1.17.0",
    "tzdata==2025.2",
)

timed = in_environment("smpybandits", PINS)


def play(game: Game, seeds: int, horizon: int, seed: int) -> Report:
    """One environment with many repetitions."""
    import joblib
    import numpy as np
    from SMPyBandits.Arms import Bernoulli
    from SMPyBandits.Environment import Evaluator
    from SMPyBandits.Policies import UCB

    def delayed(function):
        def call(*arguments, seed, **options):
            return joblib.delayed(function)(*arguments, seed=int(seed), **options)

        return call

    sys.modules[Evaluator.__module__].delayed = delayed
    configuration = {
        "horizon": horizon,
        "repetitions": seeds,
        "n_jobs": -1,
        "verbosity": 0,
        "cache_rewards": True,
        "environment": [{"arm_type": Bernoulli, "params": list(game.means)}],
        "policies": [{"archtype": UCB, "params": {}}],
    }
    np.random.seed(seed)
    evaluator = Evaluator(configuration, moreAccurate=False)
    began = time.perf_counter()
    evaluator.startOneEnv(0, evaluator.envs[0])
    seconds = time.perf_counter() - began
    shares = evaluator.lastPulls[0][0, game.best] / horizon
    return Report(seconds, joblib.effective_n_jobs(-1), shares.tolist())


if __name__ == "__main__":
    answer(play)
