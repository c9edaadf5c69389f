"""Literal float64 twins of the policies for the budgeted setting.

Symbols as in the paper: r and c are the mean reward and cost of an arm, n its
number of plays, t the number of the play to come, K the number of arms that exist.
"""

import math
from types import SimpleNamespace

import numpy as np
from scipy.optimize import brentq

from tests.reference.choosing import only, random_argmax, uniform_position
from tests.reference.draws import beta, mean_gain


class InGame:
    """A twin in a game: it is shown views, of which `facts` do not change."""

    def __init__(self, twin, **facts):
        self.twin, self.view = twin, SimpleNamespace(spent=0.0, **facts)

    def position(self, arm):
        return int(arm)

    def ends(self, t, noise, error):
        return self.twin.ends(t, noise, self.view, error)

    def act(self, t, noise):
        noise = noise if noise.size else np.zeros(1)  # no ties to break
        return self.twin.act(t, noise, self.view)

    def update(self, t, noise, arm, reward, cost):
        self.twin.update(t, noise, int(arm), reward, cost)
        self.view.spent += cost


def by_arm(num_arms, *values):
    """Numbers of the arms, f64[K] each, of which one may stand for all."""
    return [np.broadcast_to(np.asarray(x, np.float64), num_arms) for x in values]


class Policy:
    """Plays every arm once in index order, then the argmax of its indices."""

    def __init__(self, num_arms):
        self.num_arms = num_arms
        self.pulls = np.zeros(num_arms)
        self.reward_sums = np.zeros(num_arms)
        self.cost_sums = np.zeros(num_arms)
        self.rewards = [[] for _ in range(num_arms)]
        self.costs = [[] for _ in range(num_arms)]

    def indices(self, t, noise, view):
        if t <= view.num_arms:
            return only(self.num_arms, t - 1)
        values = np.full(self.num_arms, -np.inf)
        for k in range(view.num_arms):
            values[k] = self.index(k, t, view)
        return values

    def ends(self, t, noise, view, error):
        """Least and largest indices if numbers of gamma variates are off by `error`."""
        index = self.indices(t, noise, view)
        return index, index

    def index(self, k, t, view):
        n, r, c = self.means(k)
        return np.inf if c == 0 else self.bound(t, n, r, c, view)

    def bound(self, t, n, r, c, view):
        """The index of an arm whose mean cost is not 0."""
        raise NotImplementedError

    def act(self, t, noise, view):
        return random_argmax(self.indices(t, noise, view), noise[0])

    def update(self, t, noise, arm, reward, cost):
        self.pulls[arm] += 1
        self.reward_sums[arm] += reward
        self.cost_sums[arm] += cost
        self.rewards[arm].append(reward)
        self.costs[arm].append(cost)

    def means(self, k):
        n = self.pulls[k]
        return n, self.reward_sums[k] / n, self.cost_sums[k] / n

    def ratio(self, k):
        """r / c. The quotient of the sums: equal ratios of counts tie exactly."""
        if self.cost_sums[k] == 0:
            return np.inf
        return self.reward_sums[k] / self.cost_sums[k]


# omega-UCB


def theorem_1(mean, n, z2_eta, low, high):
    """(omega_-, omega_+) of Theorem 1 for a variable in [low, high] = [m, M].

    The printed B/2A -+ sqrt(B^2/4A^2 - C/A) = (B -+ sqrt(D)) / 2A loses digits twice,
    so: D = B^2 - 4AC is multiplied out, which leaves no difference of large terms, and
    omega_- is C/A (the product of the two) over omega_+; it is 0 if mean = m = 0.
    """
    mean = min(max(mean, low), high)  # a mean of equal values may be an ulp outside
    A = n + z2_eta
    B = 2 * n * mean + z2_eta * (high + low)
    C = n * mean**2 + z2_eta * high * low
    D = z2_eta * (z2_eta * (high - low) ** 2 + 4 * n * (mean - low) * (high - mean))
    sum_ = B + math.sqrt(D)
    return (2 * C / sum_ if sum_ > 0 else 0.0), sum_ / (2 * A)


