"""Gamma thresholds of known shape: density ``x ** (shape - 1) exp(-rate x)``."""

from jaxbandits.laws.thresholds.generalised_gamma import generalised_gamma

gamma = generalised_gamma("gamma", order=lambda shape: shape)
