"""The Rust loop of pymab alone, by its private entry, on one core.

Not a documented way to play: it shows what is left of `pymab` without the checks of its
results.
"""

import time

from .environments import Report, answer, in_environment
from .game import Game
from .pymab import PINS, experiment

timed = in_environment("pymab_core", PINS)


def play(game: Game, seeds: int, horizon: int, seed: int) -> Report:
    """What `Experiment.run` does before it builds its result."""
    from pymab._backend import run_native_experiment

    ready = experiment(game, seeds, horizon, seed)
    began = time.perf_counter()
    result = run_native_experiment(
        environment=ready.environment,
        policies=ready.policies,
        horizon=horizon,
        n_replicates=seeds,
        seed=seed,
        reward_coupling=ready.config.reward_coupling,
        record_contexts=False,
    )
    seconds = time.perf_counter() - began
    shares = (result.actions[:, :, 0] == game.best).mean(axis=1)
    return Report(seconds, 1, shares.tolist())


if __name__ == "__main__":
    answer(play)
