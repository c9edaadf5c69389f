"""Literal float64 twins of the allocation policies (RA-UCB, MG-UCB-Delta and others).

Equations and algorithms of the allocation paper. Rounds t = 1, 2, ...; every arm keeps
all its allocations x_u and feedbacks F_u (+inf without a success). Two things differ
from print unless asked for: the estimator conditions a success on [0, x_u], what it
was censored to (eqs. (6), (9), (10) hold for x_u = B only), and the radii come from
the profile likelihood, because the printed ones cover all of Lambda.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr, ndtri

from tests.reference.allocation_families import make_laws
from tests.reference.allocation_oracle import cascade_oracle, oracle


class Problem(NamedTuple):
    """What a policy knows: the family, shapes[K], Lambda and the largest budget."""

    family: str
    shapes: tuple
    lowest: float
    highest: float
    budget: float
    cascade: bool = False

    @property
    def num_arms(self):
        return len(self.shapes)


def optimum(problem, laws, weights, rates, budget):
    """The best allocation for these arms: eq. (12), or of a cascade."""
    solver = cascade_oracle if problem.cascade else oracle
    return solver(laws, weights, rates, budget)


class Arm:
    """History of an arm and what it says about its rate and probability."""

    def __init__(self, law, problem, estimator="truncated"):
        self.law, self.problem, self.estimator = law, problem, estimator
        self.x, self.F = [], []
        self.lowest, self.highest = problem.lowest, problem.highest
        self.nodes = np.geomspace(self.lowest, self.highest, 129)
        self.nodes[0], self.nodes[-1] = self.lowest, self.highest

    def append(self, x, F):
        self.x.append(float(x))
        self.F.append(float(F))

    @property
    def n(self):
        """n_{t,i}, the number of successes."""
        return int(np.isfinite(self.F).sum())

    def successes(self):
        """Thresholds seen and what each is conditioned to stay below."""
        seen = np.isfinite(self.F)
        F, x = np.array(self.F)[seen], np.array(self.x)[seen]
        return F, np.full(F.shape, self.problem.budget) if self.printed else x

    @property
    def printed(self):
        return self.estimator == "printed"

    def likelihood(self, rate):
        """sum over successes of log g(F_u) - log G(x_u); f64[...] for rate[...]."""
        F, x = self.successes()
        rate = np.asarray(rate, float)[..., None]
        log_G = np.log(self.law.cdf(x, rate))
        return (self.law.log_density(F, rate) - log_G).sum(axis=-1)

    def score(self, rate):
        """The derivative of `likelihood` with respect to log rate."""
        F, x = self.successes()
        censoring = self.law.growth(x, rate) / self.law.cdf(x, rate)
        return float((self.law.score(F, rate) - censoring).sum())

    def information(self, rate):
        """Minus the second derivative, from a five-point difference of the score."""
        h = 1e-3
        s = [self.score(rate * np.exp(j * h)) for j in (-2, -1, 1, 2)]
        return -(s[0] - 8 * s[1] + 8 * s[2] - s[3]) / (12 * h)

    def coverage(self, rate):
        """C(rate), the sum over all rounds of G(x_u, rate); f64[...] for rate[...]."""
        rate = np.asarray(rate, float)[..., None]
        return self.law.cdf(np.array(self.x), rate).sum(axis=-1)

    def rate(self):
        """lambda_hat: eq. (10), or the truncated maximum-likelihood estimate."""
        if self.n == 0:
            return float(np.sqrt(self.lowest * self.highest))
        return self.mean_rate() if self.printed else self.likelihood_rate()

    def mean_rate(self):
        """E[X | X <= B] = the mean of the F_u, eqs. (9), (10), clipped to Lambda."""
        mean = np.mean(self.successes()[0])

        def excess(rate):
            return float(self.law.mean_below(self.problem.budget, rate)) - mean

        if excess(self.lowest) <= 0:  # the mean falls with the rate
            return self.lowest
        if excess(self.highest) >= 0:
            return self.highest
        return brentq(excess, self.lowest, self.highest, xtol=1e-15)

    def likelihood_rate(self):
        """The root of the score beside the best node of a grid."""
        best = int(np.argmax(self.likelihood(self.nodes)))
        low = self.nodes[max(best - 1, 0)]
        high = self.nodes[min(best + 1, len(self.nodes) - 1)]
        if best == 0 and self.score(low) <= 0:
            return self.lowest
        if best == len(self.nodes) - 1 and self.score(high) >= 0:
            return self.highest
        if self.score(low) > 0 > self.score(high):
            return brentq(self.score, low, high, xtol=1e-15)
        result = minimize_scalar(
            lambda v: -float(self.likelihood(np.exp(v))),
            bounds=(np.log(low), np.log(high)),
            method="bounded",
            options={"xatol": 1e-10},
        )
        return float(np.exp(result.x))

    def probability(self, rate):
        """p_hat = min(1, n / C(rate)), eq. (11)."""
        return min(1.0, self.n / self.coverage(rate)) if self.n else 0.0

    def crossing(self, rate, z2, end):
        """The nearest point from rate to end with 2 (l(rate) - l(.)) = z2, or end."""
        if rate == end:
            return end
        top = self.likelihood(rate)

        def excess(v):
            return 2 * float(top - self.likelihood(v)) - z2

        path = np.geomspace(rate, end, 257)
        path[0], path[-1] = rate, end
        beyond = np.flatnonzero(2 * (top - self.likelihood(path)) > z2)
        if len(beyond) == 0:
            return end
        first = beyond[0]
        if first == 0 or excess(path[first - 1]) >= 0:
            return float(path[max(first - 1, 0)])
        return brentq(excess, path[first - 1], path[first], xtol=1e-15)


class Bounds(NamedTuple):
    """lambda_hat, lambda-, lambda+, p_hat, p-, p+ of an arm."""

    rate: float
    rate_low: float
    rate_high: float
    p: float
    p_low: float
    p_high: float


def success_limits(n, z2):
    """S- and S+, the means of a Poisson count n whose score test is z^2."""
    z = np.sqrt(z2)
    width = z * np.sqrt(n + z2 / 4)
    return n + z2 / 2 - width, n + z2 / 2 + width


def profile_bounds(arm, z2, z2_of_p):
    """The profile-likelihood set of lambda, and S- / C(lambda+), S+ / C(lambda-)."""
    rate = arm.rate()
    low = arm.crossing(rate, z2, arm.lowest)
    high = arm.crossing(rate, z2, arm.highest)
    below, above = success_limits(arm.n, z2_of_p)
    p_low = min(1.0, below / arm.coverage(high))
    p_high = min(1.0, above / arm.coverage(low))
    return Bounds(rate, low, high, arm.probability(rate), p_low, p_high)


def delta_bounds(arm, z2, z2_of_p):
    """Normal intervals of lambda_hat and p_hat by the delta method."""
    rate, z, z_of_p = arm.rate(), np.sqrt(z2), np.sqrt(z2_of_p)
    p, information = arm.probability(rate), arm.information(rate)
    if information <= 0:
        return Bounds(rate, arm.lowest, arm.highest, p, 0.0, 1.0)
    width = z / np.sqrt(information)
    low, high = np.clip([rate * (1 - width), rate * (1 + width)], *arm.problem[2:4])
    growth = np.sum(arm.law.growth(np.array(arm.x), rate)) / arm.coverage(rate)
    # Successes are a sum of coins of probability p G_u, whose variances add up.
    coins = p * arm.law.cdf(np.array(arm.x), rate)
    of_count = np.sum(coins * (1 - coins)) / np.sum(coins) / arm.n
    spread = z_of_p * np.sqrt(of_count + growth**2 / information)
    p_low, p_high = np.clip([p * (1 - spread), p * (1 + spread)], 0, 1)
    return Bounds(rate, low, high, p, p_low, p_high)


def printed_constants(law, problem):
    """(L_lambda, L_mu) of Assumptions 2.3 and 4.1 for the arm's law.

    Exponential: L_lambda = B and L_mu = B^2 |g'(M)|, Lemma H.1. Other families: the
    largest slope of G and the smallest of mu on fine grids.
    """
    B = problem.budget
    if problem.family == "exponential":
        M = problem.highest * B
        return B, B**2 * abs(1 / (4 * np.sinh(M / 2) ** 2) - 1 / M**2)
    rates = np.geomspace(problem.lowest, problem.highest, 1025)
    h = 1e-4
    slopes = (
        law.mean_below(B, rates * np.exp(h)) - law.mean_below(B, rates * np.exp(-h))
    ) / (2 * h * rates)
    x = np.linspace(0.0, B, 2049)[1:]
    if problem.family == "discrete_weibull":
        x = np.arange(1.0, np.floor(B) + 1)
    slope = law.growth(x[:, None], rates[::8]) / rates[::8]
    return float(slope.max()), float(np.abs(slopes).min())


def printed_bounds(arm, t, scale, constants, scale_of_p):
    """Section 4.3, radii times scales; C_hat with the last allocation observed."""
    L_lambda, L_mu = constants
    B, rate = arm.problem.budget, arm.rate()
    p = arm.probability(rate)
    root = np.sqrt(3 * np.log(t) / (2 * arm.n))
    radius = scale * B / L_mu * root
    low, high = np.clip([rate - radius, rate + radius], arm.lowest, arm.highest)
    C_hat = float(arm.law.cdf(arm.x[-1], arm.lowest))
    if C_hat > 0:
        radius = scale_of_p * L_lambda / L_mu * B * (1 + p) / C_hat * root
    else:
        radius = np.inf
    p_low, p_high = np.clip([p - radius, p + radius], 0, 1)
    return Bounds(rate, low, high, p, p_low, p_high)


def code_bounds(arm, t, scale, scale_of_p):
    """compute_confidence_bounds of the authors' notebook; t counts blocks there."""
    B, D, block = arm.problem.budget, 0.07, (t - 1) // arm.problem.num_arms
    rate, n = arm.rate(), arm.n
    p = arm.probability(rate)
    c_lambda = scale * 1 / (B * D) * np.sqrt(3 * np.log(block + 1) / (2 * (n + 1e-2)))
    c_p = 0.01 * (1 + p) / ((1 - np.exp(-arm.x[-1] / B)) * D + 1e-2)
    c_p *= scale_of_p * np.sqrt(3 * np.log(block + 1) / (2 * (n + 1e-2)))
    low, high = np.clip([rate - c_lambda, rate + c_lambda], arm.lowest, arm.highest)
    p_low, p_high = np.clip([p - c_p, p + c_p], 0.001, 1)
    return Bounds(rate, low, high, p, p_low, p_high)


