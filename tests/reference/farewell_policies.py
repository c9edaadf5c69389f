"""Literal float64 twins of the policies for the farewell game.

Pairs (arm, wait position) are indexed [K, D]; position 0 is the wait j = 1, or the
first of the waits that are given in place of D. Epoch t is the one to come, s = t - 1
epochs are done. Equations of the farewell paper, unless said otherwise; "budgeted" is
the paper of omega-UCB.
"""

import numpy as np

from tests.reference import budgeted_policies
from tests.reference.budgeted_policies import theorem_1
from tests.reference.choosing import Indexed, random_argmax
from tests.reference.draws import beta, mean_gain


def waits_of(num_waits):
    """j of every position: 1, ..., D, or as given."""
    if np.ndim(num_waits):
        return np.array(num_waits, float)
    return np.arange(1.0, num_waits + 1)


def credited(waits, wait, reward, time, delay, observe, failure="wait"):
    """(position, reward, time) for every wait of the arm that an epoch counts for."""
    yield wait, reward, time
    for position, j in enumerate(waits):
        if observe in ("shorter", "naive") and position < wait:
            given_up = j if failure == "wait" else 1.0
            yield position, *((reward, delay) if delay <= j else (0.0, given_up))
        if observe == "naive" and delay < np.inf and position > wait:
            yield position, reward, delay


class PairPolicy(Indexed):
    """Plays the first argmax of its indices; counts and sums for every pair."""

    observe = "pair"

    def __init__(self, num_arms, num_waits):
        waits = waits_of(num_waits)
        self.shape = (num_arms, len(waits))
        self.waits = np.tile(waits, (num_arms, 1))  # j
        self.longest = waits[-1]
        self.count = np.zeros(self.shape)
        self.reward_sum = np.zeros(self.shape)
        self.time_sum = np.zeros(self.shape)

    def indices(self, t, noise=None):
        index = np.full(self.shape, np.inf)
        pulled = self.count > 0
        if pulled.any():
            index[pulled] = self.upper_bounds(t, pulled)
        return index

    def upper_bounds(self, t, pulled):
        """The index of the pulled pairs, in row-major order."""
        raise NotImplementedError

    def means(self, pulled):
        """Pulls, mean reward and mean time of the pulled pairs."""
        n = self.count[pulled]
        return n, self.reward_sum[pulled] / n, self.time_sum[pulled] / n

    def position(self, arm, wait):
        return int(arm) * self.shape[1] + int(wait)

    def act(self, t, noise):
        if self.observe != "pair" and t <= self.shape[0]:
            # One epoch with the longest wait shows all waits of its macro-arm.
            return self.position(t - 1, self.shape[1] - 1)
        return self.after_start(t, noise)

    def after_start(self, t, noise):
        return super().act(t, noise)

    def update(self, t, noise, arm, wait, reward, time, delay):
        self.credit(arm, wait, reward, time)

    def credit(self, arm, wait, reward, time):
        self.count[arm, wait] += 1
        self.reward_sum[arm, wait] += reward
        self.time_sum[arm, wait] += time


class RandomTies(PairPolicy):
    """Every pair once in row-major order, then an argmax with ties at random."""

    def after_start(self, t, noise):
        if self.observe == "pair" and t <= self.count.size:
            return t - 1
        return random_argmax(self.indices(t, noise).ravel(), noise[0])


