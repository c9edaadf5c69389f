"""RA-UCB with its defaults on appendix A.1 of the allocation paper, 10 arms.

Every run draws its own arms: rates uniform on [1 / B, 80 / B], probabilities uniform on
(0, 1]. In a round the budget B is split over the arms; an arm that is active and whose
exponential threshold is within its share succeeds. After `INITIAL` rounds per arm in
which it gets all, the arms are boosted in turn: the boosted one is taken at its best,
the others at their worst, and only the boosted one's round is learnt from (truncated
likelihood, profile-likelihood bounds with z^2 = log t). The score of a run is its
expected regret at the end, eq. (3).

What one writes first keeps an arm's log likelihood at 64 rates, looks for its bounds by
bisection, takes the logarithms of the split anew and draws all arms in every round. The
tuned loop and NumPy's rival keep the score, the derivative of the log likelihood in the
log rate, which takes no logarithm: at rates `PER_OCTAVE` to the octave, so that
``exp(-rate x)`` at a node is the square of that one octave below. Its root, looked for
from where it was before, is the peak, and its integral from there is what the
likelihood loses. They draw the observed arm only: neither the policy nor the expected
regret looks at the others. An arm's place is counted in nodes.
"""

import math

import numpy as np

from .compiled import compiled, uniform
from .contest import Library, Played, uniforms

ARMS, BUDGET, INITIAL = 10, 40.0, 9
LOWEST, HIGHEST = 1.0 / BUDGET, 80.0 / BUDGET
LIBRARY = Library(
    "allocation/ra-ucb", "horizon", "regret", params={"initial": float(INITIAL)}
)
AGREEMENT = 1_000

PLAIN_RATES = np.geomspace(LOWEST, HIGHEST, 64)
PLAIN_STEP = math.log(HIGHEST / LOWEST) / 63  # of the log rate, between nodes
BISECTIONS = 16

PER_OCTAVE = 5
STEP = math.log(2.0) / PER_OCTAVE
MARGIN = 2  # the node of the least rate: beyond either end, neighbours exist
LAST = MARGIN + math.log(HIGHEST / LOWEST) / STEP  # the place of the largest rate
TOP = math.ceil(LAST)
RATES = LOWEST * np.exp(STEP * np.arange(-MARGIN, TOP + 1))
# Of the score, from node 1 to those from MARGIN on: the integral of a cell's cubic is a
# combination of four nodes.
CELLS = sum(w * np.eye(TOP, TOP + 3, k) for k, w in enumerate((-1, 13, 13, -1)))
INTEGRAL = STEP / 24 * np.cumsum(CELLS, axis=0)
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
    if uniform(rng) >= probability:
        return 2 * BUDGET
    return -math.log1p(-uniform(rng)) / rate


@compiled
def interpolate(values, place):
    """A function known at the nodes, f64[J], at a place."""
    j = min(max(int(place), 1), values.size - 3)
    p = cubic(values[j - 1], values[j], values[j + 1], values[j + 2])
    return value(p, place - j)


@compiled
def observe(amount, threshold, likelihood, exposure):
    """Add a round to an arm's log likelihood and exposure, f64[J] each.

    A success at an amount shows the threshold truncated to [0, amount].
    """
    for j in range(PLAIN_RATES.size):
        reach = 1.0 - math.exp(-PLAIN_RATES[j] * amount)
        exposure[j] += reach
        if threshold < amount:
            likelihood[j] += math.log(PLAIN_RATES[j] / reach)
            likelihood[j] -= PLAIN_RATES[j] * threshold


@compiled
def tuned_observe(amount, threshold, survival, score, exposure):
    """As `observe`, for the score; `survival`, f64[J], is scratch."""
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
def falls(values, place, end, level):
    """Where between a place and an end the values fall to a level, else the end."""
    if interpolate(values, end) > level:
        return end
    for _ in range(BISECTIONS):
        middle = 0.5 * (place + end)
        if interpolate(values, middle) < level:
            end = middle
        else:
            place = middle
    return 0.5 * (place + end)


@compiled
def bounds(likelihood, enough):
    """Places of the least and the largest rate whose likelihood loses so much.

    The peak is that of the parabola through the best node and those beside.
    """
    best = likelihood.argmax()
    j = min(max(best, 1), likelihood.size - 2)
    slope = 0.5 * (likelihood[j + 1] - likelihood[j - 1])
    bend = likelihood[j + 1] - 2.0 * likelihood[j] + likelihood[j - 1]
    place = float(best)
    if bend < 0.0:
        place = j + min(max(-slope / bend, -1.0), 1.0)
    level, top = interpolate(likelihood, place) - enough, likelihood.size - 1.0
    return falls(likelihood, place, 0.0, level), falls(likelihood, place, top, level)


