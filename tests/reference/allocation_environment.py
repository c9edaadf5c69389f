"""Literal twin of the allocation game of section 2 of the allocation paper."""

import itertools

import numpy as np

from tests.reference.allocation_families import make_laws
from tests.reference.allocation_oracle import cascade_oracle, objective, oracle


class AllocationGame:
    """Arms with activation probabilities p, thresholds G(., rate) and budgets B_t.

    Args:
        family: name of the family of thresholds.
        shapes, probability, rate: f64[K].
        budgets: f64[T], the budget of each round, or one number for all.
        cascade: whether a round pays 1 if at least one arm succeeds (section 7).
    """

    def __init__(self, family, shapes, probability, rate, budgets, cascade=False):
        self.cascade = cascade
        self.laws = make_laws(family, shapes)
        self.probability = np.asarray(probability, float)
        self.rate = np.asarray(rate, float)
        self.budgets = budgets
        self.optima = {}

    def budget(self, t):
        """B_t, t = 1, 2, ..."""
        return float(
            self.budgets if np.ndim(self.budgets) == 0 else self.budgets[t - 1]
        )

    def step(self, noise, x):
        """F[K] of eq. (5): the threshold of a success, else +inf; noise: f64[2 K]."""
        K = len(self.laws)
        F = np.full(K, np.inf)
        for i, law in enumerate(self.laws):
            if noise[i] < self.probability[i]:
                threshold = law.quantile(noise[K + i], self.rate[i])
                if threshold <= x[i]:
                    F[i] = threshold
        return F

    def value(self, x):
        """sum_i p_i G(x_i, rate_i), the expected successes of a round.

        In a cascade 1 - prod_i (1 - p_i G(x_i, rate_i)), the chance of one.
        """
        if self.cascade:
            none = 1.0
            for law, p, rate, amount in zip(
                self.laws, self.probability, self.rate, x, strict=True
            ):
                none *= 1 - p * law.cdf(amount, rate)
            return 1 - none
        return objective(self.laws, self.probability, self.rate, x)

    def best(self, budget):
        """x*[K] of eq. (12)."""
        if budget not in self.optima:
            best = cascade_oracle if self.cascade else oracle
            self.optima[budget] = best(self.laws, self.probability, self.rate, budget)
        return self.optima[budget]

    def regret(self, t, x):
        """The expected regret of round t, eq. (3)."""
        return self.value(self.best(self.budget(t))) - self.value(x)


def in_turn(arms, amounts, budget):
    """What every arm has when a budget is used up in turns: the definition."""
    x = np.zeros(len(arms))
    for arm, amount in zip(arms, amounts, strict=True):
        x[arm] = min(amount, budget)
        budget -= x[arm]
    return x


def all_turns(num_arms, units):
    """Every order of arms with every way to hand out all units, as lists of pairs."""
    for order in itertools.permutations(range(num_arms)):
        for ends in itertools.combinations_with_replacement(
            range(units + 1), num_arms - 1
        ):
            yield [*order], np.diff([0, *ends, units]).tolist()


class OrderedGame(AllocationGame):
    """Arms are served in turn, with a budget that is drawn (section 7).

    Args:
        family, shapes, probability, rate: as of `AllocationGame`.
        budgets: whole numbers, each as likely as the others.
    """

    def value_of(self, arms, amounts):
        """Expected successes of a plan: the mean over budgets, one by one."""
        return np.mean(
            [self.value(in_turn(arms, amounts, budget)) for budget in self.budgets]
        )

    def best_turns(self):
        """The plan that is worth most, of all of them."""
        plans = all_turns(len(self.laws), max(self.budgets))
        return max(plans, key=lambda plan: self.value_of(*plan))
