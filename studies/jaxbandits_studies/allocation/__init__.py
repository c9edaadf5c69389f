"""The figures and tables of the allocation paper, a file per subject."""

from jaxbandits.experiments.allocation.catalogue import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
