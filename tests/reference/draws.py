"""Draws from posteriors, from the uniforms of a tape."""

import numpy as np
from scipy.special import gammaincinv


def beta(u, v, a, b):
    """Beta(a, b) variates from two uniforms: X / (X + Y), X and Y gamma variates."""
    x, y = gammaincinv(a, u), gammaincinv(b, v)
    return x / (x + y)


def mean_gain(seen, words, error=0.0, least=0.0):
    """Least and most of a draw after the least and the largest gain, and n others.

    These are taken for two values with their mean and variance, the largest gain and
    one below, and weighed as a Dirichlet process weighs what it has seen. The gamma
    variates' uniforms are off by up to `error`.
    """
    seen, (u, v, w) = np.array(seen), words
    n, below, value = len(seen), 0.0, least
    if n > 0 and seen.mean() < 1:
        missing = 1 - seen.mean()
        below = n * missing**2 / (missing**2 + seen.var())
        value = seen.mean() - seen.var() / missing
    u, v = np.clip([[u - error, u + error], [v + error, v - error]], 0, 1)
    largest = beta(u, v, 1 + n - below, 1 + below)
    share = w ** (1 / below) if below else 0.0
    return largest + (1 - largest) * (share * value + (1 - share) * least)
