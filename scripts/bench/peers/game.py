"""The game every contestant plays: UCB1 on a plain stochastic bandit.

No published library has censored limits, budgets or waiting, so the game in common is
the plain one, for a number of rounds that is known in advance. Rewards are Bernoulli.
The policy is UCB1 (Auer, Cesa-Bianchi & Fischer 2002): every arm once, then the largest
``mean + sqrt(2 log t / pulls)``. The score of a run is the share of its rounds that
pulled the best arm. Where libraries differ in detail, and which does what:

* ``t`` counts the round itself (jaxbandits, pymab) or the rounds before it
  (SMPyBandits, MABWiser);
* the first arms come in order (jaxbandits, pymab, MABWiser) or shuffled (SMPyBandits);
* of equal indices the first wins (jaxbandits, MABWiser) or a random one (SMPyBandits,
  pymab).
"""

from typing import NamedTuple

import numpy as np

from ..contest import Played


class Game(NamedTuple):
    """Mean rewards of the arms."""

    means: tuple[float, ...] = tuple(np.linspace(0.1, 0.9, 10).tolist())

    @property
    def best(self) -> int:
        """The arm with the largest mean."""
        return int(np.argmax(self.means))


def played(horizon: int, shares) -> Played:
    """Runs of so many rounds, with these shares of the best arm, f64[S]."""
    shares = np.asarray(shares, np.float64)
    return Played(np.full(shares.shape, horizon), shares)