class WaitUCB(PairPolicy):
    """Algorithm 1. The ways to observe beyond "pair" are ours, after section 8.

    "shorter" credits every shorter wait too, "naive" also the longer ones where the
    delay was seen (biased), "product_limit" replaces the ratio by one of estimates
    from the hazards of the delay.
    """

    def __init__(self, num_arms, num_waits, observe="pair", failure="wait"):
        super().__init__(num_arms, num_waits)
        self.observe, self.failure = observe, failure
        self.at_risk = np.zeros(self.shape)  # entered unit d of waiting
        self.events = np.zeros(self.shape)  # the delay d seen
        self.reward_at = np.zeros(self.shape)  # the sum of V over these
        self.time_in = np.zeros(self.shape)  # spent in unit d

    def update(self, t, noise, arm, wait, reward, time, delay):
        if self.observe == "product_limit":
            start = 0.0
            for d in range(wait + 1):  # unit d is (start, j]
                j = self.waits[arm, d]
                self.count[arm, d] += 1  # pulls of the arm with wait >= j
                if delay > start:
                    self.at_risk[arm, d] += 1
                    self.time_in[arm, d] += min(delay, j) - start
                    if delay <= j:
                        self.events[arm, d] += 1
                        self.reward_at[arm, d] += reward
                start = j
            return
        for position, r, c in credited(
            self.waits[arm], wait, reward, time, delay, self.observe, self.failure
        ):
            self.credit(arm, position, r, c)

    def product_limit(self):
        """sum_{d <= j} S(d - 1) v_d / sum_{d <= j} S(d - 1) l_d, [K, D].

        l_d is the time that an entry spends in unit d: 1 if it has length 1.
        """
        estimate = np.empty(self.shape)
        for k in range(self.shape[0]):
            survival, reward, time = 1.0, 0.0, 0.0
            lengths = np.diff(self.waits[k], prepend=0.0)
            for d in range(self.shape[1]):
                hazard = value = 0.0
                length = lengths[d]
                if self.at_risk[k, d] > 0:
                    hazard = self.events[k, d] / self.at_risk[k, d]
                    value = self.reward_at[k, d] / self.at_risk[k, d]
                    length = self.time_in[k, d] / self.at_risk[k, d]
                reward += survival * value
                time += survival * length
                estimate[k, d] = reward / time
                survival *= 1.0 - hazard
        return estimate

    def upper_bounds(self, t, pulled):
        n, j = self.count[pulled], self.waits[pulled]
        if self.observe == "product_limit":
            g = self.product_limit()[pulled]
        else:
            g = self.reward_sum[pulled] / self.time_sum[pulled]  # (4)
        alpha = 8 * (j - 1) / 3
        beta = np.sqrt(2) * (np.sqrt(j - 1) + 1)
        log_s = np.log(t - 1)
        return g + (alpha * log_s / n + beta * np.sqrt(log_s / n))


class UCBSimplex(PairPolicy):
    """Flajolet and Jaillet (2017), one resource, costs over D (the longest wait)."""

    def __init__(self, num_arms, num_waits, kappa=None):
        super().__init__(num_arms, num_waits)
        self.kappa = self.longest if kappa is None else kappa

    def upper_bounds(self, t, pulled):
        n, r, time = self.means(pulled)
        c = time / self.longest
        return (r + (1 + self.kappa) * np.sqrt(2 * np.log(t) / n)) / c


class OmegaUCB(RandomTies):
    """omega-UCB, budgeted (2): rewards in [0, 1], times of the wait j in [1, j].

    Theorem 1 keeps its form under affine maps, so a time c is bounded as
    1 + (j - 1) x, with x = (c - 1) / (j - 1) in [0, 1].
    """

    def __init__(
        self,
        num_arms,
        num_waits,
        rho=1.0,
        star=False,
        observe="pair",
        variance="switch",
    ):
        super().__init__(num_arms, num_waits)
        self.rho, self.star, self.observe = rho, star, observe
        self.ratio = budgeted_policies.ETA[variance]
        self.reward_squares = np.zeros(self.shape)
        self.time_squares = np.zeros(self.shape)

    def update(self, t, noise, arm, wait, reward, time, delay):
        for position, r, c in credited(
            self.waits[arm], wait, reward, time, delay, self.observe
        ):
            self.credit(arm, position, r, c)
            self.reward_squares[arm, position] += r**2
            self.time_squares[arm, position] += c**2

    def eta(self, arm, wait):
        """eta of the reward and of the time."""
        if not self.star:
            return 1.0, 1.0
        n, pair = self.count[arm, wait], (arm, wait)

        def ratio(total, squares, low, high):
            variance = max((n * squares - total**2) / n**2, 0.0)
            return self.ratio(variance, total / n, n, low, high)

        return (
            ratio(self.reward_sum[pair], self.reward_squares[pair], 0.0, 1.0),
            ratio(self.time_sum[pair], self.time_squares[pair], 1.0, self.waits[pair]),
        )

    def upper_bounds(self, t, pulled):
        z2 = 2 * self.rho * np.log(t)
        index = []
        for arm, wait in zip(*np.nonzero(pulled), strict=True):
            n, width = self.count[arm, wait], self.waits[arm, wait] - 1  # j - 1
            eta_reward, eta_time = self.eta(arm, wait)
            mean = self.reward_sum[arm, wait] / n
            reward = theorem_1(mean, n, z2 * eta_reward, 0.0, 1.0)[1]
            time = 1.0  # j = 1
            if width > 0:
                x = (self.time_sum[arm, wait] / n - 1) / width
                time = 1 + width * theorem_1(x, n, z2 * eta_time, 0.0, 1.0)[0]
            index.append(reward / time)
        return np.array(index)


