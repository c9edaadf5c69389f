"""The tuned Numba rival: a plain loop per seed, in one process per core."""

import math

import numba
import numpy as np

from ..contest import Played
from ..processes import in_all_processes
from .game import COST_FLOOR, LEAST_PULLS, RHO, Game

INFINITE = 1e30  # an index; fastmath knows no infinity


@numba.njit(fastmath=True, error_model="numpy", cache=True)
def play_one(rng, budget, arms, rho, cost_floor, least_pulls, logs):
    """Play one run of omega*-UCB; return its pulls and its pseudo-regret.

    Eq. (2) is written with one root per bound and one division per arm; what only a
    pull of the arm changes is cached. `logs` holds ``log t`` for the first rounds: all
    runs share it.
    """
    mean_reward = np.empty(arms)
    mean_cost = np.empty(arms)
    for i in range(arms):
        mean_reward[i] = rng.random()
        mean_cost[i] = cost_floor + (1 - cost_floor) * rng.random()
    money = budget * mean_cost.min()

    count = np.zeros(arms)
    sums = np.zeros((2, arms))  # of rewards and of costs
    squares = np.zeros((2, arms))
    eta = np.ones((2, arms))
    spread = np.zeros((2, arms))  # 2 n mean (1 - mean)
    least = np.zeros(arms)  # n times the squared mean cost
    index = np.zeros(arms)
    feedback = np.zeros(2)
    spent = 0.0
    t = 0
    while spent < money:
        t += 1
        if t <= arms:
            arm = t - 1
        else:
            # Theorem 1, with half = z^2 eta / 2 of the reward and of the cost:
            # upper = bound / (n + 2 half), lower = least / bound.
            rho_log = rho * (logs[t] if t < logs.size else math.log(t))
            # A loop of its own, because it becomes vector instructions.
            for i in range(arms):
                half = rho_log * eta[0, i]
                half_cost = rho_log * eta[1, i]
                bound = sums[0, i] + half + math.sqrt(half * (half + spread[0, i]))
                bound_cost = half_cost * (half_cost + spread[1, i])
                bound_cost = sums[1, i] + half_cost + math.sqrt(bound_cost)
                value = bound * bound_cost / ((count[i] + 2 * half) * least[i])
                index[i] = value if least[i] > 0 else INFINITE
            arm = random_argmax(index, rng)
        feedback[0] = 1.0 if rng.random() < mean_reward[arm] else 0.0
        feedback[1] = 1.0 if rng.random() < mean_cost[arm] else 0.0
        spent += feedback[1]
        count[arm] += 1
        n = count[arm]
        inverse = 1 / n
        for side in range(2):
            sums[side, arm] += feedback[side]
            squares[side, arm] += feedback[side] ** 2
            total = sums[side, arm]
            # The variance over its largest value at this mean, both times n^2.
            largest = total * (n - total)
            spread[side, arm] = 2 * largest * inverse
            eta[side, arm] = 1.0
            if n >= least_pulls and largest > 0:
                share = (n * squares[side, arm] - total * total) / largest
                eta[side, arm] = min(max(share, 0.0), 1.0)
        least[arm] = sums[1, arm] * sums[1, arm] * inverse

    best = (mean_reward / mean_cost).max()
    regret = (count * (mean_cost * best - mean_reward)).sum()
    return t, regret


@numba.njit(fastmath=True, error_model="numpy", cache=True)
def random_argmax(x, rng):
    """Position of the largest entry, ties at random."""
    best = x[0]
    for i in range(1, x.size):
        best = max(best, x[i])
    # Ties are rare later on; without them a loop free of branches does.
    ties = 0
    position = 0
    for i in range(x.size):
        hit = x[i] == best
        ties += hit
        position = i if hit else position
    if ties > 1:
        skip = int(rng.random() * ties)
        for i in range(x.size):
            if x[i] == best:
                if skip == 0:
                    return i
                skip -= 1
    return position


def generator(seed):
    """NumPy's fastest, and in Numba three times as fast as ``np.random.random``."""
    return np.random.Generator(np.random.SFC64(seed))


def play_block(game: Game, first: int, count: int, horizon: float) -> Played:
    """Play the runs ``first, ..., first + count - 1`` in this process."""
    budget = float(horizon)  # one type, and so one compilation
    logs = np.log(np.maximum(np.arange(int(horizon) + 1), 1))
    constants = game.arms, RHO, COST_FLOOR, LEAST_PULLS, logs
    runs = [play_one(generator(first + k), budget, *constants) for k in range(count)]
    pulls, regret = map(np.array, zip(*runs, strict=True))
    return Played(pulls, regret)


timed = in_all_processes(play_block, warm=100)
