"""The figures and tables of the censored paper, a file per subject."""

from jaxbandits.experiments.censored.catalogue import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
