"""Exponential thresholds: G(x) = 1 - exp(-rate x), appendix H."""

from jaxbandits.kernels.truncated import truncated_exponential_mean
from jaxbandits.laws.thresholds.generalised_gamma import generalised_gamma

exponential = generalised_gamma(
    "exponential",
    truncated_mean=lambda x, rate: x * truncated_exponential_mean(rate * x),
)
