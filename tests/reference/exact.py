"""Exact penalized expected gains, eq. (2), by adaptive quadrature."""

import numpy as np
from scipy.integrate import dblquad, quad

TIGHT = {"epsabs": 1e-12, "epsrel": 1e-12}


class TruncatedGaussianPair:
    """(reward, consumption) bivariate Gaussian conditioned on a box, E.2."""

    def __init__(self, mean, covariance, lower=(0.0, 0.0), upper=(1.0, 1.0)):
        self.mean = np.asarray(mean, float)
        (rr, rc), (_, cc) = covariance
        determinant = rr * cc - rc**2
        self.precision = (cc / determinant, -rc / determinant, rr / determinant)
        self.lower, self.upper = lower, upper
        self.total = self._integral(lambda r, c: 1.0, upper[1])

    def _integral(self, function, tau):
        """Integral of function * unnormalised density over consumption <= tau."""
        mean_r, mean_c = self.mean
        rr, rc, cc = self.precision

        def integrand(r, c):
            x, y = r - mean_r, c - mean_c
            density = np.exp(-0.5 * (rr * x * x + 2 * rc * x * y + cc * y * y))
            return function(r, c) * density

        high = min(max(tau, self.lower[1]), self.upper[1])
        reward_box = (self.lower[0], self.upper[0])
        return dblquad(integrand, self.lower[1], high, *reward_box, **TIGHT)[0]

    def within(self, tau):
        """P(C <= tau)."""
        return self._integral(lambda r, c: 1.0, tau) / self.total

    def gain(self, tau, cost):
        """E[(R - c(C)) 1{C <= tau}]."""
        return self._integral(lambda r, c: r - cost(c), tau) / self.total


class BetaTimesExponential:
    """Independent Beta(a, b) reward and Exp(rate) consumption, E.2."""

    def __init__(self, a, b, rate):
        self.mean_reward, self.rate = a / (a + b), rate

    def within(self, tau):
        """P(C <= tau)."""
        return -np.expm1(-self.rate * tau)

    def gain(self, tau, cost):
        """E[(R - c(C)) 1{C <= tau}]."""

        def integrand(c):
            return (self.mean_reward - cost(c)) * self.rate * np.exp(-self.rate * c)

        return quad(integrand, 0.0, tau, **TIGHT)[0]


def nu_table(arms, limits, cost, penalty):
    """nu[i, j] of arm i under the limit limits[j], eq. (2)."""
    return np.array(
        [
            [
                arm.gain(tau, cost) - penalty(tau) * (1.0 - arm.within(tau))
                for tau in limits
            ]
            for arm in arms
        ]
    )


def within_table(arms, limits):
    """P(C <= tau) of each arm and limit, the probability of seeing the reward."""
    return np.array([[arm.within(tau) for tau in limits] for arm in arms])
