"""Every figure and table of the papers as a named, runnable experiment."""

from jaxbandits.experiments import budgeted, censored, farewell
from jaxbandits.experiments.experiment import (
    Experiment,
    Options,
    Outcome,
    prepare_folder,
    write,
)

REGISTRY: dict[str, Experiment] = {
    e.name: e for part in (censored, budgeted, farewell) for e in part.EXPERIMENTS
}

__all__ = [
    "REGISTRY",
    "Experiment",
    "Options",
    "Outcome",
    "prepare_folder",
    "write",
]
