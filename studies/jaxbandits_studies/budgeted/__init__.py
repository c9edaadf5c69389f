"""The figures and tables of the budgeted paper, a file per subject."""

from jaxbandits_studies.budgeted.catalogue import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
