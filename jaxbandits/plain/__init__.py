"""Plain bandit policies: an action is an arm, the feedback a reward in [0, 1].

For `relative_ucb` and `self_sparring` an action is a duel of two arms, and the feedback
says whether the first arm is preferred.

Combinators such as `censored.product_arms` lift these policies to a setting. Here are
also the reference policies of settings where an action is a pair.
"""

from jaxbandits.plain._doubling import doubled, doubling
from jaxbandits.plain._kl_ucb import kl_ucb
from jaxbandits.plain._moss import moss
from jaxbandits.plain._relative_ucb import relative_ucb
from jaxbandits.plain._self_sparring import self_sparring
from jaxbandits.plain._ucb import ucb
from jaxbandits.plain.pairs import same_pair, uniform_pairs

__all__ = [
    "doubled",
    "doubling",
    "kl_ucb",
    "moss",
    "relative_ucb",
    "same_pair",
    "self_sparring",
    "ucb",
    "uniform_pairs",
]
