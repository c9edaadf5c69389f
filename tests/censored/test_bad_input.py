"""What the censored setting and its policies refuse, naming the argument."""

from functools import partial

import numpy as np

from jaxbandits import censored
from jaxbandits.censored import make_problem
from jaxbandits.laws import (
    Beta,
    Exponential,
    Product,
    Uniform,
    beta,
    exponential,
    product,
    uniform,
)
from tests.tables import assert_refused

C, PENALTY = censored.scaled(0.1), censored.scaled(10.0)
ONE, TWO = np.ones(1), np.ones(2)


def game(law, arms, num_arms=2):
    problem = censored.running_example(num_arms, [0.3, 0.5])
    return censored.make_environment("bad", problem, law, arms)


def problem(num_arms=2, limits=(0.3, 0.5), cost=C, penalty=PENALTY, max_limit=1.0):
    return make_problem(num_arms, limits, cost, penalty, max_limit)


def short_fall(x):
    return np.where((x > 0.4985) & (x < 0.4995), 0.0, x)


# Of problems with a grid of limits, and of those without one.
BOTH = [
    ({"num_arms": 0}, "num_arms"),
    ({"max_limit": np.inf}, "max_limit"),
    ({"max_limit": 0.0}, "max_limit"),
    ({"penalty": lambda x: 1 - x}, "penalty must not decrease"),
    ({"penalty": short_fall}, "penalty must not decrease"),
    ({"penalty": lambda x: x + np.inf}, "penalty must be finite"),
    ({"penalty": lambda x: x - 1}, "penalty must be finite"),
    ({"penalty": lambda x: 1.0}, "penalty must map"),
    ({"cost": lambda x: 1 - x}, "cost must not decrease"),
    ({"cost": lambda x: x - 1}, "cost must be finite and >= 0"),
]
GRIDS = [
    ({"limits": []}, "limits"),
    ({"limits": [0.0, 0.5]}, "limits"),
    ({"limits": [0.5, 1.5]}, "limits"),
    ({"limits": [0.5, 0.5]}, "increasing"),
    ({"limits": [0.5, 0.3]}, "increasing"),
    ({"limits": np.linspace(0.001, 1, 1000), "penalty": short_fall}, "not decrease"),
]


def test_bad_problems_and_options_are_refused():
    continuum = partial(censored.make_continuum, num_arms=2, cost=C, penalty=PENALTY)
    rows = [(partial(continuum, **change), words) for change, words in BOTH]
    on_grid = [row for row in BOTH if row[0].get("penalty") is not short_fall]
    rows += [(partial(problem, **change), words) for change, words in on_grid + GRIDS]
    rows += [
        (partial(censored.equidistant, 1), "size"),
        (partial(censored.scaled, -1.0), "factor"),
        (partial(censored.fast_track, 10.0, -0.5), "promise"),
        (partial(censored.late_fee, 1.0, -0.5), "promise must be >= 0"),
        (partial(censored.late_fee, 1.0, 0.5, -0.1), "cost_factor must be >= 0"),
        (partial(censored.fast_track, 0.05, 0.5), "compensation"),
        (partial(censored.late_fee, -1.0, 0.5), "fee must be >= 0"),
        (partial(censored.fixed, problem(), 2, 0), "arm"),
        (partial(censored.fixed, problem(), 0, -1), "limit"),
    ]
    assert_refused(rows)


ARMS = [
    (beta, exponential, Beta(ONE, ONE), Exponential(ONE), "rows"),
    (beta, exponential, Beta(-TWO, TWO), Exponential(TWO), "a must be"),
    (uniform, exponential, Uniform(0 * TWO, 2 * TWO), Exponential(TWO), "reward law"),
    (uniform, uniform, Uniform(0 * TWO, TWO), Uniform(-TWO, TWO), "consumption law"),
]


def test_bad_arms_are_refused():
    rows = [
        (partial(game, product(*pair), Product(reward, consumption)), words)
        for *pair, reward, consumption, words in ARMS
    ]
    assert_refused(rows)
