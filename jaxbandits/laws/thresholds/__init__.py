"""Threshold families of the allocation setting: one file each."""

from jaxbandits.laws.thresholds.beta import beta, beta_one
from jaxbandits.laws.thresholds.discrete_weibull import discrete_weibull
from jaxbandits.laws.thresholds.exponential import exponential
from jaxbandits.laws.thresholds.gamma import gamma
from jaxbandits.laws.thresholds.half_normal import half_normal
from jaxbandits.laws.thresholds.lomax import lomax
from jaxbandits.laws.thresholds.maxwell import maxwell
from jaxbandits.laws.thresholds.nakagami import nakagami
from jaxbandits.laws.thresholds.threshold import (
    Threshold,
    check_family,
    curves,
    inverse_truncated_mean,
    pdf,
    quantile,
    surrogate,
    touch_point,
)
from jaxbandits.laws.thresholds.weibull import weibull

FAMILIES = {
    family.name: family
    for family in (
        exponential,
        weibull,
        gamma,
        lomax,
        beta_one,
        beta,
        half_normal,
        maxwell,
        nakagami,
        discrete_weibull,
    )
}

__all__ = [
    "FAMILIES",
    "Threshold",
    "beta",
    "beta_one",
    "check_family",
    "curves",
    "discrete_weibull",
    "exponential",
    "gamma",
    "half_normal",
    "inverse_truncated_mean",
    "lomax",
    "maxwell",
    "nakagami",
    "pdf",
    "quantile",
    "surrogate",
    "touch_point",
    "weibull",
]