class Starting:
    """The start phase and the histories that all the learners share."""

    def __init__(self, problem, start="one_arm", initial=1, estimator="truncated"):
        self.problem, self.start, self.initial = problem, start, initial
        self.laws = make_laws(problem.family, problem.shapes)
        self.arms = [Arm(law, problem, estimator) for law in self.laws]
        rounds = problem.num_arms * initial
        self.length = rounds if start == "one_arm" else initial

    def start_arm(self, t):
        """The arm that gets everything in round t; None: a uniform split."""
        return (t - 1) // self.initial if self.start == "one_arm" else None

    def start_allocation(self, t, budget):
        K, arm = self.problem.num_arms, self.start_arm(t)
        if arm is None:
            return even_split(self.problem, t, budget)
        return budget * np.eye(K)[arm]

    def observed(self, t, update):
        """The arms whose histories grow in round t."""
        K = self.problem.num_arms
        if t <= self.length:
            arm = self.start_arm(t)
            return range(K) if arm is None else [arm]
        return range(K) if update == "all" else [self.boosted(t)]

    def boosted(self, t):
        """i = (t - 1 - L) mod K."""
        return (t - 1 - self.length) % self.problem.num_arms


class RaUcb(Starting):
    """Algorithms 1 and 2; NO-UCB with point=True (the estimates in place of bounds)."""

    def __init__(
        self,
        problem,
        estimator="truncated",
        radii="profile",
        update="boosted",
        others="pessimistic",
        start="one_arm",
        scale=1.0,
        ratio=1.0,
        initial=1,
        point=False,
    ):
        super().__init__(problem, start, initial, estimator)
        self.radii, self.grow, self.others = radii, update, others
        self.scale, self.of_p, self.point = scale, scale * ratio, point
        if radii == "printed":
            self.constants = [printed_constants(law, problem) for law in self.laws]
        self.bounds = [self.bounds_of(i, 1) for i in range(problem.num_arms)]
        self.last = {}  # round of the last observation, of arms whose bounds it moves

    def bounds_of(self, i, t):
        """Estimates and bounds of arm i with log t."""
        arm = self.arms[i]
        if arm.n == 0:
            return Bounds(arm.rate(), arm.lowest, arm.highest, 0.0, 0.0, 1.0)
        if self.radii == "printed":
            return printed_bounds(arm, t, self.scale, self.constants[i], self.of_p)
        if self.radii == "code":
            return code_bounds(arm, t, self.scale, self.of_p)
        make = profile_bounds if self.radii == "profile" else delta_bounds
        return make(arm, self.scale * np.log(t), self.of_p * np.log(t))

    def parameters(self, t):
        """(weights, rates) of eq. (13) in round t of the main phase."""
        self.renew()
        weights, rates = [], []
        for i, (law, b) in enumerate(zip(self.laws, self.bounds, strict=True)):
            if self.point or (self.others == "point" and i != self.boosted(t)):
                w, rate = b.p, b.rate
            elif i == self.boosted(t):
                rate = b.rate_low
                w = b.p_high * law.surrogate_scale(rate, b.rate_high)
            else:
                rate = b.rate_high
                w = b.p_low * law.surrogate_scale(rate, b.rate_low)
            weights.append(w)
            rates.append(rate)
        return np.array(weights), np.array(rates)

    def act(self, t, budget):
        if t <= self.length:
            return self.start_allocation(t, budget)
        return optimum(self.problem, self.laws, *self.parameters(t), budget)

    def update(self, t, x, F):
        for i in self.observed(t, self.grow):
            self.arms[i].append(x[i], F[i])
            self.last[i] = t

    def renew(self):
        """Bounds, when they are asked for."""
        for i, t in self.last.items():
            self.bounds[i] = self.bounds_of(i, t)
        self.last = {}


