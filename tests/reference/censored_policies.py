"""Literal float64 twins of the policies for censored feedback.

Pairs (arm, limit) are indexed [K, M]; limits are increasing, so limits[-1] is the
tau_max of the grid; a tie goes to the smallest arm, then to the smallest limit.
"""

import numpy as np
from scipy.special import rel_entr

from tests.reference.choosing import Indexed, only
from tests.reference.draws import beta, mean_gain


def gain_or_penalty(tau, reward, consumption, cost, penalty):
    """(R - c(C)) 1{C <= tau} - lambda(tau) 1{C > tau}, eq. (7)."""
    if consumption <= tau:
        return reward - cost(consumption)
    return -penalty(tau)


class PairPolicy(Indexed):
    """Knows the problem; pairs are numbered arm * M + limit."""

    def __init__(self, num_arms, limits, cost, penalty):
        self.limits = np.asarray(limits, np.float64)
        self.shape = (num_arms, len(self.limits))
        self.cost, self.penalty = cost, penalty

    def position(self, arm, limit_index):
        return arm * self.shape[1] + limit_index


class RCUCB(PairPolicy):
    """Resource-censored upper confidence bound, section 3.2, eqs. (8)-(12)."""

    def __init__(
        self,
        num_arms,
        limits,
        cost,
        penalty,
        alpha=1.0,
        penalty_radius=1.0,
        estimator="censored_exceeds",
        radius="hoeffding",
    ):
        super().__init__(num_arms, limits, cost, penalty)
        self.penalty_radius, self.estimator = penalty_radius, estimator
        self.log_factor = 2 * alpha if radius == "hoeffding" else alpha / 2
        self.gain_sum = np.zeros(self.shape)  # numerator of (8)
        self.reach = np.zeros(self.shape)  # N_{i,tau}, below (8)
        self.pulls = np.zeros(num_arms)  # N_{i,0}
        self.exceeded = np.zeros(self.shape)  # numerator of (9)
        self.at_risk = np.zeros(self.shape)  # n_j of Kaplan-Meier
        self.events = np.zeros(self.shape)  # d_j of Kaplan-Meier

    def update(self, t, noise, arm, limit_index, reward, consumption, censored):
        self.pulls[arm] += 1
        for j, tau in enumerate(self.limits):
            in_play = j <= limit_index  # tau_s >= tau
            within = not censored and consumption <= tau
            if in_play:
                self.reach[arm, j] += 1
            if in_play and within:
                self.gain_sum[arm, j] += reward - self.cost(consumption)
            if not within:  # a censored round exceeds every tau (facts, 3)
                self.exceeded[arm, j] += 1
            alive = j == 0 or censored or consumption > self.limits[j - 1]
            if in_play and alive:
                self.at_risk[arm, j] += 1
                if within:
                    self.events[arm, j] += 1

    def survival(self):
        """Estimate of P(C > tau), [K, M]."""
        if self.estimator == "censored_exceeds":
            return self.exceeded / self.pulls[:, None]  # (9)
        survival = np.empty(self.shape)
        for i in range(self.shape[0]):
            product = 1.0
            for j in range(self.shape[1]):
                if self.at_risk[i, j] > 0:  # an unobserved cell carries S on
                    product *= 1.0 - self.events[i, j] / self.at_risk[i, j]
                survival[i, j] = product
        return survival

    def indices(self, t, noise=None):
        num_arms, num_limits = self.shape
        if t <= num_arms:  # (I_t, tau_t) = (t, tau_max)
            return only(self.shape, (t - 1) * num_limits + num_limits - 1)
        penalties = np.array([self.penalty(tau) for tau in self.limits])
        gain = self.gain_sum / self.reach  # (8)
        estimate = gain - penalties * self.survival()  # (10)
        log_term = self.log_factor * np.log(t)
        gain_radius = np.sqrt(log_term / self.reach)
        loss_radius = penalties * np.sqrt(log_term / self.pulls)[:, None]
        return estimate + gain_radius + self.penalty_radius * loss_radius  # (12)


class ProductArms(PairPolicy):
    """The reduction of section 3.1: each pair is an arm of a plain policy."""

    def __init__(self, num_arms, limits, cost, penalty, policy, penalty_max):
        super().__init__(num_arms, limits, cost, penalty)
        self.policy, self.penalty_max = policy, penalty_max

    def indices(self, t, noise=None):
        return self.policy.indices(t).reshape(self.shape)

    def update(self, t, noise, arm, limit_index, reward, consumption, censored):
        value = gain_or_penalty(
            self.limits[limit_index], reward, consumption, self.cost, self.penalty
        )
        rescaled = (value + self.penalty_max) / (1.0 + self.penalty_max)  # E.1
        self.policy.update(arm * self.shape[1] + limit_index, rescaled)


class PlainPolicy:
    """A policy for n arms with rewards in [0, 1]; round t <= n plays arm t - 1."""

    def __init__(self, num_arms):
        self.num_arms = num_arms
        self.counts = np.zeros(num_arms)
        self.sums = np.zeros(num_arms)

    def update(self, arm, reward):
        self.counts[arm] += 1
        self.sums[arm] += reward

    def indices(self, t):
        if t <= self.num_arms:
            return only(self.num_arms, t - 1)
        return self.upper_bounds(t, self.sums / self.counts)

    def upper_bounds(self, t, means):
        raise NotImplementedError


class UCB(PlainPolicy):
    """mean + sqrt(alpha log t / (2 T)), E.1 (eq. (31) and below)."""

    def __init__(self, num_arms, alpha=1.0):
        super().__init__(num_arms)
        self.alpha = alpha

    def upper_bounds(self, t, means):
        return means + np.sqrt(self.alpha * np.log(t) / (2 * self.counts))


