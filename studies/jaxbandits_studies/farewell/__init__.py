"""The figures and tables of the farewell paper, a file per subject."""

from jaxbandits_studies.farewell.catalogue import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
