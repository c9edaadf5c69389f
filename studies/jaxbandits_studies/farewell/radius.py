"""What omega*-UCB loses on pairs with another rho: on the tuning set alone."""

from functools import partial

from jaxbandits import farewell
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.choices import Subject, choices
from jaxbandits_studies.judging.farewell import PROTOCOL

NAME = "farewell-radius"
VALUES = {"rho": (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0)}
_star = partial(farewell.omega_star_ucb, variance="shrunk")
SUBJECTS = {
    "omega*, shrunk": Subject(_star, VALUES),
    "omega*, shrunk, shorter waits": Subject(partial(_star, observe="shorter"), VALUES),
    "omega*, shrunk, product-limit": Subject(
        partial(farewell.product_limit_omega, variance="shrunk"), VALUES
    ),
}


def radius(options: Options) -> Outcome:
    """Regret against rho, of the form that learns of pairs and of those that pool."""
    return choices(NAME, PROTOCOL, SUBJECTS, options)
