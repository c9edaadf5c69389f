"""Laws of rewards and consumptions: samplers for rounds, moments for the accounts."""

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
    Gamma,
    Normal,
    Uniform,
    bernoulli,
    beta,
    discrete,
    exponential,
    gamma,
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
    "Gamma",
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
    "gamma",
    "gaussian_copula",
    "normal",
    "product",
    "thresholds",
    "truncated_gaussian",
    "truncated_gaussian_params",
    "uniform",
]
