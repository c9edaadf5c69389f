"""The game of the farewell setting: what is played, and how it is scored."""

from typing import NamedTuple

import numpy as np

# The library's `display_advertising(1)`: three categories of ads, five waits.
AD_DELAYS = (
    (0.4, 0.1, 0.1, 0.1, 0.3),
    (0.1, 0.5, 0.1, 0.1, 0.2),
    (0.1, 0.1, 0.2, 0.3, 0.3),
)
AD_UTILITIES = (0.7, 1.0, 0.5)


class Game(NamedTuple):
    """Wait-UCB (observe="pair", scale 1) on ads that are clicked after a while.

    An epoch with macro-arm k and wait j draws a delay on 1, ..., D. If it is at most j,
    the epoch lasts that long and brings a Bernoulli reward with the macro-arm's
    utility; else it lasts j and brings nothing. The policy is Algorithm 1 of Sharoff,
    Mehta & Ganti (2020): every pair once, then the first pair of the largest index.

    The `horizon` of a contestant is the budget T of time. The rounds of a run are the
    epochs that end by T (the last one, if it would last beyond T, does not count). Its
    score is their pseudo-regret, sum n mu_c Delta.

    Attributes:
      arms: K macro-arms.
      waits: D; the waits are 1, ..., D.
    """

    arms: int = 3
    waits: int = 5


def delays(game: Game) -> np.ndarray:
    """Probabilities of the delays 1, ..., D, f64[K, D].

    Three macro-arms with five waits are the library's instance. For other sizes the
    delays are geometric, cut at D, the longer the larger the utility.
    """
    if game == Game():
        return np.array(AD_DELAYS)
    weights = np.linspace(0.5, 0.9, game.arms)[:, None] ** np.arange(game.waits)
    return weights / weights.sum(axis=1, keepdims=True)


def utilities(game: Game) -> np.ndarray:
    """Probability that a macro-arm's click pays, f64[K]."""
    if game == Game():
        return np.array(AD_UTILITIES)
    return np.linspace(0.5, 1.0, game.arms)


def cumulative_delays(game: Game) -> np.ndarray:
    """Probabilities of a delay of at most 1, ..., D, f64[K, D]; the last are 1."""
    cumulative = np.cumsum(delays(game), axis=1)
    cumulative[:, -1] = 1.0
    return cumulative


def losses(game: Game) -> np.ndarray:
    """Pseudo-regret of an epoch, mu_c Delta by eq. (2), f64[K, D]."""
    probability, waits = delays(game), np.arange(1, game.waits + 1)
    in_time = np.cumsum(probability, axis=1)
    reward = utilities(game)[:, None] * in_time
    time = np.cumsum(probability * waits, axis=1) + (1 - in_time) * waits
    gaps = (reward / time).max() - reward / time
    # Pairs that are equal but for rounding are equally optimal.
    return time * np.where(gaps < 1e-12, 0.0, gaps)


def radius_factors(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """alpha_j and beta_j of the radius (section 5) for the waits, f64[D] each."""
    longer = np.arange(game.waits)
    return 8 * longer / 3, np.sqrt(2) * (np.sqrt(longer) + 1)