class MOSS(PlainPolicy):
    """mean + sqrt(max(log(horizon / (n T)), 0) / T), Audibert & Bubeck (2009)."""

    def __init__(self, num_arms, horizon):
        super().__init__(num_arms)
        self.horizon = horizon

    def upper_bounds(self, t, means):
        log_term = np.log(self.horizon / (self.num_arms * self.counts))
        return means + np.sqrt(np.maximum(log_term, 0.0) / self.counts)


class KLUCB(PlainPolicy):
    """Largest q with T kl(mean, q) <= log t, Garivier & Cappe (2011), c = 0."""

    def upper_bounds(self, t, means):
        return np.array(
            [
                largest_kl_mean(mean, np.log(t) / count)
                for mean, count in zip(means, self.counts, strict=True)
            ]
        )


def largest_kl_mean(mean, level):
    """Largest q in [mean, 1] with kl(mean, q) <= level, by bisection."""
    low, high = mean, 1.0  # kl(mean, 1) = inf unless mean = 1
    while low < (middle := 0.5 * (low + high)) < high:
        kl = rel_entr(mean, middle) + rel_entr(1.0 - mean, 1.0 - middle)
        low, high = (middle, high) if kl <= level else (low, middle)
    return low


class Thompson(PairPolicy):
    """Beta-Bernoulli Thompson sampling, E.1 with the readings of facts, section 5."""

    def __init__(
        self, num_arms, limits, cost, penalty, penalty_max, update="independent"
    ):
        super().__init__(num_arms, limits, cost, penalty)
        self.penalty_max, self.trials = penalty_max, update
        self.successes = np.zeros(self.shape)
        self.failures = np.zeros(self.shape)

    def indices(self, t, noise):
        pairs = self.shape[0] * self.shape[1]
        if t <= pairs:
            return only(self.shape, t - 1)
        u, v = noise.reshape(2, *self.shape)
        return beta(u, v, 1.0 + self.successes, 1.0 + self.failures)

    def ends(self, t, noise, error):
        sides = np.array([error, -error]).reshape(2, 1)
        shifts = (np.clip(noise.reshape(2, -1) + s * sides, 0, 1) for s in (-1, 1))
        return [self.indices(t, shifted).ravel() for shifted in shifts]

    def update(self, t, noise, arm, limit_index, reward, consumption, censored):
        for j in range(limit_index + 1):  # tau_j <= tau_t
            if self.trials == "strict" and j < limit_index:
                continue
            trial = j if self.trials == "independent" else 0
            judged = limit_index if self.trials == "copied" else j
            value = gain_or_penalty(
                self.limits[judged], reward, consumption, self.cost, self.penalty
            )
            probability = (value + self.penalty_max) / (1.0 + self.penalty_max)  # (32)
            if noise[trial] < probability:
                self.successes[arm, j] += 1
            else:
                self.failures[arm, j] += 1


class CellThompson(PairPolicy):
    """Thompson sampling on the cells (tau_{j-1}, tau_j]: one walk after the other.

    A walk with limit m enters cell 1; in cell j it ends with probability h_j and then
    earns mu_j on average; else it goes on, and pays lambda(tau_m) beyond the limit.
    """

    def __init__(
        self, num_arms, limits, cost, penalty, least, ended=1.0, passed=1.0, spread=1.0
    ):
        super().__init__(num_arms, limits, cost, penalty)
        self.least, self.prior, self.spread = least, (ended, passed), spread
        self.ended = [[[] for _ in limits] for _ in range(num_arms)]  # gains, by cell
        self.passed = np.zeros(self.shape)

    def update(self, t, noise, arm, limit_index, reward, consumption, censored):
        for j in range(limit_index + 1):
            if not censored and consumption <= self.limits[j]:
                self.ended[arm][j].append(reward - self.cost(consumption))
                return
            self.passed[arm, j] += 1

    def ends(self, t, noise, error):
        u, v, *rest = noise.reshape(-1, *self.shape)
        a, b = (np.full(self.shape, x) for x in self.prior)
        a, b = a + [[len(x) for x in row] for row in self.ended], b + self.passed
        low = beta(np.clip(u - error, 0, 1), np.clip(v + error, 0, 1), a, b)
        high = beta(np.clip(u + error, 0, 1), np.clip(v - error, 0, 1), a, b)
        least, most = np.empty(self.shape), np.empty(self.shape)
        for i in range(self.shape[0]):
            gains = [
                self.mean_gain(i, j, [x[i, j] for x in rest], error)
                for j in range(self.shape[1])
            ]
            for m in range(self.shape[1]):
                worst = best = -self.penalty(self.limits[m])  # beyond the limit
                for j in range(m, -1, -1):  # what a walk still gets in cell j
                    hazards = low[i, j], high[i, j]
                    worst = min(h * gains[j][0] + (1 - h) * worst for h in hazards)
                    best = max(h * gains[j][1] + (1 - h) * best for h in hazards)
                least[i, m], most[i, m] = worst, best
        return least.ravel(), most.ravel()

    def mean_gain(self, arm, cell, words, error):
        """Least and most of a draw, as far from its mean as `spread` wants."""
        seen = self.ended[arm][cell]
        expected = np.mean([self.least, 1.0, *seen])
        drawn = mean_gain(seen, words, error, self.least)
        return np.clip(expected + self.spread * (drawn - expected), self.least, 1.0)

    def indices(self, t, noise):
        return self.ends(t, noise, 0.0)[0]


class Chosen(PairPolicy):
    """Has its choices from elsewhere."""

    def __init__(self, *problem, choice):
        super().__init__(*problem)
        self.indices = choice.indices
