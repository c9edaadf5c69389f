"""Families of thresholds in float64: G(x, rate) with a fixed and known shape.

Lemma D.1 and section 4.1 of the allocation paper (RA-UCB, MG-UCB). A law is the family
with its shape; its methods broadcast over x and rate. `growth` is the derivative of G
with respect to log rate, `score` that of log g, g the density in x (discrete Weibull:
the probability of the threshold x).
"""

import numpy as np
from scipy import special


def concave_root(b, c):
    """The v >= max(b, 0) with v - b log v = c, at the least max(b, 0).

    The decreasing branch of every density prop. to v^b exp(-v).
    """
    c = np.asarray(c, float)
    if b == 0:
        return np.maximum(c, 0.0)
    if b < 0:  # w + log w = z with v = |b| w
        return -b * special.wrightomega(-c / b - np.log(-b))
    d = np.maximum(c - (b - b * np.log(b)), 0.0)
    v = b + np.sqrt(2 * b * d) + d
    for _ in range(60):  # Newton on a convex function
        slope = np.where(v > b, 1 - b / v, 1.0)
        step = np.where(v > b, (v - b * np.log(v) - c) / slope, 0.0)
        v = np.maximum(v - step, b)
        if np.all(np.abs(step) <= 1e-16 * v):
            break
    return np.where(d > 0, v, b)


class ScaleLaw:
    """G(x, rate) = H(y), y = rate x. Subclasses give H, log h and what follows."""

    peak = 0.0  # the y where h is largest

    def __init__(self, shape=1.0):
        self.shape = float(shape)

    def cdf(self, x, rate):
        return self.H(np.multiply(rate, x))

    def log_density(self, x, rate):
        return np.log(rate) + self.log_h(np.multiply(rate, x))

    def score(self, x, rate):
        return self.unit_score(np.multiply(rate, x))

    def growth(self, x, rate):
        """x g(x), 0 at x = 0."""
        y = np.multiply(rate, x)
        positive = np.where(y > 0, y, 1.0)
        return np.where(y > 0, positive * np.exp(self.log_h(positive)), 0.0)

    def quantile(self, u, rate):
        return self.inverse(np.asarray(u, float)) / rate

    def mean_below(self, x, rate):
        """E[X | X <= x], eq. (8)."""
        return self.unit_mean_below(np.multiply(rate, x)) / rate

    def surrogate_scale(self, rate, other):
        """s(rate, other) = g(other) / g(rate) of Lemma D.1."""
        return (other / rate) ** self.power

    def mode(self, rate):
        """The density decreases from here on; 0: G is concave."""
        return self.peak / rate

    def inverse_density(self, log_nu, rate):
        """The x >= mode with log g(x) = log_nu; the mode above the largest value."""
        return self.unit_inverse_density(log_nu - np.log(rate)) / rate


class Exponential(ScaleLaw):
    power = 1.0

    def H(self, y):
        return -np.expm1(-y)

    def log_h(self, y):
        return -y

    def unit_score(self, y):
        return 1 - y

    def inverse(self, u):
        return -np.log1p(-u)

    def unit_mean_below(self, y):  # appendix H: B g(rate B)
        return 1 - y / np.expm1(y)

    def unit_inverse_density(self, log_nu):
        return np.maximum(-log_nu, 0.0)


class Weibull(ScaleLaw):
    """G = 1 - exp(-y^k)."""

    def __init__(self, shape=1.0):
        super().__init__(shape)
        self.power = k = self.shape
        self.peak = max(1 - 1 / k, 0.0) ** (1 / k)

    def H(self, y):
        return -np.expm1(-(y**self.shape))

    def log_h(self, y):
        k = self.shape
        return np.log(k) + special.xlogy(k - 1, y) - y**k

    def unit_score(self, y):
        return self.shape * (1 - y**self.shape)

    def inverse(self, u):
        return (-np.log1p(-u)) ** (1 / self.shape)

    def unit_mean_below(self, y):
        a = 1 + 1 / self.shape
        return special.gamma(a) * special.gammainc(a, y**self.shape) / self.H(y)

    def unit_inverse_density(self, log_nu):
        k = self.shape
        return concave_root((k - 1) / k, np.log(k) - log_nu) ** (1 / k)