class ProductLimitOmega(OmegaUCB):
    """omega*-UCB under the law of Kaplan and Meier, whose outcomes are counted here.

    Those who ended in unit d have the weight S(d - 1) h_d, the others S(j) and the
    wait itself; the pulls of a wait are the epochs that waited at least as long.
    """

    def __init__(self, num_arms, num_waits, variance="switch"):
        super().__init__(num_arms, num_waits, star=True, variance=variance)
        self.observe = "product_limit"
        self.at_risk = np.zeros(self.shape)
        # Of those who ended in a unit: how many, and sums of r, r^2, c, (c - 1)^2.
        self.ended = np.zeros((*self.shape, 5))

    def update(self, t, noise, arm, wait, reward, time, delay):
        start = 0.0
        for d in range(wait + 1):  # unit d is (start, j]
            self.count[arm, d] += 1
            self.at_risk[arm, d] += delay > start
            start = self.waits[arm, d]
            if delay <= start:
                self.ended[arm, d] += 1, reward, reward**2, delay, (delay - 1) ** 2
                self.count[arm, d + 1 : wait + 1] += 1
                break
        for d in range(self.shape[1]):
            n, pair = self.count[arm, d], (arm, d)
            moments = np.array(self.moments(arm, d)) * n
            self.reward_sum[pair], self.reward_squares[pair] = moments[:2]
            self.time_sum[pair] = moments[2]
            # The variance of c is that of c - 1.
            spread = max(moments[3] - (moments[2] - n) ** 2 / n, 0.0) if n else 0.0
            self.time_squares[pair] = spread + moments[2] ** 2 / max(n, 1)

    def moments(self, arm, wait):
        """E[r], E[r^2], E[c], E[(c - 1)^2] of a wait."""
        survival, total = 1.0, np.zeros(4)
        for d in range(wait + 1):
            if self.at_risk[arm, d] > 0:
                count, *sums = self.ended[arm, d]
                total += survival * np.array(sums) / self.at_risk[arm, d]
                survival *= 1 - count / self.at_risk[arm, d]
        j = self.waits[arm, wait]
        return total + survival * np.array([0, 0, j, (j - 1) ** 2])


class HazardThompson(PairPolicy):
    """Thompson sampling on the units (start, j] of waiting.

    An epoch that enters unit d ends there with probability h_d, after the time c_d and
    with a reward of v_d on average; else it goes on, or gives up.
    """

    def __init__(self, num_arms, num_waits, failure="wait", ended=1.0, passed=1.0):
        super().__init__(num_arms, num_waits)
        self.between = 0.0, 1.0  # what rates can be
        self.failure, self.prior = failure, (ended, passed)
        arms, units = range(self.shape[0]), range(self.shape[1])
        # Reward and time in the unit of those that ended, by unit.
        self.ended = [[[] for _ in units] for _ in arms]
        self.passed = np.zeros(self.shape)
        self.starts = np.append(0.0, self.waits[0, :-1])

    def update(self, t, noise, arm, wait, reward, time, delay):
        for d in range(wait + 1):
            if delay <= self.waits[arm, d]:
                self.ended[arm][d].append((reward, delay - self.starts[d]))
                return
            self.passed[arm, d] += 1

    def hazard(self, arm, unit, words, error):
        """Least and most of a draw."""
        a = self.prior[0] + len(self.ended[arm][unit])
        b = self.prior[1] + self.passed[arm, unit]
        (x, y), off = words, np.array([-error, error])
        return beta(*np.clip([x + off, y - off], 0, 1), a, b)

    def draws(self, noise, error):
        """Hazards, mean rewards and times of ending, (least, most) of each, [K, D]."""
        u = np.reshape(noise, (-1, *self.shape))
        bounds = np.empty((3, 2, *self.shape))
        for k, d in np.ndindex(self.shape):
            ended = np.array(self.ended[k][d]).reshape(-1, 2)
            length = self.waits[k, d] - self.starts[d]
            bounds[0, :, k, d] = self.hazard(k, d, u[:2, k, d], error)
            words = [*u[2:, k, d]]
            bounds[1, :, k, d] = mean_gain(ended[:, 0], words[:3], error)
            time = np.ones(2)
            if words[3:]:  # the share of the unit that was left over is a gain
                room = max(length - 1, 1)
                # The gamma variate of what is lost comes first.
                other, first, rest = words[3:]
                left = (length - ended[:, 1]) / room
                early = mean_gain(left, (first, other, rest), error)
                time = length - (length - 1) * early[::-1]
            bounds[2, :, k, d] = self.starts[d] + time
        return bounds

    def lost(self, arm, wait):
        """What giving up costs."""
        return self.waits[arm, wait] if self.failure == "wait" else 1.0

    def indices(self, t, noise):
        (h, _), (v, _), (c, _) = self.draws(noise, 0.0)
        return self.rates(h, v, c)

    def rates(self, h, v, c):
        """Reward over time of every pair, [K, D]."""
        index = np.empty(self.shape)
        for k, j in np.ndindex(self.shape):
            entering, reward, time = 1.0, 0.0, 0.0
            for d in range(j + 1):
                reward += entering * h[k, d] * v[k, d]
                time += entering * h[k, d] * c[k, d]
                entering *= 1 - h[k, d]
            index[k, j] = reward / (time + entering * self.lost(k, j))
        return index

    def ends(self, t, noise, error):
        h, v, c = self.draws(noise, error)
        least, most = np.empty((2, *self.shape))
        for k, j in np.ndindex(self.shape):
            sides = h[:, k], v[:, k], c[:, k]
            least[k, j] = self.rate(k, j, sides, worst=True)
            most[k, j] = self.rate(k, j, sides, worst=False)
        return least.ravel(), most.ravel()

    def rate(self, arm, wait, sides, worst):
        """The rate at which an epoch, paying it for its time, is worth nothing."""
        h, v, c = sides
        v, c = (v[0], c[1]) if worst else (v[1], c[0])
        pick = min if worst else max
        low, high = self.between
        for _ in range(60):
            rate = (low + high) / 2
            worth = -rate * self.lost(arm, wait)
            for d in range(wait, -1, -1):
                ending = v[d] - rate * c[d]
                worth = pick(x * ending + (1 - x) * worth for x in h[:, d])
            low, high = (rate, high) if worth > 0 else (low, rate)
        return (low + high) / 2


