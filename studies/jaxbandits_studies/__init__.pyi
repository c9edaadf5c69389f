from .common.experiment import Claim, Experiment, Options, Outcome, prepare_folder
from .common.writing import write
from .experiments import REGISTRY

__all__ = [
    "REGISTRY",
    "Claim",
    "Experiment",
    "Options",
    "Outcome",
    "prepare_folder",
    "write",
]
