"""Every figure and table of the papers as a named, runnable experiment."""

from jaxbandits.experiments import censored
from jaxbandits.experiments.experiment import (
    Experiment,
    Options,
    Outcome,
    prepare_folder,
    write,
)

REGISTRY: dict[str, Experiment] = {e.name: e for e in censored.EXPERIMENTS}

__all__ = [
    "REGISTRY",
    "Experiment",
    "Options",
    "Outcome",
    "prepare_folder",
    "write",
]
