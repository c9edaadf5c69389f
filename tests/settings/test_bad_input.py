"""What the censored setting and its policies refuse, naming the argument."""

import numpy as np
import pytest

from jaxbandits.laws import (
    Bernoulli,
    Beta,
    Discrete,
    Exponential,
    Product,
    Uniform,
    bernoulli,
    beta,
    discrete,
    exponential,
    product,
    uniform,
)
from jaxbandits.policies import censored as policies
from jaxbandits.settings import censored as settings
from jaxbandits.settings.censored import make_problem

C, PENALTY = settings.scaled(0.1), settings.scaled(10.0)
ONE, TWO = np.ones(1), np.ones(2)


def game(law, arms, num_arms=2):
    problem = settings.running_example(num_arms, [0.3, 0.5])
    return settings.censored("bad", problem, law, arms)


def problem(num_arms=2, limits=(0.3, 0.5), cost=C, penalty=PENALTY, max_limit=1.0):
    return make_problem(num_arms, limits, cost, penalty, max_limit)


PROBLEMS = {
    "no arms": ({"num_arms": 0}, "num_arms"),
    "empty grid": ({"limits": []}, "limits"),
    "a number as grid": ({"limits": 0.5}, "limits"),
    "limit of 0": ({"limits": [0.0, 0.5]}, "limits"),
    "limit beyond tau_max": ({"limits": [0.5, 1.5]}, "limits"),
    "limit of NaN": ({"limits": [np.nan]}, "limits"),
    "equal limits": ({"limits": [0.5, 0.5]}, "increasing"),
    "falling limits": ({"limits": [0.5, 0.3]}, "increasing"),
    "infinite tau_max": ({"max_limit": np.inf}, "max_limit"),
    "tau_max of 0": ({"max_limit": 0.0}, "max_limit"),
    "falling penalty": ({"penalty": lambda x: 1 - x}, "penalty must not decrease"),
    "infinite penalty": ({"penalty": lambda x: x + np.inf}, "penalty must be finite"),
    "negative penalty": ({"penalty": lambda x: x - 1}, "penalty must be finite"),
    "penalty of one number": ({"penalty": lambda x: 1.0}, "penalty must map"),
    "falling cost": ({"cost": lambda x: 1 - x}, "cost must not decrease"),
}


@pytest.mark.parametrize(
    ("change", "named"), list(PROBLEMS.values()), ids=list(PROBLEMS)
)
def test_problem(change, named):
    with pytest.raises(ValueError, match=named):
        problem(**change)


ARMS = {
    "rows": (
        product(beta, exponential),
        Product(Beta(ONE, ONE), Exponential(ONE)),
        "rows",
    ),
    "Beta": (
        product(beta, exponential),
        Product(Beta(-TWO, TWO), Exponential(TWO)),
        "a must be positive",
    ),
    "rate": (
        product(beta, exponential),
        Product(Beta(TWO, TWO), Exponential(0 * TWO)),
        "rate",
    ),
    "probability": (
        product(bernoulli, exponential),
        Product(Bernoulli(1.5 * TWO), Exponential(TWO)),
        "probability",
    ),
    "probabilities": (
        product(bernoulli, discrete),
        Product(Bernoulli(TWO), Discrete(np.ones((2, 2)), np.full((2, 2), 0.4))),
        "sum to 1",
    ),
    "reward beyond 1": (
        product(uniform, exponential),
        Product(Uniform(0 * TWO, 2 * TWO), Exponential(TWO)),
        "reward law",
    ),
    "negative consumption": (
        product(uniform, uniform),
        Product(Uniform(0 * TWO, TWO), Uniform(-TWO, TWO)),
        "consumption law",
    ),
}


@pytest.mark.parametrize(("law", "arms", "named"), list(ARMS.values()), ids=list(ARMS))
def test_arms(law, arms, named):
    with pytest.raises(ValueError, match=named):
        game(law, arms)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: settings.equidistant(0, form="printed"), "size"),
        (lambda: settings.equidistant(1), "size"),
        (lambda: settings.equidistant(10, form="typed"), "form"),
        (lambda: settings.poscorr(form="typed"), "form"),
        (lambda: settings.fast_track(0.05, 0.5), "compensation"),
        (lambda: settings.fast_track(10.0, -0.5), "promise"),
        (lambda: settings.scaled(-1.0), "factor"),
        (lambda: policies.thompson(problem(), "both"), "update"),
        (lambda: policies.rcucb(problem(), survival="none"), "survival"),
        (lambda: policies.fixed_pair(problem(), 2, 0), "arm"),
        (lambda: policies.fixed_pair(problem(), 0, -1), "limit"),
    ],
)
def test_factories(call, named):
    with pytest.raises(ValueError, match=named):
        call()
