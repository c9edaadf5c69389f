"""omega*-UCB with rho = 1/4 on S-Br-10: Bernoulli rewards and costs.

Every run draws arms of its own: mean rewards from U(0, 1), mean costs from U(0.01, 1).
It pulls every arm once and then the arm with the largest index of Heyden et al. (2023),
eq. (2), with the variances of section 5.2; ties are broken at random. The policy does
not know that the data are Bernoulli.

The horizon of a contestant is the budget, in units of the smallest mean cost of the
run's arms. The pull that reaches it counts in full. The rounds of a run are its pulls,
its score is their pseudo-regret, sum n mu_c (g* - mu_r / mu_c).

A leading axis of two is of rewards and of costs.
"""

import math

import numpy as np

from .contest import Library, compiled

ARMS = 10
COST_FLOOR = 0.01
RHO = 0.25
LEAST_PULLS = 30  # before a variance is trusted
INFINITE = 1e30  # an index; fastmath knows no infinity

LIBRARY = Library(
    "budgeted/omega-star-ucb",
    "budget",
    30_000,
    "regret",
    rounds="rounds",
    params={"rho": RHO},
)


def environment():
    """The game as an environment of the library."""
    from jaxbandits.budgeted import s_br

    return s_br(ARMS, COST_FLOOR)


@compiled
def cached_indices(log, count, sums, eta, spread, least, index):
    """Write the indices, f64[K], by one root per bound and one division per arm.

    Theorem 1 with half = z^2 eta / 2 of the reward and of the cost: ``upper = bound /
    (n + 2 half)``, ``lower = least / bound``.
    """
    for i in range(index.size):
        half, half_cost = RHO * log * eta[0, i], RHO * log * eta[1, i]
        bound = sums[0, i] + half + math.sqrt(half * (half + spread[0, i]))
        bound_cost = half_cost * (half_cost + spread[1, i])
        bound_cost = sums[1, i] + half_cost + math.sqrt(bound_cost)
        value = bound * bound_cost / ((count[i] + 2 * half) * least[i])
        index[i] = value if least[i] > 0 else INFINITE


@compiled
def random_argmax(index, rng):
    """The place of the largest entry, ties at random."""
    best = index[0]
    for i in range(1, index.size):
        best = max(best, index[i])
    # Ties are rare later on; without them a loop free of branches does.
    arm = ties = 0
    for i in range(index.size):
        hit = index[i] == best
        ties += hit
        arm = i if hit else arm
    skip = int(rng.random() * ties) if ties > 1 else 0
    while skip > 0:
        arm -= 1
        skip -= index[arm] == best
    return arm


@compiled
def play_one(rng, budget, logs):
    """Play one run; return its pulls and its score.

    Cached is what only a pull of the arm changes: eta, ``spread = 2 n mean (1 - mean)``
    and `least`, n times the squared mean cost.
    """
    mean = np.empty((2, ARMS))
    for i in range(ARMS):
        mean[0, i] = rng.random()
        mean[1, i] = COST_FLOOR + (1 - COST_FLOOR) * rng.random()
    money = budget * mean[1].min()
    count, sums, squares = np.zeros(ARMS), np.zeros((2, ARMS)), np.zeros((2, ARMS))
    eta, spread = np.ones((2, ARMS)), np.zeros((2, ARMS))
    least, index = np.zeros(ARMS), np.zeros(ARMS)
    spent, t = 0.0, 0
    while spent < money:
        t += 1
        if t <= ARMS:
            arm = t - 1
        else:
            log = logs[0, t] if t < logs.shape[1] else math.log(t)
            cached_indices(log, count, sums, eta, spread, least, index)
            arm = random_argmax(index, rng)
        count[arm] += 1
        n = count[arm]
        inverse = 1 / n
        for side in range(2):
            seen = 1.0 if rng.random() < mean[side, arm] else 0.0
            spent += seen * side
            sums[side, arm] += seen
            squares[side, arm] += seen * seen
            total = sums[side, arm]
            # The variance over its largest value at this mean, both times n^2.
            most = total * (n - total)
            spread[side, arm] = 2 * most * inverse
            eta[side, arm] = 1.0
            if n >= LEAST_PULLS and most > 0:
                share = (n * squares[side, arm] - total * total) / most
                eta[side, arm] = min(max(share, 0.0), 1.0)
        least[arm] = sums[1, arm] * sums[1, arm] * inverse
    best = (mean[0] / mean[1]).max()
    return t, (count * (mean[1] * best - mean[0])).sum()
