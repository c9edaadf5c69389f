"""Literal float64 twins of the policies that serve arms in turn.

Every plan that hands out all units is looked at, budget by budget. Of plans that are
worth the same up to `TIE` the first one is played: the one whose first arm has the
smallest index and, then, the fewest units, and so on (what `ordered_programming` says).
"""

from itertools import permutations

import numpy as np
from scipy.special import ndtr

from tests.reference.allocation_policies import ThompsonAllocation

TIE = 2e-6


def sequences(num_arms, units):
    """Plans as lists of pairs (arm, units >= 1), in the order in which ties go.

    The last of all arms takes what is left; fewer arms may take all before.
    """

    def after(served, left):
        if left == 0:
            yield []
            return
        for arm in range(num_arms):
            if arm in served:
                continue
            last = len(served) == num_arms - 1
            for n in [left] if last else range(1, left + 1):
                for rest in after([*served, arm], left - n):
                    yield [(arm, n), *rest]

    return [*after([], units)]


def worth(plan, values, chances):
    """Expected worth of a plan: the mean over budgets, as they are used up."""
    total = 0.0
    for budget, chance in enumerate(chances):
        left = budget
        for arm, n in plan:
            given = min(n, left)
            total += chance * values[arm][given]
            left -= given
    return total


def chances_of(survival):
    """Chances of budgets 0, ..., N, of P(B >= u), u = 1, ..., N."""
    return -np.diff(np.concatenate([[1.0], survival, [0.0]]))


class InTurn:
    """What the twins share: budgets seen, and the best plan.

    Args:
        problem: of `allocation_policies`, its budget the largest.
        plan: how it plans.
        chances: of budgets 0, ..., N; None where they have to be learnt.
    """

    def __init__(self, problem, plan="distribution", chances=None):
        self.problem, self.plan, self.known = problem, plan, chances
        self.units = int(problem.budget)
        self.all = sequences(problem.num_arms, self.units)
        self.rounds = []  # units handed out, and planned

    def survival(self):
        """P(B >= u), u = 1, ..., N, as Kaplan & Meier have it."""
        if self.known is not None:
            return np.cumsum(self.known[::-1])[::-1][1:]
        found = [1.0]
        for u in range(1, self.units):
            at_risk = [out for out, wanted in self.rounds if out >= u and wanted > u]
            ended = sum(out == u for out in at_risk)
            found.append(found[-1] * (1 - ended / max(len(at_risk), 1)))
        return np.array(found)

    def chances(self):
        """Of budgets 0, ..., N, as the learner plans for them."""
        survival = self.survival()
        if self.plan == "mean":
            mean = np.floor(survival.sum() + 0.5 + 1e-4)
            survival = (np.arange(1, self.units + 1) <= mean).astype(float)
        return chances_of(survival)

    def chosen(self, values):
        """(plan, how much less it is worth than the best, for any plan)."""
        if self.plan == "greedy":
            plan = self.greedy(values)
            return plan, lambda other: float(other != plan)
        chances = self.chances()
        worths = [worth(plan, values, chances) for plan in self.all]
        best = max(worths)
        first = next(i for i, w in enumerate(worths) if w >= best * (1 - TIE))
        return self.all[first], lambda other: best - worth(other, values, chances)

    def greedy(self, values):
        """Algorithm 4 by differences; an arm's units all at its first turn."""
        taken, order = [0] * len(values), []
        for _ in range(self.units):
            gains = [row[n + 1] - row[n] for row, n in zip(values, taken, strict=True)]
            arm = int(np.argmax(gains))
            taken[arm] += 1
            order.append(arm)
        return [(arm, taken[arm]) for arm in dict.fromkeys(order)]

    def observe(self, amounts, x):
        self.rounds.append((sum(x), sum(amounts)))


class Thompson(InTurn):
    """A rate and p of every arm from its posterior, and the best plan for them."""

    def __init__(self, problem, **options):
        super().__init__(problem, **options)
        self.learner = ThompsonAllocation(problem)

    def act(self, t, normal):
        values = []
        n = np.arange(self.units + 1)
        for i, arm in enumerate(self.learner.arms):
            z = normal[i], normal[self.problem.num_arms + i]
            p, rate = self.learner.draw(arm, *z)
            if sum(arm.x) == 0:
                p = float(ndtr(z[1]))
            values.append(p * arm.law.cdf(n, rate))
        return self.chosen(values)

    def update(self, t, amounts, x, F):
        self.observe(amounts, x)
        for arm, amount, seen in zip(self.learner.arms, x, F, strict=True):
            arm.append(amount, seen)


class UcbByUnits(InTurn):
    """Share of rounds in which n units were enough, plus the radius, and then the least
    of the bounds for n units and more."""

    def __init__(self, problem, alpha=1.0, **options):
        super().__init__(problem, **options)
        self.alpha = alpha
        self.seen = [[] for _ in range(problem.num_arms)]  # (got, threshold)

    def bound(self, arm, n, t):
        tries = [n >= F for x, F in self.seen[arm] if x >= n]
        if not tries:
            return 1.0
        radius = np.sqrt(self.alpha * np.log(t) / (2 * len(tries)))
        return min(np.mean(tries) + radius, 1.0)

    def act(self, t, normal=None):
        values = []
        for arm in range(self.problem.num_arms):
            bounds = [self.bound(arm, n, t) for n in range(1, self.units + 1)]
            values.append([0.0] + [min(bounds[n:]) for n in range(self.units)])
        return self.chosen(values)

    def update(self, t, amounts, x, F):
        self.observe(amounts, x)
        for arm, pair in enumerate(zip(x, F, strict=True)):
            self.seen[arm].append(pair)


class Uniform(InTurn):
    """Arms in the order of their uniforms, all with the same number of units."""

    def act(self, t, uniforms):
        order = min(
            permutations(range(len(uniforms))),
            key=lambda arms: uniforms[[*arms]].tolist(),
        )
        even, odd = divmod(self.units, len(uniforms))
        plan = [(arm, even + (place < odd)) for place, arm in enumerate(order)]
        plan = [(arm, n) for arm, n in plan if n]
        return plan, lambda other: float(other != plan)

    def update(self, t, amounts, x, F):
        """Learns nothing."""
