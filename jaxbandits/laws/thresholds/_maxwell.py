"""Maxwell thresholds: density ``x**2 exp(-(rate x)**2 / 2)``."""

from jaxbandits.laws.thresholds.generalised_gamma import generalised_gamma

maxwell = generalised_gamma("Maxwell", order=1.5, power=2.0, unit=0.5**0.5)
