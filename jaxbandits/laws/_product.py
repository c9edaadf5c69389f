"""Independent products: a reward law times a consumption law."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from jaxbandits.checks import increasing, instance, named
from jaxbandits.laws.law import (
    JointLaw,
    Law,
    Moments,
    check_fields,
    check_params,
    check_rows,
    cost_of,
    exact_params,
    exceeds,
    integral,
    of_arm,
)


class Product(NamedTuple):
    """Parameters of the two laws."""

    reward: Any
    consumption: Any


def product(reward: Law, consumption: Law) -> JointLaw:
    """The joint law of an independent reward and consumption.

    Args:
      reward: law on [0, 1], or with a `sigma` (`normal`) and means there; its words
        come first.
      consumption: law on [0, inf) with a cdf and a quantile, or with atoms.

    Returns:
      A joint law with parameters `Product`.

    Raises:
      TypeError: if an argument is not a law.
    """
    check_fields("reward", reward)
    check_fields("consumption", consumption)
    return _product(reward, consumption)


@cache
def _product(reward: Law, consumption: Law) -> JointLaw:
    def sample(noise, params, arm):
        params = of_arm(params, arm)
        return (
            reward.sample(noise[: reward.words], params.reward),
            consumption.sample(noise[reward.words :], params.consumption),
        )

    def check(params):
        instance("params", params, Product, "of jaxbandits.laws")
        for name, law in (("reward", reward), ("consumption", consumption)):
            with named(name):
                check_params(law, getattr(params, name))
        check_rows(**params._asdict())
        lowest, highest = reward.support(params.reward)
        if reward.sigma is not None:
            lowest = highest = np.asarray(reward.mean(params.reward))
        if np.any(lowest < 0) or np.any(highest > 1):
            what = "support" if reward.sigma is None else "means"
            raise ValueError(f"the reward law must have its {what} in [0, 1]")
        if np.any(consumption.support(params.consumption)[0] < 0):
            raise ValueError("the consumption law must have its support in [0, inf)")

    def exact(params):
        return Product(
            exact_params(reward, params.reward),
            exact_params(consumption, params.consumption),
        )

    def means(params):
        return reward.mean(params.reward), consumption.mean(params.consumption)

    def highest(params):
        return consumption.support(params.consumption)[1]

    def supports(params):
        return reward.support(params.reward), consumption.support(params.consumption)

    def sigma(params):
        return reward.sigma(params.reward)  # type: ignore[misc]

    def moments(params, limits, cost):
        increasing(limits=limits)
        mean = means(params)[0][:, None]
        if consumption.atoms is not None:
            below, cost_below = _atom_moments(params.consumption, limits, cost)
        else:
            below = consumption.cdf(params.consumption, limits)  # type: ignore[misc]
            cost_below = _cost_below(params.consumption, limits, below, cost)
        return Moments(mean * below, cost_below, below)

    def _cost_below(params, limits, below, cost):
        """``E[c(C) 1{C <= tau}]`` as the integral of ``c(quantile(p))`` up to F(tau).

        As a function of p, the integrand is bounded even if the density is not.
        """
        start = np.concatenate([np.zeros_like(below[:, :1]), below[:, :-1]], axis=1)

        def integrand(share):
            p = start + share * (below - start)
            # Where F rounds to 1 its inverse is infinite.
            quantile = np.minimum(consumption.quantile(params, p), np.asarray(limits))  # type: ignore[misc]
            return (below - start) * cost_of(cost, quantile)

        return np.cumsum(integral(integrand, 0, 1, norm="2"), axis=1)

    def _atom_moments(params, limits, cost):
        values, probabilities = consumption.atoms(params)  # type: ignore[misc]
        inside = ~exceeds(values[:, :, None], np.asarray(limits))
        weight = probabilities[:, :, None] * inside
        costs = cost_of(cost, values)[:, :, None]
        return weight.sum(axis=1), (weight * costs).sum(axis=1)

    return JointLaw(
        f"{reward.name} x {consumption.name}",
        reward.words + consumption.words,
        sample,
        check,
        moments,
        means,
        highest,
        exact,
        sigma=sigma if reward.sigma else None,
        supports=supports,
    )
