"""All threshold families by name."""

from jaxbandits.laws.thresholds._beta import beta_one, beta_shaped
from jaxbandits.laws.thresholds._discrete_weibull import discrete_weibull
from jaxbandits.laws.thresholds._exponential import exponential
from jaxbandits.laws.thresholds._gamma import gamma
from jaxbandits.laws.thresholds._half_normal import half_normal
from jaxbandits.laws.thresholds._lomax import lomax
from jaxbandits.laws.thresholds._maxwell import maxwell
from jaxbandits.laws.thresholds._nakagami import nakagami
from jaxbandits.laws.thresholds._weibull import weibull

FAMILIES = {
    family.name: family
    for family in (
        *(exponential, weibull, gamma, lomax, beta_one, beta_shaped, half_normal),
        *(maxwell, nakagami, discrete_weibull),
    )
}
