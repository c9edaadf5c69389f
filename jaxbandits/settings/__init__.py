"""The problem settings: actions, feedback, instances and environments."""

from jaxbandits.settings import budgeted, censored, farewell

__all__ = ["budgeted", "censored", "farewell"]
