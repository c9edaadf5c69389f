"""The problem settings: actions, feedback, instances and environments."""

from jaxbandits.settings import censored

__all__ = ["censored"]
