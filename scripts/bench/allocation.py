"""RA-UCB with its defaults on appendix A.1 of the allocation paper, 10 arms.

Every run draws its own arms: rates uniform on [1 / B, 80 / B], probabilities uniform on
(0, 1]. In a round the budget B is split over the arms; an arm that is active and whose
exponential threshold is within its share succeeds. After `INITIAL` rounds per arm in
which it gets all, the arms are boosted in turn: the boosted one is taken at its best,
the others at their worst, and only the boosted one's round is learnt from (truncated
likelihood, profile-likelihood bounds with z^2 = log t). The score of a run is its
expected regret at the end, eq. (3).

The rival keeps the score, the derivative of an arm's log likelihood in the log rate,
which takes no logarithm: at rates `PER_OCTAVE` to the octave, so that ``exp(-rate x)``
at a node is the square of that one octave below. Its root, looked for from where it was
before, is the peak, and its integral from there is what the likelihood loses. It draws
the observed arm only: neither the policy nor the expected regret looks at the others.
An arm's place is counted in nodes.
"""

import math

import numpy as np

from .contest import Library, compiled

ARMS, BUDGET, INITIAL = 10, 40.0, 9
LOWEST, HIGHEST = 1.0 / BUDGET, 80.0 / BUDGET
LIBRARY = Library(
    "allocation/ra-ucb", "horizon", 8_000, "regret", params={"initial": float(INITIAL)}
)

PER_OCTAVE = 5
STEP = math.log(2.0) / PER_OCTAVE
MARGIN = 2  # the node of the least rate: beyond either end, neighbours exist
LAST = MARGIN + math.log(HIGHEST / LOWEST) / STEP  # the place of the largest rate
TOP = math.ceil(LAST)
RATES = LOWEST * np.exp(STEP * np.arange(-MARGIN, TOP + 1))
NOTHING = 1e-300  # stands for a weight of 0: fastmath knows no infinity
TINY = 1e-12


def environment():
    """The game as an environment of the library."""
    from jaxbandits.allocation import simulation

    return simulation(ARMS, BUDGET, LOWEST * BUDGET, HIGHEST * BUDGET)


@compiled
def cubic(a, b, c, d):
    """Through four nodes: its coefficients, of powers of the offset from the second."""
    return b, c - a / 3 - b / 2 - d / 6, (a + c) / 2 - b, (d - a) / 6 + (b - c) / 2


@compiled
def value(p, x):
    """Of the cubic with these coefficients."""
    return p[0] + x * (p[1] + x * (p[2] + x * p[3]))


@compiled
def area(p, x):
    """Its integral over the log rate, from offset 0."""
    return STEP * x * (p[0] + x * (p[1] / 2 + x * (p[2] / 3 + x * p[3] / 4)))


@compiled
def clip(x, low, high):
    """As NumPy's, for numbers as well."""
    return np.minimum(np.maximum(x, low), high)


@compiled
def peak(p, end):
    """The offset in [0, end] where a falling cubic vanishes; an end, if nowhere.

    By a straight line and a step of Newton's.
    """
    x = clip(p[0] / np.maximum(-p[1] - p[2] - p[3], TINY), 0.0, end)
    slope = p[1] + x * (2 * p[2] + x * 3 * p[3])
    return clip(x - value(p, x) / np.minimum(slope, -TINY), 0.0, end)


@compiled
def crossing(p, outer, inner, outer_lost, inner_lost, enough):
    """The offset, in a cell, at which the log likelihood has lost `enough`.

    The root of what is lost is nearly linear; a step of Newton's does the rest.

    Args:
      p: the score's cubic in the cell.
      outer, inner: offsets between which it is, the inner one nearer to the peak;
        `outer` is 0 for the least rate, 1 for the largest.
      outer_lost, inner_lost: what is lost there, more and less than `enough`.
      enough: f64 >= 0.
    """
    far, near = np.sqrt(outer_lost), np.sqrt(np.maximum(inner_lost, 0.0))
    step = (far - np.sqrt(enough)) / np.maximum(far - near, TINY)
    x = outer + (inner - outer) * step
    regained = area(p, x) - area(p, outer)
    slope = np.maximum(STEP * np.abs(value(p, x)), TINY)
    x = x + (1 - 2 * outer) * (outer_lost - enough - regained) / slope
    return clip(x, 0.0, 1.0)


@compiled
def ends(n, z2, low, high, low_exposure, high_exposure):
    """An arm at its worst and at its best, from n successes and bounds of its rate.

    Args:
      n: successes.
      z2: square of the number of standard deviations.
      low, high: bounds of log (rate / LOWEST).
      low_exposure, high_exposure: exposures there.

    Returns:
      Of the worst and the best: weight times rate, and 1 / rate. Of p s(rate, rate')
      rate the factor `rate` cancels.
    """
    width = np.sqrt(z2 * (n + 0.25 * z2))
    p_low = np.minimum((n + 0.5 * z2 - width) / high_exposure, 1.0)
    p_high = np.minimum((n + 0.5 * z2 + width) / low_exposure, 1.0)
    low, high = LOWEST * np.exp(low), LOWEST * np.exp(high)
    return p_low * low, 1.0 / high, p_high * high, 1.0 / low


@compiled
def split(height, inverse, shares):
    """Water-filling: x_i = max(height_i - level, 0) inverse_i, of sum B.

    The level that spends the budget on all arms is not above the optimal one, and
    dropping the arms below it raises it.

    Args:
      height: f64[K], log (weight rate).
      inverse: f64[K], 1 / rate.
      shares: f64[K], written.
    """
    level, before = -1e30, -1
    while True:
        need, slope, active = -BUDGET, 0.0, 0
        for i in range(height.size):
            if height[i] > level:
                need += height[i] * inverse[i]
                slope += inverse[i]
                active += 1
        if active == before:
            break
        level, before = need / slope, active
    for i in range(height.size):
        shares[i] = max(height[i] - level, 0.0) * inverse[i]


