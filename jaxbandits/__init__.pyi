from . import (
    allocation,
    arrays,
    budgeted,
    censored,
    farewell,
    kernels,
    laws,
    live,
    plain,
    plots,
    registry,
    results,
    simulation,
    stats,
    testing,
)
from .checks.designs import Range, sampled
from .checks.points import zipped
from .protocol import Actions, Environment, Game, Policy, View
from .registry import make
from .results.cuts import CutOffWarning
from .simulation import HalfWidth, Store
from .simulation.dealing import dealt
from .simulation.drive import simulate
from .simulation.machine import Machine

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
    "allocation",
    "arrays",
    "budgeted",
    "censored",
    "dealt",
    "farewell",
    "kernels",
    "laws",
    "live",
    "make",
    "plain",
    "plots",
    "registry",
    "results",
    "sampled",
    "simulate",
    "simulation",
    "stats",
    "testing",
    "zipped",
]