def shrunk_eta(variance, mean, n, low, high):
    """Ours: unbiased variance over unbiased mu (1 - mu), mixed with 10 pulls of 1."""
    if not low < mean < high or n == 1:
        return 1.0
    variance = variance * n / (n - 1)
    # E[(high - mean) (mean - low)] is that of mu, less variance / n.
    largest = (high - mean) * (mean - low) + variance / n
    return (10 + (n - 1) * min(1.0, variance / largest)) / (10 + n - 1)


def estimated_eta(variance, mean, n, low, high):
    """Section 5.2: 1 for n < 30 and at the ends, never above 1 (Bhatia-Davis)."""
    if n < 30 or not low < mean < high:
        return 1.0
    return min(1.0, variance / ((high - mean) * (mean - low)))


ETA = {"switch": estimated_eta, "shrunk": shrunk_eta}


class OmegaUCB(Policy):
    """omega-UCB, eq. (2) with Theorem 1; star=True: omega*-UCB, section 5.2."""

    def __init__(
        self,
        num_arms,
        rho=0.25,
        star=False,
        exploration="log_t",
        cost_low=0.0,
        cost_high=1.0,
        variance="switch",
        reward_low=0.0,
        reward_high=1.0,
    ):
        super().__init__(num_arms)
        self.reward_low, self.reward_high, self.cost_low, self.cost_high = by_arm(
            num_arms, reward_low, reward_high, cost_low, cost_high
        )
        self.rho, self.star, self.exploration = rho, star, exploration
        self.eta = ETA[variance]
        self.reward_variances = np.zeros(num_arms)
        self.cost_variances = np.zeros(num_arms)

    def update(self, t, noise, arm, reward, cost):
        super().update(t, noise, arm, reward, cost)
        if self.star:
            self.reward_variances[arm] = np.var(self.rewards[arm])  # over n
            self.cost_variances[arm] = np.var(self.costs[arm])

    def index(self, k, t, view):
        n, r, c = self.means(k)
        if c == 0:
            return np.inf
        low, high = self.cost_low[k], self.cost_high[k]
        worst, most = self.reward_low[k], self.reward_high[k]
        share = t if self.exploration == "log_t" else t / n
        z2 = 2 * self.rho * math.log(share)  # z = sqrt(2 rho log t), below Theorem 3
        eta_r = eta_c = 1.0
        if self.star:
            eta_r = self.eta(self.reward_variances[k], r, n, worst, most)
            eta_c = self.eta(self.cost_variances[k], c, n, low, high)
        upper = theorem_1(r, n, z2 * eta_r, worst, most)[1]
        lower = low if low == high else theorem_1(c, n, z2 * eta_c, low, high)[0]
        return upper / lower if lower > 0 else np.inf  # (2)


class DiscountedOmega(Policy):
    """Ours: omega-UCB's ratio of ends on sums with the weights g^(t - s), g = 1 - 1/m.

    Before round t a pull of round s < t has been followed by t - 1 - s others; D-UCB's
    weights, Garivier & Moulines (2011), section 3, of the statistics after it.
    """

    def __init__(
        self, num_arms, rho=0.25, memory=4000.0, cost_high=1.0, reward_high=1.0
    ):
        super().__init__(num_arms)
        self.rho, self.memory = rho, memory
        self.cost_high, self.reward_high = by_arm(num_arms, cost_high, reward_high)
        self.rounds = []  # arm, reward, cost

    def update(self, t, noise, *round_):
        self.rounds.append(round_)

    def indices(self, t, noise, view):
        if t <= view.num_arms:
            return only(self.num_arms, t - 1)
        weights = (1 - 1 / self.memory) ** np.arange(t - 2, -1, -1.0)
        arms, *gains = np.transpose(self.rounds)
        z2 = 2 * self.rho * math.log(max(weights.sum(), 1))
        values = np.full(self.num_arms, -np.inf)
        for k in range(view.num_arms):
            w = weights * (arms == k)
            n = w.sum()
            r, c = (w @ x / n for x in gains)
            upper = theorem_1(r, n, z2, 0.0, self.reward_high[k])[1]
            lower = theorem_1(c, n, z2, 0.0, self.cost_high[k])[0] if c > 0 else 0.0
            values[k] = upper / lower if lower > 0 else np.inf
        return values


