"""The game every contestant plays.

An arm's consumption is exponential, its reward uniform on (0, 1) (simpler than the
paper's instance "Indep", for every contestant alike). A round whose consumption
exceeds the chosen limit is censored: its reward is not seen and it counts as exceeding
every limit (eq. (9) of the paper). The policy is RCUCB with the gain part of the radius
only; the score of a run is the share of its rounds that played the optimal pair.
"""

from typing import NamedTuple

import numpy as np

from ..contest import Played

COST = 0.1


class Game(NamedTuple):
    """Sizes, and the factor of the penalty part of the radius."""

    arms: int = 10
    limits: int = 10
    penalty_radius: float = 0.0

    @property
    def pairs(self) -> int:
        """How many indices a round compares."""
        return self.arms * self.limits


def limits(game: Game) -> np.ndarray:
    """Limits, f64[M]."""
    return np.linspace(0.1, 0.9, game.limits) if game.limits > 1 else np.array([0.5])


def penalties(game: Game) -> np.ndarray:
    """Penalties of the limits, f64[M]: the paper's fast track."""
    tau = limits(game)
    return np.where(tau <= 0.5, COST * tau, 10.0 * tau)


def rates(game: Game) -> np.ndarray:
    """Rates of the consumption, f64[K]; the first arm is the best."""
    return np.array([1.8] + [0.8 / 1.1 + 1.0] * (game.arms - 1))


def expected_gains(game: Game) -> np.ndarray:
    """The exact penalised expected gain of every pair, f64[K, M]."""
    rate, tau = rates(game)[:, None], limits(game)
    survival = np.exp(-rate * tau)
    consumption = (1.0 - survival) / rate - tau * survival
    return 0.5 * (1.0 - survival) - COST * consumption - penalties(game) * survival


def played(game: Game, pulls: np.ndarray) -> Played:
    """Rounds and score of runs with these pulls, i64[S, K, M]."""
    flat = pulls.reshape(len(pulls), -1)
    rounds = flat.sum(axis=1)
    return Played(rounds, flat[:, expected_gains(game).argmax()] / rounds)
