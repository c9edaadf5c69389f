"""Plain bandit policies: an arm per action, a reward in [0, 1] per feedback.

Of `relative_ucb` and `self_sparring` an action is a duel of two arms, and the feedback
whether the first one is preferred.

Lifted to a setting by a combinator such as `censored.product_arms`; and the
reference points of settings where an action is a pair.
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
