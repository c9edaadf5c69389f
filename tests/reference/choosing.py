"""What twins of all settings share: the choice that follows from indices."""

import math

import numpy as np


def only(shape, position):
    """+inf at one (flat) position, -inf elsewhere: a forced choice."""
    values = np.full(shape, -np.inf)
    values.flat[position] = np.inf
    return values


def uniform_position(u, count):
    """One of `count` positions from one uniform."""
    return min(math.floor(u * count), count - 1)


def random_argmax(values, u):
    """Uniform among the exactly equal maxima, in index order."""
    tied = np.flatnonzero(values == np.max(values))
    return int(tied[uniform_position(u, len(tied))])


class Indexed:
    """Plays the first largest of its indices; positions are flat, in row-major order.

    Rounds are t = 1, 2, ...; `noise` are the words of the round as numbers.
    """

    def indices(self, t, noise):
        raise NotImplementedError

    def ends(self, t, noise, error):
        """Least and largest indices if numbers of gamma variates are off by `error`."""
        index = np.ravel(self.indices(t, noise))
        return index, index

    def act(self, t, noise):
        return int(np.argmax(self.indices(t, noise)))

    def update(self, t, noise, *round_):
        """Learns nothing unless a subclass says so."""


class Uniform(Indexed):
    """A position drawn uniformly, from one uniform."""

    def __init__(self, count):
        self.count = count

    def indices(self, t, noise):
        return only(self.count, uniform_position(noise[0], self.count))


class Fixed(Indexed):
    """Always the same position."""

    def __init__(self, count, position):
        self.count, self.place = count, position

    def indices(self, t, noise=None):
        return only(self.count, self.place)