class JointHazardThompson(HazardThompson):
    """The same, but one number is drawn of those that end in a unit: their worth.

    theory/hazard-thompson.md: a reward less p times the time, at the price p that
    is the largest rate of posterior means. The mean time is its posterior mean.
    """

    def draws(self, noise, error):
        if len(self.waits[0]) == self.longest:  # no unit is longer than 1
            return super().draws(noise, error)
        self.between = -self.longest, 2.0
        u = np.reshape(noise, (5, *self.shape))
        h, v, c = np.empty((3, *self.shape))
        for k, d in np.ndindex(self.shape):
            begin, end = self.starts[d] + 1, self.waits[k, d]
            told = np.array(self.ended[k][d]).reshape(-1, 2)
            times = [begin, end, *self.starts[d] + told[:, 1]]
            counts = self.prior[0] + len(told), self.prior[1] + self.passed[k, d]
            h[k, d] = counts[0] / sum(counts)
            v[k, d] = np.mean([0, 1, *told[:, 0]])
            c[k, d] = np.mean(times)
        price = self.rates(h, v, c).max()
        bounds = np.stack([np.stack([x, x]) for x in (h, v, c)])
        for k, d in np.ndindex(self.shape):
            begin, end = self.starts[d] + 1, self.waits[k, d]
            told = np.array(self.ended[k][d]).reshape(-1, 2)
            worth = told[:, 0] - price * (self.starts[d] + told[:, 1])
            worst, best = -price * end, 1 - price * begin
            # The gamma variate of what is lost comes first.
            other, first, rest = u[2:, k, d]
            gains = (worth - worst) / (best - worst)
            drawn = mean_gain(gains, (first, other, rest), error)
            drawn = worst + (best - worst) * drawn
            bounds[0, :, k, d] = self.hazard(k, d, u[:2, k, d], error)
            bounds[1, :, k, d] = drawn + price * c[k, d]
        return bounds


class UCB1(PairPolicy):
    """Auer et al. (2002) on the reward per epoch: blind to time."""

    def upper_bounds(self, t, pulled):
        n, r, _ = self.means(pulled)
        return r + np.sqrt(2 * np.log(t) / n)


class Chosen(PairPolicy):
    """Has its choices from elsewhere."""

    def __init__(self, num_arms, num_waits, choice):
        super().__init__(num_arms, num_waits)
        self.indices = choice(self.count.size).indices


class OnPairs(budgeted_policies.InGame):
    """A budgeted twin on pairs, row-major; its costs are times over D."""

    def __init__(self, num_arms, num_waits, twin, **options):
        waits = waits_of(num_waits)
        self.num_waits, self.longest = len(waits), waits[-1]
        count, unit = num_arms * len(waits), 1 / waits[-1]
        if twin in ("BudgetUCB", "UCBBV1"):  # No epoch is shorter than one unit.
            options["minimum_cost"] = unit
        if twin == "BTS":  # An epoch that waits for one unit lasts one, as is known.
            one = [k for k in range(count) if waits[k % len(waits)] == 1]
            options["known_costs"] = dict.fromkeys(one, unit)
        made = getattr(budgeted_policies, twin)(count, **options)
        super().__init__(made, num_arms=count, unit=unit)

    def position(self, arm, wait):
        return int(arm) * self.num_waits + int(wait)

    def update(self, t, noise, arm, wait, reward, time, delay):
        super().update(t, noise, self.position(arm, wait), reward, time / self.longest)
