from . import (
    arrays,
    kernels,
    laws,
    live,
    plots,
    policies,
    results,
    settings,
    stats,
    sweeps,
    testing,
)
from ._simulate import simulate
from .designs import Range, sampled
from .machine import Machine
from .points import zipped
from .protocol import Actions, Environment, Game, Policy, View
from .results.cuts import CutOffWarning
from .sweeps import HalfWidth, Store

__version__: str
__all__ = [
    "Actions",
    "CutOffWarning",
    "Environment",
    "Game",
    "HalfWidth",
    "Machine",
    "Policy",
    "Range",
    "Store",
    "View",
    "arrays",
    "kernels",
    "laws",
    "live",
    "plots",
    "policies",
    "results",
    "sampled",
    "settings",
    "simulate",
    "stats",
    "sweeps",
    "testing",
    "zipped",
]
