"""The straightforward Numba rival: a plain loop per seed, in one process per core.

What one writes first: an arm's log likelihood and exposure at `NODES` rates, equally
spaced in the logarithm, bisections for the bounds, a sort for the optimum of eq. (13),
and all arms drawn in every round. `numba_tuned` is the tuned form.
"""

import math

import numba
import numpy as np

from ..contest import Played
from ..processes import in_all_processes
from . import formulas
from .game import Game

NODES = 64
BISECTIONS = 16
NOTHING = -1e30  # log of a weight of 0: fastmath knows no infinity

compiled = numba.njit(fastmath=True, error_model="numpy", cache=True)
cubic = compiled(formulas.cubic)


@compiled
def interpolate(values, place):
    """A function known at the nodes, f64[J], at a place between them."""
    j = min(max(int(place) - 1, 0), values.size - 4)
    return cubic(values[j], values[j + 1], values[j + 2], values[j + 3], place - j)


@compiled
def maximum(values):
    """Place of the maximum: of the parabola through the best node and those beside."""
    best = 0
    for j in range(1, values.size):
        if values[j] > values[best]:
            best = j
    j = min(max(best, 1), values.size - 2)
    slope = 0.5 * (values[j + 1] - values[j - 1])
    bend = values[j + 1] - 2.0 * values[j] + values[j - 1]
    offset = float(best - j)
    if bend < 0.0:
        offset = min(max(-slope / bend, -1.0), 1.0)
    return j + offset


@compiled
def crossing(values, place, level, side):
    """Where the values fall to a level on one side of a place, else the end there."""
    node = int(place) if side < 0 else int(place) + 1
    inner = place
    while 0 <= node < values.size:
        if values[node] < level:
            outer = float(node)
            for _ in range(BISECTIONS):
                middle = 0.5 * (inner + outer)
                if interpolate(values, middle) < level:
                    outer = middle
                else:
                    inner = middle
            return 0.5 * (inner + outer)
        inner = float(node)
        node += side
    return 0.0 if side < 0 else values.size - 1.0


@compiled
def oracle(weight, rate, budget, order, height, shares):
    """The largest sum w_i G(x_i, rate_i) of shares x_i >= 0 that sum to the budget.

    At a water level all arms that get anything have one marginal: log (w_i rate_i) -
    rate_i x_i = level. They are those with the largest marginals at 0.

    Args:
      weight: f64[K].
      rate: f64[K].
      budget: B.
      order: i64[K], scratch: a permutation of the arms.
      height: f64[K], scratch.
      shares: f64[K], written.
    """
    arms = rate.size
    for i in range(arms):
        height[i] = NOTHING
        if weight[i] > 0.0:
            height[i] = math.log(weight[i] * rate[i])
    for place in range(1, arms):  # sorts by insertion
        arm = order[place]
        j = place
        while j > 0 and height[order[j - 1]] < height[arm]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = arm
    level = 0.0
    need = -budget
    slope = 0.0
    for place in range(arms):
        arm = order[place]
        if place > 0 and height[arm] <= level:
            break
        need += height[arm] / rate[arm]
        slope += 1.0 / rate[arm]
        level = need / slope
    for i in range(arms):
        shares[i] = max(height[i] - level, 0.0) / rate[i]


@compiled
def value(probability, rate, shares):
    """sum p_i G(x_i, rate_i): the expected successes."""
    total = 0.0
    for i in range(rate.size):
        total += probability[i] * (1.0 - math.exp(-rate[i] * shares[i]))
    return total


@compiled
def observe(amount, threshold, success, rates, likelihood, exposure):
    """Add a round to an arm's log likelihood and exposure, f64[J] each.

    A success at `amount` shows the threshold truncated to [0, amount].
    """
    for j in range(rates.size):
        reach = 1.0 - math.exp(-rates[j] * amount)
        exposure[j] += reach
        if success:
            likelihood[j] += math.log(rates[j] / reach) - rates[j] * threshold


@compiled
def play_one(seed, horizon, arms, budget, lowest, highest, initial, rates):
    """Play one run of RA-UCB; return its expected regret."""
    np.random.seed(seed)
    probability = np.empty(arms)
    rate = np.empty(arms)
    for i in range(arms):
        probability[i] = 1.0 - np.random.random()
        rate[i] = lowest + (highest - lowest) * np.random.random()
    order = np.arange(arms)
    height = np.empty(arms)
    shares = np.empty(arms)
    oracle(probability, rate, budget, order, height, shares)
    optimum = value(probability, rate, shares)

    likelihood = np.zeros((arms, rates.size))
    exposure = np.zeros((arms, rates.size))
    successes = np.zeros(arms, np.int64)
    rate_low = np.full(arms, lowest)
    rate_high = np.full(arms, highest)
    p_low = np.zeros(arms)
    p_high = np.ones(arms)
    weight = np.empty(arms)
    taken = np.empty(arms)  # the rates of eq. (13)
    ratio = math.log(highest / lowest) / (rates.size - 1)
    start = arms * initial
    regret = 0.0
    for t in range(1, horizon + 1):
        if t <= start:
            arm = (t - 1) // initial
            shares[:] = 0.0
            shares[arm] = budget
        else:
            arm = (t - 1 - start) % arms
            for i in range(arms):
                if i == arm:
                    taken[i] = rate_low[i]
                    weight[i] = p_high[i] * rate_high[i] / rate_low[i]
                else:
                    taken[i] = rate_high[i]
                    weight[i] = p_low[i] * rate_low[i] / rate_high[i]
            oracle(weight, taken, budget, order, height, shares)
        regret += optimum - value(probability, rate, shares)

        success = False
        threshold = 0.0
        for i in range(arms):
            active = np.random.random() < probability[i]
            needed = -math.log1p(-np.random.random()) / rate[i]
            if i == arm:
                success = active and needed < shares[i]
                threshold = needed
        observe(shares[arm], threshold, success, rates, likelihood[arm], exposure[arm])
        successes[arm] += success
        n = successes[arm]
        if n == 0:
            continue
        z2 = math.log(t)
        peak = maximum(likelihood[arm])
        level = interpolate(likelihood[arm], peak) - 0.5 * z2
        low = crossing(likelihood[arm], peak, level, -1)
        high = crossing(likelihood[arm], peak, level, 1)
        width = math.sqrt(z2) * math.sqrt(n + 0.25 * z2)
        least = (n + 0.5 * z2 - width) / interpolate(exposure[arm], high)
        most = (n + 0.5 * z2 + width) / interpolate(exposure[arm], low)
        rate_low[arm] = lowest * math.exp(ratio * low)
        rate_high[arm] = lowest * math.exp(ratio * high)
        p_low[arm] = min(least, 1.0)
        p_high[arm] = min(most, 1.0)
    return regret


def play_block(game: Game, first: int, count: int, horizon: int) -> Played:
    """Play the runs ``first, ..., first + count - 1`` in this process."""
    horizon = int(horizon)
    rates = np.geomspace(game.lowest, game.highest, NODES)
    numbers = game.arms, game.budget, game.lowest, game.highest, game.initial, rates
    regrets = [play_one(first + k, horizon, *numbers) for k in range(count)]
    return Played(np.full(count, horizon), np.array(regrets))


timed = in_all_processes(play_block, warm=200)
