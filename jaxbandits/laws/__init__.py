"""Laws of rewards and consumptions: samplers for the rounds, moments for the books."""

from jaxbandits.laws import thresholds
from jaxbandits.laws._empirical import Empirical, empirical, empirical_params
from jaxbandits.laws._product import Product, product
from jaxbandits.laws._truncated_gaussian import (
    TruncatedGaussian,
    truncated_gaussian,
    truncated_gaussian_params,
)
from jaxbandits.laws.clipped import (
    LogNormal,
    Pareto,
    clipped_lognormal,
    clipped_pareto,
)
from jaxbandits.laws.copula import Copula, gaussian_copula
from jaxbandits.laws.law import JointLaw, Law, Moments
from jaxbandits.laws.univariate import (
    Bernoulli,
    Beta,
    Discrete,
    Exponential,
    Normal,
    Uniform,
    bernoulli,
    beta,
    discrete,
    exponential,
    normal,
    uniform,
)

__all__ = [
    "Bernoulli",
    "Beta",
    "Copula",
    "Discrete",
    "Empirical",
    "Exponential",
    "JointLaw",
    "Law",
    "LogNormal",
    "Moments",
    "Normal",
    "Pareto",
    "Product",
    "TruncatedGaussian",
    "Uniform",
    "bernoulli",
    "beta",
    "clipped_lognormal",
    "clipped_pareto",
    "discrete",
    "empirical",
    "empirical_params",
    "exponential",
    "gaussian_copula",
    "normal",
    "product",
    "thresholds",
    "truncated_gaussian",
    "truncated_gaussian_params",
    "uniform",
]
