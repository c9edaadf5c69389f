"""An instance of the paper and the policies' twins, in plain NumPy.

Everything here is written from the paper (appendix E) and from `tests.reference` alone,
so that a slip in the package cannot hide in its own test.
"""

from functools import cache, partial

import numpy as np

from jaxbandits.censored import make_environment
from jaxbandits.laws import (
    Exponential,
    Product,
    Uniform,
    exponential,
    product,
    uniform,
)
from tests.policies.followed import Case
from tests.reference import censored_policies as twins
from tests.reference import choosing, laws
from tests.reference.censored_environment import CensoredEnvironment
from tests.reference.words import numbers

K, M = 10, 10
LIMITS = np.linspace(0.1, 0.9, M)
PENALTY_MAX = 10.0  # lambda(1) of the strict promise


def cost(x):
    """c of Example 2."""
    return x / 10


def penalty(x):
    """lambda of Example 2: the strict promise, L = 10 beyond 0.5."""
    return x / 10 if x <= 0.5 else 10 * x


def _indep_arm(b):
    a = 0.8
    return partial(
        laws.product,
        reward_law=partial(laws.beta, a=a, b=b),
        consumption_law=partial(laws.exponential, rate=a / (a + b) + 1),
        reward_uniforms=4,
    )


# Indep, appendix E.2: arms as functions of uniforms. (tests/laws compares the others.)
ARMS = [_indep_arm(b) for b in [0.2] + 9 * [0.3]]


def even(problem):
    """A game with laws that XLA compiles quickly, and means as those of Indep."""
    mean = np.linspace(0.65, 0.8, K)
    rewards = Uniform(mean - 0.2, mean + 0.2)
    arms = Product(rewards, Exponential(np.full(K, 1.75)))
    return make_environment("even", problem, product(uniform, exponential), arms)


class Draws:
    """Indep on one tape; a draw is made once, however many policies ask."""

    def __init__(self, words):
        noise = numbers(words, "uuuun")
        self.draw = cache(lambda t, arm: ARMS[arm](noise[t - 1]))
        self.noise = noise

    def step(self, t, arm, limit):
        """Feedback of eq. (1) in round t: (reward, consumption, censored)."""
        return CensoredEnvironment([lambda _: self.draw(t, arm)]).step(
            None, 0, LIMITS[limit]
        )


def _pairs(kind, **options):
    return partial(kind, K, LIMITS, cost, penalty, **options)


def _product(plain):
    return lambda: _pairs(
        twins.ProductArms, policy=plain(K * M), penalty_max=PENALTY_MAX
    )()


def _thompson(update):
    return _pairs(twins.Thompson, penalty_max=PENALTY_MAX, update=update)


def _cells(**options):
    return _pairs(twins.CellThompson, least=-cost(1.0), **options)


def _case(entry, twin, every=1, **params):
    return Case(f"censored/{entry}", twin, params, every)


_kaplan_meier = partial(_pairs, twins.RCUCB, estimator="kaplan_meier")
CASES = {
    "RCUCB": _case("rcucb", _pairs(twins.RCUCB)),
    "RCUCB, gain part": _case(
        "rcucb", _pairs(twins.RCUCB, penalty_radius=0), penalty_radius=0.0
    ),
    "RCUCB, gain part, UCB1 constant": _case(
        "rcucb",
        _pairs(twins.RCUCB, penalty_radius=0, radius="ucb1"),
        penalty_radius=0.0,
        gain_radius=0.5,
    ),
    # The twin's UCB1 constant halves both parts, ours the gain's alone.
    "RCUCB, UCB1 constant, alpha": _case(
        "rcucb",
        _pairs(twins.RCUCB, penalty_radius=2, radius="ucb1", alpha=0.3),
        gain_radius=0.5,
        alpha=0.3,
    ),
    "Kaplan-Meier": _case("rcucb-kaplan-meier", _kaplan_meier()),
    "Kaplan-Meier, gain part": _case(
        "rcucb-kaplan-meier", _kaplan_meier(penalty_radius=0), penalty_radius=0.0
    ),
    "UCB": _case("ucb", _product(twins.UCB)),
    "UCB, alpha": _case("ucb", _product(partial(twins.UCB, alpha=0.2)), alpha=0.2),
    "MOSS": _case("moss", _product(partial(twins.MOSS, horizon=2000)), horizon=2000.0),
    # The twin searches for 100 indices one by one, 15 ms a round.
    "KL-UCB": _case("kl-ucb", _product(twins.KLUCB), every=50),
    "TS": _case("thompson", _thompson("independent")),
    "TS, shared": _case("thompson-shared", _thompson("shared")),
    "TS, copied": _case("thompson-copied", _thompson("copied")),
    "TS, strict": _case("thompson-strict", _thompson("strict")),
    "cell TS": _case("cell-thompson", _cells(), every=20),
    "cell TS, prior": _case(
        "cell-thompson",
        _cells(ended=2.0, passed=5.0, spread=0.5),
        every=20,
        prior_ended=2.0,
        prior_passed=5.0,
        gain_spread=0.5,
    ),
    "uniform": _case("uniform", _pairs(twins.Chosen, choice=choosing.Uniform(K * M))),
    "fixed": _case("fixed", _pairs(twins.Chosen, choice=choosing.Fixed(K * M, 0))),
}
