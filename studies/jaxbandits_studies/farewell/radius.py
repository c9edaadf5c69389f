"""What omega*-UCB loses on pairs with another rho: on the tuning set alone."""

from functools import partial

from jaxbandits.experiments.common.experiment import Options, Outcome
from jaxbandits.experiments.judging.choices import Subject, choices
from jaxbandits.experiments.judging.farewell import PROTOCOL
from jaxbandits.policies import farewell as policies

NAME = "farewell-radius"
VALUES = {"rho": (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0)}
_star = partial(policies.omega_star_ucb, variance="shrunk")
SUBJECTS = {
    "omega*, shrunk": Subject(_star, VALUES),
    "omega*, shrunk, shorter waits": Subject(partial(_star, observe="shorter"), VALUES),
    "omega*, shrunk, product-limit": Subject(
        partial(policies.product_limit_omega, variance="shrunk"), VALUES
    ),
}


def radius(options: Options) -> Outcome:
    """Regret against rho, of the form that learns of pairs and of those that pool."""
    return choices(NAME, PROTOCOL, SUBJECTS, options)
