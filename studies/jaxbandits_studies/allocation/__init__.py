"""The figures and tables of the allocation paper, a file per subject."""

from jaxbandits_studies.allocation.catalogue import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