@compiled
def cell(score, j):
    """The score's cubic between nodes j and j + 1."""
    return cubic(score[j - 1], score[j], score[j + 1], score[j + 2])


@compiled
def tuned_bound(score, node, x, enough, side):
    """One of `bounds`, from the score.

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
def play_one(rng, seed, horizon, logs):
    """Play one run; return its rounds and its score."""
    if rng is None:
        np.random.seed(seed)
    probability, rate, shares = np.empty(ARMS), np.empty(ARMS), np.empty(ARMS)
    for i in range(ARMS):
        probability[i] = 1.0 - uniform(rng)
        rate[i] = LOWEST + (HIGHEST - LOWEST) * uniform(rng)
    split(np.log(probability * rate), 1.0 / rate, shares)
    regret = -horizon * missed(probability, rate, shares)
    nodes = RATES.size if rng is not None else PLAIN_RATES.size
    likelihood, exposure = np.zeros((ARMS, nodes)), np.zeros((ARMS, nodes))
    scratch, successes = np.empty(nodes), np.zeros(ARMS)
    peaks = np.full(ARMS, nodes // 2)
    # Of every arm, at its worst and at its best, weight times rate (the tuned: its
    # logarithm) and 1 / rate; and what of them is taken in a round.
    weights, inverses = np.empty((2, ARMS)), np.empty((2, ARMS))
    weights[0], inverses[0] = NOTHING, 1.0 / HIGHEST
    weights[1], inverses[1] = HIGHEST, 1.0 / LOWEST
    if rng is not None:
        weights = np.log(weights)
    height, inverse, thresholds = np.empty(ARMS), np.empty(ARMS), np.empty(ARMS)
    start = ARMS * INITIAL
    for t in range(1, horizon + 1):
        if t <= start:
            arm = (t - 1) // INITIAL
            shares[:] = 0.0
            shares[arm] = BUDGET
        else:
            arm = (t - 1 - start) % ARMS
            for i in range(ARMS):
                side = 1 if i == arm else 0
                height[i] = (
                    weights[side, i] if rng is not None else math.log(weights[side, i])
                )
                inverse[i] = inverses[side, i]
            split(height, inverse, shares)
        regret += missed(probability, rate, shares)
        first, last = (0, ARMS) if rng is None else (arm, arm + 1)
        for i in range(first, last):
            thresholds[i] = draw(rng, probability[i], rate[i])
        amount, threshold = shares[arm], thresholds[arm]
        successes[arm] += threshold < amount
        n, z2 = successes[arm], math.log(t)
        if rng is not None:
            tuned_observe(amount, threshold, scratch, likelihood[arm], exposure[arm])
        else:
            observe(amount, threshold, likelihood[arm], exposure[arm])
        if n == 0:
            continue
        if rng is not None:
            score, node = likelihood[arm], peaks[arm]
            while node < TOP - 1 and score[node + 1] > 0.0:
                node += 1
            while node > MARGIN and score[node] <= 0.0:
                node -= 1
            peaks[arm] = node
            x = peak(cell(score, node), min(LAST - node, 1.0))
            low = tuned_bound(score, node, x, z2 / 2, 0)
            high = tuned_bound(score, node, x, z2 / 2, 1)
            first, step = float(MARGIN), STEP
        else:
            low, high = bounds(likelihood[arm], z2 / 2)
            first, step = 0.0, PLAIN_STEP
        reached = exposure[arm]
        least, most = interpolate(reached, low), interpolate(reached, high)
        low, high = step * (low - first), step * (high - first)
        worst, worst_inverse, best, best_inverse = ends(n, z2, low, high, least, most)
        weights[0, arm] = worst if rng is None else math.log(worst)
        weights[1, arm] = best if rng is None else math.log(best)
        inverses[0, arm], inverses[1, arm] = worst_inverse, best_inverse
    return horizon, regret


def seeds_split(height, inverse):
    """As `split`, of all seeds: f64[K, S]."""
    worth, level, before = height * inverse, -np.inf, -1
    while (active := np.count_nonzero(height > level)) != before:
        taking, before = (height > level).astype(float), active
        need = np.add.reduce(worth * taking, axis=0) - BUDGET
        level = need / np.add.reduce(inverse * taking, axis=0)
    return np.maximum(height - level, 0.0) * inverse


def seeds_observe(amount, threshold, success, score, exposure, scratch):
    """As `tuned_observe`, of all seeds: f64[J, S] of f64[S] each and bool[S]."""
    rates, amount = RATES[:, None], np.maximum(amount, TINY)
    survival, gained = scratch
    np.exp(rates[:PER_OCTAVE] * -amount, out=survival[:PER_OCTAVE])
    for j in range(PER_OCTAVE, len(rates), PER_OCTAVE):
        part = survival[j : j + PER_OCTAVE]
        np.square(survival[j - PER_OCTAVE : j - PER_OCTAVE + len(part)], out=part)
    reach = np.subtract(1.0, survival, out=survival)
    exposure += reach
    np.divide(amount, reach, out=gained)  # the hazard, but for the amount
    gained += threshold - amount
    gained *= rates
    np.subtract(1.0, gained, out=gained)
    gained *= success
    score += gained


def count(flags):
    """Of bool[J, S] the number per seed; bytes add up fast."""
    return np.add.reduce(flags.view(np.uint8), axis=0, dtype=np.uint8).astype(np.int64)


def window(values, start, size=4):
    """``values[start : start + size]`` of every seed: f64[size, ..., S]."""
    seeds = values.shape[1]
    steps = np.arange(size).reshape(-1, *(1,) * start.ndim)
    return values.take((start + steps) * seeds + np.arange(seeds))


def seeds_bounds(score, enough, scratch):
    """As `tuned_bound`, of all seeds and sides, by counting nodes: f64[2, S]."""
    node = MARGIN + count(score[MARGIN + 1 : TOP] > 0)
    p = cubic(*window(score, node - 1))
    x = peak(p, np.minimum(LAST - node, 1.0))
    likelihood = np.matmul(INTEGRAL, score, out=scratch[0, :TOP])
    highest = window(likelihood, node - MARGIN, 1)[0] + area(p, x)
    below = likelihood[: TOP + 1 - MARGIN] < highest - enough
    left = np.arange(MARGIN, TOP + 1, dtype=np.uint8)[:, None] <= node.astype(np.uint8)
    counts = np.stack([count(below & left), count(below > left)])
    j, side = np.stack([MARGIN - 1 + counts[0], TOP - counts[1]]), np.array([[0], [1]])
    outer_lost, inner_lost = (
        highest - window(likelihood, j + end - MARGIN, 1)[0] for end in (side, 1 - side)
    )
    beside = j == node
    inner, inner_lost = np.where(beside, x, 1 - side), np.where(beside, 0.0, inner_lost)
    p = cubic(*window(score, j - 1))
    found = j + crossing(p, side, inner, outer_lost, inner_lost, enough)
    return np.minimum(np.where(counts > 0, found, [[MARGIN], [LAST]]), LAST)


def play_seeds(seeds: int, horizon: int, seed: int) -> Played:
    """NumPy's rival: one array program, vectorised over the seeds, on one core.

    All seeds boost the same arm in a round, so an arm's numbers lie together, seeds
    last, and need no gather.
    """
    rng = np.random.default_rng(seed)
    probability, rate = rng.random((2, ARMS, seeds))
    probability = 1.0 - probability
    rate = LOWEST + (HIGHEST - LOWEST) * rate

    def missed(shares):
        return np.add.reduce(probability * np.exp(-rate * shares), axis=0)

    regret = -horizon * missed(seeds_split(np.log(probability * rate), 1 / rate))
    score, exposure = np.zeros((2, ARMS, RATES.size, seeds))
    scratch = np.empty((2, RATES.size, seeds))
    successes = np.zeros((ARMS, seeds))
    # Of every arm at its worst and at its best: log (weight rate) and 1 / rate.
    unknown = math.log(NOTHING), 1 / HIGHEST, math.log(HIGHEST), 1 / LOWEST
    worst, best = np.empty((2, 2, ARMS, seeds))
    worst[0], worst[1], best[0], best[1] = unknown
    start = ARMS * INITIAL
    for t, (active, drawn) in enumerate(uniforms(rng, horizon, (2, seeds)), 1):
        if t <= start:
            arm = (t - 1) // INITIAL
            shares = np.zeros((ARMS, seeds))
            shares[arm] = BUDGET
        else:
            arm = (t - 1 - start) % ARMS
            # In place of its worst, which is renewed below.
            worst[:, arm] = best[:, arm]
            shares = seeds_split(*worst)
        regret += missed(shares)
        threshold = -np.log1p(-drawn) / rate[arm]
        success = (active < probability[arm]) & (threshold <= shares[arm])
        seeds_observe(
            shares[arm], threshold, success, score[arm], exposure[arm], scratch
        )
        successes[arm] += success
        n, z2 = successes[arm], math.log(t)
        with np.errstate(divide="ignore", invalid="ignore"):
            places = seeds_bounds(score[arm], z2 / 2, scratch)
            j = places.astype(np.int64)
            reached = value(cubic(*window(exposure[arm], j - 1)), places - j)
            found = ends(n, z2, *(STEP * (places - MARGIN)), *reached)
            logs = np.log(found[0]), found[1], np.log(found[2]), found[3]
        known = [np.where(n > 0, x, y) for x, y in zip(logs, unknown, strict=True)]
        worst[:, arm], best[:, arm] = known[:2], known[2:]
    return Played(np.full(seeds, horizon), regret)
