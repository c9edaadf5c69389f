"""All threshold families by name."""

from jaxbandits.laws.thresholds._beta import beta_one, beta_shaped
from jaxbandits.laws.thresholds._discrete_weibull import discrete_weibull
from jaxbandits.laws.thresholds._lomax import lomax
from jaxbandits.laws.thresholds.generalised_gamma import (
    exponential,
    gamma,
    half_normal,
    maxwell,
    nakagami,
    weibull,
)

FAMILIES = {
    family.name: family
    for family in (
        *(exponential, weibull, gamma, lomax, beta_one, beta_shaped, half_normal),
        *(maxwell, nakagami, discrete_weibull),
    )
}
