"""All policies by name, those of the studies among them."""

from jaxbandits.registry import policies

POLICIES = policies()

# Those that are another with an option, and those that are not.
FORMS = [x for x in POLICIES if any(x.startswith(f"{other}-") for other in POLICIES)]
PLAIN = [name for name in POLICIES if name not in FORMS]
