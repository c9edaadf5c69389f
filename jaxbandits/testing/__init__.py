"""Contract checks for policies and environments, and traces to compare with twins.

Usable by anyone who writes their own: ``check_policy(policy, environment)`` raises an
AssertionError that says which clause of the protocol is broken.
"""

from jaxbandits.testing._environment import check_environment
from jaxbandits.testing._law import check_law
from jaxbandits.testing._policy import check_policy
from jaxbandits.testing._trace import Trace, altered, trace_run

__all__ = [
    "Trace",
    "altered",
    "check_environment",
    "check_law",
    "check_policy",
    "trace_run",
]
