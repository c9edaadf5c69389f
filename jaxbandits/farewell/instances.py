"""The instances of the farewell paper's experiments, and its applications as games.

The paper shows its delay distributions as bar charts without numbers. The ones below
are *reconstructed*: they have the minimal gaps that the text states (errata.md).
"""

from typing import Any

import numpy as np
import scipy

from jaxbandits.checks import MOST, Numbers, named, numbers, one_of, shaped, whole
from jaxbandits.farewell.environment import make_environment
from jaxbandits.farewell.problem import Action
from jaxbandits.laws import Beta, beta
from jaxbandits.protocol import Environment

RECONSTRUCTED = {"reconstructed": True}
# Figure 1a, "the delay doubles with the reward", in three readings.
FIGURE_1A = {
    "i": {1: 0.27, 2: 0.27, 10: 0.46},
    "ii": {1: 0.118987, 2: 0.118987, 4: 0.237974, 8: 0.524052},
    "iii": {1: 0.07077, 3: 0.07077, 10: 0.85846},
}
# Delays of the three categories of ads of Figures 2b and 2c.
AD_DELAYS = (
    (0.4, 0.1, 0.1, 0.1, 0.3),
    (0.1, 0.5, 0.1, 0.1, 0.2),
    (0.1, 0.1, 0.2, 0.3, 0.3),
)


def figure_1a(reading: str = "i") -> Environment[Any, Any, Action]:
    """Figure 1a: one macro-arm, V = 1, ten waits, minimal gap 0.042.

    Args:
      reading: ``i`` (optimal wait 2), ``ii`` (8, 9 and 10) or ``iii`` (10).

    Raises:
      ValueError: on an unknown reading.
    """
    one_of("reading", reading, FIGURE_1A)
    return _single(f"Figure 1a ({reading})", FIGURE_1A[reading])


def optimum_in_the_middle() -> Environment[Any, Any, Action]:
    """Figure 1b: waits 5 to 10 are optimal, minimal gap 0.124."""
    return _single("Figure 1b", {1: 0.09186, 5: 0.90814})


def optimum_at_one() -> Environment[Any, Any, Action]:
    """Figure 1c: wait 1 is optimal, minimal gap 1/6."""
    return _single("Figure 1c", {1: 0.5} | {d: 0.0625 for d in range(3, 11)})


def macro_arms_only() -> Environment[Any, Any, Action]:
    """Figure 2a: three macro-arms with delay 1, so that all five waits tie."""
    delay = np.tile(np.eye(5)[0], (3, 1))
    return _ads("Figure 2a", delay, (0.5, 0.7, 1.0))


def display_advertising(case: int = 1) -> Environment[Any, Any, Action]:
    """Figures 2b and 2c: which category of ads to show, and for how long (section 2.2).

    A macro-arm is a category, the delay is the time until a click, V is its utility.

    Args:
      case: 1 with utilities 0.7, 1, 0.5, or 2 with 1, 0.5, 0.7.

    Raises:
      ValueError: on an unknown case.
    """
    utilities = {1: (0.7, 1.0, 0.5), 2: (1.0, 0.5, 0.7)}
    one_of("case", case, utilities)
    return _ads(f"Figure 2{'abc'[case]}", AD_DELAYS, utilities[case])


def second_price_auction(
    highest_bid_of_others: Numbers | None = None,
    utility: Numbers | None = None,
    name: str = "second-price auction",
) -> Environment[Any, Any, Action]:
    """Repeated second-price auctions with a participation fee (section 2.2).

    The fee is the unit of money. Bid number j, 1 to D, is ``j - 1`` units. It wins if
    the highest bid M of the others is at most that; it then costs ``1 + M`` and yields
    the reward V. A lost auction costs only the fee (`failure` is ``unit``). In section
    2.1, in contrast, giving up costs the whole wait (errata.md).

    Args:
      highest_bid_of_others: f64[N], probabilities of M = 0, ..., N - 1 units; a
        synthetic example by default.
      utility: f64[N], probability that V = 1 given M; by default it increases with M.
      name: name of the instance.

    Raises:
      ValueError: as `farewell`.
    """
    if highest_bid_of_others is None:
        highest_bid_of_others = (0.05, 0.10, 0.20, 0.25, 0.20, 0.10, 0.06, 0.04)
    delay = numbers("highest_bid_of_others", highest_bid_of_others, 1)[None]
    if utility is None:
        utility = np.linspace(0.3, 0.9, delay.shape[1])
    reward = numbers("utility", utility, 1)[None]
    shaped(f"{delay.size}", utility=reward[0])
    with named("highest_bid_of_others as delay, utility as reward"):
        return make_environment(name, delay, reward, failure="unit")


def cross_validation(num_configurations: int = 6) -> Environment[Any, Any, Action]:
    """Hyper-parameter selection by k-fold cross-validation (section 2.2). Synthetic.

    A macro-arm is a configuration, the delay is the time until its training converges,
    and V in [0, 1] is the quality of the model. Better configurations converge more
    slowly. About three runs in ten do not converge within the longest wait, 12 units,
    so giving up in time pays.

    Raises:
      ValueError, TypeError: unless `num_configurations` is an integer >= 1.
    """
    whole("num_configurations", num_configurations, 1, MOST)
    units = np.arange(1, 14)  # 13 stands for "does not converge"
    position = np.linspace(0, 1, num_configurations)[:, None]
    delay = 0.7 * scipy.stats.poisson.pmf(units - 1, 1 + 4 * position)
    delay[:, -1] = 1 - delay[:, :-1].sum(axis=1)
    quality = 0.3 + 0.5 * position + 0.01 * units
    sharpness = 8.0
    reward = Beta(sharpness * quality, sharpness * (1 - quality))
    return make_environment(
        f"cross-validation, {num_configurations} configurations",
        delay,
        reward,
        num_waits=12,
        reward_law=beta,
        provenance={"synthetic": True},
    )


def _single(
    name: str, probabilities: dict[int, float]
) -> Environment[Any, Any, Action]:
    delay = np.zeros((1, 10))
    for d, p in probabilities.items():
        delay[0, d - 1] = p
    # The reconstructed probabilities have five or six digits: normalise them.
    delay /= delay.sum()
    return make_environment(name, delay, np.ones((1, 1)), provenance=RECONSTRUCTED)


def _ads(
    name: str, delay: Numbers, utilities: Numbers
) -> Environment[Any, Any, Action]:
    reward = np.asarray(utilities)[:, None]
    return make_environment(name, delay, reward, provenance=RECONSTRUCTED)