class ShareUCB(Policy):
    """Ours: omega's ratio of ends with z^2 = 2 rho log(1 + M / (K^power S))."""

    def __init__(
        self,
        num_arms,
        clock="left",
        pooled=True,
        joint=False,
        rho=0.5,
        power=1.0,
        prior_pulls=10.0,
        budget=1.5e5,
        cost_high=1.0,
        reward_high=1.0,
    ):
        super().__init__(num_arms)
        self.clock, self.pooled, self.budget = clock, pooled, budget
        self.joint = joint
        self.rho, self.power, self.prior_pulls = rho, power, prior_pulls
        self.cost_high, self.reward_high = by_arm(num_arms, cost_high, reward_high)

    def indices(self, t, noise, view):
        # Variances of all arms, once a round.
        self.eta_reward, self.eta_cost = (
            self.etas([np.array(x) / most for x, most in zip(*pair, strict=True)])
            for pair in ((self.rewards, self.reward_high), (self.costs, self.cost_high))
        )
        return super().indices(t, noise, view)

    def etas(self, values):
        squares, largest, known = np.zeros((3, self.num_arms))
        # All pulls alike, and more than one: the arm has shown no variance.
        alike = np.array([len(x) > 0 and max(x) == min(x) for x in values])
        several = np.array([len(x) > 1 for x in values])
        for k, x in enumerate(values):
            if len(x):
                n, mean = len(x), np.mean(x)
                squares[k] = np.var(x) * n
                # (n - 1) times the unbiased estimate of mu (1 - mu).
                largest[k] = (n - 1) * mean * (1 - mean) + squares[k] / n
                known[k] = n - 1 if largest[k] > 0 else 0
        prior = np.ones(self.num_arms)
        if self.pooled:
            together = (1 + squares[~alike].sum()) / (1 + largest[~alike].sum())
            prior[~(alike & several)] = min(together, 1.0)
        seen = np.divide(
            squares, largest, out=np.zeros_like(squares), where=largest > 0
        )
        own, weight = np.clip(seen, 0, 1), self.prior_pulls
        return np.minimum((weight * prior + known * own) / (weight + known), 1.0)

    def bound(self, t, n, r, c, view):
        raise NotImplementedError

    def index(self, k, t, view):
        n, r, c = self.means(k)
        if c == 0:
            return np.inf
        left = max(self.budget * view.unit - view.spent, 0.0)
        money = left if self.clock == "left" else view.spent
        share = money / (view.num_arms**self.power * self.cost_sums[k])
        z2 = 2 * self.rho * math.log(1 + share)
        if self.joint:
            z2 *= self.joint_share(k)
        upper = theorem_1(r, n, z2 * self.eta_reward[k], 0.0, self.reward_high[k])[1]
        lower = theorem_1(c, n, z2 * self.eta_cost[k], 0.0, self.cost_high[k])[0]
        return upper / lower if lower > 0 else np.inf

    def joint_share(self, k):
        """Var(X / x - Y / y) over the square of what both deviate together."""
        x = np.array(self.rewards[k]) / self.reward_high[k]
        y = np.array(self.costs[k]) / self.cost_high[k]
        n, correlation = len(x), -1.0
        if x.std() > 0 and y.std() > 0:
            own = ((x - x.mean()) * (y - y.mean())).mean() / (x.std() * y.std())
            weight = self.prior_pulls
            correlation = ((n - 1) * own - weight) / (n - 1 + weight)
        # One success and one failure more: nobody is at an end of the range.
        means = (x.sum() + 1) / (n + 2), (y.sum() + 1) / (n + 2)
        etas = self.eta_reward[k], self.eta_cost[k]
        a, b = (
            math.sqrt(e * m * (1 - m)) / m for e, m in zip(etas, means, strict=True)
        )
        return (a * a - 2 * correlation * a * b + b * b) / (a + b) ** 2


