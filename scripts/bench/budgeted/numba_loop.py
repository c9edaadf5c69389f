"""The straightforward Numba rival: a plain loop per seed, in one process per core.

What one writes first: sums per arm, and in every round both intervals of Theorem 1 as
printed, for all arms. `numba_tuned` is the tuned form.
"""

import math

import numba
import numpy as np

from ..contest import Played
from ..processes import in_all_processes
from .game import COST_FLOOR, LEAST_PULLS, RHO, Game

INFINITE = 1e30  # an index; fastmath knows no infinity

compiled = numba.njit(fastmath=True, error_model="numpy", cache=True)


@compiled
def estimated_eta(n, mean, squares, least_pulls):
    """Section 5.2, on [0, 1]: the variance over its largest value at this mean."""
    if n < least_pulls or mean <= 0.0 or mean >= 1.0:
        return 1.0
    variance = squares / n - mean * mean
    return min(max(variance / (mean * (1.0 - mean)), 0.0), 1.0)


@compiled
def interval(n, mean, z2_eta):
    """(omega_-, omega_+) of Theorem 1, on [0, 1]."""
    a = n + z2_eta
    b = 2.0 * n * mean + z2_eta
    c = n * mean * mean
    middle = b / (2.0 * a)
    root = math.sqrt(max(b * b / (4.0 * a * a) - c / a, 0.0))
    return middle - root, middle + root


@compiled
def play_one(seed, budget, arms, rho, cost_floor, least_pulls):
    """Play one run of omega*-UCB; return its pulls and its pseudo-regret."""
    np.random.seed(seed)
    mean_reward = np.empty(arms)
    mean_cost = np.empty(arms)
    for k in range(arms):
        mean_reward[k] = np.random.random()
        mean_cost[k] = cost_floor + (1.0 - cost_floor) * np.random.random()
    money = budget * mean_cost.min()

    counts = np.zeros(arms, np.int64)
    rewards = np.zeros(arms)
    costs = np.zeros(arms)
    reward_squares = np.zeros(arms)
    cost_squares = np.zeros(arms)
    spent = 0.0
    t = 0
    while spent < money:
        t += 1
        if t <= arms:
            arm = t - 1
        else:
            arm = 0
            best = -1.0
            ties = 0
            z2 = 2.0 * rho * math.log(t)
            for k in range(arms):
                n = counts[k]
                r = rewards[k] / n
                c = costs[k] / n
                eta_r = estimated_eta(n, r, reward_squares[k], least_pulls)
                eta_c = estimated_eta(n, c, cost_squares[k], least_pulls)
                _, upper = interval(n, r, z2 * eta_r)
                lower, _ = interval(n, c, z2 * eta_c)
                index = INFINITE
                if c > 0.0 and lower > 0.0:
                    index = upper / lower
                if index > best:
                    best = index
                    arm = k
                    ties = 1
                elif index == best:
                    ties += 1
                    if np.random.random() * ties < 1.0:
                        arm = k
        reward = 1.0 if np.random.random() < mean_reward[arm] else 0.0
        cost = 1.0 if np.random.random() < mean_cost[arm] else 0.0
        spent += cost
        counts[arm] += 1
        rewards[arm] += reward
        costs[arm] += cost
        reward_squares[arm] += reward * reward
        cost_squares[arm] += cost * cost

    best_ratio = (mean_reward / mean_cost).max()
    return t, (counts * (mean_cost * best_ratio - mean_reward)).sum()


def play_block(game: Game, first: int, count: int, horizon: float) -> Played:
    """Play the runs ``first, ..., first + count - 1`` in this process."""
    budget = float(horizon)  # one type, and so one compilation
    constants = game.arms, RHO, COST_FLOOR, LEAST_PULLS
    runs = [play_one(first + k, budget, *constants) for k in range(count)]
    pulls, regret = map(np.array, zip(*runs, strict=True))
    return Played(pulls, regret)


timed = in_all_processes(play_block, warm=100)