class NoUcb(RaUcb):
    """RA-UCB without bounds: every arm at its point estimate."""

    def __init__(self, problem, initial=1, **options):
        super().__init__(problem, point=True, initial=initial, **options)


class MgUcbDelta(RaUcb):
    """Algorithm 4: units of size `step` go out one by one, the budget unseen.

    The pseudocode compares derivatives at the present x, the proof differences; the
    slopes of the concave envelopes are ours.
    """

    def __init__(self, problem, step, greedy="derivative", **options):
        super().__init__(problem, **options)
        self.step, self.greedy = step, greedy
        self.units = int(np.ceil(problem.budget / step))  # G

    def gain(self, law, weight, rate, x):
        if weight == 0:
            return 0.0  # also where the density is infinite
        if self.greedy == "envelope":
            x = max(x, touch(law, rate))
        if self.greedy != "difference":
            return weight * float(np.exp(law.log_density(x, rate)))
        return weight * float(law.cdf(x + self.step, rate) - law.cdf(x, rate))

    def act(self, t, budget):
        """What the order of units comes to; they are handed out without the budget."""
        K = self.problem.num_arms
        if t <= self.length:
            arm = self.start_arm(t)
            split = np.arange(self.units) % K
            order = split if arm is None else np.full(self.units, arm)
        else:
            order = self.order(t)
        return allocate(order, self.step, budget, K)

    def order(self, t):
        """The arms of the units, int[G]."""
        K = self.problem.num_arms
        weights, rates = self.parameters(t)
        count, order = np.zeros(K, int), []
        gains = [
            self.gain(law, w, r, 0.0)
            for law, w, r in zip(self.laws, weights, rates, strict=True)
        ]
        for _ in range(self.units):
            i = int(np.argmax(gains))
            order.append(i)
            count[i] += 1
            gains[i] = self.gain(
                self.laws[i], weights[i], rates[i], count[i] * self.step
            )
        return np.array(order)


