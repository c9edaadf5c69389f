"""Contract checks for policies and environments, and traces to compare with twins.

Use them for your own policies and environments: ``check_policy(policy, environment)``
raises an AssertionError that names the broken clause of the protocol.
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
