"""Laws of reward and consumption as functions of uniforms in (0, 1), in float64.

Every law takes a 1-D array ``u`` of independent uniforms first:
exponential, bernoulli, discrete, empirical 1; truncated_gaussian_pair 2; beta 4.
"""

from functools import lru_cache

import numpy as np
from scipy.special import expit, gammaincinv, ndtr, ndtri


def exponential(u, rate):
    """Exp(rate) by inversion of 1 - exp(-rate x)."""
    return -np.log1p(-u[0]) / rate


def bernoulli(u, p):
    """1 with probability p, else 0."""
    return 1.0 if u[0] < p else 0.0


def discrete(u, values, probabilities):
    """The first value whose cumulative probability exceeds u[0]."""
    cumulative = 0.0
    for value, probability in zip(values, probabilities, strict=True):
        cumulative += probability
        if u[0] < cumulative:
            return value
    return values[-1]  # the probabilities sum to 1 only up to rounding


def _log_gamma_variate(u, shape):
    """log of a Gamma(shape) variate, Gamma(shape + 1) * U**(1 / shape)."""
    return np.log(gammaincinv(shape + 1.0, u[0])) + np.log(u[1]) / shape


def beta(u, a, b):
    """Beta(a, b) = G_a / (G_a + G_b); u[:2] make G_a, u[2:4] make G_b."""
    return expit(_log_gamma_variate(u[0:2], a) - _log_gamma_variate(u[2:4], b))


def empirical(u, pairs):
    """One row (reward, consumption) of a table of observed pairs."""
    row = min(int(np.floor(u[0] * len(pairs))), len(pairs) - 1)
    return float(pairs[row][0]), float(pairs[row][1])


def product(u, reward_law, consumption_law, reward_uniforms):
    """Independent reward and consumption; the reward's uniforms come first."""
    return reward_law(u[:reward_uniforms]), consumption_law(u[reward_uniforms:])


def truncated_gaussian_pair(u, mean, covariance, lower=(0, 0), upper=(1, 1)):
    """(reward, consumption), bivariate Gaussian conditioned on a box.

    Consumption is the inverse of its marginal CDF at u[0], reward the conditional
    quantile at u[1]; all arguments list the reward first.
    """
    (rr, rc), (_, cc) = covariance
    law = _pair_law(*(float(x) for x in (*mean, rr, rc, cc, *lower, *upper)))
    consumption = law.consumption_quantile(u[0])
    return law.reward_quantile(u[1], consumption), consumption


def _normal_mass(a, b):
    """Phi(b) - Phi(a) for a <= b, without cancellation in the upper tail."""
    return np.where(a > 0, ndtr(-a) - ndtr(-b), ndtr(b) - ndtr(a))


class _TruncatedGaussianPair:
    """The marginal CDF of consumption as a table of Gauss-Legendre integrals."""

    cells = 256
    nodes, weights = np.polynomial.legendre.leggauss(20)

    def __init__(self, mean_r, mean_c, var_r, cov, var_c, low_r, low_c, up_r, up_c):
        self.mean_r, self.mean_c = mean_r, mean_c
        self.slope = cov / var_c
        self.sd_c = np.sqrt(var_c)
        self.sd_r_given_c = np.sqrt(var_r - cov**2 / var_c)
        self.low_r, self.up_r = low_r, up_r
        self.edges = np.linspace(low_c, up_c, self.cells + 1)
        masses = [
            self.integral(a, b)
            for a, b in zip(self.edges[:-1], self.edges[1:], strict=True)
        ]
        self.cumulative = np.concatenate([[0.0], np.cumsum(masses)])

    def standardised_reward_box(self, c):
        """The reward's bounds, standardised by its law given consumption c."""
        centre = self.mean_r + self.slope * (c - self.mean_c)
        return (
            (self.low_r - centre) / self.sd_r_given_c,
            (self.up_r - centre) / self.sd_r_given_c,
        )

    def density(self, c):
        """Density of consumption on the box, not normalised."""
        a, b = self.standardised_reward_box(c)
        return np.exp(-0.5 * ((c - self.mean_c) / self.sd_c) ** 2) * _normal_mass(a, b)

    def integral(self, a, b):
        """Integral of the density over [a, b], one Gauss-Legendre rule."""
        half = 0.5 * (b - a)
        return half * (self.weights @ self.density(a + half * (1.0 + self.nodes)))

    def consumption_quantile(self, p):
        """Newton steps inside the table's cell, kept in it by bisection."""
        target = p * self.cumulative[-1]
        k = np.searchsorted(self.cumulative, target, side="right") - 1
        k = min(max(int(k), 0), self.cells - 1)
        left, low, high = self.edges[k], self.edges[k], self.edges[k + 1]
        c = 0.5 * (low + high)
        for _ in range(60):
            excess = self.cumulative[k] + self.integral(left, c) - target
            low, high = (low, c) if excess > 0 else (c, high)
            density = self.density(c)
            proposal = c - excess / density if density > 0 else low
            if abs(excess) <= 1e-15 * target or proposal == c:
                break
            c = proposal if low < proposal < high else 0.5 * (low + high)
        return float(c)

    def reward_quantile(self, p, c):
        """Quantile of the reward given consumption c, in its smaller tail."""
        a, b = self.standardised_reward_box(c)
        if a > 0:
            z = -ndtri(ndtr(-a) - p * _normal_mass(a, b))
        else:
            z = ndtri(ndtr(a) + p * _normal_mass(a, b))
        centre = self.mean_r + self.slope * (c - self.mean_c)
        reward = centre + self.sd_r_given_c * z
        return float(min(max(reward, self.low_r), self.up_r))


_pair_law = lru_cache(maxsize=1024)(_TruncatedGaussianPair)