def touch(law, rate):
    """Where the tangent from the origin touches G: x g(x) = G(x); 0 if concave."""
    mode = law.mode(rate)
    if mode == 0:
        return 0.0

    def above(x):
        return x * float(np.exp(law.log_density(x, rate))) - float(law.cdf(x, rate))

    return brentq(above, mode, 1e3 * mode, xtol=1e-12)


def allocate(order, step, budget, num_arms):
    """x[K] when units min(step, what is left) go to the arms of order, Algorithm 4."""
    x = np.zeros(num_arms)
    for unit, arm in enumerate(order):
        x[arm] += min(step, max(budget - unit * step, 0.0))
    return x


class RaEtc:
    """Explore-then-commit, Remark 4.7: all the budget to the arms in turn, then P."""

    def __init__(self, problem, exploration, count="total"):
        K = problem.num_arms
        self.length = exploration * (K if count == "per_arm" else 1)
        self.problem = problem
        self.laws = make_laws(problem.family, problem.shapes)
        self.arms = [Arm(law, problem) for law in self.laws]
        self.estimates = None

    def act(self, t, budget):
        K = self.problem.num_arms
        if t <= self.length:
            return budget * np.eye(K)[(t - 1) % K]
        if self.estimates is None:
            rates = [arm.rate() for arm in self.arms]
            pairs = zip(self.arms, rates, strict=True)
            self.estimates = [arm.probability(rate) for arm, rate in pairs], rates
        return optimum(self.problem, self.laws, *self.estimates, budget)

    def update(self, t, x, F):
        if t <= self.length:
            i = (t - 1) % self.problem.num_arms
            self.arms[i].append(x[i], F[i])


