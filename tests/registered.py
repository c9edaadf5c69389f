"""All policies by name, those of the studies among them."""

from jaxbandits.registry import policies

POLICIES = policies()
