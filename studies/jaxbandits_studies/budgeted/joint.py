"""What is gained by taking reward and cost together, where they are correlated."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits import budgeted
from jaxbandits.laws import Bernoulli, Copula, bernoulli, gaussian_copula
from jaxbandits.protocol import Environment
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.budgeted import PROTOCOL
from jaxbandits_studies.judging.choices import Subject, choices
from jaxbandits_studies.judging.protocol import Case

NAME = "budgeted-joint"
LAW = gaussian_copula(bernoulli, bernoulli)
CORRELATIONS = (-0.6, 0.0, 0.6, 0.95)  # of the normal scores
LOW, HIGH = 0.3, 0.7
VALUES = {"rho": (0.25, 0.5, 0.75, 1.0, 2.0)}
_anytime = partial(budgeted.share_ucb, clock="spent")
SUBJECTS = {
    "share-UCB, anytime": Subject(_anytime, VALUES),
    "share-UCB, anytime, joint": Subject(partial(_anytime, joint=True), VALUES),
}


def coupled(correlation: float, num_arms: int = 5) -> Environment:
    """Coins for reward and cost, not independent; mean rewards and costs are uniform.

    Args:
      correlation: of the normal scores, in [-1, 1].
      num_arms: all with that correlation.
    """
    setup = {"correlation": np.full(num_arms, correlation)}
    name = f"correlation {correlation:g}"
    return budgeted.random_environment(name, LAW, _draw_coupled, setup, num_arms)


def _draw_coupled(key, setup):
    correlation = setup["correlation"]
    (num_arms,) = correlation.shape
    means = jax.random.uniform(key, (2, num_arms), float, LOW, HIGH)
    arms = Copula(*map(Bernoulli, means), correlation)
    return budgeted.Arms(arms, jnp.int32(num_arms))


def joint(options: Options) -> Outcome:
    """Regret of share-UCB with two intervals and with one, against rho."""
    cases = {
        f"correlation {each:g}": Case(partial(coupled, each), "drawn")
        for each in CORRELATIONS
    }
    return choices(NAME, PROTOCOL._replace(tuning=cases), SUBJECTS, options)
