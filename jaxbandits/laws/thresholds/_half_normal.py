"""Half-normal thresholds: |Z| / rate for a standard normal Z."""

import jax.numpy as jnp
from jax.scipy.special import erf

from jaxbandits.laws.thresholds.generalised_gamma import generalised_gamma

half_normal = generalised_gamma(
    "half-normal",
    order=0.5,
    power=2.0,
    unit=0.5**0.5,
    cdf=lambda order, v: erf(jnp.sqrt(v)),
)
