"""Weibull thresholds of known shape k: G(x) = 1 - exp(-(rate x) ** k)."""

from jaxbandits.laws.thresholds.generalised_gamma import generalised_gamma

weibull = generalised_gamma("Weibull", power=lambda shape: shape)
