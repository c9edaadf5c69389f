"""pymab 2.0.1 (2026): experiments whose loop is written in Rust.

The wheel imports as it is. The fastest documented way to many runs is one `Experiment`
with many replicates on the Rust backend; it plays on one core. Its results hold all
arms in every round, some 800 bytes per round: keep seeds times horizon to a few
million. Most of the time goes into checking those results entry by entry in Python;
`pymab_core` times the Rust loop alone.
"""

import time

from .environments import Report, answer, in_environment
from .game import Game

PINS = ("pymab==2.0.1", "numpy==2.3.5")

timed = in_environment("pymab", PINS)


def experiment(game: Game, seeds: int, horizon: int, seed: int):
    """UCB1 (its c = 2 is the factor of log t) on Bernoulli arms."""
    import numpy as np
    from pymab import BanditEnvironment, BernoulliReward, Experiment, ExperimentConfig
    from pymab.policies import UCBPolicy

    bandit = BanditEnvironment(
        means=np.array(game.means), reward_model=BernoulliReward()
    )
    config = ExperimentConfig(
        horizon=horizon, n_replicates=seeds, seed=seed, backend="rust"
    )
    policies = {"UCB1": UCBPolicy(n_arms=len(game.means), c=2.0)}
    return Experiment(environment=bandit, policies=policies, config=config)


def play(game: Game, seeds: int, horizon: int, seed: int) -> Report:
    """One experiment."""
    ready = experiment(game, seeds, horizon, seed)
    began = time.perf_counter()
    result = ready.run()
    seconds = time.perf_counter() - began
    shares = (result.actions[:, :, 0] == game.best).mean(axis=1)
    return Report(seconds, 1, shares.tolist())


if __name__ == "__main__":
    answer(play)
