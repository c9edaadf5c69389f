"""Coins whose rewards and costs are correlated: is it worth taking them together?"""

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits import budgeted
from jaxbandits.laws import Bernoulli, Copula, bernoulli, gaussian_copula
from jaxbandits.protocol import Environment

LAW = gaussian_copula(bernoulli, bernoulli)
CORRELATIONS = (-0.6, 0.0, 0.6, 0.95)  # of the normal scores
LOW, HIGH = 0.3, 0.7


def coupled(correlation: float, num_arms: int = 5) -> Environment:
    """Coins for reward and cost, not independent; mean rewards and costs are uniform.

    Args:
      correlation: of the normal scores, in [-1, 1].
      num_arms: all with that correlation.
    """
    setup = {"correlation": np.full(num_arms, correlation)}
    name = f"correlation {correlation:g}"
    return budgeted.random_environment(name, LAW, _draw_coupled, setup, num_arms)


def _draw_coupled(key, setup):
    correlation = setup["correlation"]
    (num_arms,) = correlation.shape
    means = jax.random.uniform(key, (2, num_arms), float, LOW, HIGH)
    arms = Copula(*map(Bernoulli, means), correlation)
    return budgeted.Arms(arms, jnp.int32(num_arms))
