"""argmax sum_i w_i G(x_i, rate_i), sum x = B, x >= 0: eqs. (12) and (13).

p (1 - s (1 - G)) = const + p s G, so (13) is (12) with the weights w = p s.
"""

from itertools import combinations

import numpy as np
from scipy.optimize import brentq

from tests.reference.allocation_families import DiscreteWeibull


def objective(laws, weights, rates, x):
    """sum_i w_i G(x_i, rate_i)."""
    terms = zip(laws, weights, rates, x, strict=True)
    return float(sum(w * law.cdf(v, rate) for law, w, rate, v in terms))


def oracle(laws, weights, rates, budget, convex=True):
    """The best allocation x[K]; budget / K each when no weight is positive.

    Args:
        laws: one law per arm.
        weights, rates: f64[K].
        budget: B; a whole number for discrete Weibull.
        convex: look for optima with one arm on the convex branch of a sigmoid too.
            They exist where the other arms saturate early.
    """
    weights, rates = np.asarray(weights, float), np.asarray(rates, float)
    K = len(laws)
    if not np.any(weights > 0):
        return np.full(K, budget / K)
    if isinstance(laws[0], DiscreteWeibull):
        return whole_units(laws, weights, rates, budget)
    modes = [law.mode(rate) for law, rate in zip(laws, rates, strict=True)]
    if max(modes) == 0:
        return water_fill(laws, weights, rates, budget)
    return best_subset(laws, weights, rates, budget, np.array(modes), convex)


def cascade_oracle(laws, weights, rates, budget):
    """argmax 1 - prod_i (1 - w_i G(x_i, rate_i)) over sum x = B, x >= 0.

    Equal marginals w g / (1 - w G) of -log(1 - w G), which fall where the hazard rate
    of G does: roots by Brent, in the level and in every arm.
    """
    w, K = np.asarray(weights, float), len(laws)
    if not np.any(w > 0):
        return np.full(K, budget / K)

    def marginal(i, x):
        x = max(x, 1e-300)
        law, rate = laws[i], rates[i]
        density = np.exp(law.log_density(x, rate))
        return w[i] * density / (1 - w[i] * law.cdf(x, rate))

    def demand(nu):
        x = np.zeros(K)
        for i in np.flatnonzero(w > 0):
            if marginal(i, budget) >= nu:
                x[i] = budget
            elif marginal(i, 0.0) > nu:
                x[i] = brentq(lambda v: marginal(i, v) - nu, 0, budget, xtol=1e-13)  # noqa: B023
        return x

    low = min(marginal(i, budget) for i in np.flatnonzero(w > 0)) / 2
    high = 1.0
    while demand(high).sum() > budget:
        high *= 2
    log_nu = brentq(
        lambda v: demand(np.exp(v)).sum() - budget,
        np.log(low),
        np.log(high),
        xtol=1e-13,
    )
    x = demand(np.exp(log_nu))
    return x * (budget / x.sum())


def take(law, weight, rate, log_nu):
    """The x >= mode with w g(x) = nu; the mode where w g stays below nu."""
    return law.inverse_density(log_nu - np.log(weight), rate)


def water_fill(laws, weights, rates, budget):
    """Equal marginals on the decreasing branches; x_i = 0 where the weight is 0.

    The modes of the arms with a weight must fit into the budget.
    """
    active = np.flatnonzero(weights > 0)

    def demand(log_nu):
        x = np.zeros(len(laws))
        for i in active:
            x[i] = take(laws[i], weights[i], rates[i], log_nu)
        return x

    if demand(-1e9).sum() <= budget:  # bounded supports: nothing left to gain
        x = demand(-1e9)
        return x + (budget - x.sum()) / len(laws)
    high, step = 0.0, 1.0
    while demand(high).sum() > budget:
        high, step = high + step, 2 * step
    low, step = high, 1.0
    while demand(low).sum() < budget:
        low, step = low - step, 2 * step
    if low == high:
        return demand(low)
    root = brentq(lambda v: demand(v).sum() - budget, low, high, xtol=1e-14)
    # Between two neighbours of the root: a flat density makes the demand jump there.
    width = 1e-13 * (1 + abs(root))
    less, more = demand(root + width), demand(root - width)
    if more.sum() == less.sum():
        return less * (budget / less.sum())
    return less + (more - less) * (budget - less.sum()) / (more.sum() - less.sum())


def best_subset(laws, weights, rates, budget, modes, convex):
    """Exhaustive over the arms that get anything, for sums of sigmoids.

    At an optimum at most one arm lies strictly inside its convex branch (two of them
    could trade), and the others are on their decreasing branches with one marginal.
    """
    K = len(laws)
    if K > 4:
        raise ValueError(f"sigmoids: at most 4 arms, got {K}")
    active = [i for i in range(K) if weights[i] > 0]
    candidates = [budget * np.eye(K)[i] for i in active]
    for size in range(1, len(active) + 1):
        for subset in combinations(active, size):
            if modes[list(subset)].sum() <= budget:
                kept = np.where(np.isin(np.arange(K), subset), weights, 0.0)
                candidates.append(water_fill(laws, kept, rates, budget))
    if convex:
        for j in active:
            if modes[j] > 0:
                candidates += one_on_convex_branch(
                    laws, weights, rates, budget, modes[j], j, active
                )
    values = [objective(laws, weights, rates, x) for x in candidates]
    return candidates[int(np.argmax(values))]


def one_on_convex_branch(laws, weights, rates, budget, mode, j, active):
    """Allocations with arm j below its mode and equal marginals for the others."""
    others = [i for i in active if i != j]
    grid = np.linspace(0.0, min(mode, budget), 402)[1:-1]

    def demands(x):
        log_nu = np.log(weights[j]) + laws[j].log_density(x, rates[j])
        return {i: take(laws[i], weights[i], rates[i], log_nu) for i in others}

    on_grid, found = demands(grid), []
    for size in range(1, len(others) + 1):
        for subset in combinations(others, size):

            def excess(x, subset=subset):
                d = demands(x)
                return x + sum(float(d[i]) for i in subset) - budget

            sign = np.sign(grid + sum(on_grid[i] for i in subset) - budget)
            for cell in np.flatnonzero(sign[1:] != sign[:-1]):
                root = brentq(excess, grid[cell], grid[cell + 1], xtol=1e-14)
                x = np.zeros(len(laws))
                for i in subset:
                    x[i] = demands(root)[i]
                x[j] = budget - x.sum()
                if x[j] >= 0:
                    found.append(x)
    return found


def whole_units(laws, weights, rates, budget):
    """Exact dynamic programming over whole units, O(K B^2)."""
    B = int(np.floor(budget))
    units = np.arange(B + 1)
    best, choices = np.zeros(B + 1), []
    for law, w, rate in zip(laws, weights, rates, strict=True):
        gain = w * law.cdf(units, rate)
        table = np.full((B + 1, B + 1), -np.inf)  # [budget, units of this arm]
        for b in range(B + 1):
            table[b, : b + 1] = gain[: b + 1] + best[b::-1]
        choices.append(table.argmax(axis=1))
        best = table.max(axis=1)
    x, left = np.zeros(len(laws)), B
    for i in reversed(range(len(laws))):
        x[i] = choices[i][left]
        left -= int(x[i])
    x[np.argmax(weights)] += left  # units without any gain
    return x
