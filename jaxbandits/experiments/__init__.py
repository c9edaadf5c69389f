"""Every figure and table of the papers as a named, runnable experiment."""

from jaxbandits.experiments import allocation, budgeted, censored, farewell
from jaxbandits.experiments.experiment import (
    Experiment,
    Options,
    Outcome,
    prepare_folder,
    write,
)

PARTS = (censored, allocation, budgeted, farewell)
REGISTRY: dict[str, Experiment] = {e.name: e for p in PARTS for e in p.EXPERIMENTS}

__all__ = [
    "REGISTRY",
    "Experiment",
    "Options",
    "Outcome",
    "prepare_folder",
    "write",
]
