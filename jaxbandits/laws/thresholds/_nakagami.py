"""Nakagami thresholds of shape m: density ``x**(2m - 1) exp(-m (rate x)**2)``."""

from jaxbandits.laws.thresholds.generalised_gamma import generalised_gamma

nakagami = generalised_gamma(
    "Nakagami",
    order=lambda shape: shape,
    power=2.0,
    unit=lambda shape: shape**0.5,
)
