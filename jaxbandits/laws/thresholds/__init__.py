"""Threshold families of the allocation setting: one file each."""

from jaxbandits.laws.thresholds._beta import beta_one, beta_shaped
from jaxbandits.laws.thresholds._discrete_weibull import discrete_weibull
from jaxbandits.laws.thresholds._exponential import exponential
from jaxbandits.laws.thresholds._gamma import gamma
from jaxbandits.laws.thresholds._half_normal import half_normal
from jaxbandits.laws.thresholds._lomax import lomax
from jaxbandits.laws.thresholds._maxwell import maxwell
from jaxbandits.laws.thresholds._nakagami import nakagami
from jaxbandits.laws.thresholds._weibull import weibull
from jaxbandits.laws.thresholds.cascade import cascade_curves
from jaxbandits.laws.thresholds.threshold import (
    Threshold,
    check_family,
    curves,
    inverse_truncated_mean,
    pdf,
    quantile,
    rise,
    surrogate,
    touch_point,
)

FAMILIES = {
    family.name: family
    for family in (
        exponential,
        weibull,
        gamma,
        lomax,
        beta_one,
        beta_shaped,
        half_normal,
        maxwell,
        nakagami,
        discrete_weibull,
    )
}

__all__ = [
    "FAMILIES",
    "Threshold",
    "beta_one",
    "beta_shaped",
    "cascade_curves",
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
    "rise",
    "surrogate",
    "touch_point",
    "weibull",
]