@compiled
def missed(probability, rate, shares):
    """sum p_i (1 - G(x_i)): expected successes that the shares miss."""
    total = 0.0
    for i in range(rate.size):
        total += probability[i] * math.exp(-rate[i] * shares[i])
    return total


@compiled
def draw(rng, probability, rate):
    """An arm's threshold; if it is not active, more than any share."""
    if rng.random() >= probability:
        return 2 * BUDGET
    return -math.log1p(-rng.random()) / rate


@compiled
def interpolate(values, place):
    """A function known at the nodes, f64[J], at a place."""
    j = min(max(int(place), 1), values.size - 3)
    p = cubic(values[j - 1], values[j], values[j + 1], values[j + 2])
    return value(p, place - j)


@compiled
def observe(amount, threshold, survival, score, exposure):
    """Add a round to an arm's score and exposure, f64[J] each.

    A success at an amount shows the threshold truncated to [0, amount]; `survival`,
    f64[J], is scratch.
    """
    for j in range(PER_OCTAVE):
        survival[j] = math.exp(-RATES[j] * amount)
    for j in range(PER_OCTAVE, RATES.size):
        survival[j] = survival[j - PER_OCTAVE] * survival[j - PER_OCTAVE]
    for j in range(RATES.size):
        exposure[j] += 1.0 - survival[j]
    if threshold < amount:
        for j in range(RATES.size):
            hazard = amount * survival[j] / (1.0 - survival[j])
            score[j] += 1.0 - RATES[j] * (threshold + hazard)


@compiled
def cell(score, j):
    """The score's cubic between nodes j and j + 1."""
    return cubic(score[j - 1], score[j], score[j + 1], score[j + 2])


@compiled
def bound(score, node, x, enough, side):
    """The place of the least or the largest rate whose likelihood loses so much.

    Args:
      score: f64[J].
      node: the one before the peak.
      x: offset of the peak.
      enough: what the likelihood loses.
      side: 0 for the least rate, 1 for the largest.
    """
    # Outwards: a cell, what is lost at its outer end, and at its inner one, which in
    # the first cell is the peak.
    j, p, inner, inner_lost = node, cell(score, node), x, 0.0
    lost = area(p, x) - side * area(p, 1.0)
    while lost <= enough:
        j += 2 * side - 1
        if not MARGIN <= j < TOP:
            return LAST if side else float(MARGIN)
        p, inner, inner_lost = cell(score, j), 1.0 - side, lost
        lost += (1 - 2 * side) * area(p, 1.0)
    return min(j + crossing(p, side, inner, lost, inner_lost, enough), LAST)


@compiled
def play_one(rng, horizon, logs):
    """Play one run; return its rounds and its score."""
    probability, rate, shares = np.empty(ARMS), np.empty(ARMS), np.empty(ARMS)
    for i in range(ARMS):
        probability[i] = 1.0 - rng.random()
        rate[i] = LOWEST + (HIGHEST - LOWEST) * rng.random()
    split(np.log(probability * rate), 1.0 / rate, shares)
    regret = -horizon * missed(probability, rate, shares)
    nodes = RATES.size
    scores, exposure = np.zeros((ARMS, nodes)), np.zeros((ARMS, nodes))
    scratch, successes = np.empty(nodes), np.zeros(ARMS)
    peaks = np.full(ARMS, nodes // 2)
    # Of every arm, at its worst and at its best: log (weight rate) and 1 / rate.
    heights, inverses = np.empty((2, ARMS)), np.empty((2, ARMS))
    heights[0], inverses[0] = math.log(NOTHING), 1.0 / HIGHEST
    heights[1], inverses[1] = math.log(HIGHEST), 1.0 / LOWEST
    height, inverse = np.empty(ARMS), np.empty(ARMS)
    start = ARMS * INITIAL
    for t in range(1, horizon + 1):
        if t <= start:
            arm = (t - 1) // INITIAL
            shares[:] = 0.0
            shares[arm] = BUDGET
        else:
            arm = (t - 1 - start) % ARMS
            height[:], inverse[:] = heights[0], inverses[0]
            height[arm], inverse[arm] = heights[1, arm], inverses[1, arm]
            split(height, inverse, shares)
        regret += missed(probability, rate, shares)
        amount, threshold = shares[arm], draw(rng, probability[arm], rate[arm])
        successes[arm] += threshold < amount
        n, z2, score = successes[arm], math.log(t), scores[arm]
        observe(amount, threshold, scratch, score, exposure[arm])
        if n == 0:
            continue
        node = peaks[arm]
        while node < TOP - 1 and score[node + 1] > 0.0:
            node += 1
        while node > MARGIN and score[node] <= 0.0:
            node -= 1
        peaks[arm] = node
        x = peak(cell(score, node), min(LAST - node, 1.0))
        low = bound(score, node, x, z2 / 2, 0)
        high = bound(score, node, x, z2 / 2, 1)
        least, most = interpolate(exposure[arm], low), interpolate(exposure[arm], high)
        low, high = STEP * (low - MARGIN), STEP * (high - MARGIN)
        worst, worst_inverse, best, best_inverse = ends(n, z2, low, high, least, most)
        heights[0, arm], heights[1, arm] = math.log(worst), math.log(best)
        inverses[0, arm], inverses[1, arm] = worst_inverse, best_inverse
    return horizon, regret
