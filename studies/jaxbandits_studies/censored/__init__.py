"""The figures and tables of the censored paper, a file per subject."""

from jaxbandits_studies.censored.catalogue import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