# Table 2


class MUCB(Policy):
    """min{r + eps, 1} / max{c - eps, 0}."""

    def __init__(self, num_arms, alpha=2**-4):
        super().__init__(num_arms)
        self.alpha = alpha

    def bound(self, t, n, r, c, view):
        epsilon = self.alpha * math.sqrt(math.log(t - 1) / n)
        lower = max(c - epsilon, 0.0)
        return min(r + epsilon, 1.0) / lower if lower > 0 else np.inf


class CUCB(Policy):
    """r / c + eps / c."""

    def __init__(self, num_arms, alpha=2**-3):
        super().__init__(num_arms)
        self.alpha = alpha

    def bound(self, t, n, r, c, view):
        epsilon = self.alpha * math.sqrt(math.log(t - 1) / n)
        return r / c + epsilon / c


class IUCB(Policy):
    """r / c + eps."""

    def __init__(self, num_arms, alpha=2**-2):
        super().__init__(num_arms)
        self.alpha = alpha

    def index(self, k, t, view):
        return self.ratio(k) + self.alpha * math.sqrt(math.log(t - 1) / self.pulls[k])


class BudgetUCB(Policy):
    """r / c + eps / c (1 + min{r + eps, 1} / max{c - eps, lambda})."""

    def __init__(self, num_arms, log_factor=1.0, minimum_cost=None):
        super().__init__(num_arms)
        self.log_factor, self.minimum_cost = log_factor, minimum_cost

    def bound(self, t, n, r, c, view):
        lambda_ = view.cheapest if self.minimum_cost is None else self.minimum_cost
        epsilon = math.sqrt(self.log_factor * math.log(t - 1) / n)
        inner = min(r + epsilon, 1.0) / max(c - epsilon, lambda_)
        return r / c + epsilon / c * (1 + inner)


class UCBSCPlus(Policy):
    """(r + a c) / (c - a r), and infinite for c^2 <= log(t/n) / (2n).

    Equality is infinite as printed: there a = c / r and the denominator is 0.
    """

    def bound(self, t, n, r, c, view):
        log_share = math.log(t / n)
        if not c**2 > log_share / (2 * n):
            return np.inf
        kappa = r**2 + c**2
        a = math.sqrt(log_share / (2 * kappa * n - log_share))
        denominator = c - a * r
        return (r + a * c) / denominator if denominator > 0 else np.inf


class UCBB2(Policy):
    """ucb_b2.py of the published code; form="paper" asks for its condition (7)."""

    def __init__(self, num_arms, form="paper", alpha=2.01, stability=1.28):
        super().__init__(num_arms)
        self.form, self.alpha, self.stability = form, alpha, stability

    def epsilon(self, values, t):
        n = len(values)
        variance = 1 / 4 if n < 2 else np.var(values, ddof=1)
        log = np.log((t - 1) ** self.alpha)
        return np.sqrt(2 * variance * log / n) + 3 * log / n

    def index(self, k, t, view):
        n, r, c = self.means(k)
        epsilon, eta = (self.epsilon(x[k], t) for x in (self.rewards, self.costs))
        if self.form == "paper":
            if not eta < c * (self.stability - 1) / self.stability:
                return np.inf
            return r / c + 1.4 * (epsilon + r / c * eta) / c
        if not eta < r:
            return np.inf
        ratio = r / max(view.cheapest, c)
        return ratio + 1.4 * (epsilon + ratio * eta) / max(c, 1e-10)


