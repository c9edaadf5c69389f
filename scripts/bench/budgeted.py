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

import functools
import math

import numpy as np

from .compiled import compiled, uniform
from .contest import Library, Played, first_of, until_spent

ARMS = 10
COST_FLOOR = 0.01
RHO = 0.25
LEAST_PULLS = 30  # before a variance is trusted
BOTH = np.arange(2)[:, None]
INFINITE = 1e30  # an index; fastmath knows no infinity

LIBRARY = Library(
    "budgeted/omega-star-ucb", "budget", "regret", rounds="rounds", params={"rho": RHO}
)
AGREEMENT = 500


def environment():
    """The game as an environment of the library."""
    from jaxbandits.budgeted import s_br

    return s_br(ARMS, COST_FLOOR)


@compiled
def estimated_eta(n, mean, squares):
    """Section 5.2, on [0, 1]: the variance over its largest value at this mean."""
    if n < LEAST_PULLS or mean <= 0.0 or mean >= 1.0:
        return 1.0
    variance = squares / n - mean * mean
    return min(max(variance / (mean * (1.0 - mean)), 0.0), 1.0)


@compiled
def interval(n, mean, z2_eta):
    """(omega_-, omega_+) of Theorem 1, on [0, 1]."""
    a = n + z2_eta
    b = 2.0 * n * mean + z2_eta
    middle = b / (2.0 * a)
    root = math.sqrt(max(b * b / (4.0 * a * a) - n * mean * mean / a, 0.0))
    return middle - root, middle + root


@compiled
def largest(t, count, sums, squares):
    """The arm of the largest index: both intervals as printed, ties as they come."""
    arm = ties = 0
    best = -1.0
    z2 = 2.0 * RHO * math.log(t)
    for k in range(count.size):
        n = count[k]
        r, c = sums[0, k] / n, sums[1, k] / n
        _, upper = interval(n, r, z2 * estimated_eta(n, r, squares[0, k]))
        lower, _ = interval(n, c, z2 * estimated_eta(n, c, squares[1, k]))
        index = upper / lower if c > 0.0 and lower > 0.0 else INFINITE
        if index > best:
            best, arm, ties = index, k, 1
        elif index == best:
            ties += 1
            if np.random.random() * ties < 1.0:
                arm = k
    return arm


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
def play_one(rng, seed, budget, logs):
    """Play one run; return its pulls and its score.

    Cached is what only a pull of the arm changes: eta, ``spread = 2 n mean (1 - mean)``
    and `least`, n times the squared mean cost.
    """
    if rng is None:
        np.random.seed(seed)
    mean = np.empty((2, ARMS))
    for i in range(ARMS):
        mean[0, i] = uniform(rng)
        mean[1, i] = COST_FLOOR + (1 - COST_FLOOR) * uniform(rng)
    money = budget * mean[1].min()
    count, sums, squares = np.zeros(ARMS), np.zeros((2, ARMS)), np.zeros((2, ARMS))
    eta, spread = np.ones((2, ARMS)), np.zeros((2, ARMS))
    least, index = np.zeros(ARMS), np.zeros(ARMS)
    spent, t = 0.0, 0
    while spent < money:
        t += 1
        if t <= ARMS:
            arm = t - 1
        elif rng is None:
            arm = largest(t, count, sums, squares)
        else:
            log = logs[0, t] if t < logs.shape[1] else math.log(t)
            cached_indices(log, count, sums, eta, spread, least, index)
            arm = random_argmax(index, rng)
        count[arm] += 1
        n = count[arm]
        inverse = 1 / n
        for side in range(2):
            seen = 1.0 if uniform(rng) < mean[side, arm] else 0.0
            spent += seen * side
            sums[side, arm] += seen
            squares[side, arm] += seen * seen
            if rng is not None:
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


def play_seeds(seeds: int, horizon: int, seed: int) -> Played:
    """NumPy's rival: one array program, vectorised over the seeds, on one core.

    A run has what is left of the budget, f64[S]; of its arms the means, f64[2, K, S],
    the pulls, f64[K, S], the sums of what has been observed and of its squares; and
    what `play_one` caches.
    """
    rng = np.random.Generator(np.random.SFC64(seed))
    mean = rng.random((2, ARMS, seeds))
    mean[1] = COST_FLOOR + (1 - COST_FLOOR) * mean[1]
    left = horizon * mean[1].min(axis=0)
    count, least = np.zeros((2, ARMS, seeds))
    pairs = np.zeros((4, *mean.shape))
    # Arms that have cost nothing have the index infinity, and a run may end before it
    # has pulled every arm.
    with np.errstate(divide="ignore", invalid="ignore"):
        runs = until_spent(
            rng, [left, mean, count, *pairs, least], functools.partial(_step, rng)
        )
    reward, cost = runs[1]
    best = (reward / cost).max(axis=0)
    return Played(runs[2].sum(axis=0), (runs[2] * (cost * best - reward)).sum(axis=0))


def _step(rng, t, drawn, lanes, left, mean, count, sums, squares, eta, spread, least):
    if t < ARMS:
        arm = np.full(lanes.size, t)
    else:
        # As in `cached_indices`.
        half = eta * (RHO * math.log(t + 1))
        bound = half + spread
        bound *= half
        np.sqrt(bound, out=bound)
        bound += half
        bound += sums
        scale = count + 2 * half[0]
        scale *= least
        index = bound[0] * bound[1]
        index /= scale
        tied = index == np.maximum.reduce(index, axis=0)
        if np.count_nonzero(tied) > lanes.size:
            arm = (rng.random(tied.shape, np.float32) * tied).argmax(axis=0)
        else:
            arm = first_of(tied)
    arm = arm * lanes.size + lanes
    side = arm + BOTH * count.size  # of an arm's two entries, flat
    # A run that has ended stands still.
    goes_on = left > 0
    seen = (drawn < mean.take(side)) & goes_on
    left -= seen[1]
    n = count.take(arm) + goes_on
    total = sums.take(side) + seen
    square = squares.take(side) + np.square(seen, dtype=float)
    # The variance over its largest value at this mean, both times n^2.
    most = (n - total) * total
    share = np.ones(most.shape)
    trusted = (most > 0) & (n >= LEAST_PULLS)
    np.divide(n * square - np.square(total), most, out=share, where=trusted)
    count.reshape(-1)[arm] = n
    sums.reshape(-1)[side] = total
    squares.reshape(-1)[side] = square
    eta.reshape(-1)[side] = np.maximum(np.minimum(share, 1.0), 0.0)
    spread.reshape(-1)[side] = most * (2 / n)
    least.reshape(-1)[arm] = np.square(total[1]) / n
