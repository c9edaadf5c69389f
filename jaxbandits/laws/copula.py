"""Dependent rewards and consumptions: a Gaussian copula of two laws."""

from functools import cache
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array
from jax.scipy.special import ndtr
from jaxtyping import Float

from jaxbandits.arrays import bound
from jaxbandits.arrays.words import words_at
from jaxbandits.checks import instance, numbers
from jaxbandits.kernels.normal import normal_score
from jaxbandits.laws._product import Product, product
from jaxbandits.laws._tabulated import tabulated
from jaxbandits.laws.law import (
    JointLaw,
    Law,
    check_axes,
    check_fields,
    check_rows,
    integral,
    of_arm,
)

SCORES = 9.0  # normal scores beyond +-SCORES have probability 2e-19


class Copula(NamedTuple):
    """Parameters of the two laws, and the correlation of their normal scores, f64[K].

    The correlation of the scores lies in [-1, 1]; the correlation of the values is
    smaller, and depends on the laws.
    """

    reward: Any
    consumption: Any
    correlation: np.ndarray


def gaussian_copula(reward: Law, consumption: Law) -> JointLaw:
    """The joint law with the given margins and bivariate Gaussian normal scores.

    Args:
      reward: law on [0, 1]. Its draw must be a monotone function of one uniform number,
        or it needs a smooth quantile function (as Beta): draws then use a table of it.
      consumption: law on [0, inf) with the same properties.

    Returns:
      A joint law with parameters `Copula`. Its moments below limits are exact, by a
      quadrature over the reward's normal score. A law that is drawn from a table needs
      parameters from `exact_params`; a game cannot draw them.

    Raises:
      TypeError: if an argument is not a law.
      ValueError: if a law has neither a monotone sampler nor a quantile function and a
        cdf, or if rewards do not lie in [0, 1] (normal).
    """
    for name, law in (("reward", reward), ("consumption", consumption)):
        check_fields(name, law)
        if law.monotone == 0 and (law.quantile is None or law.cdf is None):
            raise ValueError(
                f"{name}: a copula needs a law whose draw is a monotone function of "
                f"one uniform, or with a quantile function and a cdf; {law.name} is "
                "neither"
            )
    if reward.sigma is not None:
        raise ValueError(
            "reward: a copula needs rewards in [0, 1]; given the consumption, "
            f"{reward.name} ones may have any mean"
        )
    return _gaussian_copula(reward, consumption)


@cache
def _gaussian_copula(reward: Law, consumption: Law) -> JointLaw:
    reward, consumption = (
        law if law.monotone else tabulated(law) for law in (reward, consumption)
    )
    # Both draws increase with their scores.
    sign = float(reward.monotone * consumption.monotone)
    independent = product(reward, consumption)

    def sample(noise, params, arm):
        params = of_arm(params, arm)
        rho = sign * params.correlation
        first, second = normal_score(noise[::2], noise[1::2])
        mixed = rho * first + jnp.sqrt(1 - rho * rho) * second
        return (
            reward.sample(noise[:2], params.reward),
            consumption.sample(_words_of(mixed), params.consumption),
        )

    def check(params):
        instance("params", params, Copula, "of jaxbandits.laws")
        independent.check(Product(params.reward, params.consumption))
        check_axes("correlation", params.correlation)
        check_rows(**params._asdict())
        if not np.all(np.abs(numbers("correlation", params.correlation)) <= 1):
            raise ValueError(
                f"correlation must be in [-1, 1], got {params.correlation}"
            )
        for name, law in (("reward", reward), ("consumption", consumption)):
            values = law.atoms(getattr(params, name))[0] if law.atoms else np.zeros(1)
            if np.any(np.diff(values, axis=-1) < 0):
                raise ValueError(f"{name}: a copula's values must increase along a row")

    def exact(params):
        both = independent.exact(Product(params.reward, params.consumption))  # type: ignore[misc]
        return params._replace(**both._asdict())

    def moments(params, limits, cost):
        pair = Product(params.reward, params.consumption)
        alone = independent.moments(pair, limits, cost)  # type: ignore[misc]
        below = _reward_below(reward, params, alone.probability)
        return alone._replace(reward=below)

    known = reward.quantile or reward.atoms
    return JointLaw(
        f"Gaussian copula of {reward.name} and {consumption.name}",
        4,
        sample,
        check,
        moments if known and (consumption.atoms or consumption.quantile) else None,
        means=independent.means,
        highest=independent.highest,
        supports=independent.supports,
        exact=exact,
    )


def _words_of(score: Array) -> Array:
    """Two words, u32[2], for which `normal_score` returns `score`."""
    # In the lower tail, where a float has all its digits; the upper one is its mirror.
    words = jnp.stack(words_at(bound(ndtr(-jnp.abs(score)))))
    return jnp.where(score > 0, ~words, words)


def _reward_below(
    reward: Law, params: Copula, below: Float[np.ndarray, "K M"]
) -> Float[np.ndarray, "K M"]:
    """``E[R 1{C <= tau}]`` at limits with given probabilities of C <= tau.

    Given the normal score t of the reward, the consumption's score is normal with mean
    ``rho t`` and variance ``1 - rho**2``: one integral over t. If rho is 1 or -1, the
    limit corresponds to a quantile of the reward.
    """
    rho = np.asarray(params.correlation, np.float64)[:, None]
    rest = np.sqrt((1 - rho) * (1 + rho))
    sure = rest == 0
    limit = scipy.special.ndtri(below)
    upto, quantile = np.zeros((rho.size, 1)), reward.quantile
    if reward.atoms is not None:
        values, probabilities = reward.atoms(params.reward)
        upto = np.cumsum(probabilities, axis=1)

        def quantile(_, p):
            place = np.sum(upto[:, None] < p[:, :, None], axis=2)
            return np.take_along_axis(values, np.minimum(place, upto.shape[1] - 1), 1)

    def integrand(t):
        at = quantile(params.reward, np.full((rho.size, 1), scipy.special.ndtr(t)))  # type: ignore[misc]
        chance = scipy.special.ndtr((limit - rho * t) / np.where(sure, 1.0, rest))
        return at * chance * np.exp(-t * t / 2) / np.sqrt(2 * np.pi)

    def over_probabilities(p):
        """Integral of the quantiles from 0 to p."""
        if reward.atoms is not None:
            part = np.clip(p[:, :, None] - (upto - probabilities)[:, None], 0, None)
            part = np.minimum(part, probabilities[:, None])
            return np.sum(part * values[:, None], axis=2)
        start = np.concatenate([np.zeros_like(p[:, :1]), p[:, :-1]], axis=1)

        def pieces(share):
            return (p - start) * quantile(params.reward, start + share * (p - start))  # type: ignore[misc]

        return np.cumsum(integral(pieces, 0, 1), axis=1)

    result = np.zeros_like(below)
    if not np.all(sure):
        steps = np.unique(scipy.special.ndtri(np.clip(upto, 0.0, 1.0)))
        steps = steps[np.abs(steps) < SCORES]  # where a discrete reward changes
        result = integral(integrand, -SCORES, SCORES, points=steps)
    if np.any(sure):
        least = over_probabilities(np.where(rho > 0, below, 1 - below))
        mean = np.asarray(reward.mean(params.reward))[:, None]
        result = np.where(sure, np.where(rho > 0, least, mean - least), result)
    return result
