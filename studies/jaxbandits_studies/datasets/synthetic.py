"""Synthetic stand-ins for the EdNet and Criteo arms: made-up numbers, no data.

For whoever has no copy of the data, and for the Criteo logs, which could not be had.
The ranges of the questions are wider than those of the fitted ones (truncated fits:
shapes of 1.67 to 2.35, scales of 30 to 46 s, p of .21 to .72); those of the campaigns
are guesses. Results on these numbers have to be called synthetic.
"""

from typing import NamedTuple

import numpy as np
from scipy import optimize

from jaxbandits.checks import MOST, whole

SECONDS_PER_QUESTION = 35.0  # 700 s for 20 questions, Figure 1
NUM_USERS = 1000  # rounds of a run, Figure 7
LARGEST_BUDGET = 40

_SHORTEST_MEAN = 1.2  # a mean of 1 impression would need an infinite rate
_LONGEST_MEAN = 6.0
_TERMS = np.arange(1, 10_000.0)


class EdNetLike(NamedTuple):
    """Synthetic questions: a Weibull law of the seconds that an answer takes.

    Attributes:
      probability: f64[K] in [0.2, 0.9], p.
      shape: f64[K] in [1.3, 2.5].
      scale: f64[K] in [15, 60], seconds.
      budget: seconds for all questions, the same for every user.
    """

    probability: np.ndarray
    shape: np.ndarray
    scale: np.ndarray
    budget: float


class CriteoLike(NamedTuple):
    """Synthetic campaigns: ``P(X > x) = exp(-(rate x)^shape)``, x = 0, 1, ...

    Attributes:
      probability: f64[K] in [0.02, 0.4], p.
      shape: f64[K] in [0.6, 1.6].
      rate: f64[K], per impression; the mean threshold is 1.2 to 6 impressions.
      budgets: i64[1000] in 1..40, impressions per user.
    """

    probability: np.ndarray
    shape: np.ndarray
    rate: np.ndarray
    budgets: np.ndarray


def ednet_like_parameters(num_questions: int = 20, seed: int = 0) -> EdNetLike:
    """A synthetic quiz of about the difficulty of the EdNet one.

    Everything is uniform on its range. The budget is 35 s per question: 700 s for the
    paper's K = 20.

    Args:
      num_questions: K >= 1.
      seed: integer >= 0; equal seeds give equal numbers.

    Raises:
      ValueError: if an argument is out of its range.
      TypeError: if an argument is not an integer.
    """
    size = whole("num_questions", num_questions, 1, MOST)
    draws = np.random.default_rng(whole("seed", seed, 0))
    return EdNetLike(
        probability=draws.uniform(0.2, 0.9, size),
        shape=draws.uniform(1.3, 2.5, size),
        scale=draws.uniform(15.0, 60.0, size),
        budget=SECONDS_PER_QUESTION * size,
    )


def criteo_like_parameters(num_campaigns: int = 15, seed: int = 0) -> CriteoLike:
    """Synthetic campaigns and users with budgets of their own.

    Shapes and mean thresholds are uniform on their ranges, probabilities log-uniform
    (most campaigns are clicked by few). A budget is 1 plus a negative binomial number
    of mean 8 and variance 50.7, cut off at 40.

    Args:
      num_campaigns: K >= 1.
      seed: integer >= 0; equal seeds give equal numbers.

    Raises:
      ValueError: if an argument is out of its range.
      TypeError: if an argument is not an integer.
    """
    size = whole("num_campaigns", num_campaigns, 1, MOST)
    draws = np.random.default_rng(whole("seed", seed, 0))
    successes, mean = 1.5, 8.0
    seen = draws.negative_binomial(successes, successes / (successes + mean), NUM_USERS)
    shape = draws.uniform(0.6, 1.6, size)
    means = draws.uniform(_SHORTEST_MEAN, _LONGEST_MEAN, size)
    return CriteoLike(
        probability=np.exp(draws.uniform(np.log(0.02), np.log(0.4), size)),
        shape=shape,
        rate=np.array([_rate(*pair) for pair in zip(shape, means, strict=True)]),
        budgets=np.minimum(1 + seen, LARGEST_BUDGET).astype(np.int64),
    )


def _rate(shape: float, mean: float) -> float:
    """The rate at which ``E[X] = sum_{x >= 0} P(X > x)`` is `mean`."""

    def excess(log_rate):
        return 1 + np.sum(np.exp(-((np.exp(log_rate) * _TERMS) ** shape))) - mean

    return np.exp(optimize.brentq(excess, np.log(0.02), np.log(20.0), xtol=1e-13))
