"""Dependent rewards and consumptions: a Gaussian copula of two laws."""

from functools import cache
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import ndtr

from jaxbandits.arrays import bound
from jaxbandits.arrays.words import words_at
from jaxbandits.checks import instance, numbers
from jaxbandits.kernels.normal import normal_score
from jaxbandits.laws._product import Product, product
from jaxbandits.laws.law import JointLaw, Law, of_arm


class Copula(NamedTuple):
    """Parameters of the two laws, and the correlation of their normal scores, f64[K].

    The scores' correlation lies in [-1, 1]; that of the values is smaller, by how much
    depends on the laws.
    """

    reward: Any
    consumption: Any
    correlation: np.ndarray


def gaussian_copula(reward: Law, consumption: Law) -> JointLaw:
    """The joint law with the given margins whose normal scores are bivariate Gaussian.

    Args:
      reward: law on [0, 1]; a draw is a monotone function of one uniform number.
      consumption: law on [0, inf), likewise.

    Returns:
      A joint law with parameters `Copula`, without moments below limits.

    Raises:
      TypeError: if an argument is no law.
      ValueError: if a law's sampler is not a monotone function of one uniform (Beta),
        or if rewards do not lie in [0, 1] (normal).
    """
    for name, law in (("reward", reward), ("consumption", consumption)):
        instance(name, law, Law, "of jaxbandits.laws")
        if law.monotone == 0:
            raise ValueError(
                f"{name}: a copula needs a law whose draw is a monotone function of "
                f"one uniform; {law.name} is not"
            )
    if reward.sigma is not None:
        raise ValueError(
            "reward: a copula needs rewards in [0, 1]; given the consumption, "
            f"{reward.name} ones may have any mean"
        )
    return _gaussian_copula(reward, consumption)


@cache
def _gaussian_copula(reward: Law, consumption: Law) -> JointLaw:
    # Both draws rise with their scores.
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
        if not np.all(np.abs(numbers("correlation", params.correlation)) <= 1):
            raise ValueError(
                f"correlation must be in [-1, 1], got {params.correlation}"
            )

    def exact(params):
        both = independent.exact(Product(params.reward, params.consumption))
        return params._replace(**both._asdict())

    return JointLaw(
        f"Gaussian copula of {reward.name} and {consumption.name}",
        4,
        sample,
        check,
        means=independent.means,
        highest=independent.highest,
        exact=exact,
    )


def _words_of(score: Array) -> Array:
    """Two words at whose number `normal_score` is `score`: u32[2]."""
    # In the lower tail, where a float has all its digits; the upper one is its mirror.
    words = jnp.stack(words_at(bound(ndtr(-jnp.abs(score)))))
    return jnp.where(score > 0, ~words, words)
