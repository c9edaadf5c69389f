"""MABWiser 2.7.4: bandits that are trained and asked, in a loop of our own.

The wheel imports as it is. Its simulator replays logs, so the game is a Python loop of
`predict` and `partial_fit`, the documented form of online learning, run by run;
`n_jobs` shares out arms and contexts, not runs, and only costs time here: one core. The
policy has no predictions before its first `fit`, which gets the first pull of every
arm.
"""

import time

from .environments import Report, answer, in_environment
from .game import Game

PINS = (
    "mabwiser==2.7.4",
    "contourpy==1.3.3",
    "cycler==0.12.1",
    "fonttools==4.60.1",
    "joblib==1.5.2",
    "kiwisolver==1.4.9",
    "matplotlib==3.10.7",
    "numpy==2.3.5",
    "packaging==25.0",
    "pandas==2.3.3",
    "pillow==12.0.0",
    "pyparsing==3.2.5",
    "python-dateutil==2.9.0.post0",
    "pytz==2025.2",
    "scikit-learn==1.7.2",
    "scipy==1.16.3",
    "seaborn==0.13.2",
    "six==1.17.0",
    "threadpoolctl==3.6.0",
    "tzdata==2025.2",
)

timed = in_environment("mabwiser", PINS)


def play(game: Game, seeds: int, horizon: int, seed: int) -> Report:
    """One run after the other; rewards are drawn a run at a time."""
    import numpy as np
    from mabwiser.mab import MAB, LearningPolicy

    rng = np.random.default_rng(seed)
    arms, shares = list(range(len(game.means))), []
    began = time.perf_counter()
    for _ in range(seeds):
        draws = rng.random((horizon, len(arms))) < game.means
        rewards = draws.astype(float).tolist()
        bandit = MAB(arms, LearningPolicy.UCB1(alpha=1))
        bandit.fit(arms, [rewards[arm][arm] for arm in arms])
        pulls = 1
        for t in range(len(arms), horizon):
            arm = bandit.predict()
            bandit.partial_fit([arm], [rewards[t][arm]])
            pulls += arm == game.best
        shares.append(pulls / horizon)
    return Report(time.perf_counter() - began, 1, shares)


if __name__ == "__main__":
    answer(play)
