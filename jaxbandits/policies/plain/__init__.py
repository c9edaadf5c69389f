"""Plain bandit policies: an arm per action, a reward in [0, 1] per feedback.

Lifted to a setting by a combinator such as `policies.censored.product_arms`.
"""

from jaxbandits.policies.plain.kl_ucb import kl_ucb
from jaxbandits.policies.plain.moss import moss
from jaxbandits.policies.plain.ucb import ucb

__all__ = ["kl_ucb", "moss", "ucb"]