class BTS(Policy):
    """Beta(1 + S_r, 1 + F_r) / Beta(1 + S_c, 1 + F_c), first argmax, no start.

    Of a reward or cost that is known the posterior is that number: {arm: number}.
    """

    def __init__(self, num_arms, known_rewards=(), known_costs=()):
        super().__init__(num_arms)
        self.known_rewards, self.known_costs = dict(known_rewards), dict(known_costs)
        # sums of the Bernoulli trials; the failures are pulls - sums
        self.reward_successes = np.zeros(num_arms)
        self.cost_successes = np.zeros(num_arms)

    def indices(self, t, noise, view):
        values = np.full(self.num_arms, -np.inf)
        blocks = np.reshape(noise, (4, -1))  # X and Y of the reward, then of the cost
        for k in range(view.num_arms):
            theta_r = self.known_rewards.get(k)
            if theta_r is None:
                theta_r = self.theta(self.reward_successes[k], k, *blocks[:2, k])
            theta_c = self.known_costs.get(k)
            if theta_c is None:
                theta_c = self.theta(self.cost_successes[k], k, *blocks[2:, k])
            values[k] = theta_r / theta_c if theta_c > 0 else np.inf
        return values

    def theta(self, successes, k, u, v):
        return beta(u, v, 1 + successes, 1 + self.pulls[k] - successes)

    def ends(self, t, noise, view, error):
        # Numerators up and denominators down, and the other way round.
        signs = np.repeat([1, -1, -1, 1], len(noise) // 4) * error
        return [
            self.indices(t, np.clip(noise + s * signs, 1e-12, 1 - 1e-12), view)
            for s in (-1, 1)
        ]

    def act(self, t, noise, view):
        return int(np.argmax(self.indices(t, noise, view)))

    def update(self, t, noise, arm, reward, cost):
        super().update(t, noise, arm, reward, cost)
        self.reward_successes[arm] += noise[0] < reward
        self.cost_successes[arm] += noise[1] < cost


class RatioThompson(Policy):
    """Ours: draws of the mean reward over draws of the mean cost, first argmax.

    What is saved, 1 less the cost, is a gain too.
    """

    def __init__(self, num_arms, cost_high=1.0, reward_high=1.0):
        super().__init__(num_arms)
        self.cost_high, self.reward_high = by_arm(num_arms, cost_high, reward_high)

    def gains(self, k):
        """Shares of the largest reward, and of the largest cost that was saved."""
        reward = np.array(self.rewards[k]) / self.reward_high[k]
        return reward, 1 - np.array(self.costs[k]) / self.cost_high[k]

    def ends(self, t, noise, view, error):
        values = np.full((2, self.num_arms), -np.inf)
        words = np.reshape(noise, (2, 3, self.num_arms))
        for k in range(view.num_arms):
            rewards, gained = self.gains(k)
            reward = self.reward_high[k] * mean_gain(rewards, words[0, :, k], error)
            # The gamma variate of what is lost comes first.
            other, first, rest = words[1, :, k]
            saved = mean_gain(gained, (first, other, rest), error)
            values[:, k] = reward / (self.cost_high[k] * (1 - saved[::-1]))
        return values

    def indices(self, t, noise, view):
        return self.ends(t, noise, view, 0.0)[0]

    def act(self, t, noise, view):
        return int(np.argmax(self.indices(t, noise, view)))


class PriceThompson(RatioThompson):
    """Ours: draws of the mean of r - p c, p the largest ratio of posterior means.

    As positions in their range, where 1 is the largest reward for the smallest cost.
    """

    def ends(self, t, noise, view, error):
        arms, words = range(view.num_arms), np.reshape(noise, (3, self.num_arms))
        pairs = [np.array(self.gains(k)) for k in arms]
        price = 0.0
        for k in arms:
            reward, saved = (np.mean([0.0, 1.0, *x]) for x in pairs[k])
            cost = self.cost_high[k] * (1 - saved)
            price = max(price, self.reward_high[k] * reward / cost)
        values = np.full((2, self.num_arms), -np.inf)
        for k in arms:
            weights = np.array([self.reward_high[k], price * self.cost_high[k]])
            gains = weights @ pairs[k] / weights.sum()
            # The gamma variate of what is lost comes first.
            other, first, rest = words[:, k]
            drawn = mean_gain(gains, (first, other, rest), error)
            values[:, k] = weights.sum() * drawn - price * self.cost_high[k]
        return values


# Policies that Table 2 leaves out


def divergence(p, log_p, log_1_p, log_q, log_1_q):
    """d(p, q) of Bernoulli variables, from the logs of p, 1 - p, q and 1 - q."""
    value = p * (log_p - log_q) if p > 0 else 0.0
    return value + ((1 - p) * (log_1_p - log_1_q) if p < 1 else 0.0)


def logs(p):
    return (math.log(p) if p > 0 else -np.inf), (math.log1p(-p) if p < 1 else -np.inf)


def largest_ratio(r, c, level):
    """Largest r'/c' with d(r, r') + d(c, c') <= level, for c > 0.

    Stationarity of log r' - log c' with multiplier x gives 1 - r' = x (r' - r) and
    1 - c' = x (c - c'). With x = (1 + s) / c and s > 0:
        r' = (c + (1 + s) r) / (1 + s + c),   1 - r' = (1 - r) (1 + s) / (1 + s + c),
        c' = s c / (1 + s - c),               1 - c' = (1 - c) (1 + s) / (1 + s - c),
    and the two divergences fall from infinity to 0 as s grows. For c = 1 they start
    at d(r, (1 + r) / 2) only; from there a smaller c' costs as much as it gains, and
    what is left of the level goes to d(1, c') = -log c'.
    The ratio grows like exp(level / c): +inf where float64 ends.
    """
    if c == 1:
        half = (1 + r) / 2
        spent = divergence(r, *logs(r), *logs(half))
        if level >= spent * (1 - 1e-14):
            return exp(math.log(half) + level - spent)

    def point(log_s):
        """log r', log(1 - r'), log c', log(1 - c')."""
        s = math.exp(log_s)
        log_sum, log_difference = math.log(1 + s + c), math.log(s + (1 - c))
        return (
            math.log(c + (1 + s) * r) - log_sum,
            logs(r)[1] + math.log1p(s) - log_sum,
            log_s + math.log(c) - log_difference,
            logs(c)[1] + math.log1p(s) - log_difference,
        )

    def excess(log_s):
        log_r, log_1_r, log_c, log_1_c = point(log_s)
        spent_r = divergence(r, *logs(r), log_r, log_1_r)
        spent_c = divergence(c, *logs(c), log_c, log_1_c)
        return spent_r + spent_c - level

    low, high = -1.0, 1.0
    while excess(low) < 0:
        low *= 2
    while excess(high) > 0:
        high += 1
    log_r, _, log_c, _ = point(brentq(excess, low, high, xtol=1e-14, rtol=1e-15))
    return exp(log_r - log_c)


def exp(x):
    """exp, +inf beyond the range of float64."""
    return math.exp(x) if x < 709.78 else np.inf


class KLUCBSCPlus(Policy):
    """Watanabe et al. (2017): the largest ratio in a joint Kullback-Leibler ball."""

    def bound(self, t, n, r, c, view):
        return largest_ratio(r, c, math.log(t / n) / n)


class UCBBV1(Policy):
    """r / c + (1 + 1/lambda) e / (lambda - e), Ding et al. (2013)."""

    def __init__(self, num_arms, minimum_cost=None):
        super().__init__(num_arms)
        self.minimum_cost = minimum_cost

    def bound(self, t, n, r, c, view):
        lambda_ = view.cheapest if self.minimum_cost is None else self.minimum_cost
        e = math.sqrt(math.log(t - 1) / n)
        if lambda_ <= e:
            return np.inf
        return r / c + (1 + 1 / lambda_) * e / (lambda_ - e)


class KUBE(Policy):
    """Fractional KUBE, Tran-Thanh et al. (2012), with the running mean cost."""

    def __init__(self, num_arms, scale=2.0):
        super().__init__(num_arms)
        self.scale = scale

    def bound(self, t, n, r, c, view):
        return (r + math.sqrt(self.scale * math.log(t) / n)) / c


class PDBwK(Policy):
    """Primal-dual bandits with knapsacks, Badanidiyuru et al. (2013).

    Two resources with budget B each: money, and time, of which every pull takes
    B / horizon. The weights of the resources are kept as logarithms.
    """

    def __init__(self, num_arms, budget, horizon, confidence=None):
        super().__init__(num_arms)
        self.budget, self.horizon, self.confidence = budget, horizon, confidence
        self.log_weights = np.zeros(2)  # money, time
        self.log_factor = 0.0  # log(1 + eps), 0 during the start
        self.lower = np.zeros(num_arms)  # L of this round's choice
        self.pull_time = 0.0  # B / horizon

    def indices(self, t, noise, view):
        if t <= view.num_arms:
            return only(self.num_arms, t - 1)
        B = self.budget * view.unit
        C = self.confidence
        if C is None:
            C = math.log(2 * self.horizon * view.num_arms)
        self.log_factor = math.log1p(min(math.sqrt(math.log(2) / B), 1.0))
        self.pull_time = B / self.horizon
        v_money, v_time = np.exp(self.log_weights - self.log_weights.max())
        values = np.full(self.num_arms, -np.inf)
        for k in range(view.num_arms):
            n, r, c = self.means(k)
            upper = min(r + math.sqrt(C * r / n) + C / n, 1.0)  # rad(r, n)
            self.lower[k] = max(c - math.sqrt(C * c / n) - C / n, 0.0)
            price = v_money * self.lower[k] + v_time * self.pull_time
            values[k] = upper / price if price > 0 else np.inf
        return values

    def update(self, t, noise, arm, reward, cost):
        """Follows the indices of the same round."""
        super().update(t, noise, arm, reward, cost)
        used = np.array([self.lower[arm], self.pull_time])
        self.log_weights += used * self.log_factor  # v *= (1 + eps)^used


class BGreedy(Policy):
    """Explores with probability min(1, K/t), else the best r / c; with unpaid="code"
    the efficiencies of b_greedy.py."""

    def __init__(self, num_arms, unpaid="infinite"):
        super().__init__(num_arms)
        self.unpaid = unpaid

    def index(self, k, t, view):
        if self.unpaid == "code":
            return self.reward_sums[k] / (self.cost_sums[k] + 1e-10)
        return self.ratio(k)

    def act(self, t, noise, view):
        K = view.num_arms
        if t > K and noise[1] < min(1.0, K / t):
            return uniform_position(noise[2], K)
        return super().act(t, noise, view)


class EpsilonFirst(Policy):
    """All arms in turn for a share of the budget, then the best r / c,
    Tran-Thanh et al. (2010)."""

    def __init__(self, num_arms, budget, epsilon=0.1):
        super().__init__(num_arms)
        self.budget, self.epsilon = budget, epsilon

    def index(self, k, t, view):
        return self.ratio(k)

    def act(self, t, noise, view):
        if view.spent < self.epsilon * self.budget * view.unit:
            return (t - 1) % view.num_arms
        return super().act(t, noise, view)


class Uniform(Policy):
    """An arm drawn uniformly, from one uniform."""

    def indices(self, t, noise, view):
        return only(self.num_arms, uniform_position(noise[0], view.num_arms))


class Clairvoyant(Policy):
    """Always the truly best arm."""

    def indices(self, t, noise, view):
        return only(self.num_arms, view.best)
