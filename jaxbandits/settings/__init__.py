"""The problem settings: actions, feedback, instances and environments."""

from jaxbandits.settings import allocation, budgeted, censored, farewell

__all__ = ["allocation", "budgeted", "censored", "farewell"]
