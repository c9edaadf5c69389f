"""Every figure and table of the papers as a named, runnable experiment."""

from jaxbandits.experiments import budgeted, censored
from jaxbandits.experiments.experiment import (
    Experiment,
    Options,
    Outcome,
    prepare_folder,
    write,
)

REGISTRY: dict[str, Experiment] = {
    e.name: e for part in (censored, budgeted) for e in part.EXPERIMENTS
}

__all__ = [
    "REGISTRY",
    "Experiment",
    "Options",
    "Outcome",
    "prepare_folder",
    "write",
]
