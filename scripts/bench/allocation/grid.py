"""The rates at which the rivals keep an arm's likelihood.

Nodes are equally spaced in the logarithm, so many to the octave: ``exp(-rate x)`` at a
node is the square of that one octave below, and a round takes as many exponentials as
there are nodes in one octave.
"""

import math
from typing import NamedTuple

import numpy as np

from .game import Game

PER_OCTAVE = 5
MARGIN = 2  # nodes beyond either end, so that neighbours exist


class Grid(NamedTuple):
    """Places are counted in nodes.

    Attributes:
      rates: f64[J].
      first: place of the least possible rate, a node.
      last: place of the largest one, between nodes.
    """

    rates: np.ndarray
    first: float
    last: float

    @property
    def top(self) -> int:
        """The first node at or above the last place."""
        return math.ceil(self.last)


def grid(game: Game) -> Grid:
    """The nodes of a game."""
    last = MARGIN + PER_OCTAVE * math.log2(game.M / game.m)
    nodes = np.arange(math.ceil(last) + MARGIN + 1)
    rates = game.lowest * 2.0 ** ((nodes - MARGIN) / PER_OCTAVE)
    return Grid(rates, float(MARGIN), last)