def even_split(problem, t, budget):
    """B_t / K for every arm; units one by one, in round t from arm t - 1 on."""
    K = problem.num_arms
    if problem.family != "discrete_weibull":
        return np.full(K, budget / K)
    x = np.zeros(K)
    for unit in range(int(budget)):
        x[(t - 1 + unit) % K] += 1
    return x


class UniformSplit:
    """The same for every arm."""

    def __init__(self, problem):
        self.problem = problem

    def act(self, t, budget):
        return even_split(self.problem, t, budget)

    def update(self, t, x, F):
        pass


class ThompsonAllocation(Starting):
    """Ours: a rate from its posterior under a flat prior of log lambda, then p from the
    signed root of the Poisson likelihood; the mean of the optima of some draws.

    With `feasible` both given p <= 1: a rate counts for what the normal law has below
    the z at which p is 1, and z is drawn from there.
    """

    def __init__(self, problem, draws=1, feasible=False, **options):
        super().__init__(problem, **options)
        self.draws, self.feasible = draws, feasible

    def draw(self, arm, z1, z2):
        """(p, lambda) of an arm from two standard normals."""
        rate = self.posterior_quantile(arm, float(ndtr(z1)))
        C = arm.coverage(rate)
        if C == 0:
            return float(ndtr(z2)), rate
        if self.feasible:
            z2 = ndtri(ndtr(z2) * self.below_one(arm, rate))
        S = arm.n + z2**2 / 2 + z2 * np.sqrt(arm.n + z2**2 / 4)
        return min(1.0, max(S, 0.0) / C), rate

    @staticmethod
    def below_one(arm, rate):
        """Of the normal law, what gives p <= 1: S = C at z = (C - n) / sqrt(C)."""
        C = arm.coverage(rate)
        return ndtr((C - arm.n) / np.sqrt(C))

    def posterior_quantile(self, arm, share):
        """The rate below which a share of the posterior lies, by two grids."""
        low, high = arm.lowest, arm.highest
        if arm.n == 0 and not self.feasible:
            return low * (high / low) ** share
        for _ in range(2):
            rates = np.geomspace(low, high, 513)
            density = arm.likelihood(rates) if arm.n else np.zeros(513)
            if self.feasible and arm.x:
                weights = np.maximum(self.below_one(arm, rates), 1e-300)
                density = density + np.log(weights)
            density = np.exp(density - density.max())
            inside = np.flatnonzero(density > 1e-12)
            low, high = rates[max(inside[0] - 1, 0)], rates[min(inside[-1] + 1, 512)]
        mass = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
        place = np.interp(share * mass[-1], mass, np.log(rates))
        return float(np.exp(place))

    def act(self, t, budget, normal=None):
        """normal: f64[2 K] for every draw, the rates' first."""
        if t <= self.length:
            return self.start_allocation(t, budget)
        amounts = np.zeros(self.problem.num_arms)
        for z in normal.reshape(self.draws, 2, -1):
            drawn = [self.draw(arm, *z[:, i]) for i, arm in enumerate(self.arms)]
            p, rates = np.array(drawn).T
            amounts += optimum(self.problem, self.laws, p, rates, budget)
        return amounts / self.draws

    def update(self, t, x, F):
        for i in self.observed(t, "all"):
            self.arms[i].append(x[i], F[i])