class Gamma(ScaleLaw):
    def __init__(self, shape=1.0):
        super().__init__(shape)
        self.power = self.shape
        self.peak = max(self.shape - 1, 0.0)

    def H(self, y):
        return special.gammainc(self.shape, y)

    def log_h(self, y):
        a = self.shape
        return special.xlogy(a - 1, y) - y - special.gammaln(a)

    def unit_score(self, y):
        return self.shape - y

    def inverse(self, u):
        return special.gammaincinv(self.shape, u)

    def unit_mean_below(self, y):
        return self.shape * special.gammainc(self.shape + 1, y) / self.H(y)

    def unit_inverse_density(self, log_nu):
        return concave_root(self.shape - 1, -log_nu - special.gammaln(self.shape))


class Lomax(ScaleLaw):
    """G = 1 - (1 + y)^-a."""

    power = 1.0

    def H(self, y):
        return -np.expm1(-self.shape * np.log1p(y))

    def log_h(self, y):
        return np.log(self.shape) - (self.shape + 1) * np.log1p(y)

    def unit_score(self, y):
        return 1 - (self.shape + 1) * y / (1 + y)

    def inverse(self, u):
        return np.expm1(-np.log1p(-u) / self.shape)

    def unit_mean_below(self, y):
        a, z = self.shape, np.log1p(y)  # E[1 + Y; Y <= y] first
        part = z if a == 1 else a * np.expm1((1 - a) * z) / (1 - a)
        return part / self.H(y) - 1

    def unit_inverse_density(self, log_nu):
        a = self.shape
        exponent = (np.log(a) - log_nu) / (a + 1)
        return np.expm1(np.clip(exponent, 0.0, 600.0))  # 600: no overflow


class DiscreteWeibull:
    """On 1, 2, ...: G(x) = 1 - exp(-(rate floor(x))^k)."""

    def __init__(self, shape=1.0):
        self.shape = float(shape)

    def hazard(self, x, rate):
        """-log(1 - G)."""
        return np.multiply(rate, np.floor(x)) ** self.shape

    def cdf(self, x, rate):
        return -np.expm1(-self.hazard(x, rate))

    def log_density(self, x, rate):
        before = self.hazard(np.subtract(x, 1), rate)
        return -before + np.log(-np.expm1(before - self.hazard(x, rate)))

    def score(self, x, rate):
        before = self.hazard(np.subtract(x, 1), rate)
        step = self.hazard(x, rate) - before
        return self.shape * (step * np.exp(-step) / -np.expm1(-step) - before)

    def growth(self, x, rate):
        hazard = self.hazard(x, rate)
        return self.shape * hazard * np.exp(-hazard)

    def quantile(self, u, rate):
        y = (-np.log1p(-np.asarray(u, float))) ** (1 / self.shape)
        return np.maximum(np.ceil(y / rate), 1.0)

    def mean_below(self, x, rate):
        """E[X | X <= x] = sum_{m < x} (G(x) - G(m)) / G(x) for a number x."""
        m = np.arange(np.floor(x))
        rate = np.asarray(rate, float)
        G = self.cdf(m, rate[..., None])
        return m.size - G.sum(axis=-1) / self.cdf(x, rate)

    def surrogate_scale(self, rate, other):
        return (other / rate) ** self.shape


FAMILIES = {
    "exponential": Exponential,
    "weibull": Weibull,
    "gamma": Gamma,
    "lomax": Lomax,
    "discrete_weibull": DiscreteWeibull,
}


def make_laws(family, shapes):
    """One law per arm."""
    return [FAMILIES[family](shape) for shape in shapes]
